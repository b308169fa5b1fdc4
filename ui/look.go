package ui

import (
	"slices"
	"strings"

	"rewatch/model/blame"
	"rewatch/model/diff"
	"rewatch/themes"
)

// showing is how the object pane shows what it shows.
type showing struct {
	managed bool // managedFields are unfolded
	stacked bool // texts are compared one below the other, whatever the width
}

// sidesFrom is the width from which texts are compared side by side.
const sidesFrom = 120

// lookKeys change how objects are shown.
func lookKeys() []binding {
	return []binding{
		{id: "managed-fields", scope: scopeObject, keys: []string{"M"}, help: "unfold managedFields in the view yaml, or fold them", when: (*App).hasObject,
			do: act(func(a *App) { a.relook(func(x *showing) { x.managed = !x.managed }) })},
		{id: "side-by-side", scope: scopeObject, keys: []string{"|"}, help: "compare texts side by side, or one below the other", when: (*App).canCompareSides,
			do: act(func(a *App) { a.relook(func(x *showing) { x.stacked = !x.stacked }) })},
	}
}

func (a *App) relook(change func(*showing)) {
	change(&a.object.look)
	a.object.docWidth = 0
}

func (a *App) canCompareSides() (bool, string) {
	if ok, why := a.hasObject(); !ok {
		return ok, why
	}
	if a.object.r.w < sidesFrom {
		return false, "it takes " + count(sidesFrom) + " columns"
	}
	compared := func(d docLine) bool { return d.kind == docSides || d.kind == docOld || d.kind == docNew }
	return slices.ContainsFunc(a.object.doc, compared), "no texts are compared here: the view diff does (g d), where values are long"
}

// changeDoc is one line for a change, or several where its values are texts that
// were compared before, or too long to stand in a line.
func changeDoc(c diff.Change, text []docLine, w int, how showing) []docLine {
	sides := w >= sidesFrom && !how.stacked
	if text != nil {
		if sides {
			text = besides(text)
		}
		return append([]docLine{{kind: docChange, op: c.Op, a: c.Path}}, text...)
	}
	old, now := value(c.Old), value(c.New)
	// Beside the widest path, with signs between: see changeColumns.
	if c.Op != diff.Replace || len(old) <= w*25/100 && len(old)+len(now) <= w*55/100-8 {
		return []docLine{{kind: docChange, op: c.Op, a: c.Path, b: old, c: now}}
	}
	was, is := diff.Marks(old, now)
	doc := []docLine{{kind: docChange, op: c.Op, a: c.Path}, {kind: docOld, a: old, marks: [2][]diff.Mark{was}}, {kind: docNew, a: now, marks: [2][]diff.Mark{is}}}
	if sides && max(len(old), len(now)) < w/2-6 {
		return append(doc[:1:1], besides(doc[1:])...)
	}
	return doc
}

// besides puts what was removed beside what was added in its place.
func besides(text []docLine) (out []docLine) {
	for i := 0; i < len(text); {
		n, m := 0, 0
		for i+n < len(text) && text[i+n].kind == docOld {
			n++
		}
		for i+n+m < len(text) && text[i+n+m].kind == docNew {
			m++
		}
		for k := range max(n, m) {
			d := docLine{kind: docSides, op: diff.Replace}
			if k < n {
				d.a, d.marks[0] = text[i+k].a, text[i+k].marks[0]
			} else {
				d.op = diff.Add
			}
			if k < m {
				d.b, d.marks[1] = text[i+n+k].a, text[i+n+k].marks[0]
			} else {
				d.op = diff.Remove
			}
			out = append(out, d)
		}
		if i += n + m; n+m > 0 {
			continue
		}
		if d := text[i]; d.kind == docSame {
			out = append(out, docLine{kind: docSides, a: d.a, b: d.a})
		} else {
			out = append(out, d)
		}
		i++
	}
	return out
}

// textDiffs compares the values of changes that are texts: those that hold JSON
// by the paths in that, those of several lines by line. The key is the number of
// the change.
func textDiffs(changes []diff.Change) map[int][]docLine {
	const most = 50 // paths: of more the lines tell as well
	out := map[int][]docLine{}
	for i, c := range changes {
		if in, ok := diff.Inside(c); ok && !in.Cut && len(in.Changes) > 0 && len(in.Changes) <= most {
			for _, x := range in.Changes {
				out[i] = append(out[i], docLine{kind: docChange, op: x.Op, a: "# " + x.Path, b: value(x.Old), c: value(x.New)})
			}
			continue
		}
		old, now := value(c.Old), value(c.New)
		if strings.Contains(old, "\n") || strings.Contains(now, "\n") {
			out[i] = textDiff(old, now)
		}
	}
	return out
}

// sides draws a line of two texts beside each other.
func (p *objectPane) sides(l *line, d docLine, w int) {
	st := p.st
	middle := l.w + (w-l.w-3)/2
	old, now, minus, plus := st.Bad, st.Good, "-", "+"
	if d.op == 0 {
		old, now, minus, plus = st.Dim, st.Dim, " ", " "
	}
	if d.op == diff.Add {
		minus = " "
	}
	if d.op == diff.Remove {
		plus = " "
	}
	l.glyphs(old, minus+" ", 2)
	l.withMarks(old, d.a, d.marks[0], middle)
	l.pad(middle)
	l.glyphs(st.Rule, " │ ", 3)
	l.glyphs(now, plus+" ", 2)
	l.withMarks(now, d.b, d.marks[1], w)
}

// withMarks writes s up to a column, and parts of it reversed: that can be told
// apart without colours.
func (l *line) withMarks(st themes.Style, s string, marks []diff.Mark, end int) {
	at := 0
	for _, m := range marks {
		l.upTo(st, s[at:m.From], end-l.w)
		l.upTo(reversed(st), s[m.From:m.To], end-l.w)
		at = m.To
	}
	l.upTo(st, s[at:], end-l.w)
}

func reversed(st themes.Style) themes.Style {
	if st == "" {
		return "7"
	}
	return st + ";7"
}

// readYAML is the view of the object as YAML, with the lines marked that the
// version before had not. managedFields are longer than most objects: they are
// folded into a line that says whose they are.
func readYAML(r *reading) func(w int) []docLine {
	var docs [2][]docLine // with managedFields folded, and without
	for i, managed := range []func([]byte) string{managers, nil} {
		docs[i] = yamlDoc(r.before, r.raw, managed)
	}
	d := r.data
	return func(int) []docLine {
		if d.look.managed {
			return docs[1]
		}
		return docs[0]
	}
}

func yamlDoc(before, raw []byte, managed func([]byte) string) []docLine {
	yaml := yamlWith(raw, yamlLimit, managed)
	marked := map[int]bool{}
	if before != nil {
		old := yamlWith(before, yamlLimit, managed)
		for _, c := range diff.TextDiff(strings.Join(old, "\n"), strings.Join(yaml, "\n")).Changes {
			if c.Op == diff.Add {
				marked[c.New-1] = true
			}
		}
	}
	doc := make([]docLine, len(yaml))
	for i, s := range yaml {
		doc[i] = docLine{kind: docYAML, a: s, marked: marked[i]}
	}
	return doc
}

// managers says in a few words what managedFields have.
func managers(raw []byte) string {
	const named = 3
	var names []string
	more := 0
	for _, name := range blame.Names(raw) {
		if len(names) < named {
			names = append(names, name)
		} else {
			more++
		}
	}
	text := plural(len(names)+more, "manager") + ", M unfolds"
	if len(names) > 0 {
		text = plural(len(names)+more, "manager") + " (" + strings.Join(names, ", ")
		if more > 0 {
			text += " +" + count(more)
		}
		text += "), M unfolds"
	}
	return text
}
