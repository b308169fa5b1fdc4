package ui

import (
	"io"

	tea "charm.land/bubbletea/v2"

	"rewatch/model/clean"
)

// Jobs is the job control of the shell that the screen was started from.
type Jobs interface {
	// Suspendable says why the process cannot be suspended; nil: it can.
	Suspendable() error
	// Suspend stops the process until it is continued, while the terminal is
	// given back.
	Suspend() error
	// Calls brings what has to be done while the terminal is given back, as when
	// another process asks for a stop.
	Calls() <-chan func() error
}

// suspend gives the terminal to the shell until it gives it back.
func (a *App) suspend() tea.Cmd {
	if a.o.Jobs == nil {
		a.say("there is no shell here to go back to")
		return nil
	}
	if err := a.o.Jobs.Suspendable(); err != nil {
		a.say(clean.Line(err.Error()))
		return nil
	}
	return a.meanwhile(a.o.Jobs.Suspend)
}

// meanwhile does something while the terminal is given back.
func (a *App) meanwhile(do func() error) tea.Cmd {
	return a.giveTerminal(function(do), func(err error) tea.Msg { return resumedMsg{err} })
}

// resumedMsg says that the terminal is back.
type resumedMsg struct{ err error }

func (m resumedMsg) take(a *App) tea.Cmd {
	a.refresh()
	if m.err != nil {
		a.say(clean.Line(m.err.Error()))
	}
	return redrawAll()
}

// waitJobs waits for the next call.
func (a *App) waitJobs() tea.Cmd {
	if a.o.Jobs == nil {
		return nil
	}
	ctx, calls := a.ctx, a.o.Jobs.Calls()
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case do := <-calls:
			return callMsg{do}
		}
	}
}

type callMsg struct{ do func() error }

func (m callMsg) take(a *App) tea.Cmd { return tea.Batch(a.meanwhile(m.do), a.waitJobs()) }

// function is a Process that needs nothing of the terminal.
type function func() error

func (f function) Run() error        { return f() }
func (function) SetStdin(io.Reader)  {}
func (function) SetStdout(io.Writer) {}
func (function) SetStderr(io.Writer) {}

// giveTerminal runs a process that has the terminal meanwhile, with the title
// that its window had before.
func (a *App) giveTerminal(p Process, then tea.ExecCallback) tea.Cmd {
	return tea.Exec(&guest{Process: p, modern: a.o.modern()}, then)
}

// guest is a process that has the terminal.
type guest struct {
	Process
	modern bool
	out    io.Writer
}

// SetStdout gives the process the terminal itself: of anything else it would
// get a pipe.
func (g *guest) SetStdout(w io.Writer) {
	if t, ok := w.(tty); ok {
		w = t.file
	}
	g.out = w
	g.Process.SetStdout(w)
}

func (g *guest) Run() error {
	if g.modern {
		_, _ = io.WriteString(g.out, restoreTitle)
		defer func() { _, _ = io.WriteString(g.out, saveTitle) }()
	}
	return g.Process.Run()
}
