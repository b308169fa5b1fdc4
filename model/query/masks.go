package query

import (
	"math/bits"
	"strings"
	"unsafe"

	"rewatch/model"
)

// seen is the sign in a mask that it was found out.
const seen = 1 << 63

// base is what the traits of a row tell: the terms that hold of it, without those
// that its object or its time may add.
type base struct {
	key     uint64 // the traits plus one; 0 is an empty slot
	mask    uint64
	objects bool // its object may add some
	// What that tells of the query, and of whether the row is shown: see Match.
	verdict, shown verdict
}

// streamMasks are the terms that hold of a stream: for rows about an object,
// and for those about the stream itself.
type streamMasks struct{ object, self uint64 }

// page is the terms that hold of objects whose numbers lie beside each other; 0
// where that was not asked yet, or the object has left.
type page struct {
	masks [model.NamesAtOnce]uint64
	asked bool // for all of them
}

// fewSingly is how many objects are judged one by one, before those beside one
// are judged with it: a page of frequent rows takes few objects, a search all of
// them.
const fewSingly = 512

// bases is a table of what traits tell, by open addressing.
type bases struct {
	slots []base
	bits  uint
	used  int
}

func newBases() bases { return bases{slots: make([]base, 64), bits: 6} }

// at is the slot of a key: its own, or the empty one where it would be entered.
func (x *bases) at(key uint64) *base {
	for i := slot(key, x.bits); ; i = (i + 1) % uint64(len(x.slots)) {
		if b := &x.slots[i]; b.key == key || b.key == 0 {
			return b
		}
	}
}

// add enters a key, and moves the others to a larger table where this one is
// half full.
func (x *bases) add(b base) *base {
	if x.used++; x.used*2 > len(x.slots) {
		old := x.slots
		x.slots, x.bits = make([]base, 2*len(old)), x.bits+1
		for _, b := range old {
			if b.key != 0 {
				*x.at(b.key) = b
			}
		}
	}
	at := x.at(b.key)
	*at = b
	return at
}

// baseOf is what traits tell.
func (m *Matcher) baseOf(t model.Traits) *base {
	key := uint64(t) + 1
	if b := m.bases.at(key); b.key != 0 {
		return b
	}
	return m.bases.add(m.judgeBase(t))
}

func (m *Matcher) judgeBase(t model.Traits) base {
	s := m.stream(t.Stream())
	b := base{key: uint64(t) + 1, mask: s.self | seen}
	if t.Type().IsObject() {
		b.mask, b.objects = s.object|seen, m.needs != 0
	}
	if int(t.Type()) < len(m.types) {
		b.mask |= m.types[t.Type()]
	}
	for f := t.Flags(); f != 0; f &= f - 1 {
		b.mask |= m.flags[bits.TrailingZeros16(uint16(f))]
	}
	open := m.timed
	if b.objects {
		open |= m.needs
	}
	b.verdict = m.root.judge(func(l *leaf) verdict {
		switch {
		case b.mask&l.bit != 0:
			return yes
		case l.bit&open == 0 && !l.deep():
			return no
		}
		return unknown
	})
	b.shown = b.verdict
	if t.Type() == model.GapFound && m.concerns(t.Stream()) {
		b.shown = yes
	}
	return b
}

// maskOf is the terms that hold of a row, as far as it takes no bytes to tell.
func (m *Matcher) maskOf(b *base, e *model.Event) uint64 {
	mask := b.mask
	if b.objects {
		mask |= m.object(e.Object, e.Stream)
	}
	if m.timed != 0 {
		mask |= m.inSpans(e.Time)
	}
	return mask
}

// inSpans is the terms about time that hold of a moment.
func (m *Matcher) inSpans(time int64) (mask uint64) {
	for i := range m.spans {
		if s := &m.spans[i]; time >= s.from && time < s.to {
			mask |= s.bit
		}
	}
	return mask
}

// object is the terms that hold of an object.
func (m *Matcher) object(id model.ObjectID, stream model.StreamID) uint64 {
	if i := int(id / model.NamesAtOnce); i < len(m.objects) && m.objects[i] != nil {
		if mask := m.objects[i].masks[id%model.NamesAtOnce]; mask != 0 {
			return mask
		}
	}
	return m.judgeObject(id, stream)
}

func (m *Matcher) judgeObject(id model.ObjectID, stream model.StreamID) uint64 {
	i := int(id / model.NamesAtOnce)
	if n := len(m.objects); i >= n {
		m.objects = append(m.objects, make([]*page, i+1-n)...)
	}
	if m.objects[i] == nil {
		m.objects[i] = &page{}
	}
	p := m.objects[i]
	name, g, ok := m.log.AppendName(m.name[:0], id)
	if m.name = name; !ok {
		return 0 // it has left: no reason to remember
	}
	uid := ""
	if m.names.WithUIDs {
		uid = m.log.Identity(id).UID
	}
	mask := m.group(g, stream) | named(m.leaves, view(name), uid)
	p.masks[id%model.NamesAtOnce] = mask
	if m.singly++; m.singly > fewSingly && !p.asked {
		m.judgeBeside(id, p)
	}
	return mask
}

// judgeBeside judges the objects beside one, if it is known what holds of their
// groups.
func (m *Matcher) judgeBeside(id model.ObjectID, p *page) {
	p.asked = true
	m.log.Names(id, &m.names)
	// Most terms are about names that few objects have.
	names, uids := m.names.Texts()
	lower, lowerUIDs := strings.ToLower(view(names)), strings.ToLower(view(uids))
	var some []*leaf
	for _, l := range m.leaves {
		if l.named() && within(l.any, lower) || l.field == uidField && within(l.any, lowerUIDs) {
			some = append(some, l)
		}
	}
	for i := range p.masks {
		name, g, ok := m.names.At(i)
		if ok && p.masks[i] == 0 && int(g) < len(m.groups) && m.groups[g] != 0 {
			p.masks[i] = m.groups[g] | named(some, view(name), view(m.names.UID(i)))
		}
	}
}

// within reports whether one of these patterns may match a part of a text in
// lower case.
func within(any []pattern, text string) bool {
	for _, p := range any {
		if p.form == regex && !lacks(text, p.part) || p.form != regex && strings.Contains(text, p.text) {
			return true
		}
	}
	return false
}

// named is those of some terms that hold of a name or a UID.
func named(leaves []*leaf, name, uid string) (mask uint64) {
	for _, l := range leaves {
		if l.named() && matchAny(l.any, name) || l.field == uidField && matchAny(l.any, uid) {
			mask |= l.bit
		}
	}
	return mask
}

// named reports whether the term looks at the name of an object.
func (l *leaf) named() bool { return l.field == words || l.field == nameField }

// view is a text that is good as long as its bytes are: no pattern keeps it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// group is the terms that hold of what many objects have in common. The stream
// says what their type is called.
func (m *Matcher) group(id model.GroupID, stream model.StreamID) (mask uint64) {
	if int(id) < len(m.groups) && m.groups[id] != 0 {
		return m.groups[id]
	}
	if int(id) >= len(m.known) {
		m.known = m.log.Groups()
		m.groups = append(m.groups, make([]uint64, len(m.known)-len(m.groups))...)
	}
	g := m.known[id]
	s, _ := m.log.Stream(stream)
	for _, l := range m.leaves {
		hit := false
		switch l.field {
		case words:
			hit = matchAny(l.any, g.Kind, g.Namespace, g.Context)
		case kindField:
			hit = matchAny(l.any, kindNames(g.Kind, s.Resource, groupOf(g.APIVersion))...)
		case nsField:
			hit = matchAny(l.any, g.Namespace)
		case contextField:
			hit = matchAny(l.any, g.Context)
		}
		if hit {
			mask |= l.bit
		}
	}
	m.groups[id] = mask | seen
	return m.groups[id]
}

// stream is the terms that hold of what a stream brings, and of itself.
func (m *Matcher) stream(id model.StreamID) streamMasks {
	if int(id) < len(m.streams) {
		if x := m.streams[id]; x.self != 0 {
			return x
		}
	}
	return m.judgeStream(id)
}

func (m *Matcher) judgeStream(id model.StreamID) streamMasks {
	for int(id) >= len(m.streams) {
		m.streams = append(m.streams, streamMasks{})
	}
	s, _ := m.log.Stream(id)
	x := streamMasks{self: seen}
	for _, l := range m.leaves {
		self, object := false, false
		switch l.field {
		case words:
			object = matchAny(l.any, s.Name(), s.Kind, s.Context)
			self = object || matchAny(l.any, s.Namespace)
		case streamField:
			object = matchAny(l.any, append(ShortNames(s.Resource), s.Name(), s.Resource)...)
			self = object
		case kindField:
			self = matchAny(l.any, kindNames(s.Kind, s.Resource, s.Group)...)
		case nsField:
			self = matchAny(l.any, s.Namespace)
		case contextField:
			self = matchAny(l.any, s.Context)
		}
		if object {
			x.object |= l.bit
		}
		if self {
			x.self |= l.bit
		}
	}
	m.streams[id] = x
	return x
}

func (m *Matcher) judgeTypes() {
	types, flags := typeWords()
	for _, x := range m.leaves {
		if x.field != typeField && x.field != words {
			continue
		}
		for word, t := range types {
			if matchAny(x.any, word) {
				m.types[t] |= x.bit
			}
		}
		for word, f := range flags {
			if matchAny(x.any, word) {
				m.flags[bits.TrailingZeros16(uint16(f))] |= x.bit
			}
		}
	}
}
