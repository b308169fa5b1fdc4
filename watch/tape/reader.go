package tape

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/model/splice"
)

// Reader reads the records of a tape in order, and holds the state of the
// recorded cluster behind the last of them. It must not be used from two
// goroutines at a time.
type Reader struct {
	t    *Tape
	part int    // the next one
	in   *part  // the one being read
	text []byte // what is left of it
	buf  []byte
	line line

	now     int64
	expect  int64 // number of the next frame, -1 if any will do
	streams map[model.StreamID]*StreamState
	objects map[uint64]*object
	texts   texts
	scratch []byte

	roots     map[uint64]*root
	rootBytes int
	rebuilt   int64 // bytes, of this data frame
	unbuilt   int   // records of this data frame that hang by what is damaged
	live      int   // objects that the running checkpoint still owes
	whole     bool
	strict    bool  // compare checkpoints with what is known
	quiet     bool  // only the state is wanted
	stopPart  int   // where quiet reading ends, -1 if nowhere:
	stopAt    int64 // in this part after so many records
	records   int64 // of this part that were read
	before    int64 // records of the parts before this one
	missed    []*Damage
	entry     Entry
	err       error // for good
}

// readerMemory is how many bytes of objects a Reader holds as they are.
const readerMemory = 256 << 20

// Reader returns a reader of the whole tape, from the beginning.
func (t *Tape) Reader() *Reader { return t.reader(0) }

func (t *Tape) reader(part int) *Reader {
	r := &Reader{t: t, part: part, expect: -1, stopPart: -1, streams: map[model.StreamID]*StreamState{}, objects: map[uint64]*object{},
		roots: map[uint64]*root{}, texts: texts{budget: readerMemory}}
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

// errLater: the next record is later than wanted. It has not been consumed.
var errLater = errors.New("later")

func (r *Reader) next(until int64) (*Entry, error) {
	for r.err == nil {
		if len(r.text) == 0 {
			if err := r.load(); err != nil {
				return nil, r.failed(err)
			}
		}
		one, rest, found := bytes.Cut(r.text, []byte("\n"))
		if !found || len(one) > r.t.limits.Line {
			r.text = nil
			r.lose()
			return nil, r.damage(-1, "a line without end, or over the limit")
		}
		err := r.line.parse(one)
		if err == nil && r.line.isRecord() {
			if r.now+r.line.t > until || r.part-1 == r.stopPart && r.records >= r.stopAt {
				return nil, errLater
			}
			r.records++
		}
		r.text = rest
		e, err := r.read(err)
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

// failed keeps an error that is for good.
func (r *Reader) failed(err error) error {
	var d *Damage
	if !errors.As(err, &d) && err != io.EOF {
		r.err = err
	}
	return err
}

var errUnbuilt = errors.New("hangs by what is damaged")

func (r *Reader) damage(records int, text string) *Damage {
	return &Damage{Offset: r.in.offset, Size: r.in.Size, Records: records, Text: text}
}

// load makes the text of the next data frame the one to read.
func (r *Reader) load() error {
	if n := r.unbuilt; n > 0 {
		r.unbuilt = 0
		return r.damage(n, "changes of objects whose earlier states are damaged")
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
	if r.in.damage != nil {
		if r.in.damage.Records != 0 {
			r.whole = false
		}
		return r.in.damage
	}
	var err error
	if r.buf, err = r.t.load(r.buf[:0], r.in); errors.Is(err, errDamaged) {
		r.lose()
		return r.damage(int(r.in.Records), err.Error())
	} else if err != nil {
		return err
	}
	r.text, r.rebuilt = r.buf, 0
	if !bytes.HasPrefix(r.text, []byte(`{"frame":`)) {
		r.text = nil
		r.lose()
		return r.damage(int(r.in.Records), "does not begin as a frame does")
	}
	return nil
}

// lose forgets the objects: what changed them may be among what was lost, and
// a splice against a wrong base would make something that never was. Roots do
// not change, and have numbers of their own in the whole tape.
func (r *Reader) lose() {
	clear(r.objects)
	r.texts = texts{budget: r.texts.budget}
	r.whole, r.expect = false, -1
}

// read takes in the parsed line; err is that of parsing it.
func (r *Reader) read(err error) (*Entry, error) {
	l := &r.line
	if err == nil {
		switch {
		case l.frame != nil:
			return nil, r.begin(l.frame)
		case l.stream != nil:
			return nil, r.declare(l.stream)
		case l.what == "sync":
			return nil, nil
		}
		var e *Entry
		if e, err = r.record(); err == nil || err == errUnbuilt || errors.Is(err, ErrLimit) {
			return e, err
		}
	}
	// The checksum is right, so that this is what was written: not by a Writer
	// of this version, then.
	r.lose()
	return nil, r.damage(1, "a line that cannot be understood: "+err.Error())
}

// begin reads the first line of a data frame.
func (r *Reader) begin(h *headerJSON) error {
	lost := r.expect >= 0 && h.Frame != r.expect
	if lost || h.Frame != r.in.Frame {
		r.lose()
	}
	want := r.expect
	r.expect, r.now = h.Frame+1, h.T
	if h.Format != "" {
		if h.Version > Version {
			return ErrVersion
		}
		r.roots, r.rootBytes, r.live = map[uint64]*root{}, 0, h.Live
		for n, o := range r.objects {
			if o.bookmark {
				r.texts.drop(o)
				delete(r.objects, n)
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

// record reads the line of a record, or of an object of a checkpoint.
func (r *Reader) record() (*Entry, error) {
	l := &r.line
	r.now += l.t
	e := &r.entry
	*e = Entry{Record: model.Record{Time: time.Unix(0, r.now), Type: typeOf(l.what), Flags: model.Flag(l.flags)}}
	if l.has&hasO != 0 {
		err := r.object(e)
		if l.what == "L" {
			e = nil
		}
		return e, err
	}
	s := r.streams[model.StreamID(l.s)]
	switch {
	case l.has&hasS == 0:
		return nil, errLine
	case s == nil:
		return nil, errUnbuilt
	}
	e.Stream = s.ID
	switch {
	case l.detail != nil:
		return e, r.detail(e, s)
	case l.what == "F":
		frame, err := r.build(nil)
		e.before, e.enveloped = frame, true
		e.Bytes = len(frame)
		if l.has&hasN != 0 {
			e.Bytes = int(l.n)
		}
		r.scratch = nil // the entry has it
		return e, err
	}
	return e, r.finish(e, s, false)
}

// object reads a line with an object, and rebuilds that.
func (r *Reader) object(e *Entry) error {
	l := &r.line
	o := r.objects[l.o]
	var base []byte
	switch {
	case l.has&hasB != 0: // written without a predecessor
		s := r.streams[model.StreamID(l.s)]
		rt := r.roots[l.b]
		switch {
		case l.has&hasS == 0 || l.has&hasText == 0:
			return errLine
		case s == nil || rt == nil && l.b != 0:
			return errUnbuilt
		case rt != nil:
			base = rt.text
		}
		text, err := r.build(base)
		if err != nil {
			return err
		}
		if l.has&hasR != 0 {
			if r.rootBytes += len(text); r.rootBytes > r.t.limits.Roots || l.r == 0 {
				return fmt.Errorf("%w: roots of %d bytes", ErrLimit, r.rootBytes)
			}
			rt = &root{l.r, bytes.Clone(text)}
			r.roots[l.r] = rt
		}
		return r.put(e, s, o, rt, text)
	case o == nil:
		return errUnbuilt
	case l.has&hasText == 0:
		return r.gone(e, o)
	}
	base, err := r.texts.of(o)
	if err != nil {
		return err
	}
	text, err := r.build(base)
	if err != nil {
		return err
	}
	return r.put(e, r.streams[o.stream], o, o.root, text)
}

// build makes the text of a line.
func (r *Reader) build(base []byte) (text []byte, err error) {
	l := &r.line
	if l.base64 != nil {
		s, err := jsonscan.Unquote(l.base64)
		if err != nil || len(s)/4*3 > r.t.limits.Object {
			return nil, errLine
		}
		if text, err = base64.StdEncoding.AppendDecode(r.scratch[:0], []byte(s)); err != nil {
			return nil, err
		}
	} else {
		// In one piece: most texts are about as long as their bases.
		if need := min(len(base)+len(l.delta), r.t.limits.Object); cap(r.scratch) < need {
			r.scratch = make([]byte, 0, need)
		}
		text, err = splice.ApplyJSON(r.scratch[:0], base, l.delta, r.t.limits.Object)
		if err != nil {
			return nil, err
		}
	}
	r.scratch = nil
	if r.rebuilt += int64(len(text)); r.rebuilt > r.t.limits.Rebuilt {
		return nil, fmt.Errorf("%w: %d bytes rebuilt from one frame", ErrLimit, r.rebuilt)
	}
	return text, nil
}

// put makes text the newest of an object, which is new if it is nil.
func (r *Reader) put(e *Entry, s *StreamState, o *object, rt *root, text []byte) error {
	l := &r.line
	if o == nil {
		o = &object{num: l.o, bookmark: l.what == "B"}
		r.objects[l.o] = o
	} else if r.strict && l.what == "L" {
		if old, err := r.texts.of(o); err != nil || !bytes.Equal(old, text) {
			r.missed = append(r.missed, r.damage(0, fmt.Sprintf("object %d is not what the checkpoint says", l.o)))
		}
	}
	o.stream, o.root = s.ID, rt
	if r.scratch = r.texts.set(o, text); cap(r.scratch) > 2*len(text)+4096 {
		r.scratch = nil
	}
	if r.texts.hot+r.texts.cold+512*int64(len(r.objects)) > r.t.limits.State {
		return fmt.Errorf("%w: objects of %d bytes", ErrLimit, r.t.limits.State)
	}
	if l.what == "L" {
		if r.live--; r.live == 0 {
			r.whole = true
		}
		return nil
	}
	e.Stream, e.Raw = s.ID, text
	return r.done(e, s, o)
}

// gone is a change that no frame told: the newest text stands.
func (r *Reader) gone(e *Entry, o *object) error {
	newest, err := r.texts.of(o)
	if err != nil {
		return err
	}
	s := r.streams[o.stream]
	e.Stream = o.stream
	e.Identity, e.RV = identify(&s.StreamInfo, newest)
	return r.done(e, s, o)
}

// done completes the entry of an object, and lets go of one that was deleted.
func (r *Reader) done(e *Entry, s *StreamState, o *object) error {
	if e.Type == model.Deleted {
		r.texts.drop(o)
		delete(r.objects, o.num)
	}
	if r.quiet {
		return nil
	}
	return r.finish(e, s, e.Raw == nil)
}

// finish fills in what a record has beside its text.
func (r *Reader) finish(e *Entry, s *StreamState, identified bool) error {
	l := &r.line
	if !identified {
		e.Identity, e.RV = identify(&s.StreamInfo, e.Raw)
	}
	if l.has&hasID != 0 {
		var j identityJSON
		if err := json.Unmarshal(l.id, &j); err != nil {
			return err
		}
		e.Identity = model.Identity(j)
	}
	if l.has&hasRV != 0 {
		e.RV = l.rv
	}
	if l.has&hasW != 0 {
		var w [2]string
		if err := json.Unmarshal(l.w, &w); err != nil {
			return err
		}
		e.before, e.after, e.enveloped = []byte(w[0]), []byte(w[1]), true
	}
	e.Reverted = l.has&hasBack != 0
	e.Bytes = frameSize(&e.Record, len(e.Raw), len(e.before)+len(e.after))
	if l.has&hasN != 0 {
		e.Bytes = int(l.n)
	}
	return nil
}
