package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/diff"
	"rewatch/themes"
)

// docPlain is a line of the object pane as text, in full: what is searched and
// given to other programs.
func docPlain(d docLine) string { return clean.Line(docRaw(d)) }

// docRaw is the same in one line, as the cluster has it: not fit for a terminal.
func docRaw(d docLine) string { return strings.ReplaceAll(docHas(d), "\n", "␊") }

// docHas is the same with the ends of lines that are in it.
func docHas(d docLine) string {
	s := ""
	switch d.kind {
	case docField:
		s = fmt.Sprintf("%-14s %s", d.a, d.b)
	case docChange:
		s = changePlain(d)
	case docOld:
		s = "  - " + d.a
	case docNew:
		s = "  + " + d.a
	case docSame:
		s = "    " + d.a
	case docRule:
		s = "── " + d.a
	case docBlame:
		s = fmt.Sprintf("%24s %4s │ %s", d.a, d.b, d.c)
	case docEntry:
		s = fmt.Sprintf("%-12s %s  %s", d.a, d.b, d.c)
	case docTree:
		s = strings.TrimRight(d.a+"  "+d.b, " ")
	default:
		s = d.a
	}
	if d.by != "" {
		s += "  (" + d.by + ")"
	}
	return s
}

// plain is all of the view as text; signs is whether some of it is not as the
// cluster has it.
func (p *objectPane) plain() (text string, signs bool) {
	var b strings.Builder
	for _, d := range p.doc {
		line := docPlain(d)
		b.WriteString(line + "\n")
		signs = signs || line != docHas(d)
	}
	return b.String(), signs
}

func changePlain(d docLine) string {
	switch {
	case d.op == diff.Add:
		return strings.TrimRight("+ "+d.a+"  "+d.c, " ")
	case d.op == diff.Remove:
		return strings.TrimRight("- "+d.a+"  "+d.b, " ")
	case d.b == "" && d.c == "":
		return "~ " + d.a
	}
	return "~ " + d.a + "  " + d.b + " → " + d.c
}

// plain is a row as text, as wide as it needs to be: of a group with what it
// counts, of a part of a fight with that word. signs is whether some of it is not
// as the cluster has it.
func (t *timeline) plain(e model.Event) (text string, signs bool) {
	info, _ := t.infos.get(e.Seq)
	return t.plainOf(e, info)
}

func (t *timeline) plainOf(e model.Event, info rowInfo) (text string, signs bool) {
	wide := *t
	if wide.how.mode == timeRelative { // true only now
		wide.how.mode = timeLocal
	}
	wide.cols = newColumns(plainWidth, t.cols.width[colContext] > 0, t.how.set, wide.how.mode)
	wide.st, wide.signs = &themes.Styles{}, &signs
	k := rowKey{seq: e.Seq, info: true, mark: t.markOf(e.Seq), group: t.tallyOf(e.Seq)}
	words := strings.Fields(ansi.Strip(wide.groupRow(e, t.folded(e), info, k)))
	return strings.Join(words, " "), signs
}

// plainWidth is room for all that a row says.
const plainWidth = 600
