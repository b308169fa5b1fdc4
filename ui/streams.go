package ui

import (
	"slices"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/themes"
)

// streamsPane lists the streams: two lines each in the side pane, a table when
// it has the whole width.
type streamsPane struct {
	st      *themes.Styles
	now     time.Time
	all     *overall
	focused bool
	partial bool // not all objects are loaded yet, though the streams had them

	r      rect
	zoomed bool
	order  []int // the streams as they are shown: places in all.streams
	cursor int   // place in order
	top    int   // first place shown
}

// tableWidth is where the table fits without leaving much out.
const tableWidth = 96

func (p *streamsPane) table() bool { return p.zoomed || p.r.w >= tableWidth }

// rows is how many lines one stream takes: two, unless the pane is too low to
// show most of them so.
func (p *streamsPane) rows() int {
	if p.table() || p.all != nil && p.all.watched*2 > p.r.h && p.r.h < 12 {
		return 1
	}
	return 2
}

// page is the number of streams shown at once.
func (p *streamsPane) page() int {
	h := p.r.h
	if p.table() {
		h--
	}
	return max(h/p.rows(), 1)
}

// settle makes order, cursor and window agree with the streams. The cursor
// stays on its stream; at the top of a pane that nobody uses it stays there.
func (p *streamsPane) settle() {
	n := p.all.watched
	p.cursor = max(min(p.cursor, n-1), 0)
	at := -1
	if p.cursor < len(p.order) && (p.focused || p.cursor > 0) {
		at = p.order[p.cursor]
	}
	p.arrange()
	if i := slices.Index(p.order, at); i >= 0 {
		p.cursor = i
	}
	p.top = max(min(p.top, p.cursor), p.cursor-p.page()+1)
	p.top = max(min(p.top, n-p.page()), 0)
}

// arrange puts the streams in their order: where not all of them fit, those
// that are not well come first, lest they are the ones out of sight.
func (p *streamsPane) arrange() {
	p.order = p.order[:0]
	first, place, well := map[collection]int{}, make([]int, len(p.all.streams)), 0
	for i := range p.all.streams {
		k := collectionOf(p.all.streams[i].StreamInfo)
		if _, ok := first[k]; !ok {
			first[k] = i
		}
		place[i] = first[k]
	}
	crowded := p.r.h > 0 && p.all.watched > p.page()
	for i := range p.all.streams {
		if crowded && unwell(&p.all.streams[i]) {
			p.order = append(p.order, i)
		}
	}
	for i := range p.all.streams {
		if s := &p.all.streams[i]; !s.Removed() && !(crowded && unwell(s)) {
			p.order = append(p.order, i)
			well++
		}
	}
	// Where a namespace was left for another, each type stays in its place.
	slices.SortStableFunc(p.order[len(p.order)-well:], func(a, b int) int { return place[a] - place[b] })
}

func (p *streamsPane) move(n int) { p.cursor += n; p.settle() }

func (p *streamsPane) selected() (model.StreamStatus, bool) {
	if p.cursor < 0 || p.cursor >= len(p.order) {
		return model.StreamStatus{}, false
	}
	return p.all.streams[p.order[p.cursor]], true
}

// click selects the stream at a line of the pane.
func (p *streamsPane) click(y int) {
	if p.table() {
		y--
	}
	if i := p.top + y/p.rows(); y >= 0 && i < len(p.order) {
		p.cursor = i
	}
}

func (p *streamsPane) draw() []string {
	out := make([]string, 0, p.r.h)
	if p.table() {
		out = append(out, p.tableHead())
	}
	if p.all.watched == 0 {
		l := newLine("")
		l.upTo(p.st.Dim, "  no streams", p.r.w)
		out = append(out, l.end(p.r.w))
	}
	for i := p.top; i < len(p.order) && len(out) < p.r.h; i++ {
		s := &p.all.streams[p.order[i]]
		if p.table() {
			out = append(out, p.tableRow(s, i == p.cursor))
			continue
		}
		out = append(out, p.first(s, i == p.cursor))
		if p.rows() == 2 && len(out) < p.r.h {
			out = append(out, p.second(s, i == p.cursor))
		}
	}
	for blank := newLine("").end(p.r.w); len(out) < p.r.h; {
		out = append(out, blank)
	}
	return out
}

// start opens a line with the marker of the selection. In the theme without
// colour the selection is reverse video.
func (p *streamsPane) start(selected bool) *line {
	if !selected || !p.focused {
		l := newLine("")
		l.glyphs("", " ", 1)
		return l
	}
	l := newLine(p.st.Selected)
	l.glyphs(p.st.Title, "▌", 1)
	return l
}

// stateStyle is how the word of a state is written.
func stateStyle(st *themes.Styles, s model.State) themes.Style {
	switch {
	case s == model.Overdue || s == model.Relisting || s == model.Expired:
		return st.WarnBold
	case s.Degraded():
		return st.BadBold
	case s == model.Live:
		return st.Good
	case s.Fresh():
		return st.Good
	case s == model.Paused || s == model.Idle:
		return st.Dim
	}
	return st.Info
}

// label is the name of a stream with what sets it apart from its siblings.
func (p *streamsPane) label(s *model.StreamStatus) (name, where string) {
	name = p.all.short(s.StreamInfo)
	if p.all.contexts > 1 {
		where = s.Context
	}
	if s.Namespace != "" && s.Namespace != p.all.namespace {
		if where != "" {
			where += "/"
		}
		where += s.Namespace
	}
	return name, where
}

// first is "LIVE  pods shop            1,204".
func (p *streamsPane) first(s *model.StreamStatus, selected bool) string {
	l := p.start(selected)
	l.cell(stateStyle(p.st, s.State), s.State.String(), 8)
	n, nw := safe(p.figure(s))
	name, where := p.label(s)
	l.upTo(p.st.Strong, name, p.r.w-l.w-nw-2)
	if where != "" {
		l.upTo(p.st.Dim, " "+where, p.r.w-l.w-nw-2)
	}
	l.pad(p.r.w - nw - 1)
	l.text(p.st.Text, n)
	return l.end(p.r.w)
}

// figure is the number of objects, or how far the initial list has come.
func (p *streamsPane) figure(s *model.StreamStatus) string {
	if p.partial {
		return count(s.Objects) + "…"
	}
	if s.State == model.Syncing || s.State == model.Relisting {
		if s.Total > 0 {
			return count(s.Synced) + "/" + count(s.Total)
		}
		return count(s.Synced) + "/?"
	}
	return count(s.Objects)
}

// second is the detail: what is wrong, or the heartbeat, RV and rate.
func (p *streamsPane) second(s *model.StreamStatus, selected bool) string {
	l := p.start(selected)
	l.pad(3)
	const sparks = 10
	if unwell(s) {
		when, why := p.all.plight(s, p.now)
		l.upTo(p.st.Warn, when, p.r.w-l.w-1)
		l.upTo(p.st.Text, "  "+why, p.r.w-l.w-1)
		return l.end(p.r.w)
	}
	st, heart := p.heart(s)
	name, _ := p.label(s)
	cut := len(name) > p.r.w-11-len(p.figure(s)) && selection(s.StreamInfo) != ""
	if cut {
		heart, _, _ = strings.Cut(heart, ",")
	}
	l.text(st, heart)
	switch {
	case cut: // in the first line
		l.upTo(p.st.Text, "  "+strings.TrimPrefix(selection(s.StreamInfo), " "), p.r.w-l.w-1)
	case s.RV != "" && l.w+4+len(s.RV) < p.r.w-sparks:
		l.text(p.st.Dim, "  rv "+s.RV)
	}
	if l.w < p.r.w-sparks-1 {
		l.pad(p.r.w - sparks - 1)
		l.glyphs(p.rateStyle(s), spark(s.Rate[:model.RateSeconds-1], sparks), sparks)
	}
	return l.end(p.r.w)
}

func (p *streamsPane) rateStyle(s *model.StreamStatus) themes.Style {
	for _, v := range s.Rate[:model.RateSeconds-1] {
		if v > 0 {
			return p.st.Info
		}
	}
	return p.st.Rule
}

// heart is the sign of life: the age of the newest heartbeat, with a pulse.
func (p *streamsPane) heart(s *model.StreamStatus) (themes.Style, string) {
	switch {
	case s.Uncached && s.State != model.Polling:
		return p.st.Dim, "no heartbeat: uncached"
	case s.State == model.Polling:
		return p.st.Dim, polling(s, p.now)
	case s.State == model.Paused:
		return p.st.Dim, "for " + age(p.now.Sub(s.Since))
	case s.State == model.Live && s.Since.Sub(s.Heartbeat) > patience:
		// The newest one is of the watch before: it says nothing of this one.
		return p.st.Dim, "♥ none yet, open " + age(p.now.Sub(s.Since))
	case s.Heartbeat.IsZero():
		return p.st.Dim, ""
	case p.now.Sub(s.Heartbeat) < 2*time.Second:
		return p.st.GoodBold, "♥ " + age(p.now.Sub(s.Heartbeat))
	}
	return p.st.Dim, "♥ " + age(p.now.Sub(s.Heartbeat))
}

// polling is how old the list of a stream is that polls, and how often one is
// asked for.
func polling(s *model.StreamStatus, now time.Time) string {
	text := "list " + age(now.Sub(s.Since)) + " old"
	switch every := pollsEvery(s); {
	case every == "":
		return text
	case s.Last.Until.Before(now):
		return text + ", next now"
	default:
		return text + ", " + every
	}
}

// pollsEvery says how often a stream lists that cannot watch: "every 15 s".
func pollsEvery(s *model.StreamStatus) string {
	if d := s.Last.Until.Sub(s.Since).Round(time.Second); d > 0 {
		return "every " + count(int64(d.Seconds())) + " s"
	}
	return ""
}

const columnResource, columnWhere = 1, 2

// streamColumn is a column of the table.
type streamColumn struct {
	name string
	w    int
	left bool
	id   int // its place in streamColumns
}

// streamColumns are the columns of the table and their widths.
var streamColumns = [...]streamColumn{
	{"state", 8, true, 0}, {"resource", 22, true, 1}, {"where", 14, true, 2}, {"objects", 9, false, 3}, {"heartbeat", 10, false, 4},
	{"rv", 9, false, 5}, {"added", 7, false, 6}, {"modified", 9, false, 7}, {"deleted", 8, false, 8}, {"bytes", 8, false, 9},
	{"reconn", 7, false, 10}, {"gaps", 5, false, 11},
}

// tableColumns lists the columns that are shown: causes need more room than
// sparklines.
func (p *streamsPane) tableColumns() []streamColumn {
	room := p.r.w - min(24, p.r.w*15/100)
	if len(p.all.troubles) > 0 {
		room = p.r.w - min(42, p.r.w*35/100)
	}
	var cols []streamColumn
	for _, c := range streamColumns {
		switch {
		case c.id == columnWhere && p.whereWidth() == 0:
			continue
		case c.id == columnResource:
			c.w = p.nameWidth()
		case c.id == columnWhere:
			c.w = min(c.w, p.whereWidth())
		}
		if room -= c.w + 1; room < 0 {
			break
		}
		cols = append(cols, c)
	}
	return cols
}

// nameWidth is that of the longest name, a selection included, within reason.
func (p *streamsPane) nameWidth() int {
	w := len(streamColumns[columnResource].name)
	for i := range p.all.streams {
		_, n := safe(p.all.short(p.all.streams[i].StreamInfo))
		w = max(w, n)
	}
	return min(w, max(p.r.w*40/100, streamColumns[columnResource].w))
}

// whereWidth is that of the longest place, 0 if streams do not differ in
// context or namespace.
func (p *streamsPane) whereWidth() int {
	w := 0
	for i := range p.all.streams {
		if _, where := p.label(&p.all.streams[i]); where != "" {
			_, n := safe(where)
			w = max(w, n, len(streamColumns[columnWhere].name))
		}
	}
	return w
}

func (p *streamsPane) tableHead() string {
	l := newLine("")
	l.glyphs("", " ", 1)
	for _, c := range p.tableColumns() {
		if c.left {
			l.cell(p.st.Dim, c.name, c.w)
		} else {
			l.right(p.st.Dim, c.name, c.w)
		}
		l.glyphs("", " ", 1)
	}
	last := " last 20 s"
	if len(p.all.troubles) > 0 {
		last += ", or the cause"
	}
	l.upTo(p.st.Dim, last, p.r.w-l.w)
	return l.end(p.r.w)
}

func (p *streamsPane) tableRow(s *model.StreamStatus, selected bool) string {
	l := p.start(selected)
	name, where := p.label(s)
	heartStyle, heart := p.heart(s)
	heart, _, _ = strings.Cut(heart, ",") // the column has room for its first words
	switch {
	case s.State == model.Polling:
		heart = strings.TrimPrefix(heart, "list ")
	case s.Uncached:
		heart = "uncached"
	}
	for _, c := range p.tableColumns() {
		var text string
		st := p.st.Text
		switch c.id {
		case 0:
			st, text = stateStyle(p.st, s.State), s.State.String()
		case 1:
			st, text = p.st.Strong, name
		case 2:
			st, text = p.st.Dim, where
		case 3:
			text = p.figure(s)
		case 4:
			st, text = heartStyle, heart
		case 5:
			st, text = p.st.Dim, s.RV
		case 6:
			text = count(max(s.Added-s.Initial, 0)) // of the initial list is what objects counts
		case 7:
			text = count(s.Modified)
		case 8:
			text = count(s.Deleted)
		case 9:
			st, text = p.st.Dim, size(s.Bytes)
		case 10:
			text = count(s.Reconnects)
		case 11:
			text = count(s.Gaps)
		}
		if c.left {
			l.cell(st, text, c.w)
		} else {
			l.right(st, text, c.w)
		}
		l.glyphs("", " ", 1)
	}
	l.glyphs("", " ", 1)
	if unwell(s) {
		when, why := p.all.plight(s, p.now)
		if why != "" {
			when += "  " + why
		}
		l.upTo(p.st.Warn, when, p.r.w-l.w)
	} else if every := pollsEvery(s); s.State == model.Polling && every != "" {
		if d := s.Last.Until.Sub(p.now); d > 0 && p.r.w-l.w > 24 {
			every += ", next in " + age(d)
		}
		l.upTo(p.st.Dim, every, p.r.w-l.w)
	} else if n := min(p.r.w-l.w, 20); n > 0 {
		l.glyphs(p.rateStyle(s), spark(s.Rate[:model.RateSeconds-1], n), n)
	}
	return l.end(p.r.w)
}
