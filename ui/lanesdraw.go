package ui

import (
	"strings"
	"time"

	"rewatch/model/lanes"
	"rewatch/themes"
)

// place divides a rectangle: names to the left, time to the right; above the
// lanes times and a ruler, below what is under the cursor and the legend, in two
// lines where one is short. Where there are few lines, lanes have most of them.
func (p *lanesPage) place(r rect) {
	p.side = max(min(r.w*22/100, 44), min(24, r.w*45/100))
	p.width = max(r.w-p.side, 1)
	switch p.head, p.foot = 2, 2; {
	case r.h < 9:
		p.head, p.foot = 1, 1
	case r.w < 160 && r.h >= 14:
		p.foot = 3
	}
	p.height = max(r.h-p.head-p.foot, 1)
	p.settle()
}

// The glyphs of lanes, told apart without colour. Letters are those of phases.
const (
	glyphTick   = "┿"
	glyphMany   = "#"
	glyphEnded  = "×"
	glyphMissed = "▒"
	glyphUnheld = "·"
	glyphNow    = "┊"
	glyphCursor = "│"
)

// runs are what continues a phase, by its tone.
var runs = [...]string{lanes.Quiet: "─", lanes.Good: "━", lanes.Ending: "╌", lanes.Busy: "╍", lanes.Warn: "┅", lanes.Bad: "═"}

// toneStyles are how letters are written; runs are not bold.
func toneStyles(st *themes.Styles, t lanes.Tone) (letter, run themes.Style) {
	switch t {
	case lanes.Good:
		return st.GoodBold, st.Good
	case lanes.Ending:
		return st.Odd, st.Odd
	case lanes.Busy:
		return st.Info, st.Info
	case lanes.Warn:
		return st.WarnBold, st.Warn
	case lanes.Bad:
		return st.BadBold, st.Bad
	}
	return st.Strong, st.Dim
}

func (p *lanesPage) info(a *App) string {
	if p.pic == nil {
		return "reading"
	}
	parts := []string{plural(len(p.rows()), "lane")}
	l := &p.pic.list
	if p.pic.percent < 100 {
		parts = append(parts, "reading "+count(p.pic.percent)+"%")
	}
	if l.Quiet > 0 {
		parts = append(parts, count(l.Quiet)+" without a change here (u)")
	} else if p.quiet {
		parts = append(parts, "with those without a change (u)")
	}
	if f := a.filter.value(); f != "" {
		parts = append(parts, "/"+f+" hides "+count(l.Hidden))
	}
	if n := a.timeline.snap.Evicted(); n > 0 {
		parts = append(parts, count(n)+" older rows not held")
	}
	switch {
	case a.paused:
		parts = append(parts, "paused")
	case p.follow:
		parts = append(parts, "follow")
	}
	for s := ""; len(parts) > 1; parts = parts[:len(parts)-1] {
		s = strings.Join(parts, " · ")
		if _, n := safe(s); n < p.width+p.side-12 {
			return s
		}
	}
	return parts[0]
}

func (p *lanesPage) draw(a *App, r rect) []string {
	p.place(r)
	out := make([]string, 0, r.h)
	if p.pic == nil {
		l := newLine("")
		l.upTo(a.st.Dim, "  reading the log…", r.w)
		out = append(out, l.end(r.w))
		return fillRows(out, r)
	}
	d := laneDrawer{p: p, st: &a.st, loc: a.o.Location, w: p.pic.want.window, total: r.w}
	d.cursor = d.w.Column(p.cursor(a))
	d.now = d.w.Column(p.pic.want.until)
	if p.follow { // of the picture, whose window may be a column behind
		d.cursor = d.now
	}
	k := drawnLanes{p.pic, r, a.st.Name, d.cursor, d.now, p.row, p.top, p.at, p.follow}
	if p.drawn == k {
		return p.lines
	}
	out = append(out, d.labels(p.cursor(a), !p.follow))
	if p.head > 1 {
		out = append(out, d.ruler())
	}
	rows := p.rows()
	for i := p.top; i < p.top+p.height && i < len(rows); i++ {
		out = append(out, d.row(i, rows[i]))
	}
	if len(rows) == 0 && len(out) < r.h-p.foot {
		out = append(out, d.empty(a))
	}
	for len(out) < r.h-p.foot {
		out = append(out, d.blank())
	}
	out = append(append(out, d.detail(a)), d.legend(p.foot-1)...)
	p.drawn, p.lines = k, fillRows(out, r)
	return p.lines
}

// drawnLanes is all that the lines of a frame are made of.
type drawnLanes struct {
	pic         *picture
	r           rect
	theme       string
	cursor, now int
	row, top    int
	at          int64
	follow      bool
}

// fillRows makes as many rows as a rectangle has.
func fillRows(out []string, r rect) []string {
	for blank := newLine("").end(r.w); len(out) < r.h; {
		out = append(out, blank)
	}
	return out[:r.h]
}

// laneDrawer draws one frame of a picture.
type laneDrawer struct {
	p           *lanesPage
	st          *themes.Styles
	loc         *time.Location
	w           lanes.Window
	total       int
	cursor, now int
	used        [256]bool // phases that stand on the screen
	signs       laneSigns // and other signs
}

// laneSigns are the signs on the screen that are no phases.
type laneSigns struct{ tick, several, many, mixed, ended, unwatched, missed, unheld bool }

func (d *laneDrawer) clock(at int64) string {
	t := time.Unix(0, at).In(d.loc)
	if d.w.Cell >= int64(time.Minute) {
		return t.Format("01-02 15:04:05")
	}
	return t.Format("15:04:05.000")
}

// labels is the line of times, with that of the cursor to the left.
func (d *laneDrawer) labels(at int64, free bool) string {
	l := newLine("")
	l.glyphs(d.st.Accent, " ▼ ", 3)
	l.upTo(d.st.Strong, d.clock(at), d.p.side-5)
	if !free {
		l.upTo(d.st.Dim, " now", d.p.side-l.w-1)
	}
	l.pad(d.p.side)
	for _, m := range axis(d.w.From(), d.w.Cell, d.w.N, d.loc) {
		if at := d.p.side + m.column; at >= l.w && at+len(m.text) <= d.total {
			l.pad(at)
			l.text(d.st.Dim, m.text)
		}
	}
	return l.end(d.total)
}

// ruler is the line of ticks, with what a column stands for to the left.
func (d *laneDrawer) ruler() string {
	l := newLine("")
	l.upTo(d.st.Dim, "   column = "+scaleName(d.w.Cell), d.p.side-1)
	l.pad(d.p.side)
	marks := axis(d.w.From(), d.w.Cell, d.w.N, d.loc)
	for c := range d.w.N {
		for len(marks) > 0 && marks[0].column < c {
			marks = marks[1:]
		}
		switch {
		case c == d.cursor:
			l.glyphs(d.st.Title, "▼", 1)
		case c == d.now:
			l.glyphs(d.st.Accent, glyphNow, 1)
		case len(marks) > 0 && marks[0].column == c:
			l.glyphs(d.st.Dim, "┬", 1)
		case c > d.now:
			l.glyphs(d.st.Rule, " ", 1)
		default:
			l.glyphs(d.st.Rule, "─", 1)
		}
	}
	return l.end(d.total)
}

// blank is a line without a lane.
func (d *laneDrawer) blank() string {
	l := newLine("")
	l.pad(d.p.side)
	for _, c := range [2]int{min(d.cursor, d.now), max(d.cursor, d.now)} {
		if c >= 0 && c < d.w.N && d.p.side+c >= l.w {
			l.pad(d.p.side + c)
			d.upright(l, c)
		}
	}
	return l.end(d.total)
}

// upright draws what stands in an empty cell of a column.
func (d *laneDrawer) upright(l *line, c int) {
	switch c {
	case d.cursor:
		l.glyphs(d.st.Accent, glyphCursor, 1)
	case d.now:
		l.glyphs(d.st.Rule, glyphNow, 1)
	default:
		l.glyphs("", " ", 1)
	}
}

func (d *laneDrawer) empty(a *App) string {
	l := newLine("")
	text := "  nothing is held"
	switch n := d.p.pic.list.Quiet; {
	case d.p.pic.more || d.p.pic.percent < 100:
		text = "  reading the log…"
	case n > 0:
		text = "  nothing has changed in this time; u shows " + plural(n, "lane") + " without a change"
	case a.filter.query != nil:
		text = "  no object has a row that matches /" + a.filter.value()
	}
	l.upTo(d.st.Dim, text, d.total)
	return l.end(d.total)
}

// row is a lane: its name, and its cells.
func (d *laneDrawer) row(i int, r lanes.Row) string {
	base := themes.Style("")
	if i == d.p.row {
		base = d.st.Selected
	}
	l := newLine(base)
	d.name(l, i, r)
	cells := d.p.pic.cells
	if i -= d.p.pic.first; i < 0 || i >= len(cells) || r.Object == 0 {
		for c := range d.w.N {
			d.upright(l, c)
		}
		return l.end(d.total)
	}
	named := lanes.Absent // what the letter to the left says
	for c, cell := range cells[i] {
		named = d.cell(l, c, cell, named)
	}
	return l.end(d.total)
}

// name writes the left column: a tree of owners.
func (d *laneDrawer) name(l *line, i int, r lanes.Row) {
	mark := " "
	if i == d.p.row {
		mark = "▌"
	}
	l.glyphs(d.st.Accent, mark, 1)
	l.pad(1 + r.Depth)
	fold := " "
	switch {
	case r.Folded:
		fold = "▸"
	case r.Below > 0:
		fold = "▾"
	}
	l.glyphs(d.st.Dim, fold, 1)
	more := ""
	if r.Folded {
		more = " +" + count(r.Below)
	}
	room := d.p.side - 1 - len(more)
	kind := shortKind(r.ID.Kind)
	l.upTo(d.st.Dim, kind+" ", room-l.w)
	name, st := r.ID.Name, d.st.Text
	if rest, ok := strings.CutPrefix(name, r.Parent); ok && r.Parent != "" && rest != "" {
		name = "…" + rest
	} else if r.Depth == 0 && r.ID.Namespace != "" && d.p.spaces() {
		name = r.ID.Namespace + "/" + name
	}
	if r.Depth == 0 {
		st = d.st.Strong
	}
	if r.Object == 0 {
		st = d.st.Dim
	}
	l.upTo(st, middle(name, room-l.w), room-l.w)
	l.upTo(d.st.Dim, more, len(more))
	l.pad(d.p.side)
}

// spaces reports whether the lanes are of several namespaces.
func (p *lanesPage) spaces() bool { return p.pic.list.Namespaces > 1 }

// cell writes one cell. named is the phase of the letter before it, if that
// stands for what goes on; the result is the same for the next one.
func (d *laneDrawer) cell(l *line, c int, cell lanes.Cell, named lanes.Phase) lanes.Phase {
	letter, run := toneStyles(d.st, cell.Phase.Tone())
	held := cell.Phase > lanes.NotHeld
	glyph, st := "", themes.Style("")
	switch {
	case cell.Ended:
		d.signs.ended = true
		glyph, st, named = glyphEnded, d.st.Odd, lanes.Absent
	case held && cell.Began:
		glyph, st, named = cell.Phase.Letter(), letter, cell.Phase
		if d.used[cell.Phase] = true; cell.Mixed {
			d.signs.mixed = true
			glyph = strings.ToLower(glyph)
		}
	case cell.Changes >= 10:
		d.signs.many = true
		glyph, st = glyphMany, run
	case cell.Changes > 1:
		d.signs.several = true
		glyph, st = string(rune('0'+cell.Changes)), run
	case cell.Changes == 1:
		d.signs.tick = true
		glyph, st = glyphTick, run
	case cell.Missed:
		d.signs.missed = true
		glyph, st, named = glyphMissed, d.st.Warn, lanes.Absent
	case cell.Unwatched:
		d.signs.unwatched = true
		glyph, st, named = glyphUnwatched, d.st.Dim, lanes.Absent
	case held && named != cell.Phase:
		d.used[cell.Phase] = true
		glyph, st, named = cell.Phase.Letter(), letter, cell.Phase
	case held:
		glyph, st = runs[cell.Phase.Tone()], run
	case cell.Phase == lanes.NotHeld:
		d.signs.unheld = true
		glyph, st = glyphUnheld, d.st.Dim
	case cell.Phase == lanes.Unread:
		glyph, st = "…", d.st.Dim
	}
	switch {
	case glyph == "":
		d.upright(l, c)
	case c == d.cursor:
		d.lit(l, st, glyph)
	default:
		l.glyphs(st, glyph, 1)
	}
	return named
}

// lit writes a cell of the column of the cursor, on its background.
func (d *laneDrawer) lit(l *line, st themes.Style, glyph string) {
	switch on := d.st.Selected; {
	case l.base != "" || on == "":
		l.glyphs(d.st.Title, glyph, 1)
	case st == "":
		l.glyphs(on, glyph, 1)
	default:
		l.glyphs(on+";"+st, glyph, 1)
	}
}
