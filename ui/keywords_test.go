package ui

import (
	"strings"
	"testing"
)

// Words that name a key name that which the configuration has given.
func TestWordsNameTheKeysThatThereAre(t *testing.T) {
	for want, keys := range map[string]map[string][]string{
		"space goes on":  nil,
		"f5 goes on":     {"pause": {"f5"}},
		":pause goes on": {"pause": {}},
	} {
		if got := newKeymap(rebind(bindings(), keys)).does("pause", "goes on"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.app.keys = newKeymap(rebind(bindings(), map[string][]string{"list-raise": {"f6"}, "list-lower": {"f7"}, "list-switch": {"f8"}}))
	d.press("c")
	if s := d.screen(); !strings.Contains(s, "Columns: f8 switches, f7 and f6 move") {
		t.Error(s)
	}
}
