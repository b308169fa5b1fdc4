package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/themes"
)

// problems is the page of what is wrong: streams in trouble, objects in a bad
// state as far as the log knows, what goes to and fro, gaps. It ends with what
// was checked and what is not known. What the log knows is worked out outside of
// the event loop; a frame writes the lines that it shows.
type problems struct {
	pageBase
	cursor, top, h int
	items          []problem
	folded         map[string]bool // sections, by title
	opened         map[alike]bool

	know    *understanding // that items are of
	parts   []problemPart
	count   int // of problems
	pending int // rows that had not been read
	asked   bool
	at      time.Time     // of the newest answer
	pause   time.Duration // until the next question
}

// problem is a line of the page.
type problem struct {
	section string // of which this is the title; "" is a line of one
	n       int    // problems in the section
	key     problemKey
	show    func(a *App) problemText
	alike   alike          // several that this line stands for
	inner   bool           // it is one of those
	about   model.Identity // what it is about, if that is another object than to
	to      model.ObjectID // 0 leads nowhere
	seq     model.Seq
	ofRow   bool                // it is about no object, but a row tells of it
	asked   *model.StreamStatus // it is about this stream, whose requests tell more
}

// problemKey tells lines apart, so that the cursor stays on its own.
type problemKey struct {
	section, reason string
	object          model.ObjectID
	seq             model.Seq
}

// problemText is a line as it reads now.
type problemText struct {
	reason, age, name, text string
	bad                     bool // it is known to be so now
}

// problemsPause is how often the page asks what is wrong while it is open.
const problemsPause = 500 * time.Millisecond

// problemReport is what the log knows.
type problemReport struct {
	know   *understanding
	parts  []problemPart
	unread int
	took   time.Duration
}

func openProblems(*App) page {
	return &problems{folded: map[string]bool{}, opened: map[alike]bool{}, cursor: 1}
}

func problemKeys() []binding {
	return []binding{
		{id: "problem-open", keys: []string{"enter"}, help: "open the object (esc comes back), go to the gap, or fold and unfold this section or what is alike", hint: "open", says: saysProblem,
			here: on((*App).canEnterProblem), when: (*App).canEnterProblem,
			do: act(func(a *App) { a.page.page.(*problems).enter(a) })},
	}
}

func (p *problems) lack(a *App) tea.Cmd {
	if p.asked || p.know == a.timeline.know && a.clock.Sub(p.at) < p.pause {
		return nil
	}
	p.asked = true
	know, log, now := a.timeline.know, a.log, a.now
	return func() tea.Msg {
		unread := know.unread()
		know.mu.Lock()
		defer know.mu.Unlock()
		begin := time.Now() // waiting for whoever reads is no work
		r := problemReport{know: know, parts: groupProblems(log, know.health.Report(now)), unread: unread}
		r.took = time.Since(begin)
		return pageMsg{to: p, data: r}
	}
}

func (p *problems) take(a *App, m pageMsg) {
	p.asked = false
	r := m.data.(problemReport)
	if r.know != a.timeline.know {
		return // of a log that is not shown any more
	}
	// What takes long because there is much of it is asked for less often.
	p.at, p.pause, p.pending = a.clock, max(problemsPause, 20*r.took), r.unread
	p.know, p.parts = r.know, r.parts
	p.build(a)
}

func (p *problems) info(a *App) string {
	switch {
	case p.know != a.timeline.know:
		return "looking…"
	case p.pending > unreadWorthTelling:
		return plural(p.count, "problem") + " so far · " + plural(p.pending, "row") + " still to be read"
	}
	return plural(p.count, "problem")
}

// unreadWorthTelling is how many unread rows are news: some always are, while
// much happens.
const unreadWorthTelling = 100

func (p *problems) move(_ *App, n int) { p.cursor = max(min(p.cursor+n, len(p.items)-1), 0) }

func (p *problems) edge(_ *App, dir int) { p.cursor = max(dir*(len(p.items)-1), 0) }

func (p *problems) click(a *App, _, y int) {
	switch i := p.top + y; {
	case y >= p.h || i >= len(p.items):
	case i == p.cursor:
		p.enter(a)
	default:
		p.cursor = i
	}
}

// enter goes where the line leads, or folds the section.
func (p *problems) enter(a *App) {
	if p.cursor >= len(p.items) || p.know != a.timeline.know {
		return
	}
	d := p.items[p.cursor]
	if d.section != "" {
		p.folded[d.section] = !p.folded[d.section]
		p.build(a)
		return
	}
	if d.alike != (alike{}) {
		p.opened[d.alike] = !p.opened[d.alike]
		p.build(a)
		return
	}
	if d.about.Name != "" {
		if k, _, ok := a.log.Lookup(d.about); ok && k.Object != 0 {
			d.to, d.seq = k.Object, noRow
		}
	}
	switch {
	case d.to != 0:
		a.leavePage(d.to, d.seq)
	case d.asked != nil:
		a.openPageNamed("Protocol", &protocol{stream: d.asked.ID})
	case d.row(a):
		a.closePage()
		a.timeline.show(d.seq)
		a.setFocus(paneTimeline)
	default:
		a.say("this line leads nowhere")
	}
}

func (p *problems) draw(a *App, r rect) []string {
	items := p.items
	if p.know != a.timeline.know {
		items = nil
	}
	if p.h = r.h; r.h > 3*detailRows {
		p.h -= detailRows
	}
	p.cursor = max(min(p.cursor, len(items)-1), 0)
	p.top = max(min(p.top, p.cursor, len(items)-p.h), p.cursor-p.h+1, 0)
	out := make([]string, 0, r.h)
	for i := p.top; i < len(items) && len(out) < p.h; i++ {
		out = append(out, p.line(a, &items[i], r.w, i == p.cursor))
	}
	blank := newLine("").end(r.w)
	for len(out) < p.h {
		out = append(out, blank)
	}
	if r.h > p.h {
		out = append(out, p.detail(a, items, r.w)...)
	}
	return out
}

// detailRows is the height of what tells the line under the cursor in full: a
// rule and the text.
const detailRows = 3

// detail tells the line under the cursor in full.
func (p *problems) detail(a *App, items []problem, w int) []string {
	l := newLine("")
	l.fill(a.st.Rule, "─", w)
	out := []string{l.end(w)}
	text := ""
	if p.cursor < len(items) && items[p.cursor].section == "" {
		t := items[p.cursor].show(a)
		text = strings.Join(slices.DeleteFunc([]string{t.reason, t.name, t.text}, func(s string) bool { return s == "" }), " · ")
	}
	return append(out, twoLines(a.st.Text, text, w)...)
}

// twoLines writes a text over two lines, broken between words.
func twoLines(st themes.Style, text string, w int) (out []string) {
	text, _ = safe(text)
	for i := range 2 {
		l := newLine("")
		l.glyphs("", " ", 1)
		part := text
		if i == 0 {
			part = ansi.Truncate(text, w-2, "")
			if i := strings.LastIndexByte(part, ' '); i > 0 && len(part) < len(text) && text[len(part)] != ' ' {
				part = part[:i]
			}
		}
		text = strings.TrimPrefix(text[len(part):], " ")
		l.upTo(st, part, w-2)
		out = append(out, l.end(w))
	}
	return out
}

// line writes a line: what it is, since when, of what, and what else is known.
func (p *problems) line(a *App, d *problem, w int, selected bool) string {
	st := &a.st
	l := newLine("")
	mark := " "
	if selected {
		l, mark = newLine(st.Selected), "▌"
	}
	l.glyphs(st.Title, mark, 1)
	if d.section != "" {
		sign := "▾ "
		if p.folded[d.section] {
			sign = "▸ "
		}
		l.glyphs(st.Dim, sign, 2)
		l.text(st.Title, d.section)
		if d.n > 0 {
			l.text(st.Dim, "  "+count(d.n))
		}
		return l.end(w)
	}
	t := d.show(a)
	if t.reason == "" {
		l.upTo(st.Dim, "  "+t.text, w-l.w)
		return l.end(w)
	}
	reason, name := 17, 24
	switch {
	case w >= 110:
		reason, name = 24, 42
	case w < 70: // the rest of the line is told below
		reason, name = max(min(17, w*35/100), 4), max(w-13-max(min(17, w*35/100), 4), 0)
	}
	sign := "  "
	switch {
	case d.alike != (alike{}) && p.opened[d.alike]:
		sign = " ▾"
	case d.alike != (alike{}):
		sign = " ▸"
	case d.inner:
		sign = " ·"
	}
	l.glyphs(st.Dim, sign, 2)
	style := st.WarnBold
	if t.bad {
		style = st.BadBold
	}
	l.cell(style, t.reason, reason)
	l.right(st.Dim, t.age, 5)
	l.glyphs("", "  ", 2)
	if t.name != "" {
		shown, _ := safe(t.name)
		if d.alike == (alike{}) { // the end of a name tells more than that of a list of names
			shown = middle(shown, name)
		}
		l.cell(st.Text, shown, name)
		l.glyphs("", "  ", 2)
	}
	l.upTo(st.Text, t.text, w-l.w)
	return l.end(w)
}
