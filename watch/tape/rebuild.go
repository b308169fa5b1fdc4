package tape

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/model/splice"
)

// How a Reader makes records and objects of lines.
//
// Where only the state is wanted, the splices of an object wait until somebody
// asks for it: most are never asked for before the next checkpoint.

// record reads the line of a record, or of an object of a checkpoint.
func (r *Reader) record() (*Entry, error) {
	l := &r.line
	r.now += l.t
	e := &r.entry
	*e = Entry{Record: model.Record{Time: time.Unix(0, r.now), Type: typeOf(l.what), Flags: model.Flag(l.flags)}}
	if l.has&(hasO|hasB) != 0 {
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
	number := r.number.of(l)
	o := r.objects.get(number)
	s, rt := (*StreamState)(nil), (*root)(nil)
	unwanted := r.quiet && r.only != nil && !r.only[number] && l.what != "B"
	switch {
	case unwanted && l.has&hasR == 0:
		return r.pass()
	case l.has&hasB != 0: // written without a predecessor
		s, rt = r.streams[model.StreamID(l.s)], r.roots[l.b]
		switch {
		case l.has&hasS == 0 || l.has&hasText == 0:
			return errLine
		case s == nil || rt == nil && l.b != 0:
			return errUnbuilt
		}
	case o == nil:
		return errUnbuilt
	case l.has&hasText == 0:
		return r.stands(e, o)
	default:
		s = r.streams[o.stream]
	}
	r.hear(s)
	if r.quiet && !r.strict && (l.delta != nil || l.form != nil) && l.has&hasR == 0 {
		return r.wait(number, o, s, rt)
	}
	var base []byte
	if l.has&hasB == 0 {
		var err error
		if base, err = r.newestText(o); err != nil {
			return err
		}
		if string(l.delta) == "[]" { // the same again
			if e.Stream, e.Raw = s.ID, base; len(base) == 0 {
				e.Raw = []byte{}
			}
			return r.done(e, s, o)
		}
		rt = o.root
	} else if rt != nil {
		base = rt.text
	}
	text, err := r.build(base)
	if err != nil {
		return err
	}
	if l.has&hasR != 0 {
		if rt, err = r.newRoot(text); err != nil {
			return err
		}
	}
	if unwanted {
		return r.pass()
	}
	return r.put(e, number, s, o, rt, text)
}

// pass passes over the line of an object that nobody wants.
func (r *Reader) pass() error {
	if r.line.what == "L" {
		r.owed(1)
	}
	return nil
}

// newRoot keeps a text as a root.
func (r *Reader) newRoot(text []byte) (*root, error) {
	if r.rootBytes += len(text); r.rootBytes > r.t.limits.Roots || r.line.r == 0 {
		return nil, fmt.Errorf("%w: roots of %d bytes", ErrLimit, r.rootBytes)
	}
	rt := &root{num: r.line.r, text: bytes.Clone(text), tape: r.t}
	r.roots[rt.num] = rt
	return rt, nil
}

// build makes the text of a line.
func (r *Reader) build(base []byte) (text []byte, err error) {
	l := &r.line
	if l.delta != nil {
		return r.apply(base, l.delta)
	}
	s, err := jsonscan.Unquote(l.base64)
	if err != nil || len(s)/4*3 > r.t.limits.Object {
		return nil, errLine
	}
	if text, err = base64.StdEncoding.AppendDecode(r.scratch[:0], []byte(s)); err != nil {
		return nil, err
	}
	r.scratch = nil
	return text, r.built(text)
}

// apply makes a text of a splice, in the memory of scratch if that has room.
func (r *Reader) apply(base, delta []byte) ([]byte, error) {
	// In one piece: most texts are about as long as their bases.
	if need := min(len(base)+len(delta), r.t.limits.Object); cap(r.scratch) < need {
		r.scratch = make([]byte, 0, need+need/16)
	}
	text, err := splice.ApplyJSON(r.scratch[:0], base, delta, r.t.limits.Object)
	if err != nil {
		return nil, err
	}
	r.scratch = nil
	return text, r.built(text)
}

// built counts a text against the limit.
func (r *Reader) built(text []byte) error {
	if r.rebuilt += int64(len(text)); r.rebuilt > r.t.limits.Rebuilt {
		return r.overRebuilt()
	}
	return nil
}

func (r *Reader) overRebuilt() error {
	return fmt.Errorf("%w: %d bytes rebuilt from one frame", ErrLimit, r.rebuilt)
}

// recycle keeps memory for the next text.
func (r *Reader) recycle(free []byte, size int) {
	if r.scratch = free; cap(free) > 2*size+4096 {
		r.scratch = nil
	}
}

// put makes text the newest of an object, which is new if it is nil.
func (r *Reader) put(e *Entry, number uint64, s *StreamState, o *object, rt *root, text []byte) error {
	l := &r.line
	if o == nil {
		o = newObject(number, s.ID)
		o.bookmark = l.what == "B"
		r.objects.put(o)
	} else if r.strict && l.what == "L" {
		if old, err := r.newestText(o); err != nil || !bytes.Equal(old, text) {
			r.missed = append(r.missed, r.damage(0, fmt.Sprintf("object %d is not what the checkpoint says", number)))
		}
	}
	o.stream, o.root = s.ID, rt
	r.undo(o)
	r.recycle(r.texts.set(o, text), len(text))
	if err := r.bounded(); err != nil {
		return err
	}
	if l.what == "L" {
		r.owed(1)
		return nil
	}
	e.Stream, e.Raw = s.ID, text
	return r.done(e, s, o)
}

// owed counts n objects of a checkpoint.
func (r *Reader) owed(n int) {
	if r.live -= n; n > 0 && r.live == 0 {
		r.whole = true
	}
}

// bounded is an error if the state takes too much.
func (r *Reader) bounded() error {
	if r.texts.hot+r.texts.cold+r.waiting+512*int64(r.objects.n) > r.t.limits.State {
		return fmt.Errorf("%w: objects of %d bytes", ErrLimit, r.t.limits.State)
	}
	return nil
}

// wait keeps the line's splice for when somebody asks for the object. rt is
// what it is against if the line has no predecessor.
func (r *Reader) wait(number uint64, o *object, s *StreamState, rt *root) error {
	l := &r.line
	if o == nil {
		o = r.newObject(number)
		o.bookmark = l.what == "B"
		r.objects.put(o)
	}
	w := l.splice
	switch {
	case w != nil:
	case l.form != nil:
		w = r.splices.next(l.form, l.values)
	default:
		w = r.splices.next(nil, append(r.arena.room(len(l.delta)), l.delta...))
		r.arena.keep(w.data)
	}
	if l.has&hasB != 0 {
		r.undo(o)
		r.texts.drop(o)
		o.stream, o.root, o.afresh = s.ID, rt, true
		if w.from = rt; rt == nil {
			w.from = &r.nothing
		}
	}
	w.before, o.splices = o.splices, w
	r.waiting += w.size()
	if err := r.bounded(); err != nil {
		return err
	}
	switch l.what {
	case "L":
		r.owed(1)
	case "D":
		r.forget(o)
	}
	return nil
}

// newObject returns a new object of which nothing is held.
func (r *Reader) newObject(number uint64) *object {
	if len(r.news) == 0 {
		r.news = make([]object, 256)
	}
	o := &r.news[0]
	r.news = r.news[1:]
	o.num = number
	return o
}

// newestText returns the newest text of an object; it is valid until the
// object changes or another one is used.
func (r *Reader) newestText(o *object) ([]byte, error) {
	if o.splices == nil {
		return r.texts.of(o)
	}
	var base []byte
	if !o.afresh {
		var err error
		if base, err = r.texts.of(o); err != nil {
			return nil, err
		}
	} else if o.root != nil {
		base = o.root.text
	}
	var text, spare []byte
	for i, w := range o.splices.chain(nil) {
		r.scratch, spare = spare, nil
		next, err := r.apply(base, r.speller.spell(w))
		if err != nil {
			r.forget(o)
			return nil, err
		}
		if i > 0 {
			spare = text
		}
		base, text = next, next
	}
	r.undo(o)
	r.recycle(spare, len(text))
	r.texts.set(o, text)
	return text, nil
}

// undo forgets the splices that wait.
func (r *Reader) undo(o *object) {
	r.waiting -= int64(o.splices.Size())
	o.splices, o.afresh = nil, false
}

// forget forgets an object.
func (r *Reader) forget(o *object) {
	r.undo(o)
	r.texts.drop(o)
	r.objects.remove(o.num)
}

// stands is a change that no frame told: the newest text stands.
func (r *Reader) stands(e *Entry, o *object) error {
	s := r.streams[o.stream]
	e.Stream = o.stream
	if !r.quiet {
		newest, err := r.newestText(o)
		if err != nil {
			return err
		}
		e.Identity, e.RV = identify(&s.StreamInfo, newest)
	}
	return r.done(e, s, o)
}

// done completes the entry of an object, and lets go of one that was deleted.
func (r *Reader) done(e *Entry, s *StreamState, o *object) error {
	if e.Type == model.Deleted {
		r.forget(o)
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
