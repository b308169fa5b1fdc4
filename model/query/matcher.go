package query

import (
	"context"
	"math/bits"
	"time"
	"unsafe"

	"rewatch/model"
)

// Matcher is a query made for the rows of one log. It belongs to one goroutine
// at a time, since it remembers what it found out.
type Matcher struct {
	log    *model.Log
	root   *node
	leaves []*leaf
	bounds map[*leaf]bounds

	// For each thing that a row refers to: the terms that hold of it, one bit
	// each, and seen as the sign that they were found out.
	types   [model.Noted + 1]uint64
	flags   [16]uint64
	objects []uint64
	streams []streamMasks
	groups  map[group]uint64
	needs   uint64           // the terms that look at objects
	known   []model.Identity // the groups of the log
	name    []byte

	row     row
	mask    uint64              // of the row at hand
	shallow func(*leaf) verdict // judge a term of the row at hand by mask, or with its bytes
	deep    func(*leaf) verdict
}

const seen = 1 << 63

type bounds struct{ from, to int64 }

// streamMasks are the terms that hold of a stream: for rows about an object,
// and for those about the stream itself.
type streamMasks struct{ object, self uint64 }

// group is what many objects have in common, which is judged once. The stream
// says what the type is called.
type group struct {
	stream model.StreamID
	id     model.GroupID
}

func newMatcher(q *Query, l *model.Log, o Options) *Matcher {
	m := &Matcher{log: l, root: q.root, leaves: q.leaves, groups: map[group]uint64{}, row: newRow(l, q, o.Cache)}
	if o.Now.IsZero() {
		o.Now = newest(l)
	}
	for _, x := range q.leaves {
		switch x.field {
		case words, kindField, nsField, nameField, uidField, contextField:
			m.needs |= x.bit
		case spanField:
			if m.bounds == nil {
				m.bounds = map[*leaf]bounds{}
			}
			from, to := x.span.bounds(o.Now)
			m.bounds[x] = bounds{from, to}
		}
	}
	m.judgeTypes()
	m.shallow, m.deep = m.judgeShallow, m.judgeDeep
	return m
}

// newest is the time of the newest row.
func newest(l *model.Log) time.Time {
	if s := l.Snapshot(); s.Len() > 0 {
		return s.At(s.End() - 1).When().UTC()
	}
	return time.Time{}
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

// Match reports whether a row is shown: whether the query holds of it, or it is
// a gap in which something may be missing of which it would hold. Such a gap
// must never be hidden. It is a [model.Filter].
func (m *Matcher) Match(e model.Event) bool {
	if e.Type == model.GapFound && m.concerns(e) {
		return true
	}
	return m.Holds(e)
}

// Holds reports whether the query holds of a row, gaps not excepted.
func (m *Matcher) Holds(e model.Event) bool {
	if m.root == nil {
		return true
	}
	m.mask = m.maskOf(e)
	m.row.set(e)
	v := m.root.judge(m.shallow)
	if v == unknown {
		v = m.root.judge(m.deep)
	}
	return v == yes
}

// Before finds the newest n rows before a row that match, newest first, and the
// row to go on with: every row from there on has been looked at. It stops early
// when ctx is done, so that a search can be given up between any two rows.
func (m *Matcher) Before(ctx context.Context, s model.Snapshot, end model.Seq, n int) (rows []model.Seq, next model.Seq) {
	const between = 256 // rows that take less than a look at ctx
	next = min(end, s.End())
	deep := false
	for next > s.First() && len(rows) < n {
		if (deep || next%between == 0) && ctx.Err() != nil {
			break
		}
		next--
		e := s.At(next)
		if m.Match(e) {
			rows = append(rows, next)
		}
		deep = m.row.loaded()
	}
	return rows, next
}

// Problem is what went wrong first in evaluating a cel: term, and for how many
// rows something did; those rows do not match. It is "" if nothing went wrong.
// Fields that an object does not have are the common case.
func (m *Matcher) Problem() (text string, rows int) { return m.row.problem, m.row.problems }

// Blind reports whether a term looked for a version of the last row's object
// that has left the log: then that the row did not match says nothing.
func (m *Matcher) Blind() bool {
	r := &m.row
	return r.now.asked && !r.now.ok && r.e.Version > 0 || r.before.asked && !r.before.ok && r.e.Version > 1
}

func (m *Matcher) maskOf(e model.Event) uint64 {
	s := m.stream(e.Stream)
	mask := s.self
	if e.Object != 0 {
		mask = s.object
		if m.needs != 0 {
			mask |= m.object(e)
		}
	}
	if int(e.Type) < len(m.types) {
		mask |= m.types[e.Type]
	}
	for f := e.Flags; f != 0; f &= f - 1 {
		mask |= m.flags[bits.TrailingZeros16(uint16(f))]
	}
	return mask
}

// judgeShallow says what is known of a term without bytes.
func (m *Matcher) judgeShallow(l *leaf) verdict {
	switch {
	case l.field == spanField:
		if b := m.bounds[l]; m.row.e.Time >= b.from && m.row.e.Time < b.to {
			return yes
		}
		return no
	case m.mask&l.bit != 0:
		return yes
	case !l.deep():
		return no
	}
	return m.row.known(l)
}

func (m *Matcher) judgeDeep(l *leaf) verdict {
	v := m.judgeShallow(l)
	if v != unknown {
		return v
	}
	if m.row.holds(l) {
		return yes
	}
	return no
}

func (m *Matcher) object(e model.Event) uint64 {
	id := e.Object
	if n := len(m.objects); int(id) >= n {
		m.objects = append(m.objects, make([]uint64, int(id)+int(id)/4+1024-n)...)
	}
	if mask := m.objects[id]; mask != 0 {
		return mask
	}
	name, g, ok := m.log.AppendName(m.name[:0], id)
	if m.name = name; !ok {
		return 0 // it has left: no reason to remember
	}
	mask := m.group(group{e.Stream, g})
	text := unsafe.String(unsafe.SliceData(name), len(name)) // until the next object: no pattern keeps it
	for _, l := range m.leaves {
		hit := false
		switch l.field {
		case words, nameField:
			hit = matchAny(l.any, text)
		case uidField:
			hit = matchAny(l.any, m.log.Identity(id).UID)
		}
		if hit {
			mask |= l.bit
		}
	}
	m.objects[id] = mask | seen
	return m.objects[id]
}

func (m *Matcher) group(x group) (mask uint64) {
	mask, ok := m.groups[x]
	if ok {
		return mask
	}
	if int(x.id) >= len(m.known) {
		m.known = m.log.Groups()
	}
	g := m.known[x.id]
	s, _ := m.log.Stream(x.stream)
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
	m.groups[x] = mask
	return mask
}

func (m *Matcher) stream(id model.StreamID) streamMasks {
	for int(id) >= len(m.streams) {
		m.streams = append(m.streams, streamMasks{})
	}
	if x := m.streams[id]; x.self&seen != 0 {
		return x
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
