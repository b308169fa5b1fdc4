package ui

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// clock is the tape's, as the header writes it.
var clock = regexp.MustCompile(`REPLAY 2026-12-01 (\d\d:\d\d:\d\d(\.\d+)?)`)

func (d *driver) clock() string {
	d.t.Helper()
	m := clock.FindStringSubmatch(d.header())
	if m == nil {
		d.t.Fatalf("no clock of the tape in: %s", d.header())
	}
	return m[1]
}

// A replay is never called live: what is fresh on the tape was fresh then.
func TestAReplayIsNeverLive(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	for range 40 {
		if says(d.header(), "LIVE") || !strings.Contains(d.header(), " REPLAY 2026-12-01 ") {
			t.Fatalf("the header says %s", d.header())
		}
		if says(d.status(), "LIVE") || !strings.Contains(d.status(), "on tape 6 streams") {
			t.Fatalf("the status says %s", d.status())
		}
		d.press("space")
		d.playFor(400 * time.Millisecond)
	}
	d.press("$")
	d.has("end of the tape")
	if title := d.app.View().WindowTitle; title != "rewatch replay shop.tape" {
		t.Errorf("the title of the window is %q", title)
	}
}

func TestPlayPauseAndSpeed(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.has("12:03:40.112 paused")
	d.playFor(time.Second)
	d.has("12:03:40.112 paused")
	d.press("space")
	d.playFor(2500 * time.Millisecond)
	d.has("12:03:42 playing 1×")
	d.has("~ Pod     shop/checkout-5b6f…-2a000")
	d.hasNot("-2a06f")
	d.press("space")
	d.has("12:03:42.612 paused")
	d.playFor(time.Minute)
	d.has("12:03:42.612 paused")
	var went []float64
	for range 12 {
		d.press(">")
		went = append(went, deck.play.Speed)
	}
	if want := []float64{2, 4, 8, 16, 32, 64}; !slices.Equal(went[:6], want) || !math.IsInf(went[6], 1) {
		t.Errorf("faster went %v", went)
	}
	d.has("this is as fast as possible")
	d.press("space")
	d.has("playing max")
	d.press("space")
	for range 12 {
		d.press("{")
	}
	if deck.play.Speed != 0.25 {
		t.Errorf("slower went to %v", deck.play.Speed)
	}
	d.has("paused 0.25×")
	d.has("this is as slow as it gets")
	d.press("backspace", "}", "space")
	d.has("playing 2×")
	d.playFor(time.Minute)
	d.has("12:03:56.222 end of the tape")
	d.press("space")
	d.has("this is the end of the tape: 0 goes to its start")
	d.press("0", "space")
	d.has("12:03:40 playing 2×")
}

// Each event forwards is the next row, and backwards undoes it: the screen is
// what it was.
func TestStepByEvent(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.press("a") // every row is shown
	deck.keep = 1000
	var screens []string
	timeline := func() string { return strings.Join(d.lines()[2:20], "\n") }
	for i := range 40 {
		screens = append(screens, timeline())
		d.press(".")
		if e, ok := d.app.timeline.selected(); !ok || e.Time != deck.tape[deck.next-1].Time.UnixNano() {
			t.Fatalf("after %d steps the row under the cursor is of %v", i+1, e.When())
		}
	}
	for i := range 40 {
		d.press(",")
		if got := timeline(); got != screens[39-i] {
			t.Fatalf("back at step %d:\n%s\nwant:\n%s", 39-i, got, screens[39-i])
		}
	}
	d.press(")", ")", "(", "shift+right", "shift+left", "shift+right")
	if got := d.clock(); got != "12:03:42.112" {
		t.Errorf("two seconds on it is %s", got)
	}
	d.press("space", ".")
	if deck.play.Playing {
		t.Error("a step does not pause")
	}
}

// Where the tape starts and ends, the keys say so.
func TestTheEndsOfTheTape(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	for _, k := range []string{",", "(", "0", "E", "O", "D"} {
		d.press(k)
		d.has("this is the start of the tape")
		d.now = d.now.Add(time.Minute)
		d.wait(0)
		d.hasNot("this is the start of the tape") // also on a clock that stands still
	}
	d.press("$")
	for _, k := range []string{".", ")", "$", "e", "o", "d"} {
		d.press(k)
		d.has("this is the end of the tape")
	}
}

func TestFindLandmarks(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.press("e")
	d.has("LIVE → RETRY  connection refused")
	if got := d.cursorLine(); !strings.Contains(got, "RETRY") {
		t.Errorf("the cursor is at %s", got)
	}
	d.has("3rd try in 1.6 s") // by the clock of the tape
	d.press("e", "e")
	if got := d.cursorLine(); !strings.Contains(got, "EXPIRED") {
		t.Errorf("the cursor is at %s", got)
	}
	d.press("E")
	if got := d.cursorLine(); !strings.Contains(got, "DENIED") {
		t.Errorf("the cursor is at %s", got)
	}
	d.press("o")
	if got := d.cursorLine(); !strings.Contains(got, "gap: deployments") {
		t.Errorf("the cursor is at %s", got)
	}
	d.has("from rv       83001") // the details of it, at once
	d.press("o")
	d.has("nothing found")
	d.press("D")
	if got := d.cursorLine(); !strings.Contains(got, "- Pod     shop/cart-") {
		t.Errorf("the cursor is at %s", got)
	}
	d.press("0", "d")
	if got := d.cursorLine(); !strings.Contains(got, "- Pod     shop/cart-") {
		t.Errorf("the cursor is at %s", got)
	}
	d.press("*")
	d.has("there is no filter to match")
	d.press("0", "/")
	d.press(strings.Split("kind:deploy name:c", "")...)
	d.press("enter", "*", "*", "#", "*", "#")
	var flags []bool
	for _, l := range deck.find {
		if l.Kind == AnyMatch {
			flags = append(flags, l.Back)
		}
	}
	if !slices.Equal(flags, []bool{false, false, true, false, true}) || d.clock() != "12:03:43.202" {
		t.Errorf("searched %v, and the first change of a deployment is found at %s", flags, d.clock())
	}
	if got := d.cursorLine(); !strings.Contains(got, "~ Deploy") {
		t.Errorf("the cursor is at %s", got)
	}
	for range 20 { // a gap is shown whatever the filter, and is no match
		if d.press("*"); strings.Contains(d.cursorLine(), "gap") {
			t.Errorf("found %s", d.cursorLine())
		}
	}
	d.has("nothing found")
}

// After a jump the screen is what a new one would show of that moment, and what
// the user had chosen stands.
func TestAJumpKeepsWhatTheUserHad(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.press("$", "/")
	d.press(strings.Split("checkout", "")...)
	d.press("enter", "a", "t")
	d.press(strings.Split("12:03:44", "")...)
	d.press("enter")
	if d.clock() != "12:03:44.000" {
		t.Errorf("the jump led to %s", d.clock())
	}
	d.has(" /checkout ·")
	d.has("all rows (a folds)")
	d.has("follow")
	d.hasNot("settings")
	for range 12 {
		d.press(".", ".", ",", ")", "(")
		fresh := NewApp(t.Context(), Options{Transport: deck, Title: "shop.tape", Now: d.app.o.Now, Location: time.UTC, Theme: "mono"})
		f := &driver{t: t, now: d.now, app: fresh}
		f.resize(120, 36)
		f.press("/")
		f.press(strings.Split("checkout", "")...)
		f.press("enter", "a")
		a, b := d.lines(), f.lines()
		fresh.Close()
		if x, y := strings.Join(a[:20], "\n"), strings.Join(b[:20], "\n"); x != y {
			t.Fatalf("after jumps:\n%s\na new screen:\n%s", x, y)
		}
	}
	d.press("g", "s")
	d.press("0")
	d.has("▸Streams")
}

// An opened object is found again in another log by its identity, where the
// tape has it, also after it was not there.
func TestAJumpKeepsTheOpenedObject(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.press("$", "D") // cart is deleted
	d.press("up")
	d.seek("+ Pod     shop/cart-")
	d.press("enter")
	d.has("Pod shop/cart-77d8b5c6f-x2k9p")
	d.press("t", "1", "2", ":", "0", "3", ":", "4", "3", "enter")
	d.has("Pod shop/cart-77d8b5c6f-x2k9p")
	d.has("this object is not there at this moment of the tape")
	if !d.app.object.pinned || d.app.focus != paneObject {
		t.Error("the object is not open any more")
	}
	d.press("space")
	d.playFor(1200 * time.Millisecond)
	d.hasNot("not there at this moment")
	d.has("version 1 of 1")
	d.press("0", "t", "1", "2", ":", "0", "3", ":", "4", "4", "enter")
	d.hasNot("not there at this moment")

	// A version that was walked back to stays, where it is held.
	deck.keep = 1000
	d.press("esc", "t", "1", "2", ":", "0", "3", ":", "4", "4", "enter")
	d.seek("~ Deploy")
	d.press("enter")
	d.press("[")
	d.has("version 3 of 4")
	d.press(")", "(")
	d.has("version 3 of 4")
	d.press("]")
	d.press("t", "1", "2", ":", "0", "3", ":", "4", "3", ".", "3", "enter")
	d.has("version 2 of 2") // the newest of that moment
	d.press("[")
	d.has("version 1 of 2")
}

// Above the oldest row held a row tells of those before; fetching them keeps
// the cursor where it is.
func TestEarlierRows(t *testing.T) {
	d, deck := newReplay(t, 80, 24, "mono")
	deck.keep = 30
	d.press("$")
	d.hasNot("earlier events")
	d.press("g", "g")
	d.has("── 59 earlier events on the tape (↑ at the top fetches some)")
	deck.slow = true
	d.press("up", "up", "up")
	d.has("fetching 59 earlier events on the tape…")
	d.press("down", "down", "down", "down", "down", "down")
	at, line := d.cursorLine(), slices.IndexFunc(d.lines(), func(l string) bool { return strings.HasPrefix(l, "▌") })
	deck.arrive()
	d.settle()
	deck.slow = false
	if d.app.timeline.follow || d.cursorLine() != at || !strings.HasPrefix(d.lines()[line], "▌") {
		t.Errorf("then the cursor is at %s, was %s", d.cursorLine(), at)
	}
	for range 5 {
		d.press("g", "g", "g", "g")
	}
	d.hasNot("earlier events")
	if deck.held != 0 {
		t.Errorf("%d rows are still not held", deck.held)
	}
	d.press("0", "$", "g", "g")
	d.has("59 earlier events")
	d.send(tea.MouseWheelMsg{X: 40, Y: 10, Button: tea.MouseWheelUp})
	d.settle()
	d.press("g", "g")
	d.has("29 earlier events")
	d.send(tea.MouseClickMsg{X: 40, Y: 3, Button: tea.MouseLeft})
	d.settle()
	d.press("g", "g")
	d.hasNot("earlier events")
	// Live there is no such row.
	live := newDriver(t, 80, 24, "mono")
	live.script()
	live.press("g", "g", "up")
	live.hasNot("earlier")
}

func TestGoTo(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	d.press("t")
	d.has(momentForms)
	d.press("+", "5", "x", "enter")
	lines := d.lines()
	if at := strings.Index(lines[34], "▾ a unit"); at < 0 || []rune(lines[35])[at] != 'x' {
		t.Errorf("the error points at:\n%s\n%s", lines[34], lines[35])
	}
	d.press("backspace", "s")
	d.hasNot("▾")
	d.has("2026-12-01 12:03:45.112")
	d.press("enter")
	if d.clock() != "12:03:45.112" {
		t.Errorf("five seconds on it is %s", d.clock())
	}
	d.press("t", "q", "esc")
	if d.quit || d.clock() != "12:03:45.112" {
		t.Errorf("esc led to %s", d.clock())
	}
	d.press("t", "1", "ctrl+u", "-")
	d.send(tea.PasteMsg{Content: "2s"})
	d.press("enter")
	if d.clock() != "12:03:43.112" {
		t.Errorf("two seconds back it is %s", d.clock())
	}
	d.press("t", "1", "ctrl+c")
	if !d.quit {
		t.Error("ctrl+c does not quit")
	}
}
