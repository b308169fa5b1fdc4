package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/themes"
)

func newScrubber(w int, o Overview) *scrubber {
	st := themes.Styles{}
	s := &scrubber{st: &st, loc: time.UTC}
	s.place(rect{0, 1, w, 1}, nil)
	s.show(o, nil)
	return s
}

func span(from, to int) Span {
	return Span{From: epoch.Add(time.Duration(from) * time.Minute), To: epoch.Add(time.Duration(to) * time.Minute)}
}

func TestTheScrubberShowsTheTape(t *testing.T) {
	o := Overview{From: epoch, To: epoch.Add(40 * time.Minute), Density: make([]uint32, 400)}
	for i := range o.Density {
		o.Density[i] = uint32(i % 100 * (i % 100) * (i % 100))
	}
	o.Gaps = []Span{span(4, 4), span(10, 15)}
	o.Unwatched = []Span{span(20, 30)}
	o.Gaps = append(o.Gaps, span(26, 30))
	o.Marks = []Span{span(35, 35)}
	s := newScrubber(62, o)
	row := []rune(plain(s.draw(o.From.Add(20 * time.Minute))))
	if len(row) != 62 {
		t.Fatalf("%d cells", len(row))
	}
	bar := row[s.bar.x : s.bar.x+s.bar.w]
	if len(bar) != 42 || !strings.HasPrefix(string(row), " 12:03:40 ") || !strings.HasSuffix(string(row), " 12:43:40 ") {
		t.Fatalf("%d cells for times in %q", len(bar), string(row))
	}
	for x, want := range map[int]string{4: glyphGap, 10: glyphGap, 12: glyphGap, 21: glyphPosition, 22: glyphUnwatched, 27: glyphGap, 28: glyphUnwatched, 31: glyphGap, 36: glyphMark} {
		if string(bar[x]) != want {
			t.Errorf("cell %d is %q, want %q: %s", x, bar[x], want, string(bar))
		}
	}
	// All that differs is told without colour.
	seen := map[string]bool{}
	for _, r := range bar {
		seen[string(r)] = true
	}
	if len(seen) < 8 {
		t.Errorf("only %d different signs: %s", len(seen), string(bar))
	}
}

func plain(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "\x1b[") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "m")
		}
		b.WriteString(part)
	}
	return b.String()
}

// A single event on a tape of a day is seen, also beside a burst.
func TestNothingIsTooSmallForTheScrubber(t *testing.T) {
	o := Overview{From: epoch, To: epoch.Add(24 * time.Hour), Density: make([]uint32, 2000)}
	o.Density[100], o.Density[1500] = 1, 3_000_000_000
	s := newScrubber(100, o)
	if x := 100 * s.bar.w / 2000; s.cells[x].level < 1 {
		t.Errorf("one event is not shown: %v", s.cells[x])
	}
	if x := 1500 * s.bar.w / 2000; s.cells[x].level != 7 {
		t.Errorf("the burst has height %d", s.cells[x].level)
	}
}

// Every column leads to a moment that is shown in that column.
func TestColumnsAndMoments(t *testing.T) {
	for _, w := range []int{1, 2, 3, 10, 40, 59, 60, 61, 80, 200, 500} {
		for _, long := range []time.Duration{0, 1, 7, time.Second, 40 * time.Minute, 90 * 24 * time.Hour} {
			o := Overview{From: epoch, To: epoch.Add(long), Density: []uint32{1, 2, 3}, Gaps: []Span{span(-5, 5), span(9, 9e6)}}
			s := newScrubber(w, o)
			for x := range w {
				m := s.moment(x)
				if m.Before(o.From) || m.After(o.To) {
					t.Fatalf("%d wide, %v long: column %d is %v", w, long, x, m)
				}
				if at := x - s.bar.x; long > time.Second && at >= 0 && at < s.bar.w && s.bar.w > 1 && s.column(m) != at {
					t.Fatalf("%d wide, %v long: column %d leads to column %d", w, long, at, s.column(m))
				}
			}
			if n := len([]rune(plain(s.draw(epoch)))); n != w {
				t.Fatalf("%d wide, %v long: %d cells", w, long, n)
			}
		}
	}
}

func TestClickAndDragOnTheScrubber(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	click := func(msg tea.Msg) { d.send(msg); d.settle() }
	x := d.app.scrub.bar.x + 50
	click(tea.MouseClickMsg{X: x, Y: 1, Button: tea.MouseLeft})
	want := d.app.scrub.moment(x)
	if !deck.play.Now.Equal(want) || d.app.scrub.column(want) != 50 {
		t.Errorf("a click led to %v, want %v", deck.play.Now, want)
	}
	if []rune(d.lines()[1])[x] != '┃' {
		t.Errorf("the position is not where the click was: %s", d.lines()[1])
	}
	for x := x; x > 0; x -= 7 { // also off the row, and off the bar
		click(tea.MouseMotionMsg{X: x, Y: 9, Button: tea.MouseLeft})
		if !deck.play.Now.Equal(d.app.scrub.moment(x)) {
			t.Errorf("a drag to %d led to %v", x, deck.play.Now)
		}
	}
	click(tea.MouseReleaseMsg{X: 1, Y: 9})
	before := deck.play.Now
	click(tea.MouseMotionMsg{X: 100, Y: 1, Button: tea.MouseLeft})
	click(tea.MouseClickMsg{X: 100, Y: 1, Button: tea.MouseRight})
	if !deck.play.Now.Equal(before) {
		t.Error("without the button the tape moves")
	}
	// A live screen has no scrubber there.
	live := newDriver(t, 120, 36, "mono")
	live.script()
	live.send(tea.MouseClickMsg{X: 60, Y: 1, Button: tea.MouseLeft})
	live.send(tea.MouseMotionMsg{X: 70, Y: 1, Button: tea.MouseLeft})
	live.screen()
}

// Events of more than a day are labelled with their days.
func TestTheEndsOfALongTape(t *testing.T) {
	o := Overview{From: epoch, To: epoch.Add(49 * time.Hour)}
	s := newScrubber(80, o)
	if row := plain(s.draw(epoch)); !strings.HasPrefix(row, " 12-01 12:03 ") || !strings.HasSuffix(row, " 12-03 13:03 ") {
		t.Errorf("the row is %q", row)
	}
}
