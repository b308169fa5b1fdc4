package tape

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"rewatch/model"
)

// Len is the number of objects that exist as of the Reader's place, with one
// for the bookmarks of each stream.
func (r *Reader) Len() int { return r.objects.n }

// yield yields some of the objects that exist.
func (r *Reader) yield(numbers []uint64, yield func(Object, error) bool) {
	slices.Sort(numbers)
	var bufs [2][]byte
	later := laterTexts{tape: r.t}
	// As much as to rebuild them where their lines are read.
	r.rebuilt = -r.t.limits.Rebuilt * int64(max(r.part-1, 0))
	defer func() { r.rebuilt = 0 }()
	for _, n := range numbers {
		o := r.objects.get(n)
		raw, err := r.look(o, &bufs)
		if errors.Is(err, ErrLimit) {
			yield(Object{}, err)
			return
		}
		x := Object{}
		if err == nil {
			x = Object{Stream: o.stream, Raw: raw, Text: later.text(o)}
			x.Identity, x.RV = identify(&r.streams[o.stream].StreamInfo, raw)
		} else {
			err = r.damage(0, fmt.Sprintf("object %d, of %s, cannot be rebuilt: %v", n, r.streams[o.stream].Resource, err))
		}
		if !yield(x, err) {
			return
		}
	}
}

// look is newestText without keeping it: of most objects nobody asks for more
// than a look, and to keep the texts of all would take more than to make them.
func (r *Reader) look(o *object, bufs *[2][]byte) ([]byte, error) {
	if len(o.splices) == 0 {
		return r.texts.of(o)
	}
	var base []byte
	switch {
	case !o.afresh:
		var err error
		if base, err = r.texts.of(o); err != nil {
			return nil, err
		}
	case o.root != nil:
		base = o.root.text
	}
	for i := range o.splices {
		r.scratch = bufs[i%2]
		text, err := r.apply(base, r.speller.spell(&o.splices[i]))
		if err != nil {
			return nil, err
		}
		base, bufs[i%2] = text, text
	}
	return base, nil
}

// heard is when a stream last had a frame.
type heard struct{ frame, heartbeat int64 }

// hear notes that the line is a frame of a stream.
func (r *Reader) hear(s *StreamState) {
	l := &r.line
	if l.what == "L" || model.Flag(l.flags)&model.Synthetic != 0 {
		return
	}
	h := r.heard[s.ID]
	if h.frame = r.now; l.what == "B" {
		h.heartbeat = r.now
	}
	if r.heard == nil {
		r.heard = map[model.StreamID]heard{}
	}
	r.heard[s.ID] = h
}

// Heard returns the times of a stream's newest frame and of its newest bookmark
// before the Reader's place, as far as this Reader has read: zero if they were
// before the checkpoint that it began with.
func (r *Reader) Heard(s model.StreamID) (frame, heartbeat time.Time) {
	h := r.heard[s]
	return instant(h.frame), instant(h.heartbeat)
}
