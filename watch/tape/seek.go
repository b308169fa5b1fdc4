package tape

import (
	"errors"
	"io"
	"time"
)

// Seek returns a Reader at a moment: its state is that of the recorded cluster
// then, and Next returns the first record that is later. Records of several
// streams may be on a tape in an order that differs from their times by a
// little; the order of the tape counts.
//
// Seek starts at the last checkpoint before the moment. What is damaged on the
// way is in [Reader.Missed]; if the state suffers from it, an earlier
// checkpoint is tried, and [Reader.Whole] tells whether that helped. Where the
// moment itself is damaged, the place is the first behind it that can be read,
// and the state is of that place.
func (t *Tape) Seek(when time.Time) (*Reader, error) {
	until := when.UnixNano()
	first := t.partAt(until)
	for first > 0 && !t.parts[first].Segment {
		first--
	}
	r, err := t.seekFrom(first, until)
	if err != nil || r.whole || first == 0 {
		return r, err
	}
	for first--; first > 0 && !t.parts[first].Segment; first-- {
	}
	if earlier, err := t.seekFrom(first, until); err == nil && earlier.whole {
		return earlier, nil
	}
	return r, nil
}

// partAt returns the part that holds the first record later than a moment, or
// the last one.
func (t *Tape) partAt(until int64) int {
	for i := range t.parts {
		if p := &t.parts[i]; p.damage == nil && p.Records > 0 && p.To > until {
			return i
		}
	}
	return max(len(t.parts)-1, 0)
}

func (t *Tape) seekFrom(part int, until int64) (*Reader, error) {
	r := t.reader(part)
	r.quiet = true
	for {
		_, err := r.next(until)
		var d *Damage
		switch {
		case err == errLater || err == io.EOF:
			r.quiet = false
			return r, nil
		case errors.As(err, &d):
			r.missed = append(r.missed, d)
		case err != nil:
			return nil, err
		}
	}
}
