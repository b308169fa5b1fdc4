package blame

import (
	"bytes"
	"strconv"

	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// place is one step of a path, with the value that stands there.
type place struct {
	key     string // of a member
	element bool   // of a list
	index   int    // of the element
	value   []byte // of elements; nil if there is none
}

// hold is how much of a path an entry owns.
type hold uint8

const (
	none   hold = iota
	around      // an ancestor as one value: an atomic list or object
	below       // something of what is there, not the path itself
	exact
)

// cursor follows paths through an object and through fieldsV1 of its entries
// side by side. fieldsV1 is the tree in which the server keeps sets of fields:
// f:name is a member, k:{…} an element by its keys, v:… an element of a set, i:n
// an element by its place, and . the node itself. A node without members is one
// that is owned with all that is in it.
//
// Changes come in the order of the object, so what their paths begin with alike
// is walked once; and a list is looked into only where an entry tells its
// elements apart.
type cursor struct {
	entries []entry
	changed *diff.Result // knows where the members of the object are that changed; nil: not known
	steps   []diff.Step
	levels  []level // one more than steps
}

// level is where a path has come to.
type level struct {
	value []byte
	read  bool // value was looked for
	nodes []state
}

// state is where an entry stands.
type state struct {
	node    []byte
	in      bool // there is a node here
	covered bool // owned as a part of what is above
}

func newCursor(object []byte, list []entry) *cursor {
	top := level{value: object, read: true, nodes: make([]state, len(list))}
	for i := range list {
		top.nodes[i] = state{node: list[i].fields, in: len(list[i].fields) > 0}
	}
	return &cursor{entries: list, levels: []level{top}}
}

// follow goes to a path and returns where the entries stand there. The order of
// a list stands for the list.
func (c *cursor) follow(steps []diff.Step) []state {
	if n := len(steps); steps[n-1].Label == "order" {
		steps = steps[:n-1]
	}
	same := 0
	for same < min(len(steps), len(c.steps)) && steps[same] == c.steps[same] {
		same++
	}
	c.steps, c.levels = append(c.steps[:same], steps[same:]...), c.levels[:same+1]
	for i := same; i < len(steps); i++ {
		c.descend(i)
	}
	return c.levels[len(steps)].nodes
}

// push adds a level, in the memory of one that was left if there is one.
func (c *cursor) push() {
	n := len(c.levels)
	if n == cap(c.levels) {
		c.levels = append(c.levels, level{nodes: make([]state, len(c.entries))})
		return
	}
	c.levels = c.levels[:n+1]
	nodes := c.levels[n].nodes
	if len(nodes) != len(c.entries) {
		nodes = make([]state, len(c.entries))
	}
	clear(nodes)
	c.levels[n] = level{nodes: nodes}
}

// descend takes step i.
func (c *cursor) descend(i int) {
	c.push()
	s := c.steps[i]
	at := place{key: s.Key, element: s.Label != "", index: -1}
	if n, ok := s.Index(); ok {
		at.index = n
	}
	next := c.levels[i+1].nodes
	for j, above := range c.levels[i].nodes {
		switch {
		case above.covered, i > 0 && above.in && empty(above.node):
			next[j].covered = true
		case above.in:
			if at.element && at.value == nil {
				at.value = c.value(i + 1)
			}
			next[j].node = child(above.node, at)
			next[j].in = next[j].node != nil
		}
	}
}

// value is what the object has after n steps.
func (c *cursor) value(n int) []byte {
	l := &c.levels[n]
	if !l.read {
		l.read = true
		if n == 1 && c.changed != nil {
			l.value = c.changed.Member(c.steps[0].Key)
		}
		if l.value == nil {
			l.value = c.steps[n-1].Value(c.value(n - 1))
		}
	}
	return l.value
}

// holds is how much of where it stands an entry owns.
func (s state) holds() hold {
	switch {
	case s.covered:
		return around
	case !s.in:
		return none
	case empty(s.node), jsonscan.Find(s.node, ".") != nil:
		return exact
	}
	return below
}

func empty(node []byte) bool {
	return len(node) < 2 || len(bytes.TrimSpace(node[1:len(node)-1])) == 0
}

// child is the node of a step, nil if there is none.
func child(node []byte, p place) []byte {
	if !p.element {
		return jsonscan.Find(node, "f:"+p.key)
	}
	var room [16]jsonscan.Member
	members, err := jsonscan.AppendMembers(room[:0], node)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if len(m.Key) > 2 && elementIs(m.Key, p) {
			return m.Of(node)
		}
	}
	return nil
}

// elementIs reports whether a key of a tree names the element.
func elementIs(key string, p place) bool {
	name := []byte(key[2:])
	switch key[:2] {
	case "k:":
		var room [4]jsonscan.Member
		keys, err := jsonscan.AppendMembers(room[:0], name)
		if err != nil || len(keys) == 0 {
			return false
		}
		for _, k := range keys {
			if !sameScalar(k.Of(name), jsonscan.Find(p.value, k.Key)) {
				return false
			}
		}
		return true
	case "v:":
		return sameScalar(name, p.value)
	case "i:":
		return p.index >= 0 && string(name) == strconv.Itoa(p.index)
	}
	return false
}

func sameScalar(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 || a[0] != '"' || b[0] != '"' {
		return false
	}
	return text(a) == text(b)
}
