package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// hotspot is a part of a line that a click does something on: what the key of
// a binding does.
type hotspot struct {
	x, y, w int
	id      string // of the binding
}

// hotspots are noted while a frame is drawn.
type hotspots struct {
	all  []hotspot
	x, y int // of the line that is drawn
}

// row begins a line whose first cell is at x, y.
func (h *hotspots) row(x, y int) { h.x, h.y = x, y }

// add notes that the cells [from, to) of the line do something.
func (h *hotspots) add(from, to int, id string) {
	h.all = append(h.all, hotspot{h.x + from, h.y, to - from, id})
}

func (h *hotspots) at(x, y int) (id string, ok bool) {
	for _, s := range h.all {
		if s.y == y && x >= s.x && x < s.x+s.w {
			return s.id, true
		}
	}
	return "", false
}

// paneIDs are the bindings that go to the panes.
var paneIDs = [panes]string{paneStreams: "streams", paneTimeline: "timeline", paneObject: "object"}

// paneAt returns the pane under a cell.
func (a *App) paneAt(x, y int) (pane, bool) {
	for p, r := range a.lay.pane {
		if r.contains(x, y) {
			return pane(p), true
		}
	}
	return 0, false
}

const wheelRows = 3

func (a *App) wheel(m tea.Mouse) {
	n := wheelRows
	switch m.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelDown:
	default:
		return
	}
	if a.help.shown {
		a.help.scroll(n)
		return
	}
	if a.list.shown {
		a.list.move(n)
		return
	}
	if a.page.page != nil {
		a.page.move(a, n)
		return
	}
	p, ok := a.paneAt(m.X, m.Y)
	switch {
	case !ok:
	case p == paneStreams:
		a.streams.move(n / wheelRows)
	case p == paneTimeline:
		if n < 0 && a.timeline.top <= a.timeline.low() {
			a.fetchEarlier()
		}
		a.timeline.scroll(n)
	case p == paneObject:
		a.object.scroll(n)
	}
}

// press is the left button that was pressed last.
type press struct {
	x, y int
	at   time.Time
}

// doubleClick is how soon a second click is one on the same.
const doubleClick = 500 * time.Millisecond

// click is the left button: it selects, and the second time opens; it does what
// a hint or a tab says; it takes hold of what can be dragged.
func (a *App) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft {
		return nil
	}
	before := a.pressed
	a.pressed = press{m.X, m.Y, a.o.Now()}
	twice := before.y == m.Y && max(before.x-m.X, m.X-before.x) <= 1 && a.pressed.at.Sub(before.at) < doubleClick
	if a.help.shown || a.list.shown {
		return nil
	}
	modal := a.scope().modal()
	if id, ok := a.hot.at(m.X, m.Y); ok && (!modal || m.Y == a.lay.hints.y) {
		return a.doNamed(id)
	}
	if modal {
		return nil
	}
	if a.lay.scrub.contains(m.X, m.Y) {
		a.drag = func(x, _ int) { a.dragTo(x) }
		a.drag(m.X, m.Y)
		return nil
	}
	if a.page.page != nil {
		if r := a.lay.page.body(); r.contains(m.X, m.Y) {
			a.page.click(a, m.X-r.x, m.Y-r.y)
		}
		return nil
	}
	if a.grab(m.X, m.Y) {
		return nil
	}
	return a.clickPane(m.X, m.Y, twice)
}

// doNamed does what the key of a binding does, or says why not.
func (a *App) doNamed(id string) tea.Cmd {
	for i := range a.keys.all {
		if b := &a.keys.all[i]; b.id == id {
			defer func() { a.typed = typed{} }()
			a.unsay()
			if reason := a.off(b); reason != "" {
				a.say(reason)
				return nil
			}
			return b.do(a)
		}
	}
	return nil
}

func (a *App) clickPane(x, y int, twice bool) tea.Cmd {
	p, ok := a.paneAt(x, y)
	if !ok {
		return nil
	}
	a.focus = p
	defer a.relayout()
	y -= a.lay.pane[p].body().y
	switch {
	case y < 0:
	case p == paneStreams:
		if a.streams.click(y); twice {
			return a.doNamed("details")
		}
	case p == paneObject:
		a.clickObject(y)
		if ok, _ := a.canJump(); ok && twice {
			return a.doNamed("jump")
		}
	default:
		if a.clickRow(a.timeline.top+y) && twice {
			return a.doNamed("open")
		}
	}
	return nil
}

// clickObject puts the cursor on a line.
func (a *App) clickObject(y int) {
	p := &a.object
	if p.headed() {
		y--
	}
	if i := p.top + y; y >= 0 && i < len(p.doc) {
		p.cursor = i
	}
}

// clickRow puts the cursor on a row of the timeline; false if there is none.
func (a *App) clickRow(pos int) bool {
	switch {
	case pos >= a.timeline.index.end():
		return false
	case pos < a.timeline.index.first():
		a.fetchEarlier()
		return false
	}
	a.timeline.follow, a.timeline.anchor = false, noRow
	a.timeline.cursor = pos
	a.timeline.settle()
	return true
}
