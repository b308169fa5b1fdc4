package query

import (
	"cmp"
	"slices"
)

type op uint8

const (
	one op = iota // a leaf
	all
	or
	not
)

// node is a part of a query: a term, or several joined.
type node struct {
	op   op
	kids []*node
	leaf *leaf
}

// leaf is one term.
type leaf struct {
	field fieldID
	at    int    // where it begins, in characters
	bit   uint64 // its place in the masks
	key   string // what it asks, for the cache
	any   []pattern
	span  span
	cel   *program
}

// deep reports whether the term may have to look at bytes.
func (l *leaf) deep() bool {
	return l.field == words || l.field == pathField || l.field == managerField || l.field == celField
}

// cost orders terms by what looking at bytes takes for them.
func (l *leaf) cost() int {
	switch l.field {
	case celField:
		return 1 + l.cel.versions
	case managerField, pathField:
		return 4
	case words:
		return 5
	}
	return 0
}

func (n *node) cost() int {
	if n.op == one {
		return n.leaf.cost()
	}
	c := 0
	for _, k := range n.kids {
		c = max(c, k.cost())
	}
	return c
}

// join makes one node of several, the cheap ones first.
func join(o op, kids []*node) *node {
	if len(kids) == 1 {
		return kids[0]
	}
	slices.SortStableFunc(kids, func(a, b *node) int { return cmp.Compare(a.cost(), b.cost()) })
	return &node{op: o, kids: kids}
}

// verdict is what is known of a node for one row.
type verdict uint8

const (
	no verdict = iota
	yes
	unknown // without looking deeper
)

func (v verdict) negated() verdict {
	switch v {
	case no:
		return yes
	case yes:
		return no
	}
	return unknown
}

// judge evaluates a node, given what is known of a leaf. An unknown leaf makes
// unknown what depends on it.
func (n *node) judge(leaf func(*leaf) verdict) verdict {
	switch n.op {
	case one:
		return leaf(n.leaf)
	case not:
		return n.kids[0].judge(leaf).negated()
	}
	decides := no // for all of them
	if n.op == or {
		decides = yes
	}
	result := decides.negated()
	for _, k := range n.kids {
		switch v := k.judge(leaf); v {
		case decides:
			return v
		case unknown:
			result = unknown
		}
	}
	return result
}
