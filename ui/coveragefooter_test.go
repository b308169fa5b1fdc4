package ui

import (
	"strings"
	"testing"
	"time"
)

// The footer says what enter does on the line, and does not offer the page that
// is open.
func TestTheFooterOfCoverage(t *testing.T) {
	d := newManyReplay(t, 120, 60, "dark", func(*Tape) {})
	d.press("C", "g", "g")
	hint := func(want string, off bool) {
		t.Helper()
		_, reason := d.app.coverageLeads()
		b := d.app.keys.find(d.app.scope(), "enter", true)
		if !strings.HasPrefix(d.footer(), " enter "+want+" ") || (d.app.off(b) != "") != off {
			t.Errorf("off %v (%s); the footer: %q", d.app.off(b) != "", reason, d.footer())
		}
	}
	hint("fold", false)
	d.press("enter")
	hint("unfold", false)
	d.press("enter", "down")
	hint("go there", true)
	d.press("enter")
	if !strings.Contains(d.footer(), noMoment) {
		t.Errorf("the footer: %q", d.footer())
	}
	d.wait(5 * time.Second)
	d.press("G")
	hint("go there", false)
	for _, p := range pages() {
		if p.hint == "" || p.live {
			continue
		}
		offered := " " + p.key + " " + p.hint + " "
		if d.app.closePage(); !strings.Contains(d.footer(), offered) {
			t.Errorf("%q is not in %q", offered, d.footer())
		}
		if d.press(p.key); strings.Contains(d.footer(), offered) {
			t.Errorf("on its own page %q is in %q", offered, d.footer())
		}
	}
}
