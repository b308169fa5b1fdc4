package tape

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"time"
)

// How a recording begins in the middle, and goes on in another tape.

// Begin begins the tape with what there is at a moment, which makes no records:
// the newest steps of streams, and live objects. It is called once, after the
// streams that there are were added and before anything else. The Secrets among
// the objects must have been through a Redactor.
//
// Errors are those of the io.Writer, ErrClosed, and ErrRecord if it comes too
// late, or if objects yields another number of them.
func (w *Writer) Begin(when time.Time, streams []StreamState, live int, objects iter.Seq[Object]) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case w.begun || when.Before(earliest) || when.After(latest):
		return ErrRecord
	}
	for _, s := range streams {
		if s.ID >= 0 && int(s.ID) < len(w.streams) && !s.Since.IsZero() {
			w.streams[s.ID].last, w.streams[s.ID].since = transitionOf(s.Last), s.Since.UnixNano()
		}
	}
	t := when.UnixNano()
	w.beginSegment(t, live)
	n := 0
	for x := range objects {
		if x.Stream < 0 || int(x.Stream) >= len(w.streams) || len(x.Raw) > maxObject || !w.begin(t) {
			return cmp.Or(w.err, ErrRecord)
		}
		id, _ := identify(&w.streams[x.Stream].StreamInfo, x.Raw)
		w.last++
		o := newObject(w.last, x.Stream)
		w.enter(o, keyOf(x.Stream, cloneIdentity(id)))
		w.line = append(w.line[:0], `{"e":"L"`...)
		w.alone += w.base(o, id, x.Raw, true)
		w.line = append(w.line, '}', '\n')
		w.texts.set(o, append([]byte(nil), x.Raw...))
		w.chill(o, x.Raw)
		_ = w.endLine()
		n++
	}
	w.since, w.records = 0, 0
	if n != live {
		return cmp.Or(w.err, ErrRecord)
	}
	return w.err
}

// Next ends this tape as Close does, and goes on in another, which begins with
// what there is at a moment: nothing is lost between the two, and nothing is in
// both. when must not be before the newest record.
//
// After an error of the io.Writer that had the first tape, the second one is
// not begun.
func (w *Writer) Next(out io.Writer, when time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err := w.close(); err != nil {
		return err
	}
	w.out, w.err = counter{w: out}, nil
	w.frames, w.lost, w.segment = nil, 0, 0
	live := make([]*object, 0, len(w.objects))
	for _, o := range w.objects {
		live = append(live, o)
	}
	slices.SortFunc(live, func(a, b *object) int { return cmp.Compare(a.num, b.num) })
	for i, o := range live { // they are numbered from 1 in each tape
		o.num = uint64(i + 1)
	}
	w.last, w.roots.last = uint64(len(live)), 0
	w.checkpoint(when.UnixNano())
	return w.err
}
