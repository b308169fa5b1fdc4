package ui

import (
	"cmp"

	"rewatch/themes"
)

// paletteHint is what may be typed, while nothing is.
const paletteHint = "pods · deploy,sts · -nodes · ns shop · ctx prod · theme … · a time · or what you want to do"

// bar is the line in which it is typed; cursor is its column.
func (p *palette) bar(st *themes.Styles, flash string, w int) (s string, cursor int) {
	l := newLine("")
	l.text(st.Accent, " : ")
	room := max(w-6, 8)
	from := max(p.pos-room+1, 0)
	before, n := fit(string(p.text[from:p.pos]), room)
	l.glyphs(st.Strong, before, n)
	cursor = min(l.w, w-1)
	l.upTo(st.Strong, string(p.text[p.pos:]), room-n)
	if len(p.text) == 0 {
		l.upTo(st.Dim, "  "+paletteHint, w-l.w-1)
		return l.end(w), cursor
	}
	right := cmp.Or(flash, "enter does it, tab completes")
	if _, n := safe(right); l.w+n+3 <= w {
		l.pad(w - n - 1)
		l.text(st.Dim, right)
	}
	return l.end(w), cursor
}

// paletteRows is how many items are shown at once.
func paletteRows(h int) int { return max(min(h-8, 16, h/2), 3) }

// over lays the list over the rows of a frame, just above the line.
func (a *App) paletteOver(rows []string, w int) []string {
	p := &a.palette
	h := len(rows)
	n := min(paletteRows(h), max(len(p.items), 1))
	top := max(p.at-n+1, 0)
	title := ""
	if len(p.items) > n {
		title = count(len(p.items)-n) + " more "
	}
	rows[h-n-2] = p.rule(&a.st, title, a.choiceProblem(), w)
	col := 0
	for _, it := range p.items[top:min(top+n, len(p.items))] {
		if _, tw := safe(it.text); it.help != "" {
			col = max(col, tw)
		}
	}
	col = min(col, w*4/10)
	for i := range n {
		row := h - 2 - i
		if top+i >= len(p.items) {
			l := newLine(a.st.Bar)
			l.upTo(a.st.Dim, "   nothing is meant by this", w)
			rows[row] = l.end(w)
			continue
		}
		rows[row] = a.paletteRow(&p.items[top+i], top+i == p.at, col, w)
	}
	return rows
}

func (p *palette) rule(st *themes.Styles, left, right string, w int) string {
	l := newLine("")
	l.fill(st.Accent, "─", 1)
	l.text(st.Title, " What to do ")
	l.text(st.Dim, left)
	if s, n := fit(right, w-l.w-6); n > 0 {
		l.fill(st.Accent, "─", w-n-3)
		l.glyphs(st.Warn, " "+s+" ", n+2)
	}
	l.fill(st.Accent, "─", w)
	return l.end(w)
}

// textAt is where the text of an item begins.
const textAt = 13

// paletteRow is "type  pods   watched                    g p".
func (a *App) paletteRow(it *paletteItem, chosen bool, col, w int) string {
	st := &a.st
	l := newLine(st.Bar)
	mark := " "
	if chosen {
		l, mark = newLine(st.Selected), "▌"
	}
	l.glyphs(st.Title, mark, 1)
	l.cell(st.Dim, it.group, 10)
	on := " "
	if it.on {
		on = "*"
	}
	l.glyphs(st.Good, on, 1)
	l.glyphs("", " ", 1)
	text, help, off := st.Text, it.help, ""
	if it.off != nil {
		if off = it.off(a); off != "" {
			text, help = st.Dim, off
		}
	}
	key, kw := safe(it.key)
	room := w - kw - 2
	l.marked(text, st.Accent, it.text, it.marks, min(room-l.w, max(w*6/10, 30)))
	if help != "" && l.w+6 < room {
		l.pad(col + textAt)
		l.upTo(st.Dim, "  "+help, room-l.w-1)
	}
	if kw > 0 {
		l.pad(w - kw - 1)
		l.glyphs(st.Accent, key, kw)
	}
	return l.end(w)
}

// marked writes s in at most w cells, some of its letters in another style.
func (l *line) marked(st, mark themes.Style, s string, at []int, w int) {
	if len(at) == 0 {
		l.upTo(st, s, w)
		return
	}
	hit := map[int]bool{}
	for _, i := range at {
		hit[i] = true
	}
	to := l.w + w
	var run []rune
	var marked bool // the letters of run are
	flush := func() {
		style := st
		if marked {
			style = mark
		}
		l.upTo(style, string(run), to-l.w)
		run = run[:0]
	}
	i := 0
	for _, r := range s {
		if hit[i] != marked {
			flush()
			marked = hit[i]
		}
		run = append(run, r)
		i++
	}
	flush()
}
