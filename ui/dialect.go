package ui

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"

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

// Alternate screens begin and end with these.
const (
	screenOn  = "\x1b[?1049h"
	screenOff = "\x1b[?1049l"
)

// questions are those that a terminal is asked for its colours and modes.
var questions = regexp.MustCompile(`\x1b\]1[0-2];\?(\a|\x1b\\)|\x1b\[\?\d+\$p`)

// discreet leaves out questions behind the alternate screen: the answers would go
// to the shell. Bubble Tea writes at its end what it has not written yet.
type discreet struct {
	io.Writer
	mu   sync.Mutex
	left bool // the alternate screen
}

func (t *discreet) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := b
	if t.left || bytes.Contains(b, []byte(screenOff)) {
		out = nil
		for rest := b; len(rest) > 0; {
			mark := screenOff
			if t.left {
				mark = screenOn
			}
			part := rest
			if i := bytes.Index(rest, []byte(mark)); i >= 0 {
				part = rest[:i+len(mark)]
			}
			if rest = rest[len(part):]; t.left {
				part = questions.ReplaceAll(part, nil)
			}
			t.left = bytes.HasSuffix(part, []byte(screenOff)) || t.left && !bytes.HasSuffix(part, []byte(screenOn))
			out = append(out, part...)
		}
	}
	if _, err := t.Writer.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// tty is an output that can be asked for its size. All that is written goes
// through Write: other methods of the file would go past it.
type tty struct {
	io.Writer
	file *os.File
}

// Fd, Read and Close make it what Bubble Tea takes for a terminal.
func (t tty) Fd() uintptr                { return t.file.Fd() }
func (t tty) Read(b []byte) (int, error) { return t.file.Read(b) }
func (t tty) Close() error               { return t.file.Close() }

// terminal is the output, as the renderer gets it.
func (o Options) terminal() io.Writer {
	out := o.Output
	if out == nil {
		out = os.Stdout
	}
	var w io.Writer = &discreet{Writer: out}
	if !o.modern() {
		w = oldTerminal{out}
	}
	if f, ok := out.(*os.File); ok {
		return tty{w, f}
	}
	return w
}
