package cli

import (
	"fmt"
	"testing"
)

// The whole tour, with real keys in a terminal.
func TestTheTourWithRealKeys(t *testing.T) {
	isolate(t)
	m := inTTY(t, 120, 36, "demo", "--tour")
	m.shows("▌13:53:") // without rows there is nothing to go up in
	for i, keys := range []string{" ", "\x1b[A\x1b[A", "\r", "gb", "\x1b", "/kind:deploy\r", "a", "F", "Fe", "?"} {
		m.shows(fmt.Sprintf("Tour %d of 11", i+1))
		m.typeKeys(keys)
	}
	m.shows("Tour 11 of 11")
	m.shows("Keys")
	m.typeKeys("\x1b")
	m.until("the help closed", func(lines []string) bool { return len(lines) > 0 && !containsAny(lines, "╭ Keys") })
	m.typeKeys("q")
	m.ends()
	if !m.cooked() {
		t.Error("the terminal is still raw")
	}
	if got := rewatch(t, "demo", "--tour", "--chaos"); got.code != 2 {
		t.Errorf("%+v", got)
	}
}
