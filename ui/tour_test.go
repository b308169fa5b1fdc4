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
		d.app.checkTour()
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
