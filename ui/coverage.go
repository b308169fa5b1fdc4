package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// coverage is the page of what was watched when, and of what holds it: of a
// replay what rewatch info says of the tapes, live what the log holds and how
// the recording stands. Its lines are made when something is known anew; a frame
// writes those that it shows.
type coverage struct {
	cursor, top, h int
	w              int // that lines are made for
	items          []coverageItem
	streams        []*coverageStream
	longest        int             // of their names
	folded         map[string]bool // sections, by title
	from, to       int64           // what the bars are about

	know  *understanding // that seen is of
	seen  watched
	asked bool
	at    time.Time

	report  *tapeReport // of the tapes; nil: live, or they are not read yet
	reading bool        // the tapes are being read
	failed  string      // why they could not be, ""
	cancel  context.CancelFunc
}

// coverageItem is a line of the page.
type coverageItem struct {
	section    string // of which this is the title; "" is a line of one
	n          int    // lines in the section; -1 is not told
	heads      bool   // it has the names of the columns
	stream     int    // of coverage.streams, from 1; 0 is none
	name, text string // otherwise
	bad        bool
	full       string    // what is told below; "" is name and text
	at         time.Time // where enter goes to in a replay; zero is nowhere
	seq        model.Seq // the row that enter goes to, noRow is none
}

// coverageStream is what is told of a stream.
type coverageStream struct {
	name, where  string
	full         string         // what is told below
	seen         *watchedStream // nil: not known
	fresh, known int64          // for how long it was current, and how much is known
	counts       [len(coverageColumns)]string
	gone         bool      // nobody watches it any more
	bar          []barSign // as wide as it was drawn last
}

// coverageColumns are those right of the bar, but for the share; where there is
// no room those with the highest number go first.
var coverageColumns = [...]struct {
	name         string
	width, leave int
}{{"initial", 8, 3}, {"added", 7, 2}, {"modified", 9, 4}, {"deleted", 8, 5}, {"objects", 8, 6}, {"gaps", 5, 1}, {"read", 9, 7}}

// leastBar is how wide a bar should be at least.
const leastBar = 13

func openCoverage(*App) page { return &coverage{folded: map[string]bool{}, cursor: 1} }

func coverageKeys() []binding {
	return []binding{
		{id: "coverage-go", keys: []string{"enter"}, help: "go to the moment of this line, or fold this section", hint: "go there", says: saysFold, when: (*App).coverageLeads,
			do: act(func(a *App) { a.page.page.(*coverage).enter(a) })},
	}
}

func (c *coverage) close() {
	if c.cancel != nil {
		c.cancel()
	}
}

func (c *coverage) lack(a *App) tea.Cmd {
	var cmds []tea.Cmd
	if t := a.o.Tapes; t != nil && a.replay != nil && c.report == nil && !c.reading && c.failed == "" {
		ctx, cancel := context.WithCancel(a.ctx)
		c.reading, c.cancel = true, cancel
		cmds = append(cmds, func() tea.Msg {
			list, err := t.Tapes(ctx)
			if err != nil {
				return pageMsg{to: c, data: tapesData{err: err}}
			}
			return pageMsg{to: c, data: tapesData{report: newTapeReport(list)}}
		})
	}
	if know := a.timeline.know; c.report == nil && !c.asked && (c.know != know || a.clock.Sub(c.at) >= problemsPause) {
		c.asked = true
		cmds = append(cmds, func() tea.Msg {
			know.mu.Lock()
			defer know.mu.Unlock()
			return pageMsg{to: c, data: coverageData{know, know.watched.clone()}}
		})
	}
	return tea.Batch(cmds...)
}

type coverageData struct {
	know *understanding
	seen watched
}

type tapesData struct {
	report *tapeReport
	err    error
}

func (c *coverage) take(a *App, m pageMsg) {
	switch d := m.data.(type) {
	case coverageData:
		c.asked, c.at = false, a.clock
		c.know, c.seen = d.know, d.seen
	case tapesData:
		c.reading = false
		if c.report = d.report; d.err != nil {
			c.failed = d.err.Error()
		}
	}
	c.build(a)
}

func (c *coverage) move(_ *App, n int) { c.cursor = max(min(c.cursor+n, len(c.items)-1), 0) }

func (c *coverage) edge(_ *App, dir int) { c.cursor = max(dir*(len(c.items)-1), 0) }

func (c *coverage) click(a *App, _, y int) {
	switch i := c.top + y; {
	case y >= c.h || i >= len(c.items):
	case i == c.cursor:
		c.enter(a)
	default:
		c.cursor = i
	}
}

// enter goes to the moment of the line, or folds the section.
func (c *coverage) enter(a *App) {
	if c.cursor >= len(c.items) {
		return
	}
	switch d := &c.items[c.cursor]; {
	case d.section != "":
		c.folded[d.section] = !c.folded[d.section]
		c.build(a)
	case d.held(a):
		a.closePage()
		a.timeline.show(d.seq)
		a.setFocus(paneTimeline)
	case d.leads(a):
		a.closePage()
		a.seek(d.at)
		a.setFocus(paneTimeline)
	default:
		a.say(noMoment)
	}
}

const noMoment = "this line leads to no moment"

// held reports whether the row of a line is still there.
func (d *coverageItem) held(a *App) bool {
	return d.seq != noRow && d.seq >= a.timeline.snap.First() && d.seq < a.timeline.snap.End()
}

// leads reports whether enter does something on a line.
func (d *coverageItem) leads(a *App) bool {
	return d.section != "" || d.held(a) || !d.at.IsZero() && a.replay != nil
}

// coverageLeads reports whether the line under the cursor leads somewhere.
func (a *App) coverageLeads() (bool, string) {
	c, ok := a.page.page.(*coverage)
	return ok && c.cursor < len(c.items) && c.items[c.cursor].leads(a), noMoment
}

// saysFold is what enter says on the title of a section.
func saysFold(a *App) string {
	c, ok := a.page.page.(*coverage)
	switch {
	case !ok || c.cursor >= len(c.items) || c.items[c.cursor].section == "":
		return ""
	case c.folded[c.items[c.cursor].section]:
		return "unfold"
	}
	return "fold"
}

func (c *coverage) info(a *App) string {
	switch {
	case c.reading:
		return "reading the tape…"
	case c.from == 0:
		return "nothing yet"
	}
	from, to := time.Unix(0, c.from), time.Unix(0, c.to)
	return plural(len(c.streams), "stream") + " · " + stamp(from, to, a.o.Location) + " to " + stamp(to, from, a.o.Location)
}

func (c *coverage) draw(a *App, r rect) []string {
	if c.w != r.w || c.report == nil && c.know != a.timeline.know {
		c.w = r.w
		c.build(a)
	}
	if c.h = r.h; r.h > 4*detailRows {
		c.h -= detailRows
	}
	c.cursor = max(min(c.cursor, len(c.items)-1), 0)
	c.top = max(min(c.top, c.cursor, len(c.items)-c.h), c.cursor-c.h+1, 0)
	out := make([]string, 0, r.h)
	for i := c.top; i < len(c.items) && len(out) < c.h; i++ {
		out = append(out, c.line(a, &c.items[i], r.w, i == c.cursor))
	}
	for blank := newLine("").end(r.w); len(out) < c.h; {
		out = append(out, blank)
	}
	if r.h > c.h {
		out = append(out, c.detail(a, r.w)...)
	}
	return out
}

// detail tells the line under the cursor in full.
func (c *coverage) detail(a *App, w int) []string {
	l := newLine("")
	l.fill(a.st.Rule, "─", w)
	text := ""
	if c.cursor < len(c.items) {
		d := &c.items[c.cursor]
		if text = d.full; text == "" && d.section == "" {
			text = d.name + "  " + d.text
		}
	}
	return append([]string{l.end(w)}, twoLines(a.st.Text, text, w)...)
}

func (c *coverage) line(a *App, d *coverageItem, w int, selected bool) string {
	st := &a.st
	l := newLine("")
	mark := " "
	if selected {
		l, mark = newLine(st.Selected), "▌"
	}
	l.glyphs(st.Title, mark, 1)
	switch {
	case d.section != "":
		sign := "▾ "
		if c.folded[d.section] {
			sign = "▸ "
		}
		l.glyphs(st.Dim, sign, 2)
		l.upTo(st.Title, d.section, w-l.w)
		if d.n >= 0 {
			l.upTo(st.Dim, "  "+count(d.n), w-l.w)
		}
		if d.heads && !c.folded[d.section] {
			c.heads(a, l, w)
		}
	case d.stream > 0:
		c.stream(a, l, c.streams[d.stream-1], w)
	default:
		style := st.Text
		if d.bad {
			style = st.WarnBold
		}
		l.glyphs("", "  ", 2)
		l.cell(st.Dim, d.name, min(c.nameWidth(d), w/2))
		l.upTo(style, d.text, w-l.w)
	}
	return l.end(w)
}

// nameWidth is the room for the name of a line: words or moments.
func (c *coverage) nameWidth(d *coverageItem) int {
	_, n := safe(d.name)
	if !d.at.IsZero() {
		return max(n, len("15:04:05 15:04:05")) + 2
	}
	return max(n+2, 11)
}

// columns are the widths of a line of a stream: name, bar, and which of the
// others there is room for.
func (c *coverage) columns(w int) (name, bar int, shown [len(coverageColumns)]bool) {
	name = max(min(max(w/5, 20), 36), min(c.longest+4, w*2/5))
	const share = 9
	bar = w - name - share
	for i, x := range coverageColumns {
		shown[i] = true
		bar -= x.width
	}
	for bar < leastBar {
		last := -1
		for i, x := range coverageColumns {
			if shown[i] && (last < 0 || x.leave > coverageColumns[last].leave) {
				last = i
			}
		}
		if last < 0 {
			break
		}
		shown[last] = false
		bar += coverageColumns[last].width
	}
	return name, max(bar, 1), shown
}

func (c *coverage) heads(a *App, l *line, w int) {
	name, bar, shown := c.columns(w)
	if legend := "█ current ░ not ═ gap"; bar >= len([]rune(legend)) {
		l.pad(name)
		l.upTo(a.st.Dim, legend, bar)
	} else {
		l.upTo(a.st.Dim, "  █current ░not ═gap", name+bar-l.w)
	}
	l.pad(name + bar)
	l.right(a.st.Dim, "current", 9)
	for i, x := range coverageColumns {
		if shown[i] {
			l.right(a.st.Dim, x.name, x.width)
		}
	}
}

// stream draws the bar and the counts of a stream.
func (c *coverage) stream(a *App, l *line, s *coverageStream, w int) {
	name, bar, shown := c.columns(w)
	l.glyphs("", " ", 1)
	style := a.st.Text
	if s.gone {
		style = a.st.Dim
	}
	where := min(len(s.where), name/2-1)
	l.upTo(style, s.name, name-2-l.w-where)
	if s.where != "" {
		l.glyphs("", " ", 1)
		l.upTo(a.st.Dim, middle(s.where, name-1-l.w), name-1-l.w)
	}
	l.pad(name)
	percent := "?"
	if s.seen != nil && c.to > c.from {
		if len(s.bar) != bar {
			s.bar = s.seen.bar(c.from, c.to, bar)
		}
		for _, sign := range s.bar {
			st, glyph := sign.look(&a.st)
			l.glyphs(st, glyph, 1)
		}
	}
	l.pad(name + bar)
	if s.known > 0 {
		percent = Share(s.fresh, s.known) + "%"
	}
	l.right(a.st.Text, percent, 9)
	for i, x := range coverageColumns {
		if shown[i] {
			l.right(a.st.Dim, s.counts[i], x.width)
		}
	}
}

// lineLimit bounds the lines of a section.
const lineLimit = 500

// section adds a section of n lines, unless it has none; lines are at least
// those of them that it shows, and n is -1 where it is not told.
func (c *coverage) section(title string, n int, lines []coverageItem) {
	if len(lines) == 0 {
		return
	}
	c.items = append(c.items, coverageItem{section: title, n: n, seq: noRow, heads: slices.ContainsFunc(lines, func(d coverageItem) bool { return d.stream > 0 })})
	if c.folded[title] {
		return
	}
	if shown := min(len(lines), lineLimit); shown < n {
		lines = append(lines[:shown:shown], coverageItem{name: "and " + count(n-shown) + " more", seq: noRow})
	}
	c.items = append(c.items, lines...)
}
