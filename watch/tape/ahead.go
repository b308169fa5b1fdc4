package tape

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Reading ahead
//
// A data frame needs nothing of the one before but the texts of the objects. So
// where only the state is wanted, several goroutines unpack whole data frames
// and find out what their lines say, while the Reader takes that in, in order.
// What is damaged, not clear or too much is left to the Reader itself.

const (
	maxReaders = 4       // goroutines that read ahead
	maxDigest  = 8 << 20 // bytes of text, and of values, of a data frame that is read ahead
)

// digest is what the lines of a data frame say. Its memory is used again, but
// for that of the values.
type digest struct {
	lines []digested
	text  []byte // of the data frame
	last  int64  // the latest time of its records
	clear bool   // whether it is all of the data frame
}

// digested is a line that was skimmed, or the text of another one.
type digested struct {
	form   *form  // nil: text is the line
	text   []byte // the values of its splice
	t, o   int64
	b      uint64
	s      int32
	flags  uint16
	has    uint16
	letter byte
}

// ahead reads some parts of a tape ahead.
type ahead struct {
	tape    *Tape
	first   int // the part of done[0]
	until   int64
	done    []chan *digest
	claimed atomic.Int64
	free    chan *digest
	stop    chan struct{}
	work    sync.WaitGroup
}

// readAhead begins to read parts ahead, up to one that is not read to its end:
// that with a record later than until, or the one numbered stop. It returns nil
// where that is not worth while.
func (t *Tape) readAhead(part int, until int64, stop int) *ahead {
	end := part
	for end < len(t.parts) && (stop < 0 || end < stop) && (t.parts[end].damage != nil || t.parts[end].To <= until) {
		end++
	}
	readers := min(runtime.GOMAXPROCS(0), maxReaders, end-part)
	if readers < 2 {
		return nil
	}
	a := &ahead{tape: t, first: part, until: until, done: make([]chan *digest, end-part), free: make(chan *digest, readers+1), stop: make(chan struct{})}
	for i := range a.done {
		a.done[i] = make(chan *digest, 1)
	}
	for range cap(a.free) {
		x, _ := t.digests.Get().(*digest)
		if x == nil {
			x = &digest{}
		}
		a.free <- x
	}
	for range readers {
		a.work.Go(a.read)
	}
	return a
}

// close returns when every goroutine has ended.
func (a *ahead) close() {
	if a == nil {
		return
	}
	close(a.stop)
	a.work.Wait()
	for len(a.free) > 0 {
		a.tape.digests.Put(<-a.free)
	}
}

func (a *ahead) read() {
	d := digester{expander: expander{known: &a.tape.known}}
	for {
		select {
		case <-a.stop:
			return
		case x := <-a.free: // before the claim, or nobody might have room for the part that is waited for
			i := int(a.claimed.Add(1)) - 1
			if i >= len(a.done) {
				return
			}
			x.clear = d.digest(a.tape, &a.tape.parts[a.first+i], x) && x.last <= a.until
			a.done[i] <- x
		}
	}
}

// take returns what the lines of a part say, nil if the Reader has to read it.
func (a *ahead) take(part int) *digest {
	if a == nil || part < a.first || part-a.first >= len(a.done) {
		return nil
	}
	x := <-a.done[part-a.first]
	if !x.clear {
		a.free <- x
		return nil
	}
	return x
}

// digester finds out what lines say.
type digester struct {
	expander expander
	line     line
	values   arena
	number   int // bytes of them, of this data frame
}

// digest fills x with a part; false if it has to be read otherwise.
func (d *digester) digest(t *Tape, p *part, x *digest) bool {
	x.lines, x.last = x.lines[:0], math.MinInt64
	if p.damage != nil || p.Plain > maxDigest {
		return false
	}
	var err error
	if x.text, err = t.load(x.text[:0], p); err != nil || len(x.text) > maxDigest || !bytes.HasPrefix(x.text, frameLine) {
		return false
	}
	x.lines = slices.Grow(x.lines, bytes.Count(x.text, []byte("\n")))
	d.expander.reset()
	d.number = 0
	now := int64(0)
	for rest := x.text; len(rest) > 0; {
		one, after, found := bytes.Cut(rest, []byte("\n"))
		if rest = after; !found || len(one) > t.limits.Line || !d.one(t, one, now, x) {
			return false
		}
		if l := &d.line; l.frame != nil {
			now = l.frame.T
		} else if l.has&hasT != 0 {
			now += l.t
			x.last = max(x.last, now)
		}
	}
	return true
}

// one appends a line to x, unless it declares a form.
func (d *digester) one(t *Tape, one []byte, now int64, x *digest) bool {
	f, err := d.expander.take(one, now)
	l := &d.line
	switch {
	case err != nil:
		return false
	case f == declared:
		l.has, l.frame = 0, nil
		return true
	case f != nil && d.expander.skim(l, f, t.limits.Line, &d.values):
		d.number += len(l.values)
		x.lines = append(x.lines, digested{f, l.values, l.t, l.o, l.b, int32(l.s), uint16(l.flags), uint16(l.has), l.what[0]})
		return d.number <= maxDigest
	case f != nil:
		made, err := d.expander.assemble(f, t.limits.Line)
		if err != nil {
			return false
		}
		one = append(d.values.room(len(made)), made...)
		d.values.keep(one)
		d.number += len(one)
	}
	x.lines = append(x.lines, digested{text: one})
	return l.parse(one) == nil && d.number <= maxDigest
}

// digested makes the next line of the digest the one held.
func (r *Reader) digested() (wrong, err error) {
	d := &r.digest.lines[r.taken]
	r.taken++
	r.held = true
	l := &r.line
	if d.form != nil {
		*l = line{has: uint(d.has), what: letterName(d.letter), t: d.t, o: d.o, b: d.b, s: int64(d.s), flags: uint64(d.flags),
			form: d.form, values: d.text, members: l.members}
		return nil, nil
	}
	r.one = d.text
	if r.rebuilt += int64(len(d.text)); r.rebuilt > r.t.limits.Rebuilt {
		return nil, fmt.Errorf("%w: %d bytes rebuilt from one frame", ErrLimit, r.rebuilt)
	}
	return l.parse(d.text), nil
}

// undigested gives back the memory of the digest that has been taken in.
func (r *Reader) undigested() {
	clear(r.digest.lines) // or they would hold the values
	r.ahead.free <- r.digest
	r.digest, r.taken = nil, 0
}
