package ui

import (
	"io"
	"os"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// XTWINOPS: the terminal keeps the title of its window, and takes it back.
// Setting it to nothing, as Bubble Tea does at the end, would leave it without.
const (
	saveTitle    = "\x1b[22;2t"
	restoreTitle = "\x1b[23;2t"
)

// modern reports whether the terminal knows what xterm has brought: mice, focus,
// titles, clipboards and questions. Consoles and the VT family do not, and some
// of them print what they do not know.
func (o Options) modern() bool {
	term := o.env("TERM")
	for _, old := range []string{"linux", "vt", "ansi", "cons", "hurd", "sun", "wsvt", "pcansi"} {
		if strings.HasPrefix(term, old) && term != "vte" && !strings.HasPrefix(term, "vte-") {
			return false
		}
	}
	return true
}

// asksSynchronised is the question for synchronised output. Bubble Tea does not
// ask it over SSH, and never Apple Terminal, which prints the p at the end of
// it: over SSH nobody knows which one it is, so the line is cleared.
func (o Options) asksSynchronised() tea.Cmd {
	if o.env("SSH_TTY") == "" || o.env("TERM_PROGRAM") == "Apple_Terminal" || !o.modern() {
		return nil
	}
	return tea.Sequence(tea.Raw(ansi.RequestModeSynchronizedOutput+"\r"+ansi.EraseLineRight), tea.ClearScreen)
}

// foreign are what Bubble Tea writes to every terminal and old ones do not know:
// questions for modes, the keyboard protocols, tab stops and the cursor's shape.
var foreign = regexp.MustCompile(`\x1b\[(\?\d+\$p|>4(;\d)?m|[<>=]\d+(;\d+)?u|\?u|\?5W|\d* q)`)

// oldTerminal leaves out what is foreign.
type oldTerminal struct{ io.Writer }

func (t oldTerminal) Write(b []byte) (int, error) {
	if _, err := t.Writer.Write(foreign.ReplaceAll(b, nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// oldTTY is an oldTerminal that can be asked for its size. All that is written
// goes through Write: other methods of the file would go past it.
type oldTTY struct {
	oldTerminal
	file *os.File
}

// Fd, Read and Close make it what Bubble Tea takes for a terminal.
func (t oldTTY) Fd() uintptr                { return t.file.Fd() }
func (t oldTTY) Read(b []byte) (int, error) { return t.file.Read(b) }
func (t oldTTY) Close() error               { return t.file.Close() }

// terminal is the output, as the renderer gets it.
func (o Options) terminal() io.Writer {
	out := o.Output
	if out == nil {
		out = os.Stdout
	}
	if o.modern() {
		return out
	}
	if f, ok := out.(*os.File); ok {
		return oldTTY{oldTerminal{f}, f}
	}
	return oldTerminal{out}
}
