package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"

	"rewatch/ui"
)

// world is what the screen asks of the world: files that are written, and
// programs that are given one.
type world struct{ ctx context.Context }

var _ ui.Files = world{}

// Open implements ui.Files. The variable is a program and its arguments with
// spaces between: no shell reads it.
func (o world) Open(tool ui.Tool, name string, text []byte) (ui.Process, error) {
	command, from := firstSet("less -R", "PAGER")
	if tool == ui.Editor {
		command, from = firstSet("vi", "VISUAL", "EDITOR")
	}
	words := strings.Fields(command)
	if _, err := exec.LookPath(words[0]); err != nil {
		if from == "" {
			return nil, fmt.Errorf("there is no %s here; set %s to a program that is", words[0], map[ui.Tool]string{ui.Pager: "$PAGER", ui.Editor: "$EDITOR"}[tool])
		}
		return nil, fmt.Errorf("$%s is %s, which is no program here", from, words[0])
	}
	return &program{ctx: o.ctx, words: words, name: name, text: text}, nil
}

// firstSet is the value of the first variable that has one, and its name.
func firstSet(otherwise string, names ...string) (value, name string) {
	for _, n := range names {
		if v := strings.TrimSpace(os.Getenv(n)); v != "" {
			return v, n
		}
	}
	return otherwise, ""
}

// program is one that has the terminal while it runs.
type program struct {
	ctx   context.Context
	words []string
	name  string
	text  []byte
	in    io.Reader
	out   io.Writer
	err   io.Writer
}

func (p *program) SetStdin(r io.Reader)  { p.in = r }
func (p *program) SetStdout(w io.Writer) { p.out = w }
func (p *program) SetStderr(w io.Writer) { p.err = w }

// Run writes the text to a file that only its user can read, in a directory of
// its own, and removes both when the program has ended.
func (p *program) Run() (err error) {
	dir, err := os.MkdirTemp("", "rewatch-")
	if err != nil {
		return errors.New("cannot write a file for it: " + oneLine(err))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, filepath.Base(p.name))
	if err := os.WriteFile(path, p.text, 0o600); err != nil {
		return errors.New("cannot write a file for it: " + oneLine(err))
	}
	defer holdInterrupts(p.ctx)()
	defer letStop(p.ctx)()
	c := exec.CommandContext(p.ctx, p.words[0], append(p.words[1:], path)...) //nolint:gosec // what its user has set
	c.Stdin, c.Stdout, c.Stderr = p.in, p.out, p.err
	if err := c.Run(); err != nil && p.ctx.Err() == nil {
		return fmt.Errorf("%s ended with: %s", p.words[0], oneLine(err))
	}
	return nil
}

// Save implements ui.Files. Nobody sees half of the file.
func (world) Save(name string, data []byte) (path string, err error) {
	if strings.HasPrefix(name, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			name = filepath.Join(home, name[2:])
		}
	}
	if path, err = filepath.Abs(name); err != nil {
		return "", errors.New(oneLine(err))
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("there is a file %s already; take another name", path)
	}
	f, err := createFile(path, false)
	if err != nil {
		return "", plainly(err)
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return "", plainly(err)
	}
	if err := f.Commit(); err != nil {
		return "", plainly(err)
	}
	return path, nil
}

// plainly is a failure without advice for a command line.
func plainly(err error) error {
	if f := (*failure)(nil); errors.As(err, &f) {
		return errors.New(f.msg)
	}
	return errors.New(oneLine(err))
}

// interrupts are held back while a program has the terminal, which sends ctrl+c
// to both of them. Ignoring the signal would be inherited by the program.
type interrupts struct{ held atomic.Int32 }

type interruptsKey struct{}

// withInterrupts returns a context that an interrupt ends, unless it is held.
func withInterrupts(ctx context.Context) (context.Context, context.CancelFunc) {
	h := &interrupts{}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, interruptsKey{}, h))
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	go func() {
		for {
			select {
			case <-c:
				if h.held.Load() == 0 {
					cancel()
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(c); cancel() }
}

// holdInterrupts holds them back until release is called.
func holdInterrupts(ctx context.Context) (release func()) {
	h, ok := ctx.Value(interruptsKey{}).(*interrupts)
	if !ok {
		return func() {}
	}
	h.held.Add(1)
	return func() { h.held.Add(-1) }
}
