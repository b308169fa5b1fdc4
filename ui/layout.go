package ui

// The smallest terminal that can hold the screen.
const (
	minWidth  = 40
	minHeight = 10
)

// rect is a part of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// body is the rectangle without its first row, which is the pane's title.
func (r rect) body() rect { return rect{r.x, r.y + 1, r.w, max(r.h-1, 0)} }

// pane names what can have the focus.
type pane int

const (
	paneStreams pane = iota
	paneTimeline
	paneObject
	panes
)

func (p pane) String() string { return [...]string{"Streams", "Timeline", "Object"}[p] }

// layout is the screen divided into named rectangles that tile it. It is
// computed when the size, the focus or the zoom changes, never per frame.
type layout struct {
	w, h   int
	small  bool // nothing fits: say so
	single bool // one pane at a time, with tabs in its title
	header rect
	scrub  rect        // the scrubber of a replay; zero where there is none
	pane   [panes]rect // zero where it is not shown
	page   rect        // of what takes the place of the panes
	rule   int         // column of the line between streams and timeline, or -1
	status rect
	hints  rect
}

// shows reports whether a pane is on the screen.
func (l layout) shows(p pane) bool { return l.pane[p].h > 0 }

// newLayout divides a screen. With little width the streams, with little
// height the object are only shown when they have the focus.
func newLayout(w, h int, focus pane, zoom, replay bool) layout {
	l := layout{w: w, h: h, rule: -1}
	if w < minWidth || h < minHeight {
		l.small = true
		return l
	}
	l.header = rect{0, 0, w, 1}
	l.status = rect{0, h - 2, w, 1}
	l.hints = rect{0, h - 1, w, 1}
	body := rect{0, 1, w, h - 3}
	if replay {
		l.scrub = rect{0, 1, w, 1}
		body.y, body.h = 2, h-4
	}
	l.page = body
	wide, tall := w >= 100, h >= 28

	if zoom || !wide && !tall || focus == paneObject && !tall || focus == paneStreams && !wide && !tall {
		l.single = true
		l.pane[focus] = body
		return l
	}
	top := body
	if tall {
		object := max(body.h*38/100, 9)
		top.h = body.h - object
		l.pane[paneObject] = rect{0, body.y + top.h, w, object}
	}
	switch {
	case wide:
		side := 34
		if w >= 160 {
			side = 42
		}
		l.pane[paneStreams] = rect{0, top.y, side, top.h}
		l.rule = side
		l.pane[paneTimeline] = rect{side + 1, top.y, w - side - 1, top.h}
	case focus == paneStreams:
		l.pane[paneStreams] = top
	default:
		l.pane[paneTimeline] = top
	}
	return l
}
