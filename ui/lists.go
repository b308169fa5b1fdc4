package ui

import (
	"slices"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/fights"
	"rewatch/themes"
)

// listPane is a list laid over the screen: what goes to and fro, what is
// folded. Lines may lead somewhere.
type listPane struct {
	st     *themes.Styles
	shown  bool
	title  string
	lines  []listLine
	cursor int
	top    int
	h      int
}

type listLine struct {
	head, text string
	to         model.ObjectID // 0 leads nowhere
	seq        model.Seq
}

func (p *listPane) open(title string, lines []listLine) {
	p.shown, p.title, p.lines, p.cursor, p.top = true, title, lines, 0, 0
}

func (p *listPane) move(n int) { p.cursor = max(min(p.cursor+n, len(p.lines)-1), 0) }

func (p *listPane) selected() (listLine, bool) {
	if p.cursor >= len(p.lines) {
		return listLine{}, false
	}
	return p.lines[p.cursor], true
}

// over lays the list over the rows of a frame.
func (p *listPane) over(rows []string, w int) []string {
	bw := min(w-4, 140)
	bh := max(min(len(rows)-4, len(p.lines)+2), 3)
	p.h = bh - 2
	p.top = max(min(p.top, p.cursor), p.cursor-p.h+1, 0)
	text := make([]string, 0, p.h)
	for i := p.top; i < len(p.lines) && len(text) < p.h; i++ {
		base := themes.Style("")
		if i == p.cursor {
			base = p.st.Selected
		}
		l := newLine(base)
		if i == p.cursor {
			l.glyphs(p.st.Title, "▌", 1)
		} else {
			l.glyphs("", " ", 1)
		}
		l.cell(p.st.WarnBold, p.lines[i].head, min(14, bw/3))
		l.glyphs("", " ", 1)
		l.upTo(p.st.Text, p.lines[i].text, bw-4-l.w)
		text = append(text, l.end(bw-4))
	}
	for len(text) < p.h {
		text = append(text, newLine("").end(bw-4))
	}
	return box(p.st, rows, w, bw, p.title, text, p.top+p.h < len(p.lines))
}

// noiseList is what is folded, by rule.
func (a *App) noiseList() {
	x := a.timeline.index
	known := 0
	var lines []listLine
	for i, r := range a.timeline.know.list {
		if i > 0 && r.Name == a.timeline.know.list[i-1].Name {
			continue
		}
		what := "any kind"
		if r.Kind != "" {
			what = r.Kind
		}
		switch {
		case r.Deleted > 0:
			what += ": deleted after " + r.Deleted.String() + " without news"
		case len(r.Paths) == 0:
			what += ": nothing but generation, resourceVersion, managedFields"
		default:
			what += ": " + strings.Join(r.Paths, ", ")
		}
		lines = append(lines, listLine{head: count(x.byRule[i+1]) + " rows", text: r.Name + " (" + what + ")"})
		known += x.byRule[i+1]
	}
	lines = append(lines, listLine{head: count(x.hidden-known) + " rows", text: "heartbeats of streams, initial lists, routine steps of streams, objects sent again"})
	if n := a.timeline.know.unread(); n > 0 {
		lines = append(lines, listLine{head: count(n) + " rows", text: "not read yet"})
	}
	title := "Folded: a change is folded only if a rule names all that changed; n shows all rows"
	if x.noise {
		title = "All rows are shown; n folds what these rules name"
	}
	a.list.open(title, lines)
}

// findingsList is what goes to and fro: fights, then restart loops, then flaps,
// the newest of each first.
func (a *App) findingsList() {
	var lines []listLine
	for i := len(a.findings) - 1; i >= 0; i-- {
		f := &a.findings[i]
		id := a.log.Identity(f.Object)
		text := id.Kind + " " + id.Name + "  " + f.Path
		if id.Namespace != "" {
			text = id.Kind + " " + id.Namespace + "/" + id.Name + "  " + f.Path
		}
		if len(f.Also) > 0 {
			text += " +" + count(len(f.Also))
		}
		var values []string
		for _, v := range f.Values {
			values = append(values, value(v))
		}
		if f.Kind == fights.RestartLoop {
			text += "  " + plural(f.Count, "restart")
		} else {
			text += "  " + strings.Join(values, " ↔ ") + "  " + plural(f.Count, "change")
		}
		if len(f.Managers) > 0 {
			text += " by " + strings.Join(f.Managers, ", ")
		}
		at := func(t int64) string { return time.Unix(0, t).In(a.o.Location).Format("15:04:05") }
		text += "  " + at(f.Since) + "…" + at(f.Until)
		d := listLine{head: strings.ToUpper(f.Kind.String()), text: text, to: f.Object, seq: noRow}
		if n := len(f.Rows); n > 0 {
			d.seq = f.Rows[n-1]
		}
		lines = append(lines, d)
	}
	rank := func(d listLine) int { return slices.Index([]string{"FIGHT", "RESTART LOOP", "FLAP"}, d.head) }
	slices.SortStableFunc(lines, func(a, b listLine) int { return rank(a) - rank(b) })
	title := plural(len(lines), "finding") + ": fights, flaps, restart loops"
	if a.dropped > 0 {
		title += "; " + count(a.dropped) + " older not kept"
	}
	a.list.open(title, lines)
}

func (a *App) hasFindings() (bool, string) {
	if n := a.timeline.know.unread(); len(a.findings) == 0 && n > 100 {
		return false, "nothing goes to and fro so far; " + count(n) + " rows are still to be read"
	}
	return len(a.findings) > 0, "nothing goes to and fro"
}

func (a *App) canFollowList() (bool, string) {
	d, ok := a.list.selected()
	return ok && d.to != 0, "this line leads nowhere"
}

func (a *App) followList() {
	d, _ := a.list.selected()
	a.list.shown = false
	a.object.before = nil
	a.goTo(d.to, d.seq)
}
