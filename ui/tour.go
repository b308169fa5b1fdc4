package ui

import (
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// tour leads through the screen: a few lines below it say what to look at and
// which key to press, and go on when that was done. It is a table of steps.
type tour struct {
	on   bool
	rows int // of the screen; 0 where it has no room
	at   int
	base tourBase
}

// tourBase is what a step compares the screen with: how it was when it began.
type tourBase struct {
	noise bool
	again bool // the step had been done when it began, and has to be done again
	// When last looked at: the tape, and how fast it has been played since when.
	now   time.Time
	log   *model.Log
	clock time.Time
	speed float64
}

// tourStep is one step: what to know, what to do, and whether it was done; a nil
// done waits for the key that goes on. What is done already when the step begins
// has to be done again: again says how. Whatever was skipped, texts are true.
type tourStep struct {
	text, do, again string
	done            func(*App) bool
}

// tourRows is the height of the tour: a rule and two lines.
const tourRows = 3

func tourSteps() []tourStep {
	return []tourStep{
		{"A recorded cluster. The line below the header is the whole tape; Streams are the watches and their state, Timeline is every change as it came.",
			"space pauses the tape", "space plays, space again pauses", func(a *App) bool { return a.replay != nil && !a.replay.play.Playing }},
		{"The timeline follows the newest row until you go up; f follows again.",
			"↑ goes up", "f follows, ↑ goes up", func(a *App) bool { return !a.timeline.follow }},
		{"A row says in words what changed; a wide screen also says who did it. A ? behind a name means likely.",
			"enter opens the row's object", "esc goes back, enter opens one", objectOpened},
		{"An open object shows what a version changed, by field; [ and ] go to the versions before and after. Blame says who owns each field, since when.",
			"enter opens, g b shows blame", "g d shows the diff, g b blame", func(a *App) bool { return objectOpened(a) && views()[a.object.view].name == "blame" }},
		{"Of an object that is open, g and a letter leads to other views: diff, yaml, events, owners, story.",
			"esc goes back", "enter opens one, esc goes back", func(a *App) bool { return !a.object.pinned }},
		{"A filter lists only some rows: words, or kind:, ns:, name:, path:, manager: and more; tab completes.",
			"type /kind:deploy, then enter", "type /kind:deploy, then enter", func(a *App) bool { return a.filter.value() != "" && !a.filter.editing }},
		{"While a filter is on, only what it matches is listed; esc takes it away. Changes that say nothing, as heartbeats, are folded and counted.",
			"a shows all, a again folds them", "", func(a *App) bool { return a.timeline.noise != a.tour.base.noise }},
		{"What is wrong, and why, has a page: streams in trouble, gaps, Pods that fail, nodes, fights between managers.",
			"F opens it", "F closes it, F opens it", func(a *App) bool { return a.page.page != nil && pages()[a.page.at].name == "Problems" }},
		{"On that page enter goes from a line to its object, and F closes it. In a replay: e jumps to errors of streams, o to gaps, d to deletions, t to a time.",
			"e jumps to the next error", "", (*App).tourJumped},
		{"Where a watch was lost, the screen says since when and why, and never calls it live. In your own cluster, R records, and rewatch replay FILE plays it.",
			"? shows all keys", "esc closes this, ? shows all keys", func(a *App) bool { return a.help.shown }},
		{"That was the tour. Where the help is open, esc closes it; q quits; rewatch without arguments watches your cluster.", "", "", nil},
	}
}

func objectOpened(a *App) bool { return a.object.pinned }

// begin shows the tour.
func (a *App) beginTour() {
	a.tour.on = true
	a.startStep(0)
}

func (a *App) startStep(i int) {
	a.tour.at = i
	a.tour.base = tourBase{noise: a.timeline.noise, log: a.log, now: a.now, clock: a.clock}
	if done := tourSteps()[i].done; done != nil {
		a.tour.base.again = done(a)
	}
}

// endTour gives the rows of the tour back to the screen.
func (a *App) endTour() {
	a.tour.on = false
	a.lay.h += a.tour.rows
	a.tour.rows = 0
	a.relayout()
}

// tourHeight is what the tour takes of the height of a screen: nothing of one
// that is just large enough without it.
func (a *App) tourHeight(w, h int) int {
	a.tour.rows = 0
	if a.tour.on && w >= minWidth && h >= minHeight+tourRows {
		a.tour.rows = tourRows
	}
	return a.tour.rows
}

// tourJumped reports whether the tape went on, or back, other than by playing
// since it was looked at last, which is often: it may be played faster later.
func (a *App) tourJumped() bool {
	b := &a.tour.base
	speed := max(a.replay.play.Speed, 1)
	played := float64(a.clock.Sub(b.clock)) * min(max(speed, b.speed), math.MaxFloat32) // as fast as possible is endless
	if a.log != b.log || a.now.Before(b.now) || float64(a.now.Sub(b.now)-time.Second) > played {
		return true
	}
	b.now, b.clock, b.speed = a.now, a.clock, speed
	return false
}

// tourKey takes the keys of the tour: ctrl+n goes on, and esc leaves where there
// is nothing else that it could leave.
func (a *App) tourKey(k tea.KeyPressMsg) (taken bool) {
	if a.tour.rows == 0 {
		return false
	}
	switch s := a.scope(); {
	case s.modal():
	case k.String() == "ctrl+n":
		if a.tour.at+1 == len(tourSteps()) {
			a.endTour()
		} else {
			a.startStep(a.tour.at + 1)
		}
		return true
	case k.String() == "esc" && s == scopeTimeline && a.typed == (typed{}) && !a.zoom && !a.object.pinned && a.filter.value() == "" && a.recording.alarm == "":
		a.endTour()
		return true
	}
	return false
}

// checkTour goes on when a step was done.
func (a *App) checkTour() {
	if !a.tour.on {
		return
	}
	switch done := tourSteps()[a.tour.at].done; {
	case done == nil:
	case !done(a):
		a.tour.base.again = false
	case !a.tour.base.again:
		a.startStep(a.tour.at + 1)
	}
}

// tourLines are the lines of the tour, below the screen.
func (a *App) tourLines(w int) []string {
	steps := tourSteps()
	step := steps[a.tour.at]
	l := newLine("")
	l.fill(a.st.Rule, "─", 1)
	l.text(a.st.Title, " Tour "+count(a.tour.at+1)+" of "+count(len(steps))+" ")
	l.fill(a.st.Rule, "─", l.w+2)
	do := step.do
	if a.tour.base.again {
		do = step.again
	}
	if do != "" {
		l.upTo(a.st.Accent, " "+do+" ", w-l.w-26)
	}
	if l.w <= w-26 {
		l.fill(a.st.Rule, "─", w-26)
		l.text(a.st.Dim, " ctrl+n goes on, esc ends ")
	}
	l.fill(a.st.Rule, "─", w)
	out := []string{l.end(w)}
	return append(out, twoLines(a.st.Text, step.text, w)...)
}
