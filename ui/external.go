package ui

import (
	"io"
	"slices"
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
		return a.listRows(func(text string, signs bool) tea.Cmd { return a.start(tool, "timeline.txt", text, signs) })
	}
	p := &a.object
	name, ext := "row", ".txt"
	if p.data != nil && !p.hasRow {
		id := p.data.identity
		name = id.Kind + "-" + id.Name + "-" + views()[p.view].name
		if views()[p.view].name == "yaml" {
			ext = ".yaml"
		}
	}
	text, signs := p.plain()
	return a.start(tool, fileName(name)+ext, text, signs)
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
	log   *model.Log // whose rows they are
	text  string
	signs bool // some are not as the cluster has them
	then  func(text string, signs bool) tea.Cmd
}

// listRows lists the rows of the timeline as text. What they say is worked out
// outside of the event loop.
func (a *App) listRows(then func(string, bool) tea.Cmd) tea.Cmd {
	t := &a.timeline
	infos := map[model.Seq]rowInfo{}
	cut := max(t.index.end()-rowsLimit-t.index.first(), 0) // rows that are left out
	var rows []model.Event
	for pos := t.index.first() + cut; pos < t.index.end(); pos++ {
		e, ok := t.event(pos)
		if !ok {
			continue
		}
		rows = append(rows, e)
		if info, ok := t.infos.get(e.Seq); ok {
			infos[e.Seq] = info
		}
	}
	a.say("reading " + plural(len(rows), "row") + "…")
	ctx, head, still := a.ctx, a.rowsHead(cut), t.still(rows)
	return func() tea.Msg {
		var b strings.Builder
		b.WriteString(head)
		signs := false
		for _, e := range rows {
			if ctx.Err() != nil {
				return nil
			}
			info, ok := infos[e.Seq]
			if !ok && e.Type.IsObject() && still.folded(e) == nil {
				info = loadInfo(still.log, still.know, e)
			}
			text, changed := still.plainOf(e, info)
			b.WriteString(text + "\n")
			signs = signs || changed
		}
		return rowsMsg{still.log, b.String(), signs, then}
	}
}

// rowsHead says what rows are listed.
func (a *App) rowsHead(cut int) string {
	head := "# " + clean.Line(a.o.Title)
	if f := a.filter.value(); f != "" {
		head += "  /" + clean.Line(f)
	}
	if head += "\n"; cut > 0 {
		head += "# " + plural(cut, "older row") + " left out\n"
	}
	return head
}

// still is a timeline that a command can read while the event loop goes on: it
// has what the texts of some rows depend on.
func (t *timeline) still(rows []model.Event) *timeline {
	out, all := *t, *t.all
	out.all = &all
	out.index = &index{filter: t.index.filter, folds: map[model.Seq]*fold{}}
	out.tallies = make(map[model.Seq]tally, len(rows))
	for _, e := range rows {
		out.tallies[e.Seq] = t.tallyOf(e.Seq)
		if f := t.folded(e); f != nil {
			one := *f
			one.streams = slices.Clone(f.streams)
			out.index.folds[e.Seq] = &one
		}
	}
	return &out
}

// take hands the text on, unless the replay has jumped meanwhile.
func (m rowsMsg) take(a *App) tea.Cmd {
	a.flash = ""
	if m.log != a.log {
		a.say("not opened: the replay has jumped meanwhile")
		return nil
	}
	return m.then(m.text, m.signs)
}

// start starts a program with a text, of which some signs may have been replaced.
// A tape waits for it; what is live goes on being recorded.
func (a *App) start(tool Tool, name, text string, signs bool) tea.Cmd {
	process, err := a.o.Files.Open(tool, name, []byte(text))
	if err != nil {
		a.say(clean.Line(err.Error()))
		return nil
	}
	playing := a.replay != nil && a.replay.play.Playing
	if playing {
		a.replay.deck.Play(false)
	}
	return a.giveTerminal(process, func(err error) tea.Msg { return cameBackMsg{tool, err, playing, signs} })
}

// cameBackMsg says that a program has ended.
type cameBackMsg struct {
	tool    Tool
	err     error
	playing bool // the tape was
	signs   bool // some were replaced in what it was given
}

func (m cameBackMsg) take(a *App) tea.Cmd {
	if m.playing {
		a.replay.deck.Play(true)
	}
	a.refresh()
	switch {
	case m.err != nil:
		a.flash, a.flashEnd = clean.Line(m.err.Error()), a.clock.Add(10*time.Second)
	case m.tool == Editor && m.signs:
		a.tell("that was a copy, with signs replaced: what was changed in it is not kept")
	case m.tool == Editor:
		a.say("that was a copy: what was changed in it is not kept")
	case m.signs:
		a.tell("what the pager was given had signs replaced that no terminal gets")
	}
	return redrawAll()
}
