package query

import (
	"time"

	"rewatch/model"
)

// Matcher is a query made for the rows of one log. It belongs to one goroutine
// at a time, since it remembers what it found out.
type Matcher struct {
	log    *model.Log
	root   *node
	leaves []*leaf
	spans  []bounds

	// For each thing that a row refers to: the terms that hold of it, one bit
	// each, and seen as the sign that they were found out.
	types   [model.Noted + 1]uint64
	flags   [16]uint64
	bases   bases
	objects []*page // by their numbers
	streams []streamMasks
	groups  []uint64
	needs   uint64           // the terms that look at objects
	timed   uint64           // those that look at the time
	known   []model.Identity // the groups of the log
	name    []byte
	names   model.Names
	singly  int // objects that have been judged one by one

	row  row
	mask uint64 // of the row at hand
	// Judge a term of the row at hand: by the mask, by what was found out before
	// as well, or with its bytes.
	masked, shallow, deep func(*leaf) verdict
	memo                  [memoSlots]judged
}

// judged is what a mask says of a row: few masks are, of very many rows.
type judged struct {
	mask    uint64
	verdict verdict
}

const (
	memoBits  = 9
	memoSlots = 1 << memoBits
)

// slot spreads keys over a table of 1<<bits slots.
func slot(key uint64, bits uint) uint64 { return key * 0x9E3779B97F4A7C15 >> (64 - bits) }

// bounds are the ends of the span of a term.
type bounds struct {
	bit      uint64
	from, to int64
}

func newMatcher(q *Query, l *model.Log, o Options) *Matcher {
	m := &Matcher{log: l, root: q.root, leaves: q.leaves, bases: newBases(), row: newRow(l, q, o.Cache)}
	if m.root == nil {
		m.root = &node{op: all} // of no terms
	}
	if o.Now.IsZero() {
		o.Now = newest(l)
	}
	for _, x := range q.leaves {
		switch x.field {
		case words, kindField, nsField, nameField, uidField, contextField:
			m.needs |= x.bit
			m.names.WithUIDs = m.names.WithUIDs || x.field == uidField
		case spanField:
			from, to := x.span.bounds(o.Now)
			m.spans = append(m.spans, bounds{x.bit, from, to})
			m.timed |= x.bit
		}
	}
	m.judgeTypes()
	m.masked, m.shallow, m.deep = m.judgeMask, m.judgeShallow, m.judgeDeep
	return m
}

// newest is the time of the newest row.
func newest(l *model.Log) time.Time {
	if s := l.Snapshot(); s.Len() > 0 {
		return s.At(s.End() - 1).When().UTC()
	}
	return time.Time{}
}

// Match reports whether a row is shown: whether the query holds of it, or it is
// a gap in which something may be missing of which it would hold. Such a gap
// must never be hidden. It is a [model.Filter].
func (m *Matcher) Match(e model.Event) bool {
	b := m.baseOf(e.Traits())
	return m.settle(b, b.shown, e)
}

// Holds reports whether the query holds of a row, gaps not excepted.
func (m *Matcher) Holds(e model.Event) bool {
	b := m.baseOf(e.Traits())
	return m.settle(b, b.verdict, e)
}

// settle judges a row of whose traits this is known.
func (m *Matcher) settle(b *base, v verdict, e model.Event) bool {
	m.row.forget()
	if v != unknown {
		return v == yes
	}
	mask := m.maskOf(b, &e)
	v = m.judge(mask)
	return v == yes || v == unknown && m.look(mask, e)
}

// judge says what a mask tells of the query.
func (m *Matcher) judge(mask uint64) verdict {
	k := &m.memo[slot(mask, memoBits)]
	if k.mask != mask {
		m.mask = mask
		*k = judged{mask, m.root.judge(m.masked)}
	}
	return k.verdict
}

// look judges a row of which the mask does not tell.
func (m *Matcher) look(mask uint64, e model.Event) bool {
	m.mask = mask
	m.row.set(e)
	v := m.root.judge(m.shallow)
	if v == unknown {
		v = m.root.judge(m.deep)
	}
	return v == yes
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

// judgeMask says what the mask tells of a term.
func (m *Matcher) judgeMask(l *leaf) verdict {
	switch {
	case m.mask&l.bit != 0:
		return yes
	case !l.deep():
		return no
	}
	return unknown
}

// judgeShallow says what is known of a term without bytes.
func (m *Matcher) judgeShallow(l *leaf) verdict {
	if v := m.judgeMask(l); v != unknown {
		return v
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
