package ui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// guarded is a model whose commands may panic. Bubble Tea tells of that beside the
// end of the program: on the screen that still stands, or only in part. Here
// Update panics in their place, which is told when the terminal is back.
type guarded struct{ tea.Model }

func (g guarded) Init() tea.Cmd { return guard(g.Model.Init()) }

func (g guarded) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if crash, ok := msg.(crashMsg); ok {
		panic(string(crash))
	}
	m, cmd := g.Model.Update(msg)
	return guarded{m}, guard(cmd)
}

// crashMsg is what a command's panic said, and where.
type crashMsg string

// guard makes the panic of a command a message. Sequences hold nothing here that
// is our own.
func guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = crashMsg(fmt.Sprintf("%v\n\n%s", r, debug.Stack()))
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			all := make(tea.BatchMsg, len(batch))
			for i, c := range batch {
				all[i] = guard(c)
			}
			return all
		}
		return msg
	}
}
