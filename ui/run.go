package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/noise"
)

// Controls is what the screen can ask of the engine. Both return at once.
type Controls interface {
	// Retry ends the wait of a stream; a negative id is all that wait.
	Retry(id model.StreamID)
	// SetPaused stops or resumes a stream.
	SetPaused(id model.StreamID, paused bool)
}

// Options of the screen. Only Log is required, or Transport in its place.
type Options struct {
	Log       *model.Log // what is shown; with a Transport, its log is
	Controls  Controls   // nil: nothing to control, as in a replay
	Transport Transport  // the tape deck of a replay; nil: live
	Watcher   Watcher    // nil: what is watched cannot be changed, as in a replay
	Recorder  Recorder   // nil: cannot record
	Tapes     Tapes      // of a replay; nil: nothing more is known of them
	Tour      bool       // lead a newcomer through the screen
	Files     Files      // nil: no files are written and no programs started
	Jobs      Jobs       // nil: cannot be suspended
	// Keys take the place of those that bindings have, by their ids; none is no
	// key. They have to be ones that CheckKeys takes.
	Keys   map[string][]string
	Server Server // nil: no metrics of servers, as in a replay
	// Title is what is watched: contexts and namespaces. It is sanitised.
	Title string
	Now   func() time.Time // nil is time.Now
	// Location is the time zone of the clock on screen; nil is time.Local.
	Location *time.Location
	// Theme is "auto" (or ""), or the name of a theme. Auto asks the terminal,
	// and is mono under NO_COLOR or TERM=dumb.
	Theme string
	Look  Look // themes of the user, and what is drawn in ASCII
	// Noise are the rules by which changes are folded that say nothing; nil is
	// noise.Default. They have to be ones that noise.Compile takes.
	Noise []noise.Rule
	// SaveNoise keeps a rule for the next time, in NoiseFile; nil: it cannot.
	SaveNoise func(noise.Rule) error
	NoiseFile string
	Rows      Rows // what rows show at first
	// Environ is the environment of the terminal, "KEY=value": TERM,
	// COLORTERM, NO_COLOR and SSH_TTY are looked at. nil is none.
	Environ []string
	// Input and Output are the terminal; nil is that of the process.
	Input  io.Reader
	Output io.Writer
	// Width and Height are the size, in cells, of an Output that cannot be
	// asked for it; 0 asks.
	Width, Height int
}

// env returns a variable of the terminal's environment.
func (o Options) env(name string) string {
	for i := len(o.Environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(o.Environ[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// fps is how often the log may change the screen, per second. A terminal behind
// SSH pays for every frame with traffic.
func (o Options) fps() int {
	if o.env("SSH_TTY") != "" {
		return 15
	}
	return 30
}

// quitPatience is how long the end in order may take when ctx ends, before the
// program is killed.
const quitPatience = 100 * time.Millisecond

// brief is the least time between two frames while little happens.
func (o Options) brief() time.Duration {
	frame := time.Second / time.Duration(o.fps())
	if o.env("SSH_TTY") != "" {
		return frame
	}
	return frame / 2
}

// Run owns the terminal until the user quits or ctx ends, and gives it back as
// it was, also after a panic. The end of ctx is no error.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the commands that still wait
	// The renderer looks for a new frame at its own pace: twice as often, a
	// frame waits for it half as long.
	killed, kill := context.WithCancel(context.Background())
	defer kill()
	opts := []tea.ProgramOption{tea.WithContext(killed), tea.WithFPS(2 * o.fps()), tea.WithoutSignalHandler()}
	if o.Environ != nil {
		opts = append(opts, tea.WithEnvironment(o.environ()))
	}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	out := o.terminal()
	opts = append(opts, tea.WithOutput(out))
	if o.Width > 0 && o.Height > 0 {
		opts = append(opts, tea.WithWindowSize(o.Width, o.Height))
	}
	app := NewApp(ctx, o)
	defer app.Close()
	program := tea.NewProgram(guarded{app}, opts...)
	app.pace = pacer{fast: time.Second / time.Duration(2*o.fps()), slow: idlePace}
	app.renderer = func() *time.Ticker { return rendererTicker(program) }
	begun := time.Now()
	defer context.AfterFunc(ctx, func() {
		time.Sleep(answerTime - time.Since(begun))
		// In order first: a program that is killed closes its input while its
		// reader may still wait on it.
		time.AfterFunc(quitPatience, kill)
		program.Quit()
	})()
	if o.modern() {
		_, _ = io.WriteString(out, saveTitle)
		defer func() { _, _ = io.WriteString(out, restoreTitle) }()
	}
	_, err := program.Run()
	if err != nil && (ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) || errors.Is(err, tea.ErrInterrupted)) {
		return nil
	}
	return err
}
