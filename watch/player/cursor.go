package player

import (
	"errors"
	"io"
	"math"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// cursor reads the tapes of a reel as one, in the order of their times. The
// order of each tape is kept, whatever its times.
type cursor struct {
	heads []head
}

// head is the place on one tape.
type head struct {
	*part
	reader *tape.Reader // nil before its beginning
	entry  *tape.Entry  // the next record, or
	damage error        // what is met before it
	when   int64        // of what is next; over if there is nothing
	last   int64        // of the newest record that was read
	number int64        // of the next record on the tape
	ended  bool         // its end is behind, or comes next
}

const over = math.MaxInt64

// item is what a cursor comes to.
type item struct {
	when  int64
	head  *head
	begin bool        // of the tape: its reader holds the state before its first record
	end   bool        // of the tape: nothing of its streams is known from then on
	entry *tape.Entry // a record, or
	// damage, if none of them is set.
	damage error
}

// newCursor returns a cursor at a moment: what comes next is later. enter is
// called with each tape that has begun by then while its reader holds the state
// of that moment; the tapes that begin later come with an item of their own.
// Its reader comes of seek.
func newCursor(r *reel, at int64, seek func(*head) error, enter func(*head, []*part) error) (*cursor, error) {
	c := &cursor{heads: make([]head, len(r.parts))}
	newest := r.newest(at)
	for i, p := range r.parts {
		h := &c.heads[i]
		h.part, h.when, h.last = p, p.from, p.from
		if p.from > at {
			continue
		}
		if p.to <= at && !current(newest, p) {
			h.when, h.number, h.ended = over, p.records, true
			continue
		}
		if err := seek(h); err != nil {
			return nil, err
		}
		h.last, h.ended = min(at, p.to), p.to < at
		if err := enter(h, newest); err != nil {
			return nil, err
		}
		h.read()
	}
	return c, nil
}

// current reports whether a tape is the newest one for any stream.
func current(newest []*part, p *part) bool {
	for _, n := range newest {
		if n == p {
			return true
		}
	}
	return false
}

func (h *head) seek(at int64) (err error) {
	if h.reader, err = h.Tape.Seek(time.Unix(0, at)); err != nil {
		return &tapeError{h.Name, err}
	}
	return nil
}

// tapeError names the tape that cannot be read any further.
type tapeError struct {
	name string
	err  error
}

func (e *tapeError) Error() string { return e.name + ": " + e.err.Error() }
func (e *tapeError) Unwrap() error { return e.err }

// read reads what is next on the tape.
func (h *head) read() {
	h.entry, h.damage = nil, nil
	h.number = h.reader.Number()
	e, err := h.reader.Next()
	switch d := (*tape.Damage)(nil); {
	case err == nil:
		h.entry, h.when, h.last = e, e.Time.UnixNano(), e.Time.UnixNano()
	case err == io.EOF:
		h.finish()
	case errors.As(err, &d):
		h.damage, h.when = d, h.last
	default: // for good
		h.damage, h.when = &tapeError{h.Name, err}, h.last
	}
}

// finish comes to the end of the tape, which is something to tell where it ends
// before the others do.
func (h *head) finish() {
	if h.when = over; h.ends && !h.ended {
		h.when = h.to + 1
	}
	h.ended = true
}

// first is the head that comes next, nil at the end.
func (c *cursor) first() *head {
	var first *head
	for i := range c.heads {
		if h := &c.heads[i]; h.when != over && (first == nil || h.when < first.when) {
			first = h
		}
	}
	return first
}

// peek returns the time of what comes next; over at the end.
func (c *cursor) peek() int64 {
	if h := c.first(); h != nil {
		return h.when
	}
	return over
}

// next calls f with what comes next and moves behind it; the item is valid
// during the call. false is the end.
func (c *cursor) next(f func(item)) bool {
	h := c.first()
	if h == nil {
		return false
	}
	if h.reader == nil {
		x := item{when: h.when, head: h, begin: true}
		if err := h.seek(h.from - 1); err != nil {
			h.when, h.ended, x.begin, x.damage = over, true, false, err
			f(x)
			return true
		}
		f(x)
		h.read()
		return true
	}
	x := item{when: h.when, head: h, entry: h.entry, damage: h.damage}
	x.end = x.entry == nil && x.damage == nil
	f(x)
	if e := (*tapeError)(nil); x.end || errors.As(h.damage, &e) {
		h.entry, h.damage = nil, nil
		h.finish()
		return true
	}
	h.read()
	return true
}

// events is how many records are behind, those lost to damage included.
func (c *cursor) events() (n int64) {
	for i := range c.heads {
		n += c.heads[i].number
	}
	return n
}

// stream is the number in the reel of a stream of the tape; a negative one if
// the tape has not declared it.
func (h *head) stream(id model.StreamID) model.StreamID {
	if id < 0 || int(id) >= len(h.streams) {
		return -1
	}
	return h.streams[id]
}
