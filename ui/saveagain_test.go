package ui

import (
	"errors"
	"strings"
	"testing"
)

// Of a screen that stands still the names that are offered are free, and a refusal
// leaves the prompt open with what was typed.
func TestSaveAgainAndAgain(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	files := withFiles(d)
	offered := func() string { return string(d.app.prompt.text) }
	d.press("w")
	first := offered()
	d.press("enter", "w")
	second := offered()
	if stem := strings.TrimSuffix(first, ".svg"); second != stem+"-2.svg" {
		t.Fatalf("offered are %s and then %s", first, second)
	}
	// One that an earlier session has taken: the next one is offered.
	files.err = errors.New("there is a file already; take another name")
	d.press("enter")
	d.has("not saved: there is a file already; take another name")
	if third := offered(); !d.app.prompt.shown || third != strings.Replace(second, "-2.svg", "-3.svg", 1) {
		t.Errorf("after a refusal of %s: shown %v, with %q", second, d.app.prompt.shown, third)
	}
	d.press("ctrl+u")
	d.typeText("mine.txt")
	d.press("enter")
	d.has("not saved: there is a file already; take another name")
	if !d.app.prompt.shown || offered() != "mine.txt" {
		t.Errorf("after a refusal: shown %v, with %q", d.app.prompt.shown, offered())
	}
	files.err = nil
	d.press("enter")
	if d.app.prompt.shown || len(files.saved) != 2 {
		t.Errorf("shown %v, %d files", d.app.prompt.shown, len(files.saved))
	}
}
