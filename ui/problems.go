package ui

import (
	"slices"
	"strings"
	"time"

	"rewatch/model/fights"
)

// problems is the page of what goes to and fro: fights, then restart loops,
// then flaps, the newest of each first.
type problems struct {
	pageBase
	cursor, top, h int
	lines          []listLine
	seen           int // findings that lines was made of
}

func openProblems(*App) page { return &problems{} }

func problemKeys() []binding {
	return []binding{
		{id: "problem-open", keys: []string{"enter"}, help: "go to the object of this line; esc comes back", hint: "open", do: act(func(a *App) {
			if p, ok := a.page.page.(*problems); ok && p.cursor < len(p.lines) {
				a.leavePage(p.lines[p.cursor].to, p.lines[p.cursor].seq)
			}
		})},
	}
}

func (a *App) hasFindings() (bool, string) {
	if n := a.timeline.know.unread(); len(a.findings) == 0 && n > 100 {
		return false, "nothing goes to and fro so far; " + count(n) + " rows are still to be read"
	}
	return len(a.findings) > 0, "nothing goes to and fro"
}

func (p *problems) info(a *App) string {
	s := plural(len(a.findings), "finding")
	if a.dropped > 0 {
		s += " · " + count(a.dropped) + " older not kept"
	}
	return s
}

func (p *problems) move(_ *App, n int) { p.cursor = max(min(p.cursor+n, len(p.lines)-1), 0) }

func (p *problems) edge(_ *App, dir int) { p.cursor = max(dir*(len(p.lines)-1), 0) }

func (p *problems) click(a *App, _, y int) {
	if i := p.top + y; i < len(p.lines) {
		p.cursor = i
	}
}

func (p *problems) draw(a *App, r rect) []string {
	p.h = r.h
	p.lines = a.findingLines()
	p.cursor = max(min(p.cursor, len(p.lines)-1), 0)
	p.top = max(min(p.top, p.cursor, len(p.lines)-p.h), p.cursor-p.h+1, 0)
	out := make([]string, 0, r.h)
	for i := p.top; i < len(p.lines) && len(out) < r.h; i++ {
		out = append(out, p.lines[i].draw(&a.st, r.w, i == p.cursor))
	}
	for blank := newLine("").end(r.w); len(out) < r.h; {
		out = append(out, blank)
	}
	return out
}

// findingLines tells the findings.
func (a *App) findingLines() []listLine {
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
	return lines
}
