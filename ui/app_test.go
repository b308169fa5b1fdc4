package ui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"rewatch/model"
)

// says reports whether a text has LIVE as a word.
func says(s, word string) bool { return regexp.MustCompile(`\b` + word + `\b`).MatchString(s) }

func TestLiveOnlyWhenEveryStreamIs(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	if says(d.header(), "LIVE") {
		t.Fatalf("streams that were never started are live: %s", d.header())
	}
	d.script()
	if !says(d.header(), "LIVE") {
		t.Fatalf("all streams are fresh, and the header says %s", d.header())
	}
	for s := model.Idle; s <= model.Polling; s++ {
		d.demo.step(d.now, "prod-eu/nodes", s, model.CauseNone, "", time.Time{}, 0)
		d.wait(10 * time.Millisecond)
		if got := says(d.header(), "LIVE"); got != s.Fresh() {
			t.Errorf("with one stream in %v the header says %q", s, d.header())
		}
	}
}

func TestPauseNeverSaysLive(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("space")
	before := d.lines()
	for range 25 {
		d.demo.pod(d.now, "prod-eu", d.demo.pods[0], model.Modified, 0, "Running", 1)
		d.wait(100 * time.Millisecond)
		if says(d.header(), "LIVE") || !strings.Contains(d.header(), "PAUSED") {
			t.Fatalf("paused, and the header says %s", d.header())
		}
	}
	if !strings.Contains(d.header(), "+25") {
		t.Errorf("25 rows came while paused, and the header says %s", d.header())
	}
	timeline := func(l []string) string { return strings.Join(l[2:20], "\n") }
	cut := regexp.MustCompile(`(?m)^.*│`) // the streams pane goes on
	if a, b := cut.ReplaceAllString(timeline(before), ""), cut.ReplaceAllString(timeline(d.lines()), ""); a != b {
		t.Errorf("the timeline moved while paused:\n%s\n%s", a, b)
	}
	d.press("space")
	if !says(d.header(), "LIVE") {
		t.Errorf("after the pause the header says %s", d.header())
	}
}

// Trouble while paused is still trouble.
func TestPauseHidesNoTrouble(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	d.press("space")
	d.trouble()
	if !strings.Contains(d.status(), "more") {
		t.Errorf("paused, three streams are down, and the status says %s", d.status())
	}
}

func TestEveryDegradedStreamIsInTheStatus(t *testing.T) {
	for w := minWidth; w <= 220; w += 1 + w/60 {
		d := newDriver(t, w, 24, "mono")
		d.script()
		d.trouble()
		// They take turns where they do not fit: all must have come within one
		// round, and the number of the others is always there.
		seen := map[string]bool{}
		for range 4 {
			s := d.status()
			shown := 0
			for word, stream := range map[string]string{"RETRY": "nodes", "DENIED": "configmaps", "EXPIRED": "deployments"} {
				if strings.Contains(s, word) && strings.Contains(s, stream[:4]) {
					seen[word] = true
					shown++
				}
			}
			if more := regexp.MustCompile(`\+(\d) more`).FindStringSubmatch(s); shown == 0 || shown < 3 && (more == nil || int(more[1][0]-'0') != 3-shown) {
				t.Fatalf("width %d: %d of 3 shown, and not how many more: %s", w, shown, s)
			}
			d.wait(turn)
		}
		if len(seen) != 3 {
			t.Fatalf("width %d: only %v were ever shown", w, seen)
		}
	}
}

func TestCountdownAndCauseAreShown(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseRefused, "connection refused", d.now.Add(1600*time.Millisecond), 3)
	d.wait(0)
	for _, want := range []string{"RETRY in 1.6 s · nodes: connection refused", "3rd try in 1.6 s  connection", "STALE 1/6 nodes retry in 1.6 s"} {
		d.has(want)
	}
	d.wait(1100 * time.Millisecond)
	d.has("RETRY in 0.5 s · nodes")
	d.wait(time.Second)
	d.has("RETRY now · nodes")
}

func TestFollow(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.has("follow ")
	last := d.cursorLine()
	grow := func() {
		d.demo.pod(d.now, "prod-eu", d.demo.pods[3], model.Modified, 0, "Running", 1)
		d.wait(time.Second)
	}
	if grow(); d.cursorLine() == last {
		t.Fatal("the cursor did not follow the newest row")
	}
	for _, up := range []string{"up", "k", "pgup", "ctrl+b", "ctrl+u", "home", "g g"} {
		d.press("G")
		grow()
		d.press(up)
		here := d.cursorLine()
		if grow(); d.cursorLine() != here {
			t.Errorf("after %s the cursor still follows", up)
		}
	}
	for _, down := range []string{"f", "end", "G"} {
		d.press("G", "up")
		d.press(down)
		grow()
		if !strings.Contains(d.cursorLine(), d.demo.pods[3][len(d.demo.pods[3])-5:]) {
			t.Errorf("after %s the cursor does not follow: %s", down, d.cursorLine())
		}
	}
	d.send(tea.MouseWheelMsg{X: 60, Y: 8, Button: tea.MouseWheelUp})
	if d.app.timeline.follow {
		t.Error("the wheel upwards did not end following")
	}
}

func TestFilterAsYouType(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	rows := d.app.timeline.index.end()
	d.press("/")
	if v := d.app.View(); v.Cursor == nil || v.Cursor.Y != 35 || v.Cursor.X != 3 {
		t.Errorf("the cursor of the filter is at %+v", v.Cursor)
	}
	d.has(filterHint)
	d.press("q", "z") // keys of other actions are text here
	d.has("no row matches /qz")
	d.press("backspace", "backspace", "c", "a", "r", "t")
	d.has("cart-77d8b")
	d.hasNot("checkout-5b")
	if v := d.app.View(); v.Cursor.X != 7 {
		t.Errorf("after four letters the cursor is at %d", v.Cursor.X)
	}
	d.press("enter")
	if d.app.View().Cursor != nil {
		t.Error("the cursor is still shown after enter")
	}
	d.has(" /cart ·")
	d.hasNot("checkout-5b")
	d.press("esc")
	d.hasNot(" /cart ·")
	if got := d.app.timeline.index.end(); got != rows {
		t.Errorf("%d rows after clearing the filter, want %d", got, rows)
	}
	d.press("/", "x", "esc")
	if got := d.app.timeline.index.end(); got != rows || d.quit {
		t.Errorf("%d rows after esc, want %d", got, rows)
	}
	d.press("/")
	d.send(tea.PasteMsg{Content: "ca\x1b[31mrt\n"})
	d.has("/ ca[31mrt")
}

// A new filter begins empty, and esc brings the old one back.
func TestANewFilter(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("/", "c", "a", "r", "t", "enter")
	d.hasNot("checkout-5b")
	d.press("/")
	d.has(" / " + "  " + filterHint)
	d.has("checkout-5b")
	d.press(strings.Split("kind:node", "")...)
	d.hasNot("shop/cart-")
	d.press("esc")
	d.has(" /cart ·")
	d.hasNot("checkout-5b")
	d.press("/", "n", "o", "d", "e", "ctrl+u")
	d.has(filterHint)
	d.press("enter")
	d.hasNot(" /cart ·")
	d.press("/", "x", "esc")
	d.hasNot("/x")
	if d.app.timeline.index.filter != nil {
		t.Error("esc without a filter before left one")
	}
}

// A row that stays stays under the cursor when the filter changes.
func TestFilterKeepsTheCursor(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.seek("shop/cart-")
	at := d.cursorLine()
	d.press("/", "c", "a", "r", "t", "enter")
	if d.cursorLine() != at {
		t.Errorf("with the filter the cursor is at %q, was %q", d.cursorLine(), at)
	}
	d.press("esc")
	if d.cursorLine() != at {
		t.Errorf("without the filter the cursor is at %q, was %q", d.cursorLine(), at)
	}
}

func TestNoise(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("g", "g")
	d.has("initial list of pods: 12 objects")
	d.hasNot("heartbeat   ")
	d.press("a", "g", "g")
	d.hasNot("initial list of pods")
	d.has("= Pod")
	d.press("a", "g", "g")
	d.has("initial list of pods: 12 objects")
}

func TestOpenAndWalkVersions(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.seek("Deploy")
	d.press("enter")
	d.has("Deployment shop/checkout")
	d.has("version 4 of 4")
	d.press("[")
	d.has("version 3 of 4")
	d.press("[", "[")
	d.has("version 1 of 4")
	d.press("[")
	d.has("version 1 of 4")
	d.has("this is the oldest version held")
	d.press("]")
	d.has("version 2 of 4")
	// Walked back, it stays; at the newest, it goes along.
	d.demo.deployment(d.now, "prod-eu", "checkout", model.Modified, 0)
	d.wait(time.Second)
	d.has("version 2 of 5")
	d.press("]", "]", "]")
	d.has("version 5 of 5")
	d.demo.deployment(d.now, "prod-eu", "checkout", model.Modified, 0)
	d.wait(time.Second)
	d.has("version 6 of 6")
	d.press("esc")
	if d.app.object.pinned || d.app.focus != paneTimeline {
		t.Error("esc did not close the object")
	}
}

func TestRowsOfTheWatchHaveDetails(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.trouble()
	d.seek("EXPIRED")
	d.has("Watch")
	d.has("cause         expired")
	d.seek("secrets")
	d.has("note          secrets are left out")
}

func TestZoomFocusAndTabs(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.script()
	d.has("▸Timeline")
	d.press("g", "s")
	d.has("▸Streams")
	d.press("z")
	d.has("resource")
	d.hasNot("initial list of pods")
	d.press("g", "t")
	d.has("initial list of pods")
	if d.app.lay.shows(paneStreams) {
		t.Error("the zoom does not go along with the focus")
	}
	d.press("esc")
	if d.app.zoom {
		t.Error("esc did not end the zoom")
	}
	d.press("tab")
	if d.app.focus != paneObject {
		t.Errorf("tab leads to %v", d.app.focus)
	}
	d.press("shift+tab", "left")
	d.has("▸Streams")
	// At 80×24 there is one pane at a time.
	d.resize(80, 24)
	d.hasNot("initial list of pods")
	d.press("tab", "g", "g")
	d.has("initial list of pods")
}

// Streams that do not fit are counted.
func TestTheStreamsSayHowManyThereAre(t *testing.T) {
	d := newDriver(t, 80, 24, "mono", "prod-eu", "prod-us")
	d.script()
	d.press("g", "s")
	d.has(" 1–10 of 12 ")
	d.press("G")
	d.has(" 3–12 of 12 ")
}

func TestControls(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("b")
	d.has("no stream waits for a retry")
	d.trouble()
	d.press("b")
	d.press("g", "s", "j", "b", "p")
	if got := d.controls.retried; len(got) != 2 || got[0] != -1 || got[1] != 1 {
		t.Errorf("retried %v, want all and then stream 1", got)
	}
	if got := d.controls.paused; len(got) != 1 || got[0] != 1 {
		t.Errorf("paused %v, want stream 1", got)
	}
}

func TestClick(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.send(tea.MouseClickMsg{X: 50, Y: 5, Button: tea.MouseLeft})
	if !strings.Contains(d.lines()[5], "▌") {
		t.Errorf("a click on line 5 selected:\n%s", d.screen())
	}
	d.send(tea.MouseClickMsg{X: 5, Y: 6, Button: tea.MouseLeft})
	if d.app.focus != paneStreams || d.app.streams.cursor != 2 {
		t.Errorf("a click on the third stream selected %d", d.app.streams.cursor)
	}
}

func TestQuitInEveryState(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c"}, {"/", "a", "ctrl+c"}, {"?", "ctrl+c"}, {"space", "q"}, {"g", "s", "q"}, {"enter", "q"}, {"z", "q"}} {
		d := newDriver(t, 80, 24, "mono")
		d.script()
		d.press(keys...)
		if !d.quit {
			t.Errorf("%v did not quit", keys)
		}
	}
}

func TestTooSmall(t *testing.T) {
	d := newDriver(t, 30, 8, "mono")
	d.has("30×8 is too small")
	d.resize(3, 1)
	d.screen()
	d.resize(80, 24)
	d.has("Timeline")
}

func TestLightAndDarkFollowTheTerminal(t *testing.T) {
	d := newDriver(t, 80, 24, "auto")
	if d.app.st.Name != "dark" {
		t.Fatalf("before the terminal has answered the theme is %s", d.app.st.Name)
	}
	d.send(tea.BackgroundColorMsg{Color: white{}})
	if d.app.st.Name != "light" {
		t.Errorf("on white the theme is %s", d.app.st.Name)
	}
	d.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if d.app.st.Name != "light" || d.app.st.Bad != "31" {
		t.Errorf("on white in 16 colours the theme is %s, and what is bad %s", d.app.st.Name, d.app.st.Bad)
	}
	d.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	if d.app.st.Name != "light" {
		t.Errorf("back in all colours the theme is %s", d.app.st.Name)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		a := NewApp(t.Context(), Options{Log: d.demo.log, Environ: []string{"TERM=xterm", env}})
		if a.st.Name != "mono" {
			t.Errorf("with %s the theme is %s", env, a.st.Name)
		}
		a.Close()
	}
}

type white struct{}

func (white) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }
