package ui

import (
	"strings"
	"testing"
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
	if f := d.footer(); !strings.HasPrefix(f, " g… g the first row") || !strings.Contains(f, "s Streams") {
		t.Errorf("after g the footer is %q", f)
	}
	d.press("Z")
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
	d.press("enter")
	if d.app.page.page != nil || !d.app.object.pinned {
		t.Fatal("enter opens no object")
	}
	d.press("esc")
	d.has("▸Problems")
	d.press("esc")
	d.hasNot("Problems")
}
