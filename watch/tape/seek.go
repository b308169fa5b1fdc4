package tape

import (
	"bytes"
	"errors"
	"io"
	"math"
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
	return t.seekWhole(t.partAt(until), func(r *Reader) (*Reader, error) { return r.skipUntil(until) })
}

// seekWhole makes a reader whose place is in a part, by the checkpoint before
// it, or if that does not give the whole state, the one before that.
func (t *Tape) seekWhole(part int, place func(*Reader) (*Reader, error)) (*Reader, error) {
	first := part
	for first > 0 && !t.parts[first].Segment {
		first--
	}
	r, err := place(t.reader(first))
	if err != nil || r.whole || first == 0 {
		return r, err
	}
	for first--; first > 0 && !t.parts[first].Segment; first-- {
	}
	if earlier, err := place(t.reader(first)); err == nil && earlier.whole {
		return earlier, nil
	}
	return r, nil
}

// SeekRecords is Seek to n records before a moment, as an exact number: Next
// returns those n records first, or fewer if the tape begins later or some are
// damaged, and then what is later than the moment. The state is that before
// the first of them.
func (t *Tape) SeekRecords(when time.Time, n int) (*Reader, error) {
	until := when.UnixNano()
	part := t.partAt(until)
	at, err := t.recordsUntil(part, until)
	if err != nil {
		return nil, err
	}
	for at -= int64(max(n, 0)); at < 0 && part > 0; {
		part--
		if t.parts[part].damage == nil {
			at += t.parts[part].Records
		}
	}
	return t.seekWhole(part, func(r *Reader) (*Reader, error) { return r.skip(part, max(at, 0)) })
}

// recordsUntil counts the records of a part up to the first that is later than
// a moment.
func (t *Tape) recordsUntil(part int, until int64) (n int64, err error) {
	if part >= len(t.parts) || t.parts[part].damage != nil {
		return 0, nil
	}
	p := &t.parts[part]
	if p.To <= until {
		return p.Records, nil
	}
	text, err := t.load(nil, p)
	if err != nil && !errors.Is(err, errDamaged) {
		return 0, err
	}
	now := int64(0)
	var l line
	x := expander{known: &t.known}
	for one := range bytes.Lines(text) {
		one = bytes.TrimSuffix(one, []byte("\n"))
		t, ok := x.delta(one)
		if !ok {
			if bytes.HasPrefix(one, formLine) {
				if x.declare(one) != nil {
					return n, nil
				}
				continue
			}
			if len(one) > 0 && one[0] == '"' { // of no record
				continue
			}
			if l.parse(one) != nil {
				return n, nil
			}
			if l.frame != nil {
				now = l.frame.T
			}
			if !l.isRecord() {
				continue
			}
			t = l.t
		}
		if now+t > until {
			return n, nil
		}
		now += t
		n++
	}
	return n, nil
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

// skipUntil reads on to the first record that is later than a moment.
func (r *Reader) skipUntil(until int64) (*Reader, error) {
	return r.quietly(r.t.readAhead(r.part, until, -1, r.only), func() error { _, err := r.next(until); return err })
}

// skip reads on until n records of a part have been read, or it is over.
func (r *Reader) skip(part int, n int64) (*Reader, error) {
	return r.quietly(r.t.readAhead(r.part, math.MaxInt64, part, nil), func() error {
		r.stopPart, r.stopAt = part, n
		_, err := r.next(math.MaxInt64)
		return err
	})
}

// quietly reads on for the state alone, until errLater or the end; ahead may
// be nil.
func (r *Reader) quietly(ahead *ahead, read func() error) (*Reader, error) {
	r.quiet, r.ahead = true, ahead
	defer func() {
		r.ahead.close()
		r.ahead = nil
	}()
	for {
		err := read()
		var d *Damage
		switch {
		case err == errLater || err == io.EOF:
			r.quiet, r.stopPart = false, -1
			return r, nil
		case errors.As(err, &d):
			r.missed = append(r.missed, d)
		case err != nil:
			return nil, err
		}
	}
}
