package cli

import (
	"strings"
	"testing"
)

// Keys of the configuration file are those of the footer, of the help, of the
// list of how a sequence goes on, and of the act; the old ones do nothing.
func TestKeysOfTheConfiguration(t *testing.T) {
	isolate(t)
	writeConfig(t, "keys:\n  page-Lanes: ctrl+y\n  view-yaml: g z\n  help: ctrl+g\n  quit: Q\n")
	term := inTerminal(t, 200, 120, "demo") // high enough for all of the help
	term.play([]keyStep{
		{"", "", "playing 1×; ctrl+y lanes; ctrl+g help; Q quit; !L lanes"},
		{"help", "C-g", "/ctrl\\+y +Lanes: /; /gz +yaml: /; /Q +quit/"},
		{"", "Escape", "!Lanes: "},
		{"", "g", "g…; z yaml; !y yaml"},
		{"view-yaml", "z", "[yaml]"},
		{"page-Lanes", "L C-y", "▸Lanes"}, // if L opened them, ctrl+y would close them
		{"", "C-y", "!▸Lanes"},
		{"quit", "q ? Q", "exit=0"},
	})
}

// Two acts with one key are refused at the start, with the line of the second.
func TestAConflictOfKeysIsToldWithItsLine(t *testing.T) {
	isolate(t)
	writeConfig(t, "theme: dark\n\nkeys:\n  help: f2\n  mark: f\n")
	for _, args := range [][]string{{"demo"}, {"config", "check"}} {
		got := rewatch(t, args...)
		if got.code == 0 || !strings.Contains(got.stderr, `config.yaml line 5: keys.mark: "f" is also the key of follow`) {
			t.Errorf("%q: %+v", args, got)
		}
	}
	writeConfig(t, "keys:\n  retry: m\n  mark: b\n") // the other has another key now
	if got := rewatch(t, "config", "check"); got.code != 0 {
		t.Errorf("%+v", got)
	}
}
