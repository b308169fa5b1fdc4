package ui

import (
	"strings"
	"testing"
	"time"
)

// A line of Problems about a stream leads to its requests, and the footer offers
// enter only where it leads somewhere.
func TestEnterIsOfferedWhereItLeads(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.trouble()
	d.press("F")
	d.wait(time.Second)
	d.wait(time.Second)
	line := func(begin string) {
		t.Helper()
		d.press("g", "g")
		for range 40 {
			if strings.HasPrefix(strings.TrimSpace(d.cursorLine()), begin) {
				return
			}
			d.press("j")
		}
		t.Fatalf("there is no line %q:\n%s", begin, d.screen())
	}
	line("Not watched, so nothing")
	if f := d.footer(); strings.Contains(f, "enter") {
		t.Errorf("the footer offers %q", f)
	}
	d.press("enter")
	d.has("this line leads nowhere")
	line("RETRY")
	if f := d.footer(); !strings.Contains(f, "enter requests") {
		t.Errorf("the footer offers %q", f)
	}
	d.press("enter")
	d.has("▸Protocol")
	d.has("nodes · RETRY")
	d.press("esc", "g", "t", "f", "g", "g", "a")
	for range 60 {
		if e, ok := d.app.timeline.selected(); ok && !e.Type.IsObject() {
			break
		}
		d.press("j")
	}
	if f := d.footer(); strings.Contains(f, "enter open") {
		t.Errorf("on %q the footer offers %q", d.cursorLine(), f)
	}
}

// The help offers the next match where something was searched for.
func TestHelpOffersNextAfterASearch(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("?")
	if f := d.footer(); strings.Contains(f, "n next") {
		t.Errorf("the footer offers %q", f)
	}
	d.press("/")
	d.typeText("tape")
	d.press("enter")
	if f := d.footer(); !strings.Contains(f, "n next") {
		t.Errorf("after a search the footer offers %q", f)
	}
}
