package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// View draws a frame: a concatenation of rows that are mostly cached.
func (a *App) View() tea.View {
	content, cursor := a.frame()
	if a.tour.rows > 0 && content != "" {
		content += "\n" + strings.Join(a.tourLines(a.lay.w), "\n")
	}
	v := tea.NewView(a.skin.ascii.line(content))
	v.AltScreen = true
	if !a.o.modern() {
		v.DisableBracketedPasteMode = true
		v.Cursor = cursor
		return v
	}
	v.MouseMode, v.ReportFocus = tea.MouseModeCellMotion, true
	what := "rewatch "
	if a.replay != nil {
		what += "replay "
	}
	if title, _ := fit(what+a.o.Title, 80); a.o.Title != "" {
		v.WindowTitle = a.skin.ascii.line(title)
	}
	v.Cursor = cursor
	return v
}

// frame returns the lines of the screen, each exactly as wide as it is.
func (a *App) frame() (string, *tea.Cursor) {
	w, h := a.lay.w, a.lay.h
	a.hot.all = a.hot.all[:0]
	if w <= 0 || h <= 0 {
		return "", nil
	}
	if a.lay.small {
		return tooSmall(w, h), nil
	}
	a.header.clock, a.status.clock = a.clock, a.clock
	a.header.now, a.header.paused, a.header.stats = a.now, a.paused, a.stats
	a.header.missed = uint64(a.last.End() - a.pausedAt)
	a.status.now, a.status.stats = a.now, a.stats
	a.streams.now, a.object.now = a.now, a.now
	a.timeline.waits = waits{now: a.now, paused: a.paused, replay: a.replay != nil, absent: a.absent}
	a.streams.partial = a.replay.partial()

	rows := make([]string, 0, h)
	rows = append(rows, a.header.draw(w))
	if a.lay.scrub.h > 0 {
		rows = append(rows, a.scrub.draw(a.replay.position()))
	}
	rows = a.body(rows)
	if s, ok := a.prompt.problem(&a.st, w); ok {
		rows = append(rows, s)
	} else if s, ok := a.filter.above(&a.st, w); ok {
		rows = append(rows, s)
	} else {
		rows = append(rows, a.status.draw(w))
	}
	last, x := a.lastRow(w)
	rows = a.followers(append(rows, last), w)
	var cursor *tea.Cursor
	if x >= 0 {
		cursor = tea.NewCursor(x, h-1)
	}
	if a.help.shown {
		rows = a.help.over(rows, w)
		if !a.prompt.shown {
			cursor = nil
		}
	}
	if a.list.shown {
		rows = a.list.over(rows, w)
	}
	if a.palette.shown {
		rows = a.paletteOver(rows, w)
	}
	return strings.Join(rows, "\n"), cursor
}

// lastRow is what is being typed, with the column of the cursor, or what can be
// done, with -1.
func (a *App) lastRow(w int) (s string, cursor int) {
	switch {
	case a.prompt.shown:
		return a.prompt.draw(&a.st, w)
	case a.palette.shown:
		return a.palette.bar(&a.st, a.flash, w)
	case a.filter.editing:
		return a.filter.draw(&a.st, w, a.filterInfo())
	}
	if s, ok := a.recordBar(w); ok {
		return s, -1
	}
	return a.hints(w), -1
}

// body draws the panes. They tile the screen in at most two columns.
func (a *App) body(rows []string) []string {
	if a.page.page != nil {
		r := a.lay.page
		return append(append(rows, a.pageTitle(r.w)), a.page.marked(a.page.draw(a, r.body()))...)
	}
	left, right := a.lay.pane[paneStreams], a.lay.pane[paneTimeline]
	switch {
	case a.lay.rule >= 0:
		rows = append(rows, a.title(paneStreams, left.w)+a.corner("┬")+a.title(paneTimeline, right.w))
		bar := a.corner("│")
		s, t := a.streams.draw(), a.timeline.draw()
		for i := range s {
			rows = append(rows, s[i]+bar+t[i])
		}
	case left.h > 0:
		rows = append(append(rows, a.title(paneStreams, left.w)), a.streams.draw()...)
	case right.h > 0:
		rows = append(append(rows, a.title(paneTimeline, right.w)), a.timeline.draw()...)
	}
	if r := a.lay.pane[paneObject]; r.h > 0 {
		a.object.head = strings.Join(a.objectInfo(), " · ")
		rows = append(append(rows, a.title(paneObject, r.w)), a.object.draw()...)
	}
	return rows
}

func (a *App) corner(s string) string {
	l := newLine("")
	l.glyphs(a.st.Rule, s, 1)
	return l.end(1)
}

// title draws the rule above a pane: its name, or the tabs of all panes when
// there is one at a time, and what must be known of it to the right.
func (a *App) title(p pane, w int) string {
	a.hot.row(a.lay.pane[p].x, a.lay.pane[p].y)
	l := newLine("")
	l.fill(a.st.Rule, "─", 1)
	if a.lay.single {
		for x := range panes {
			name := x.String()
			switch {
			case x == p && p == paneObject:
				name, _ = a.object.title()
			case p == paneObject && w < ownersBeside: // room for the views: S and T, as in g s and g t
				name = name[:1]
			}
			a.tab(l, x, name, x == p, w)
			l.fill(a.st.Rule, "─", l.w+1)
		}
	} else {
		name := p.String()
		if p == paneObject {
			name, _ = a.object.title()
		}
		a.tab(l, p, name, p == a.focus, w)
	}
	if p == paneObject && !a.object.hasRow && a.object.want.id != 0 {
		a.viewTabs(l, w)
	}
	info := a.info(p, w-l.w-4)
	if _, n := safe(info); n > 0 && l.w+n+4 <= w {
		l.fill(a.st.Rule, "─", w-n-3)
		l.text(a.st.Dim, " "+info+" ")
	}
	l.fill(a.st.Rule, "─", w)
	return l.end(w)
}

// tab draws a name; the one in focus is marked, bold and in another colour.
func (a *App) tab(l *line, p pane, name string, focused bool, w int) {
	st, mark := a.st.Dim, " "
	if focused {
		st, mark = a.st.Title, "▸"
	}
	room := min(w-l.w-5, max(w-50, w*35/100))
	if p == paneObject { // the views come before the end of a long name
		room = max(min(w-l.w-5, max(w-l.w-tabsWidth(views())-4, leastName)), 8)
		name = middle(name, room)
	}
	name, _ = fit(name, room)
	from := l.w
	defer func() { a.hot.add(from, l.w, paneIDs[p]) }()
	l.text(st, mark)
	if name != "" {
		l.text(st, name+" ")
	}
}

// info is the right part of a pane's title.
func (a *App) info(p pane, room int) string {
	var parts []string
	switch p {
	case paneStreams:
		n, top := a.all.watched, a.streams.top
		switch last := top + a.streams.page(); {
		case last-top < n:
			parts = append(parts, count(top+1)+"–"+count(min(last, n))+" of "+count(n))
		case a.lay.single:
			parts = append(parts, plural(n, "stream"))
		default:
			parts = append(parts, count(n))
		}
	case paneTimeline:
		parts = a.timelineInfo()
	case paneObject:
		if a.object.headed() {
			return ""
		}
		parts = a.objectInfo()
	}
	// What does not fit is left out from the end.
	s := strings.Join(parts, " · ")
	for len(parts) > 1 {
		if _, n := safe(s); n <= room {
			break
		}
		parts = parts[:len(parts)-1]
		s = strings.Join(parts, " · ")
	}
	s, _ = fit(s, max(room, 0))
	return s
}

func (a *App) objectInfo() (parts []string) {
	if a.object.lag != "" {
		parts = append(parts, a.object.lag)
	}
	if _, info := a.object.title(); info != "" {
		parts = append(parts, info)
	}
	parts = append(parts, a.object.findInfo()...)
	if a.object.pinned {
		parts = append(parts, "open")
	}
	if when := a.object.when(); when != "" {
		parts = append(parts, when)
	}
	return parts
}

func (a *App) timelineInfo() []string {
	var parts []string
	if s := a.timeline.how.mode.title(); s != "" {
		parts = append(parts, s)
	}
	if f := a.filter.value(); f != "" {
		parts = append(parts, "/"+f+a.timeline.index.gapsBeside(f))
	}
	if s := a.timeline.grouping.String(); s != "" {
		parts = append(parts, s)
	}
	if percent, yes := a.timeline.looking(); yes {
		parts = append(parts, "looking "+count(percent)+"%")
	} else if a.timeline.problem != "" {
		parts = append(parts, a.timeline.problem)
	}
	switch {
	case a.paused:
		parts = append(parts, "paused")
	case a.timeline.follow:
		parts = append(parts, "follow")
		if s := a.sample.String(); s != "" {
			parts = append(parts, s)
		}
	default:
		if below := a.timeline.index.end() - 1 - a.timeline.cursor; below > 0 {
			parts = append(parts, count(below)+" below")
		} else {
			parts = append(parts, "f follows")
		}
	}
	x := a.timeline.index
	switch {
	case x.noise:
		parts = append(parts, "all rows (a folds)")
	case x.hidden > 0:
		parts = append(parts, count(x.hidden)+" folded (a)")
	}
	return parts
}

// when says when the version shown came, and by whom.
func (p *objectPane) when() string {
	if p.data == nil || p.hasRow || !p.data.hasEvent {
		return ""
	}
	e := p.data.event
	s := e.When().In(p.loc).Format("15:04:05.000")
	if p.data.by != "" {
		s = "by " + strings.ReplaceAll(p.data.by, ",", ", ") + " · " + s
	}
	return s + ", " + age(p.now.Sub(e.When())) + " ago"
}

// tooSmall is what a terminal gets that cannot hold the screen.
func tooSmall(w, h int) string {
	rows := make([]string, h)
	text := []string{"rewatch", count(w) + "×" + count(h) + " is too small", "needs " + count(minWidth) + "×" + count(minHeight)}
	for i := range rows {
		l := newLine("")
		if j := i - max((h-len(text))/2, 0); j >= 0 && j < len(text) {
			s, n := fit(text[j], w)
			l.pad((w - n) / 2)
			l.glyphs("", s, n)
		}
		rows[i] = l.end(w)
	}
	return strings.Join(rows, "\n")
}
