//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rewatch/ui"
)

// jobs implements [ui.Jobs]: the screen has to give the terminal back before the
// process stops, whoever stops it. Once Go has taken SIGTSTP it cannot be left
// to the system again (signal.Stop leaves the handler, which does nothing), so
// what stops the process is SIGSTOP.
type jobs struct {
	ctx       context.Context
	tty       int
	calls     chan func() error
	continued chan struct{}
	listens   bool         // a shell without job control has the signal ignored
	given     atomic.Int32 // somebody else has the terminal
}

type jobsKey struct{}

// withJobs returns the job control of the shell of a terminal until ctx ends, and
// a context that knows of it.
func withJobs(ctx context.Context, terminal any) (context.Context, ui.Jobs) {
	j := &jobs{ctx: ctx, calls: make(chan func() error), continued: make(chan struct{}, 1), listens: !signal.Ignored(syscall.SIGTSTP)}
	if f, ok := terminal.(*os.File); ok {
		j.tty = int(f.Fd())
	}
	if !j.listens {
		return ctx, j
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTSTP, syscall.SIGCONT)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case s := <-signals:
				j.take(s)
			case <-ctx.Done():
				return
			}
		}
	}()
	return context.WithValue(ctx, jobsKey{}, j), j
}

func (j *jobs) take(s os.Signal) {
	do := j.Suspend
	switch given := j.given.Load() > 0; {
	case given && s == syscall.SIGCONT:
		select {
		case j.continued <- struct{}{}:
		default:
		}
		return
	case given: // that program has got the signal, too
		if !alone() {
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
		}
		return
	case s == syscall.SIGCONT: // after SIGSTOP, which nobody hears of
		do = func() error { return nil }
	}
	select {
	case j.calls <- do:
	case <-j.ctx.Done():
	}
}

// Calls implements [ui.Jobs].
func (j *jobs) Calls() <-chan func() error { return j.calls }

// alone reports whether nobody would continue the process: no shell with job
// control has given it a process group, as where a terminal was opened for it.
func alone() bool {
	session, err := unix.Getsid(0)
	if err != nil || unix.Getpgrp() == session {
		return true
	}
	parents, err := unix.Getsid(os.Getppid())
	return err == nil && parents != session
}

// Suspendable implements [ui.Jobs].
func (j *jobs) Suspendable() error {
	if !j.listens || alone() {
		return errNoShell
	}
	return nil
}

// Suspend implements [ui.Jobs]: all of the shell's job stops, this process when
// it takes the signal.
func (j *jobs) Suspend() error {
	if err := j.Suspendable(); err != nil {
		return err
	}
	defer letStop(context.WithValue(j.ctx, jobsKey{}, j))()
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return errors.New("cannot be suspended: " + oneLine(err))
	}
	select {
	case <-j.continued:
	case <-j.ctx.Done():
	}
	// In the background (bg) it goes on, and records, without a screen. It does
	// not stop itself there: fg may give it the terminal between the look and the
	// signal, and the shell would take the terminal back.
	for j.behind() {
		select {
		case <-j.ctx.Done():
			// The end of the screen sets the terminal up once more, which would
			// stop the process for good.
			signal.Ignore(syscall.SIGTTOU)
			return nil
		case <-time.After(behindTime):
		}
	}
	return nil
}

// behindTime is how often a process in the background looks whether it is still
// there: nothing tells it.
const behindTime = 100 * time.Millisecond

// behind reports whether another job has the terminal.
func (j *jobs) behind() bool {
	group, err := unix.IoctlGetInt(j.tty, unix.TIOCGPGRP)
	// The kernel has written 32 bits, to where the integer begins.
	return err == nil && int(*(*int32)(unsafe.Pointer(&group))) != unix.Getpgrp()
}

var errNoShell = errors.New("there is no shell here to go back to")

// letStop lets signals stop the process at once, until again is called: it is
// a program that has the terminal that must hear of them.
func letStop(ctx context.Context) (again func()) {
	j, ok := ctx.Value(jobsKey{}).(*jobs)
	if !ok {
		return func() {}
	}
	select {
	case <-j.continued: // of before
	default:
	}
	j.given.Add(1)
	return func() { j.given.Add(-1) }
}
