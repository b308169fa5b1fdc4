package ui

import (
	"strings"
	"testing"
)

// A search on the tape says what it has found, not only where.
func TestASearchSaysWhatItFound(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	for _, x := range []struct{ key, want string }{
		{"d", "deletion: Pod shop/"}, {"e", "error: "}, {"o", "gap: "}, {"E", "error: "},
	} {
		d.press(x.key)
		if f := d.footer(); !strings.Contains(f, x.want) {
			t.Errorf("%s says %s", x.key, f)
		}
	}
	d.press("0", "e")
	f := d.footer()
	if !strings.Contains(f, " → ") {
		t.Errorf("an error is told as %s", f)
	}
	// The filter leaves the row out: it is told all the same.
	d.press("0", "/")
	d.typeText("kind:node")
	d.press("enter", "e")
	if d.footer() != f {
		t.Errorf("with a filter e says %s, not %s", d.footer(), f)
	}
}

// An answer to a key is not taken for that to the next one.
func TestAMessageGoesWithTheNextKey(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	for _, next := range [][]string{{"j"}, {"g"}, {"tab"}, {"/"}} {
		d.press("*")
		d.has("there is no filter to match")
		d.press(next...)
		d.hasNot("there is no filter to match")
		d.press("esc")
	}
	d.press("*", "5") // a number alone does nothing yet
	d.has("there is no filter to match")
	d.press("*")
	d.has("there is no filter to match")
	d.clickOn("Streams", 1)
	d.hasNot("there is no filter to match")
	// What nobody asked for stays.
	d.press("esc")
	d.app.flash, d.app.flashEnd = "the recording has ended", d.app.clock.Add(1e10)
	d.press("j")
	d.has("the recording has ended")
}

// While a filter is typed, what was said of it before goes.
func TestAMessageGoesWithWhatIsTyped(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("/", "up")
	d.has("there is no other filter of this session")
	d.typeText("k")
	d.hasNot("there is no other filter of this session")
}
