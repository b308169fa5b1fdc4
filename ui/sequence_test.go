package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Numbers before motions, and sequences, as in vi.
func TestNumbersBeforeMotions(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("G", "5", "k")
	if got := d.app.timeline.index.end() - 1 - d.app.timeline.cursor; got != 5 {
		t.Errorf("5k goes %d up", got)
	}
	d.press("3", "g", "g")
	if got := d.app.timeline.cursor - d.app.timeline.index.first(); got != 2 {
		t.Errorf("3gg goes to row %d", got+1)
	}
	d.press("4", "G")
	if got := d.app.timeline.cursor - d.app.timeline.index.first(); got != 3 {
		t.Errorf("4G goes to row %d", got+1)
	}
	if d.app.typed != (typed{}) {
		t.Errorf("%v is left", d.app.typed)
	}
	d.press("1", "2")
	d.has("12…")
	d.press("esc", "j")
	if got := d.app.timeline.cursor - d.app.timeline.index.first(); got != 4 {
		t.Errorf("after esc j goes to row %d", got+1)
	}
	d.press("9", "9", "9", "9", "9", "9", "9", "j")
	if !strings.HasPrefix(d.footer(), " enter") {
		t.Errorf("the footer: %q", d.footer())
	}
}

// A sequence that has begun shows how it may go on, and one that leads nowhere
// says so.
func TestSequencesAreOffered(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("g")
	for _, w := range []int{40, 80, 120, 200} { // all of them, in as many lines as they take
		d.resize(w, 24)
		d.has(" g… g first  s Streams  ")
		for _, f := range []string{"o Object", "d diff", "h story", "F problems", "C coverage", "L lanes", "S server"} {
			d.has(f)
		}
		if w >= 80 && !strings.Contains(strings.Join(d.lines()[18:], "\n"), "6 streams: 5 live") {
			t.Errorf("the status is gone:\n%s", d.screen())
		}
	}
	d.resize(120, 36)
	lines := d.lines()
	y, x := len(lines)-1, 0
	for i, l := range lines {
		if at := strings.Index(l, "L lanes"); at >= 0 {
			y, x = i, len([]rune(l[:at]))
		}
	}
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.has("▸Lanes")
	d.press("esc", "esc", "g", "Z")
	d.has("g Z is no key")
	d.wait(4e9)
	d.press("g", "s")
	d.has("▸Streams")
	d.press("/", "5")
	d.has("/5") // text is text
}

// esc leads from an object back to the page that it was opened from.
func TestEscReturnsToThePage(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("F")
	d.has("▸Problems")
	for n := 0; n < 40 && !strings.Contains(d.footer(), "enter open"); n++ { // to the first that is of an object
		d.press("j")
	}
	d.press("enter")
	if d.app.page.page != nil || !d.app.object.pinned {
		t.Fatal("enter opens no object")
	}
	d.press("esc")
	d.has("▸Problems")
	d.press("esc")
	d.hasNot("Problems")
}
