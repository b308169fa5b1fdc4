package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"rewatch/model"
)

// Reader reads the records of a tape in order, and holds the state of the
// recorded cluster behind the last of them. It must not be used from two
// goroutines at a time.
type Reader struct {
	t        *Tape
	part     int    // the next one
	in       *part  // the one being read
	text     []byte // what is left of it
	cut      error  // why the text is not all of it, nil if it is
	buf      []byte
	expander expander
	line     line
	held     bool   // line has been read and not yet taken in
	one      []byte // its text

	now     int64
	number  objectNumber
	expect  int64 // number of the next frame, -1 if any will do
	streams map[model.StreamID]*StreamState
	objects objectTable
	texts   texts
	scratch []byte
	arena   arena    // for splices that wait
	splices waitings // those
	news    []object // for the objects that have them
	nothing root     // what those are against that have no root
	waiting int64    // bytes of those
	speller speller
	ahead   *ahead  // while only the state is wanted
	digest  *digest // of a part that was read ahead, nil otherwise
	taken   int     // lines of it

	roots     map[uint64]*root
	rootBytes int
	rebuilt   int64 // bytes, of this data frame
	unbuilt   int   // records of this data frame that hang by what is damaged
	live      int   // objects that the running checkpoint still owes
	whole     bool
	strict    bool            // compare checkpoints with what is known
	quiet     bool            // only the state is wanted
	only      map[uint64]bool // and of it, only these objects; nil: all
	stopPart  int             // where quiet reading ends, -1 if nowhere:
	stopAt    int64           // in this part after so many records
	records   int64           // of this part that were read
	before    int64           // records of the parts before this one
	heard     map[model.StreamID]heard
	missed    []*Damage
	entry     Entry
	err       error // for good
}

// readerMemory is how many bytes of objects a Reader holds as they are.
const readerMemory = 256 << 20

// Reader returns a reader of the whole tape, from the beginning.
func (t *Tape) Reader() *Reader { return t.reader(0) }

func (t *Tape) reader(part int) *Reader {
	r := &Reader{t: t, part: part, expect: -1, expander: expander{known: &t.known}, stopPart: -1, streams: map[model.StreamID]*StreamState{},
		roots: map[uint64]*root{}, nothing: root{tape: t}, texts: newTexts(readerMemory)}
	for i := range t.parts[:part] {
		if p := &t.parts[i]; p.damage == nil {
			r.before += p.Records
		}
	}
	return r
}

// Records yields the records of the tape in order. An error is a *Damage,
// after which they go on, or ends them.
func (t *Tape) Records() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		r := t.Reader()
		for {
			e, err := r.Next()
			var d *Damage
			if err == io.EOF || !yield(e, err) || err != nil && !errors.As(err, &d) {
				return
			}
		}
	}
}

// Next returns the next record, valid until the next call. The errors are
// io.EOF at the end, *Damage where something is lost or cannot be rebuilt, and
// reading goes on; and ErrLimit, ErrVersion and those of the io.ReaderAt,
// which stay.
func (r *Reader) Next() (*Entry, error) { return r.next(math.MaxInt64) }

// errLater: the next record is later than wanted. It has not been taken in.
var errLater = errors.New("later")

func (r *Reader) next(until int64) (*Entry, error) {
	for r.err == nil {
		wrong, err := r.advance()
		if err != nil {
			return nil, r.failed(err)
		}
		if wrong == nil && r.line.isRecord() {
			if r.now+r.line.t > until || r.part-1 == r.stopPart && r.records >= r.stopAt {
				return nil, r.later()
			}
			r.records++
		}
		r.held = false
		e, err := r.read(wrong)
		switch {
		case err == errUnbuilt:
			r.unbuilt++
		case err != nil:
			return nil, r.failed(err)
		case e != nil && !r.quiet:
			return e, nil
		}
	}
	return nil, r.err
}

// advance makes the next line that is no form the one held. wrong is why it
// cannot be understood.
func (r *Reader) advance() (wrong, err error) {
	for !r.held {
		if r.digest != nil {
			if r.taken < len(r.digest.lines) {
				return r.digested()
			}
			r.undigested()
		}
		if len(r.text) == 0 {
			if err := r.load(); err != nil {
				return nil, err
			}
			if r.digest != nil || len(r.text) == 0 {
				continue
			}
		}
		one, rest, found := bytes.Cut(r.text, []byte("\n"))
		if !found || len(one) > r.t.limits.Line {
			return nil, r.drop("a line without end, or over the limit")
		}
		f, err := r.expander.take(one, r.now)
		text := one
		switch {
		case err == nil && f == declared:
			r.text = rest
			continue
		case err == nil && f != nil && r.quiet && !r.strict && r.expander.skim(&r.line, f, r.t.limits.Line):
			r.expander.noteValues(&r.line, f, &r.arena)
			r.text, r.held = rest, true
			return nil, nil
		case err == nil && f != nil:
			text, err = r.expander.assemble(f, r.t.limits.Line)
		}
		if err != nil { // the times of what follows hang by this line
			return nil, r.drop(err.Error())
		}
		r.text, r.held, r.one = rest, true, text
		if r.rebuilt += int64(len(text)); r.rebuilt > r.t.limits.Rebuilt {
			return nil, fmt.Errorf("%w: %d bytes rebuilt from one frame", ErrLimit, r.rebuilt)
		}
		return r.line.parse(text), nil
	}
	return nil, nil
}

// later makes the line held, of a record that is later than wanted, one that
// can be read.
func (r *Reader) later() error {
	if f := r.line.form; f != nil {
		text, err := r.expander.assemble(f, r.t.limits.Line)
		if r.one = text; err == nil {
			err = r.line.parse(text)
		}
		if err != nil {
			return r.drop(err.Error())
		}
	}
	return errLater
}

// drop gives up the rest of a data frame.
func (r *Reader) drop(why string) *Damage {
	r.text, r.cut, r.held = nil, nil, false
	r.lose()
	return r.in.lost(r.records, r.now, why)
}

// failed keeps an error that is for good.
func (r *Reader) failed(err error) error {
	var d *Damage
	if !errors.As(err, &d) && err != io.EOF && err != errLater {
		r.err = err
	}
	return err
}

var errUnbuilt = errors.New("hangs by what is damaged")

func (r *Reader) damage(records int, text string) *Damage {
	return &Damage{Offset: r.in.offset, Size: r.in.Size, Records: records, Text: text}
}

// frameLine is how a data frame begins.
var frameLine = []byte(`{"frame":`)

// load makes the text of the next data frame the one to read.
func (r *Reader) load() error {
	if n := r.unbuilt; n > 0 {
		r.unbuilt = 0
		return r.damage(n, "changes of objects whose earlier states are damaged")
	}
	if r.cut != nil {
		return r.drop(r.cut.Error())
	}
	if r.part >= len(r.t.parts) {
		return io.EOF
	}
	if r.stopPart >= 0 && r.part > r.stopPart {
		return errLater
	}
	if r.in != nil && r.in.damage == nil {
		r.before += r.in.Records
	}
	r.in, r.records = &r.t.parts[r.part], 0
	r.part++
	if r.digest = r.ahead.take(r.part - 1); r.digest != nil {
		r.rebuilt = 0
		return nil
	}
	if r.quiet && r.in.damage == nil && r.in.apart(r.only) {
		r.expect = r.in.Frame + 1
		r.owed(int(r.in.Live[0]))
		return nil
	}
	if r.in.damage != nil {
		if r.in.damage.Records != 0 {
			r.whole = false
		}
		return r.in.damage
	}
	var err error
	if r.buf, err = r.t.load(r.buf[:0], r.in); err != nil && !errors.Is(err, errDamaged) {
		return err
	}
	r.text, r.cut, r.rebuilt = r.buf, err, 0
	r.expander.reset()
	if len(r.text) == 0 && err != nil {
		return r.drop(err.Error())
	}
	if !bytes.HasPrefix(r.text, frameLine) {
		return r.drop("does not begin as a frame does")
	}
	return nil
}

// lose forgets the objects: what changed them may be among what was lost, and
// a splice against a wrong base would make something that never was. Roots do
// not change, and have numbers of their own in the whole tape.
func (r *Reader) lose() {
	r.objects.clear()
	r.texts, r.waiting = newTexts(r.texts.budget), 0
	r.whole, r.expect = false, -1
	r.live = 0 // a checkpoint that lacks something makes nothing whole
}

// read takes in the line held; wrong is why it cannot be understood.
func (r *Reader) read(wrong error) (*Entry, error) {
	l := &r.line
	if wrong == nil {
		switch {
		case l.frame != nil:
			return nil, r.begin(l.frame)
		case l.stream != nil:
			return nil, r.declare(l.stream)
		case l.what == "sync":
			return nil, nil
		}
		var e *Entry
		if e, wrong = r.record(); wrong == nil || wrong == errUnbuilt || errors.Is(wrong, ErrLimit) {
			return e, wrong
		}
	}
	// The checksum is right, so that this is what was written: not by a Writer
	// of this version, then.
	r.lose()
	return nil, r.damage(1, "a line that cannot be understood: "+wrong.Error())
}

// begin reads the first line of a data frame.
func (r *Reader) begin(h *headerJSON) error {
	lost := r.expect >= 0 && h.Frame != r.expect
	if lost || h.Frame != r.in.Frame {
		r.lose()
	}
	want := r.expect
	r.expect, r.now, r.number = h.Frame+1, h.T, objectNumber{h.O, h.O}
	if h.Format != "" {
		if h.Version > Version {
			return ErrVersion
		}
		r.roots, r.rootBytes, r.live = map[uint64]*root{}, 0, h.Live
		for o := range r.objects.all() {
			if o.bookmark {
				r.forget(o)
			}
		}
		r.whole = r.whole || r.live == 0
	}
	if lost {
		return r.damage(-1, fmt.Sprintf("frame %d comes where %d should", h.Frame, want))
	}
	return nil
}

func (r *Reader) declare(j *streamJSON) error {
	if j.ID < 0 || j.ID >= maxStreams {
		return r.damage(0, fmt.Sprintf("stream number %d", j.ID))
	}
	s := &StreamState{StreamInfo: j.info(), Since: instant(j.Since)}
	if j.Last != nil {
		last, err := j.Last.transition()
		if err != nil {
			return r.damage(0, err.Error())
		}
		s.Last = last
	}
	r.streams[j.ID] = s
	return nil
}
