package ui

import (
	"strings"
	"testing"
)

// broken are Files that panic: Open is called by Update, Save by a command.
type broken struct{}

func (broken) Open(Tool, string, []byte) (Process, error) { panic("no such luck in Update") }

func (broken) Save(string, []byte) (string, error) { panic("no such luck in a command") }

// A panic gives the terminal back first, and then it is told: the report stands
// where the shell goes on.
func TestAPanicIsToldWhenTheTerminalIsBack(t *testing.T) {
	for told, keys := range map[string][]string{
		"no such luck in Update":    {"!", "p"},
		"no such luck in a command": {"w", "Enter"},
	} {
		t.Run(told, func(t *testing.T) {
			t.Parallel()
			m := newTerm(t, "broken")
			m.until("LIVE")
			m.tmux(append([]string{"send-keys"}, keys...)...)
			m.until("exit=1\nicanon")
			if on := m.tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); on != "0 0 1\n" {
				t.Errorf("the alternate screen, the mouse and the cursor are %s", on)
			}
			all := m.tmux("capture-pane", "-p", "-S", "-")
			report, _, _ := strings.Cut(all, "exit=1")
			if !strings.Contains(report, told) || !strings.Contains(report, "guard_test.go") || strings.Contains(report, "LIVE") {
				t.Errorf("the report is\n%s", report)
			}
		})
	}
}
