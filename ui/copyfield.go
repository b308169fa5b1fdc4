package ui

import (
	"slices"
	"strconv"
	"strings"

	"rewatch/model/diff"
)

// field is the path and the value of the line under the cursor; ok is false if
// it has none.
func (p *objectPane) field() (path, val string, ok bool) {
	if p.hasRow || p.cursor < 0 || p.cursor >= len(p.doc) {
		return "", "", false
	}
	at := p.cursor
	switch d := p.doc[at]; d.kind {
	case docOld, docNew, docSame, docSides: // of the change above
		for at > 0 && p.doc[at].kind != docChange {
			at--
		}
		val = d.a
		if d.kind == docSides && d.b != "" { // what it is now
			val = d.b
		}
		return p.doc[at].a, val, p.doc[at].kind == docChange
	case docChange:
		if d.op == diff.Remove {
			return d.a, d.b, true
		}
		return d.a, d.c, true
	case docYAML:
		return p.tree(at, false)
	case docBlame:
		return p.tree(at, true)
	}
	return "", "", false
}

// tree reads the lines around one that are of its kind.
func (p *objectPane) tree(at int, labelled bool) (path, val string, ok bool) {
	kind, first := p.doc[at].kind, at
	for first > 0 && p.doc[first-1].kind == kind {
		first--
	}
	t := yamlTree{labelled: labelled}
	for _, d := range p.doc[first:] {
		if d.kind != kind {
			break
		}
		text := d.a
		if labelled {
			text = d.c
		}
		t.lines = append(t.lines, readYAMLLine(text))
	}
	return t.field(at - first)
}

// yamlLine is a line of YAML as yamlLines and the view of owners write it.
type yamlLine struct {
	text   string
	dash   int    // the column of its dash, -1 for none
	indent int    // the column of what follows
	key    string // "" is none: text, or an item that is a value
	val    string
}

func readYAMLLine(s string) yamlLine {
	rest := strings.TrimLeft(s, " ")
	y := yamlLine{text: s, dash: -1, indent: len(s) - len(rest)}
	if rest == "-" || strings.HasPrefix(rest, "- ") {
		y.dash = y.indent
		y.indent += 2
		rest = strings.TrimPrefix(rest[1:], " ")
	}
	if key, val, ok := strings.Cut(rest, ": "); ok {
		y.key, y.val = key, val
	} else if key, ok := strings.CutSuffix(rest, ":"); ok {
		y.key = key
	} else {
		y.val = rest
	}
	return y
}

// depth is how deep a line begins. An item of a list is deeper than the key
// above it, though it stands in the same column.
func (y yamlLine) depth() int {
	if y.dash >= 0 {
		return 2*y.dash + 1
	}
	return 2 * y.indent
}

// yamlTree finds the way to a line. Items are labelled in the view of owners:
// there it says "- name=app:".
type yamlTree struct {
	lines    []yamlLine
	labelled bool
}

// yamlStep is a step of a path: a key, or an item.
type yamlStep struct {
	line int
	item bool
}

// above lists the steps that lead to a line, its own last.
func (t yamlTree) above(at int) (steps []yamlStep) {
	depth := 1 << 30
	for i := at; i >= 0 && depth > 0; i-- {
		y := t.lines[i]
		if y.text == "" {
			continue
		}
		if y.key != "" && 2*y.indent < depth && !(t.labelled && y.dash >= 0) || i == at && y.dash < 0 {
			steps, depth = append(steps, yamlStep{line: i}), 2*y.indent
		}
		if y.dash >= 0 && y.depth() < depth {
			steps, depth = append(steps, yamlStep{i, true}), y.depth()
		}
	}
	slices.Reverse(steps)
	return steps
}

// field is the path and the value of a line: of one that has more below, all of
// that; within a text of several lines, the text.
func (t yamlTree) field(at int) (path, val string, ok bool) {
	steps := t.above(at)
	for i, s := range steps {
		if !s.item && t.lines[s.line].val == "|" {
			steps, at = steps[:i+1], s.line
			break
		}
	}
	var b []byte
	for _, s := range steps {
		switch y := t.lines[s.line]; {
		case s.item:
			b = append(b, "["+t.label(s.line)+"]"...)
		case y.key != "":
			b = diff.AppendKey(b, y.key)
		}
	}
	if val = t.lines[at].val; val == "" || val == "|" {
		return string(b), t.below(at), len(b) > 0
	}
	if s, err := strconv.Unquote(val); err == nil && val[0] == '"' {
		val = s
	}
	return string(b), val, len(b) > 0
}

// below is what stands below a line and belongs to it.
func (t yamlTree) below(at int) string {
	var out []string
	depth, cut := 2*t.lines[at].indent, -1
	if t.labelled {
		depth = t.lines[at].depth()
	}
	for _, y := range t.lines[at+1:] {
		if y.depth() <= depth && strings.TrimSpace(y.text) != "" {
			break
		}
		if cut < 0 {
			cut = len(y.text) - len(strings.TrimLeft(y.text, " "))
		}
		out = append(out, y.text[min(cut, len(y.text)):])
	}
	return strings.Join(out, "\n")
}

// label is how an item is spelled in a path: by its name or type if it has one,
// else by its number.
func (t yamlTree) label(at int) string {
	item := t.lines[at]
	if t.labelled {
		return item.key
	}
	for i, y := range t.lines[at:] {
		if i > 0 && y.depth() <= item.depth() {
			break
		}
		if y.indent == item.indent && (i == 0 || y.dash < 0) && (y.key == "name" || y.key == "type") && y.val != "" {
			return y.key + "=" + y.val
		}
	}
	n := 0
	for i := at - 1; i >= 0 && t.lines[i].depth() >= item.depth(); i-- {
		if t.lines[i].dash == item.dash {
			n++
		}
	}
	return strconv.Itoa(n)
}
