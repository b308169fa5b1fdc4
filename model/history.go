package model

import (
	"errors"
	"sync"

	"rewatch/model/splice"
)

// How the bytes of the versions are kept
//
// The newest version of an object that changed lately is in hand, as text.
// When the next one comes, the old one is written as a splice against it: the
// delta, backwards. When an object leaves the hands, because others were used
// since, its newest version is written as a splice against a template, the
// text of a sibling. So every version is reached from a text by a short chain
// of splices that leads backwards in time, the oldest versions can leave at
// any moment without a thought for the newer ones, and an object that has been
// quiet costs no more than its difference to its siblings.
//
// Chains are cut, by a splice against a template, where they get long, and
// also where they touch too many slabs: a slab has to be unpacked to be read.

const (
	maxChain = 32        // splices in a chain
	maxSlabs = 4         // slabs that the chain lies in
	chainRun = 256 << 10 // bytes that following a chain may copy
)

// history holds the bytes of all versions.
type history struct {
	templates templates
	hands     hands
	elsewhere elsewhere
	current   store // versions whose row is held
	survivors store // newest versions whose row has left
	scratch   sync.Pool
}

func newHistory() *history {
	p := newPacker()
	return &history{templates: newTemplates(), hands: hands{of: map[ObjectID]*hand{}},
		current: store{packer: p}, survivors: store{packer: p}, scratch: sync.Pool{New: func() any { return new([2][]byte) }}}
}

func (h *history) memory() int64 {
	return h.current.memory + h.survivors.memory + h.current.packer.memory + h.templates.memory() + h.hands.memory +
		h.elsewhere.memory + int64(cap(h.elsewhere.list))*borrowedMemory +
		int64(cap(h.current.slabs)+cap(h.survivors.slabs))*8
}

// keep makes raw the newest version of an object, brought by row seq; the
// caller enters the result there.
func (l *Log) keep(id ObjectID, o *object, raw []byte) ref {
	h := l.history.hands.of[id]
	switch {
	case h != nil && o.bits&rowless == 0:
		*l.rows.ref(l.rows.full(o.last)) = l.writeOld(h, raw)
	case h != nil:
		h.depth, h.slabs = 0, 0
	default:
		h = &hand{id: id, template: o.ref.template()}
	}
	if o.bits&rowless != 0 { // nothing holds the version before any more
		if o.ref != handRef {
			l.history.free(o.ref, true)
		}
		o.bits &^= rowless
		o.oldest = o.newest + 1
		l.held--
		l.gone++
	}
	l.history.hands.put(h, raw)
	return handRef
}

// handRef is the ref of a version that is in hand.
const handRef = ref(inHand)

// writeOld writes the version in hand, which next is about to replace.
func (l *Log) writeOld(h *hand, next []byte) ref {
	s := &l.history.current
	t := &l.history.templates
	if h.depth < min(maxChain, chainRun/(len(h.text)+1)) && h.slabs < maxSlabs {
		var ok bool
		if t.try, ok = t.encoder.EncodeWithin(t.try[:0], next, h.text, len(h.text)/2); ok {
			r := s.add(t.try, againstNext)
			if h.depth++; h.slabs == 0 || r.slab() != h.slab {
				h.slabs, h.slab = h.slabs+1, r.slab()
			}
			return r
		}
	}
	return l.writeOut(h, s)
}

// writeOut writes the version in hand against a template.
func (l *Log) writeOut(h *hand, s *store) ref {
	n, splice := l.history.templates.splice(h.text, l.objects.identity(h.id), h.template)
	h.template, h.depth, h.slabs = n, 0, 0
	return s.add(splice, n)
}

// settle writes out the hands that were not used for longest, until the others
// are a small part of what the log holds, but no more than n. It reports
// whether there are more.
func (l *Log) settle(n int) (more bool) {
	const least, most, part = 256 << 10, 16 << 20, 8
	limit := min(max(l.memory()/part, least), most)
	for ; l.history.hands.memory > limit && l.history.hands.oldest != nil; n-- {
		if n == 0 {
			return true
		}
		h := l.history.hands.oldest
		o := l.objects.get(h.id)
		if o.bits&rowless != 0 {
			o.ref = l.writeOut(h, &l.history.survivors)
		} else {
			o.ref = l.writeOut(h, &l.history.current)
			*l.rows.ref(l.rows.full(o.last)) = o.ref
		}
		l.history.hands.drop(h)
	}
	return false
}

// free lets a version go that is not in hand.
func (h *history) free(r ref, survivor bool) {
	switch {
	case r.template() == isElsewhere:
		h.elsewhere.free(h.elsewhere.of(r))
	case survivor:
		h.survivors.free(r)
	default:
		h.current.free(r)
	}
	h.templates.release(r.template())
}

// survive moves a version that is not written against another one to the
// survivors.
func (h *history) survive(r ref) ref {
	if !r.stored() {
		return r
	}
	moved := h.survivors.add(h.current.splice(r), r.template())
	h.current.free(r)
	return moved
}

var errNoVersion = errors.New("no such version")

// bytes appends a version to dst.
func (l *Log) bytes(dst []byte, id ObjectID, o *object, version uint32) ([]byte, error) {
	h := l.history
	if version == 0 || version < o.oldest || version > o.newest {
		return dst, errNoVersion
	}
	if o.bits&rowless != 0 { // it is the only one
		return h.text(dst, id, o.ref, &h.survivors)
	}
	// The chain is followed back from where it must have begun at the latest.
	at := min(o.newest, version+maxChain)
	seq, _ := l.find(id, o, at)
	var chain [maxChain + 1]ref
	n := 0
	for ; ; at-- {
		r := *l.rows.ref(seq)
		if r.template() != againstNext {
			n = 0
		}
		chain[n] = r
		n++
		if at == version {
			break
		}
		seq = l.rows.prev(seq)
	}
	if n == 1 {
		return h.text(dst, id, chain[0], &h.current)
	}
	buf := h.scratch.Get().(*[2][]byte)
	defer h.scratch.Put(buf)
	text, err := h.text(buf[0][:0], id, chain[0], &h.current)
	buf[0] = text
	for i := 1; i < n-1 && err == nil; i++ {
		buf[i%2], err = splice.Apply(buf[i%2][:0], text, h.current.splice(chain[i]), maxObject)
		text = buf[i%2]
	}
	if err != nil {
		return dst, err
	}
	return splice.Apply(dst, text, h.current.splice(chain[n-1]), maxObject)
}

// text appends a version that is not written against another one.
func (h *history) text(dst []byte, id ObjectID, r ref, s *store) ([]byte, error) {
	switch r.template() {
	case inHand:
		return append(dst, h.hands.of[id].text...), nil
	case isElsewhere:
		return h.elsewhere.of(r).text.AppendText(dst)
	}
	return splice.Apply(dst, h.templates.list[r.template()].text, s.splice(r), maxObject)
}
