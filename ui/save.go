package ui

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model/clean"
	"rewatch/model/moment"
)

func saveKeys() []binding {
	return []binding{
		{id: "save-screen", keys: []string{"w"}, help: "write what is on the screen to a file: .txt, .ansi, .html or .svg", when: (*App).canSave, do: act((*App).askSave)},
	}
}

func (a *App) canSave() (bool, string) {
	return a.o.Files != nil, "no files can be written from here"
}

// formats of a saved screen, by the extension of the name.
var formats = map[string]func(a *App, frame string) string{
	".txt":  func(_ *App, frame string) string { return trimmed(ansi.Strip(frame)) },
	".ansi": func(_ *App, frame string) string { return strings.ReplaceAll(frame, "\n", "\x1b[m\n") + "\x1b[m\n" },
	".html": func(a *App, frame string) string { return htmlOf(readGrid(frame), a.saved()) },
	".svg":  func(a *App, frame string) string { return svgOf(readGrid(frame), a.saved()) },
}

const formatNames = ".txt, .ansi, .html or .svg"

// saved is what a picture of the screen needs besides its cells.
func (a *App) saved() sheet {
	title, _ := fit("rewatch "+a.o.Title+" "+a.now.In(a.o.Location).Format("2006-01-02 15:04:05 MST"), 200)
	return sheet{title: title, light: a.lightScreen()}
}

// offer is the newest name that was offered for a screen.
type offer struct {
	stamp string
	taken int // names of that moment that were used, or that were refused
}

// offerName is a name for what is on the screen that is not known to be taken: a
// tape that stands still has the same moment again and again.
func (a *App) offerName() string {
	if stamp := a.now.In(a.o.Location).Format("20060102-150405"); stamp != a.offered.stamp {
		a.offered = offer{stamp: stamp}
	}
	name := "rewatch-" + a.offered.stamp
	if a.offered.taken > 0 {
		name += "-" + strconv.Itoa(a.offered.taken+1)
	}
	return name + ".svg"
}

// askSave asks for the name of a file for what is on the screen now.
func (a *App) askSave() {
	frame, _ := a.frame()
	a.askSaveAs(frame, a.offerName())
}

func (a *App) askSaveAs(frame, name string) {
	p := prompt{label: "save the screen", hint: "a file name that ends with " + formatNames,
		means: func(text string) string { return "as " + strings.TrimPrefix(filepath.Ext(text), ".") },
		done: func(text string) *moment.Error {
			write, ok := formats[strings.ToLower(filepath.Ext(text))]
			if !ok {
				return &moment.Error{At: len([]rune(text)), Text: "it has to end with " + formatNames}
			}
			a.errand = a.save(text, write(a, frame), frame)
			return nil
		}}
	p.set(name)
	a.ask(p)
}

// save writes a file.
func (a *App) save(name, data, frame string) tea.Cmd {
	ctx, files := a.ctx, a.o.Files
	return func() tea.Msg {
		if ctx.Err() != nil {
			return nil
		}
		path, err := files.Save(name, []byte(data))
		return savedMsg{name, frame, path, len(data), err}
	}
}

// savedMsg says what became of a file.
type savedMsg struct {
	name  string // that was asked for
	frame string // the screen
	path  string
	size  int
	err   error
}

// take tells of it. After a refusal it is asked again, with what was typed; where
// that was what had been offered, with the next such name.
func (m savedMsg) take(a *App) tea.Cmd {
	name := m.name
	if offered := a.offerName(); offered == name {
		a.offered.taken++
		name = a.offerName()
	}
	if m.err != nil && !a.prompt.shown && !a.scope().modal() {
		a.askSaveAs(m.frame, name)
		a.prompt.err = &moment.Error{At: len([]rune(name)), Text: "not saved: " + clean.Line(m.err.Error())}
		return nil
	}
	text := "saved " + clean.Line(m.path) + ", " + size(int64(m.size))
	if m.err != nil {
		text = "not saved: " + clean.Line(m.err.Error())
	}
	a.flash, a.flashEnd = text, a.clock.Add(6*time.Second)
	return nil
}

// trimmed is a text without the blanks at the ends of its lines.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
