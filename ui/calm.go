package ui

import (
	"math"
	"time"
)

// blurredFrame is the least time between two frames while nobody looks: the
// terminal has said that another window has the focus.
const blurredFrame = 200 * time.Millisecond

// sample counts what a following timeline lists and what of it is ever on the
// screen: where rows come faster than frames can show them, the title says so.
type sample struct {
	since         time.Time
	listed, shown uint64
	ratio         float64 // of the second before; 0 is unknown
}

// add counts the rows that a frame brought, of which height are shown.
func (s *sample) add(now time.Time, rows, height int) {
	if d := now.Sub(s.since); d >= time.Second || d < 0 {
		s.ratio = 0
		if s.shown > 0 && d < 2*time.Second {
			s.ratio = float64(s.listed) / float64(s.shown)
		}
		s.since, s.listed, s.shown = now, 0, 0
	}
	s.listed += uint64(max(rows, 0))
	s.shown += uint64(max(min(rows, height), 0))
}

// String is "" where every row is shown.
func (s *sample) String() string {
	switch {
	case s.ratio >= 1.5:
		return "1 of " + count(int(math.Round(s.ratio))) + " rows shown"
	case s.ratio >= 1.01:
		return count(int(100/s.ratio)) + "% of rows shown"
	}
	return ""
}

// setBlurred takes in whether the terminal has the focus. With it the screen is
// brought up to date at once.
func (a *App) setBlurred(yes bool) {
	a.blurred = yes
	if !yes {
		a.refresh()
	}
}
