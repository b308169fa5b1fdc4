package ui

import (
	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/clean"
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
	do         func(*App) tea.Cmd // what enter does instead; nil is nothing
	shift      func(*App, int)    // moves it among the lines; nil cannot
}

// draw writes a line of a list in w cells.
func (d listLine) draw(st *themes.Styles, w int, selected bool) string {
	l := newLine("")
	if selected {
		l = newLine(st.Selected)
		l.glyphs(st.Title, "▌", 1)
	} else {
		l.glyphs("", " ", 1)
	}
	l.cell(st.WarnBold, d.head, min(max(14, clean.Width(d.head)), w/3))
	l.glyphs("", " ", 1)
	l.upTo(st.Text, d.text, w-l.w)
	return l.end(w)
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
		text = append(text, p.lines[i].draw(p.st, bw-4, i == p.cursor))
	}
	for len(text) < p.h {
		text = append(text, newLine("").end(bw-4))
	}
	return box(p.st, rows, w, bw, p.title, text, p.top+p.h < len(p.lines), " esc closes ")
}

// noiseList is what is folded, by rule.
func (a *App) noiseList() {
	x := a.timeline.index
	lines, known := a.ruleLines()
	lines = append(lines, listLine{head: count(x.hidden-known) + " rows", text: "heartbeats of streams, initial lists, routine steps of streams, objects sent again"})
	if n := a.timeline.know.unread(); n > 0 {
		lines = append(lines, listLine{head: count(n) + " rows", text: "not read yet"})
	}
	title := "Folded: a change is folded only if a rule names all that changed; a shows all rows"
	if x.noise {
		title = "All rows are shown; a folds what these rules name"
	}
	a.list.open(title, lines)
}

func (a *App) canFollowList() (bool, string) {
	d, ok := a.list.selected()
	return ok && (d.to != 0 || d.do != nil), "this line leads nowhere"
}

func (a *App) followList() tea.Cmd {
	d, _ := a.list.selected()
	a.list.shown = false
	if d.do != nil {
		return d.do(a)
	}
	a.object.before = nil
	a.goTo(d.to, d.seq)
	return nil
}
