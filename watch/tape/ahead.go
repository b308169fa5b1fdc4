package tape

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
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
	clear bool   // whether it is all of the data frame, but for
	// what is of objects that nobody wants: so many records and objects of a
	// checkpoint, and the time that passed since the last of the lines.
	passed, owed int
	after        int64
}

// digested is a line that was skimmed, or the text of another one. Of the
// latter, t is what its time is more than it says, for lines before it that
// were left out; and o is what counts if has says so.
type digested struct {
	splice *waiting // without a form: the text of the line
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
	only    map[uint64]bool
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
//
// Where only is not nil, lines of other objects are left out.
func (t *Tape) readAhead(part int, until int64, stop int, only map[uint64]bool) *ahead {
	end := part
	for end < len(t.parts) && (stop < 0 || end < stop) && (t.parts[end].damage != nil || t.parts[end].To <= until) {
		end++
	}
	readers := min(runtime.GOMAXPROCS(0), runtime.NumCPU(), maxReaders, end-part)
	if readers < 2 {
		return nil
	}
	a := &ahead{tape: t, only: only, first: part, until: until, done: make([]chan *digest, end-part), free: make(chan *digest, readers+1), stop: make(chan struct{})}
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
	d := digester{expander: expander{known: &a.tape.known}, only: a.only}
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
	splices  waitings
	texts    waitings        // apart: nobody keeps those, nor the text of the data frame for them
	bytes    int             // of them, of this data frame
	only     map[uint64]bool // nil: every object
	number   objectNumber    // of the newest line
	near     uint64          // of the newest one that was not passed over
	passed   int64           // time since then
	spans    []span          // of the values of a line
}

// digest fills x with a part; false if it has to be read otherwise.
func (d *digester) digest(t *Tape, p *part, x *digest) bool {
	x.lines, x.last, x.passed, x.owed, x.after = x.lines[:0], math.MinInt64, 0, 0, 0
	if p.apart(d.only) {
		x.owed = int(p.Live[0])
		return true
	}
	if p.damage != nil || p.Plain > maxDigest {
		return false
	}
	var err error
	if x.text, err = t.load(x.text[:0], p); err != nil || len(x.text) > maxDigest || !bytes.HasPrefix(x.text, frameLine) {
		return false
	}
	if d.only == nil {
		if n := bytes.Count(x.text, []byte("\n")); cap(x.lines) < n {
			x.lines = make([]digested, 0, n+n/8)
		}
	}
	d.expander.reset()
	d.bytes, d.passed = 0, 0
	now := int64(0)
	for rest := x.text; len(rest) > 0; {
		one, after, found := bytes.Cut(rest, []byte("\n"))
		if rest = after; !found || !d.one(t, one, now, x) {
			return false
		}
		if l := &d.line; l.frame != nil {
			now = l.frame.T
		} else if l.has&hasT != 0 {
			now += l.t
			x.last = max(x.last, now)
		}
	}
	x.after = d.passed
	return true
}

// one appends a line to x, unless it declares a form or is of no use.
func (d *digester) one(t *Tape, one []byte, now int64, x *digest) bool {
	if d.only != nil {
		if passed, ok := d.glance(one, x); passed || !ok {
			return ok
		}
	}
	f, made, ok := d.say(t, one, now)
	l := &d.line
	switch {
	case !ok:
		return false
	case f == declared, d.only != nil && d.pass(x):
		return true
	case f == nil:
		x.lines = append(x.lines, digested{splice: d.texts.next(nil, one)})
	case made != nil:
		one = append(d.values.room(len(made)), made...)
		d.values.keep(one)
		d.bytes += len(one)
		x.lines = append(x.lines, digested{splice: d.texts.next(nil, one)})
	default:
		d.expander.noteValues(l, f, &d.values)
		d.bytes += len(l.values)
		x.lines = append(x.lines, digested{d.splices.next(f, l.values), l.t, l.o, l.b, int32(l.s), uint16(l.flags), uint16(l.has), l.what[0]})
	}
	if d.only != nil {
		d.tell(&x.lines[len(x.lines)-1])
	}
	return d.bytes <= maxDigest
}

// say makes d.line what a line says. f is the form that it uses, if any, and
// made its text, unless it was skimmed; that is valid until the next call.
func (d *digester) say(t *Tape, one []byte, now int64) (f *form, made []byte, ok bool) {
	if len(one) > t.limits.Line {
		return nil, nil, false
	}
	f, err := d.expander.take(one, now)
	l := &d.line
	switch {
	case err != nil:
		return nil, nil, false
	case f == declared:
		l.has, l.frame, l.what = 0, nil, ""
		return f, nil, true
	case f == nil:
		return nil, nil, l.parse(one) == nil
	case d.expander.skim(l, f, t.limits.Line):
		return f, nil, true
	}
	if made, err = d.expander.assemble(f, t.limits.Line); err != nil {
		return nil, nil, false
	}
	return f, made, l.parse(made) == nil
}

// pass reports whether the newest line is of no use, since nobody wants its
// object. Roots and heartbeats are always wanted.
func (d *digester) pass(x *digest) bool {
	l := &d.line
	switch {
	case l.frame != nil:
		d.number = objectNumber{l.frame.O, l.frame.O}
		d.near = l.frame.O
		return false
	case l.what == "sync":
		return true
	case l.has&(hasO|hasB) == 0:
		return false
	}
	n := d.number.of(l)
	if l.has&hasR != 0 || l.what == "B" || d.only[n] {
		return false
	}
	if l.what == "L" {
		x.owed++
	} else {
		d.passed += l.t
		x.passed++
	}
	return true
}

// tell makes the newest line tell its time and its object from the one before
// it that was not passed over.
func (d *digester) tell(x *digested) {
	l := &d.line
	if l.has&(hasO|hasB) != 0 {
		x.o, x.has = int64(d.number.near-d.near), x.has|hasO
		d.near = d.number.near
	}
	if l.isRecord() {
		x.t += d.passed
		d.passed = 0
	}
}

// digested makes the next line of the digest the one held.
func (r *Reader) digested() (wrong, err error) {
	d := &r.digest.lines[r.taken]
	r.taken++
	r.held = true
	l := &r.line
	if d.splice.form != nil {
		*l = line{has: uint(d.has), what: letterName(d.letter), t: d.t, o: d.o, b: d.b, s: int64(d.s), flags: uint64(d.flags),
			form: d.splice.form, splice: d.splice, members: l.members}
		return nil, nil
	}
	r.one = d.splice.data
	if r.rebuilt += int64(len(r.one)); r.rebuilt > r.t.limits.Rebuilt {
		return nil, fmt.Errorf("%w: %d bytes rebuilt from one frame", ErrLimit, r.rebuilt)
	}
	wrong = l.parse(r.one)
	if l.t += d.t; d.has&hasO != 0 {
		l.o, l.has = d.o, l.has|hasO
	}
	return wrong, nil
}

// undigested gives back the memory of the digest that has been taken in.
func (r *Reader) undigested() {
	r.records += int64(r.digest.passed)
	r.now += r.digest.after
	r.owed(r.digest.owed)
	if len(r.digest.lines) == 0 { // not even the first one
		r.expect = r.in.Frame + 1
	}
	clear(r.digest.lines) // or they would hold the splices
	r.ahead.free <- r.digest
	r.digest, r.taken = nil, 0
}
