package ui

// splits are how far the user has moved the lines between the panes, in cells;
// 0 is where they are without.
type splits struct {
	side   int // the streams are that much wider
	object int // the object is that much higher
}

func splitKeys() []binding {
	resize := func(side, object int) func(*App) {
		return func(a *App) { a.resizeBy(side*a.times(), object*a.times()) }
	}
	return []binding{
		{id: "streams-narrower", counts: true, keys: []string{"ctrl+w <"}, help: "make Streams narrower", hint: "narrower", when: (*App).canResizeSide, do: act(resize(-2, 0))},
		{id: "streams-wider", counts: true, keys: []string{"ctrl+w >"}, help: "make Streams wider", hint: "wider", when: (*App).canResizeSide, do: act(resize(2, 0))},
		{id: "object-higher", counts: true, keys: []string{"ctrl+w +"}, help: "make the object pane higher", hint: "higher", when: (*App).canResizeObject, do: act(resize(0, 1))},
		{id: "object-lower", counts: true, keys: []string{"ctrl+w -"}, help: "make the object pane lower", hint: "lower", when: (*App).canResizeObject, do: act(resize(0, -1))},
		{id: "panes-as-before", keys: []string{"ctrl+w ="}, help: "the panes as large as they were", hint: "as before", do: act(func(a *App) { a.splits = splits{}; a.relayout() })},
	}
}

func (a *App) canResizeSide() (bool, string) {
	return a.lay.rule >= 0 && a.page.page == nil, "there are no panes side by side here"
}

func (a *App) canResizeObject() (bool, string) {
	return !a.lay.single && a.lay.shows(paneObject) && a.page.page == nil, "there is no pane above another here"
}

// The least that is left of a pane.
const (
	minSide   = 28
	minBeside = 40
	minObject = 4
	minAbove  = 4
)

// move moves the lines of a layout.
func (s splits) move(l *layout) {
	if l.rule >= 0 {
		left, right := &l.pane[paneStreams], &l.pane[paneTimeline]
		total := left.w + 1 + right.w
		left.w = min(max(left.w+s.side, minSide), max(total-1-minBeside, minSide))
		l.rule = left.x + left.w
		right.x, right.w = l.rule+1, total-left.w-1
	}
	if o := &l.pane[paneObject]; !l.single && o.h > 0 {
		total := o.y + o.h - l.page.y
		h := min(max(o.h+s.object, minObject), total-minAbove)
		by := h - o.h
		o.y, o.h = o.y-by, h
		for _, p := range []pane{paneStreams, paneTimeline} {
			if l.pane[p].h > 0 {
				l.pane[p].h -= by
			}
		}
	}
}

// resizeBy moves the lines from where they are now: what could not be done
// before does not have to be undone first.
func (a *App) resizeBy(side, object int) {
	plain := newLayout(a.lay.w, a.lay.h, a.focus, a.zoom, a.replay != nil)
	if side != 0 {
		a.splits.side = a.lay.pane[paneStreams].w - plain.pane[paneStreams].w + side
	}
	if object != 0 {
		a.splits.object = a.lay.pane[paneObject].h - plain.pane[paneObject].h + object
	}
	a.relayout()
}

// grab takes hold of a line between panes, if there is one at a cell: of the
// title of the object the rule that it stands on.
func (a *App) grab(x, y int) bool {
	o := a.lay.pane[paneObject]
	switch {
	case a.lay.rule >= 0 && x == a.lay.rule && y >= a.lay.pane[paneStreams].y && y < a.lay.pane[paneStreams].y+a.lay.pane[paneStreams].h:
		a.drag = func(x, _ int) { a.resizeBy(x-a.lay.rule, 0) }
	case !a.lay.single && o.h > 0 && y == o.y:
		a.setFocus(paneObject)
		a.drag = func(_, y int) { a.resizeBy(0, a.lay.pane[paneObject].y-y) }
	default:
		return false
	}
	return true
}
