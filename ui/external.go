package ui

import (
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/clean"
)

// Tool is a program that shows a text in place of the screen.
type Tool int

const (
	Pager  Tool = iota // $PAGER, or less -R
	Editor             // $VISUAL or $EDITOR, or vi
)

// Process is a program that has the terminal while it runs.
type Process interface {
	Run() error
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
}

// Files is what the screen asks of the world outside.
type Files interface {
	// Open returns a program that is given a text as a file of this name, which
	// is removed when it ends. Running it takes the terminal.
	Open(tool Tool, name string, text []byte) (Process, error)
	// Save writes a new file and returns where it is. It replaces none.
	Save(name string, data []byte) (path string, err error)
}

func externalKeys() []binding {
	return []binding{
		{id: "open-pager", keys: []string{"! p"}, help: "this view, or the rows listed, in $PAGER", hint: "pager", when: (*App).canOpenOutside, do: func(a *App) tea.Cmd { return a.outside(Pager) }},
		{id: "open-editor", keys: []string{"! e"}, help: "a copy of this view, or of the rows listed, in $EDITOR", hint: "editor", when: (*App).canOpenOutside, do: func(a *App) tea.Cmd { return a.outside(Editor) }},
	}
}

func (a *App) canOpenOutside() (bool, string) {
	switch {
	case a.o.Files == nil:
		return false, "no other program can be started from here"
	case a.page.page != nil || a.focus == paneStreams:
		return false, "the timeline and the object pane can be opened in other programs; w saves what is on the screen"
	case a.focus == paneObject && len(a.object.doc) == 0:
		return false, "no object is shown"
	}
	return true, ""
}

// outside opens what has the focus, all of it, in another program.
func (a *App) outside(tool Tool) tea.Cmd {
	if a.focus == paneTimeline {
		return a.listRows(func(text string) tea.Cmd { return a.start(tool, "timeline.txt", text) })
	}
	p := &a.object
	var lines []string
	for _, d := range p.doc {
		lines = append(lines, docPlain(d))
	}
	name, ext := "row", ".txt"
	if p.data != nil && !p.hasRow {
		id := p.data.identity
		name = id.Kind + "-" + id.Name + "-" + views()[p.view].name
		if views()[p.view].name == "yaml" {
			ext = ".yaml"
		}
	}
	return a.start(tool, fileName(name)+ext, strings.Join(lines, "\n")+"\n")
}

// fileName is a text as a part of the name of a file.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(clean.Cell(s, 80)))
	return strings.Trim(s, "-.")
}

// rowsLimit is how many rows are listed for other programs, the newest ones.
const rowsLimit = 5000

// rowsMsg brings what rows say that are to be listed.
type rowsMsg struct {
	rows  []model.Event
	infos map[model.Seq]rowInfo
	cut   int // rows that are left out
	then  func(text string) tea.Cmd
}

// listRows lists the rows of the timeline as text. What they say is worked out
// outside of the event loop.
func (a *App) listRows(then func(string) tea.Cmd) tea.Cmd {
	t := &a.timeline
	m := rowsMsg{then: then, infos: map[model.Seq]rowInfo{}}
	m.cut = max(t.index.end()-rowsLimit-t.index.first(), 0)
	var ask []model.Event
	for pos := t.index.first() + m.cut; pos < t.index.end(); pos++ {
		e, ok := t.event(pos)
		if !ok {
			continue
		}
		m.rows = append(m.rows, e)
		if info, ok := t.infos.get(e.Seq); ok {
			m.infos[e.Seq] = info
		} else if e.Type.IsObject() && t.folded(e) == nil {
			ask = append(ask, e)
		}
	}
	a.say("reading " + plural(len(m.rows), "row") + "…")
	ctx, log, know := a.ctx, a.log, t.know
	return func() tea.Msg {
		for _, e := range ask {
			if ctx.Err() != nil {
				return nil
			}
			m.infos[e.Seq] = loadInfo(log, know, e)
		}
		return m
	}
}

func (m rowsMsg) take(a *App) tea.Cmd {
	a.flash = ""
	var b strings.Builder
	b.WriteString("# " + clean.Line(a.o.Title))
	if f := a.filter.value(); f != "" {
		b.WriteString("  /" + clean.Line(f))
	}
	if b.WriteString("\n"); m.cut > 0 {
		b.WriteString("# " + plural(m.cut, "older row") + " left out\n")
	}
	for _, e := range m.rows {
		b.WriteString(a.timeline.plainOf(e, m.infos[e.Seq]) + "\n")
	}
	return m.then(b.String())
}

// start starts a program with a text. A tape waits for it; what is live goes on
// being recorded.
func (a *App) start(tool Tool, name, text string) tea.Cmd {
	process, err := a.o.Files.Open(tool, name, []byte(text))
	if err != nil {
		a.say(clean.Line(err.Error()))
		return nil
	}
	playing := a.replay != nil && a.replay.play.Playing
	if playing {
		a.replay.deck.Play(false)
	}
	return tea.Exec(process, func(err error) tea.Msg { return cameBackMsg{tool, err, playing} })
}

// cameBackMsg says that a program has ended.
type cameBackMsg struct {
	tool    Tool
	err     error
	playing bool // the tape was
}

func (m cameBackMsg) take(a *App) tea.Cmd {
	if m.playing {
		a.replay.deck.Play(true)
	}
	a.refresh()
	switch {
	case m.err != nil:
		a.flash, a.flashEnd = clean.Line(m.err.Error()), a.clock.Add(10*time.Second)
	case m.tool == Editor:
		a.say("that was a copy: what was changed in it is not kept")
	}
	return redrawAll()
}
