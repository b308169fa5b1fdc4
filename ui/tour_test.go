package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// tourOf begins the tour in a replay on a screen.
func tourOf(t testing.TB, w, h int) *driver {
	d, _ := newReplay(t, w, h, "dark")
	d.app.beginTour()
	d.app.lay.h -= d.app.tourHeight(w, h)
	d.app.relayout()
	return d
}

func (d *driver) step(n int) {
	d.t.Helper()
	s := ansi.Strip(d.app.View().Content)
	if want := fmt.Sprintf(" Tour %d of %d ", n, len(tourSteps())); !strings.Contains(s, want) {
		d.t.Fatalf("the screen does not show %q:\n%s", want, s)
	}
}

// Each step goes on when it was done, and says the key for it.
func TestTheTourGoesOnByItself(t *testing.T) {
	d := tourOf(t, 80, 24)
	keys := [][]string{{"up"}, {"enter"}, {"g", "b"}, {"esc"}, append(strings.Split("/kind:pod", ""), "enter"), {"a"}, {"F"}}
	if d.app.replay.play.Playing {
		keys = append([][]string{{"space"}}, keys...)
	} else {
		keys = append([][]string{{"space", "space"}}, keys...)
	}
	n := d.app.tour.at + 1
	for _, k := range keys {
		d.step(n)
		d.press(k...)
		n++
		d.step(n)
		lines := strings.Split(ansi.Strip(d.app.View().Content), "\n")
		if len(lines) != 24 {
			t.Fatalf("%d lines, want 24", len(lines))
		}
		for _, l := range lines {
			if w := ansi.StringWidth(l); w != 80 {
				t.Fatalf("a line of %d cells: %q", w, l)
			}
		}
	}
}

func TestTheTourCanBeLeft(t *testing.T) {
	d := tourOf(t, 80, 24)
	d.press("ctrl+n", "ctrl+n")
	d.step(3)
	d.press("esc")
	if s := ansi.Strip(d.app.View().Content); strings.Contains(s, "Tour") || len(strings.Split(s, "\n")) != 24 {
		t.Errorf("the tour is not left:\n%s", s)
	}
}

func TestTheTourOnScreen(t *testing.T) {
	for _, size := range sizes {
		d := tourOf(t, size[0], size[1])
		d.press("ctrl+n")
		name := fmt.Sprintf("tour-%dx%d.txt", size[0], size[1])
		golden(t, name, trimRight(ansi.Strip(d.app.View().Content)))
	}
}

// A screen without room for the tour is as large as it would be without it, and
// says so if it is too small.
func TestTheTourOnSmallScreens(t *testing.T) {
	for _, h := range []int{1, 2, 6, 9, 10, 12, 13} {
		d := tourOf(t, 80, 24)
		d.press("ctrl+n")
		d.send(tea.WindowSizeMsg{Width: 80, Height: h})
		s := ansi.Strip(d.app.View().Content)
		if n := len(strings.Split(s, "\n")); n != h {
			t.Errorf("%d lines on a screen of %d:\n%s", n, h, s)
		}
		if has := strings.Contains(s, " Tour 2 of "); has != (h >= 13) {
			t.Errorf("at a height of %d the tour is there: %v", h, has)
		}
		if h == 6 && !strings.Contains(s, "80×6 is too small") {
			t.Errorf("it does not say its size:\n%s", s)
		}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.step(2)
	}
}

// At 80x24 no step is cut, neither what it says nor what it asks for, however it
// was reached.
func TestNoStepOfTheTourIsCut(t *testing.T) {
	d := tourOf(t, 80, 24)
	steps := tourSteps()
	for i, step := range steps {
		d.step(i + 1)
		for _, again := range []bool{false, true} {
			d.app.tour.base.again = again
			lines := d.app.tourLines(80)
			do := step.do
			if again {
				do = step.again
			}
			if s := ansi.Strip(lines[0]); !strings.Contains(s, " "+do) || !strings.Contains(s, "ctrl+n goes on, esc ends") {
				t.Errorf("step %d: %q is cut: %s", i+1, do, s)
			}
			if got := strings.Join(strings.Fields(ansi.Strip(lines[1]+" "+lines[2])), " "); got != step.text {
				t.Errorf("step %d says %q, want %q", i+1, got, step.text)
			}
		}
		if i+1 < len(steps) {
			d.press("ctrl+n")
		}
	}
}

// A step that is reached with its act done already is not skipped: it says how to
// do it again.
func TestTheTourSkipsNothing(t *testing.T) {
	d := tourOf(t, 80, 24)
	says := func(want string) {
		t.Helper()
		if s := ansi.Strip(d.app.View().Content); !strings.Contains(s, want) {
			t.Errorf("the screen does not say %q:\n%s", want, s)
		}
	}
	d.press("ctrl+n", "ctrl+n", "ctrl+n", "ctrl+n")
	d.step(5) // no object is open
	says("enter opens one, esc goes back")
	d.press("up", "enter")
	d.step(5)
	says("esc goes back ─")
	d.press("esc")
	d.step(6)
}
