package tape

import (
	"errors"
	"fmt"
	"time"

	"rewatch/model"
)

// Len is the number of objects that exist as of the Reader's place, with one
// for the bookmarks of each stream.
func (r *Reader) Len() int { return r.objects.n }

// yield yields some of the objects that exist; brief is Identities.
func (r *Reader) yield(objects []*object, brief bool, yield func(Object, error) bool) {
	var bufs [2][]byte
	var own batch
	var w workshop
	// As much as to rebuild them where their lines are read.
	r.rebuilt = -r.t.limits.Rebuilt * int64(max(r.part-1, 0))
	defer func() { r.rebuilt = 0 }()
	others := r.rebuild(objects, brief)
	defer others.close()
	var made *batch
	for i, o := range objects {
		x := &own.made[0]
		if others != nil {
			if i%perBatch == 0 {
				made = others.take(i / perBatch)
			}
			x = &made.made[i%perBatch]
		} else {
			own.text = own.text[:0]
			r.remake(o, &own, x, &w, brief)
		}
		if x.left {
			x.object, x.err = r.look(o, &bufs)
		} else if r.rebuilt += x.spent; r.rebuilt > r.t.limits.Rebuilt {
			x.err = r.overRebuilt()
		}
		if errors.Is(x.err, ErrLimit) {
			yield(Object{}, x.err)
			return
		}
		if x.err != nil {
			x.object, x.err = Object{}, r.damage(0, fmt.Sprintf("object %d, of %s, cannot be rebuilt: %v", o.num, r.streams[o.stream].Resource, x.err))
		}
		if !yield(x.object, x.err) {
			return
		}
		if others != nil && (i+1)%perBatch == 0 {
			others.give(made)
		}
	}
}

// look is newestText without keeping it: of most objects nobody asks for more
// than a look, and to keep the texts of all would take more than to make them.
func (r *Reader) look(o *object, bufs *[2][]byte) (Object, error) {
	base, err := []byte(nil), error(nil)
	if !o.afresh || o.splices == nil {
		base, err = r.texts.of(o)
	} else if o.root != nil {
		base = o.root.text
	}
	if err != nil {
		return Object{}, err
	}
	for i, w := range o.splices.chain(nil) {
		r.scratch = bufs[i%2]
		if base, err = r.apply(base, r.speller.spell(w)); err != nil {
			return Object{}, err
		}
		bufs[i%2] = base
	}
	x := Object{Stream: o.stream, Raw: base, Text: o.later()}
	x.Identity, x.RV = identify(&r.streams[o.stream].StreamInfo, base)
	return x, nil
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
