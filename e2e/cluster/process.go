package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is one program of the control plane. It can be killed and started again with the same arguments.
// All methods may be called from any goroutine.
type process struct {
	name    string
	path    string
	args    []string
	dir     string
	logPath string

	mu   sync.Mutex
	run  *run  // the current or last run; nil before the first
	died error // set when a run ended without being asked to
}

// run is one life of a process.
type run struct {
	cmd     *exec.Cmd
	done    chan struct{} // closed when the process has been reaped
	err     error         // valid after done
	wanted  bool          // somebody asked it to end; guarded by process.mu
	stopped bool          // SIGSTOPped; guarded by process.mu
}

// start runs the program. Output is appended to its log, so that the log of a killed server keeps the reason.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run != nil && !p.run.ended() {
		return fmt.Errorf("%s is already running", p.name)
	}
	log, err := os.OpenFile(p.logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, log, log
	// A directory of its own as HOME: nothing of the developer's configuration can reach the program, and
	// nothing it writes can reach the developer.
	cmd.Env = []string{"HOME=" + p.dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + p.dir}
	cmd.SysProcAttr = childAttr()

	r := &run{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux sends the parent-death signal when the *thread* that started the child ends. This one is locked
		// and stays in Wait for as long as the child lives, and then ends with the goroutine.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		err = cmd.Wait()
		p.mu.Lock()
		r.err = err
		if !r.wanted {
			p.died = fmt.Errorf("%s ended by itself: %w\n%s", p.name, errOr(err, "exit code 0"), p.tail())
		}
		p.mu.Unlock()
		close(r.done)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("starting %s: %w", p.name, err)
	}
	p.run = r
	return nil
}

// end sends a signal and waits until the process is gone; after grace it is killed. Ending what is not running
// is no error: cleaning up must be possible at every stage.
func (p *process) end(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	p.mu.Lock()
	r := p.run
	if r == nil || r.ended() {
		p.mu.Unlock()
		return nil
	}
	r.wanted = true
	signalGroup(r.cmd.Process, sig)
	if r.stopped { // a stopped process sees no signal but SIGKILL
		signalGroup(r.cmd.Process, syscall.SIGCONT)
	}
	p.mu.Unlock()

	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.done:
		return nil
	case <-timer.C:
		signalGroup(r.cmd.Process, syscall.SIGKILL)
		<-r.done
		return fmt.Errorf("%s did not end within %s of %s and was killed", p.name, grace, sig)
	case <-ctx.Done():
		signalGroup(r.cmd.Process, syscall.SIGKILL)
		<-r.done
		return fmt.Errorf("ending %s: %w", p.name, context.Cause(ctx))
	}
}

// pause freezes the process: its connections stay open and nothing answers, not even to a ping.
func (p *process) pause() error { return p.freeze(true) }

// resume lets a paused process go on.
func (p *process) resume() error { return p.freeze(false) }

func (p *process) freeze(stop bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil || p.run.ended() {
		return fmt.Errorf("%s is not running", p.name)
	}
	sig := syscall.SIGCONT
	if stop {
		sig = syscall.SIGSTOP
	}
	if err := signalGroup(p.run.cmd.Process, sig); err != nil {
		return err
	}
	p.run.stopped = stop
	if stop {
		return awaitStopped(p.run.cmd.Process.Pid)
	}
	return nil
}

// pid of the running process, or 0.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.run == nil || p.run.ended() {
		return 0
	}
	return p.run.cmd.Process.Pid
}

// failure says why the process is not running although nobody ended it, or nil.
func (p *process) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.died
}

// tail is the end of the log: enough to see why a server did not start.
func (p *process) tail() string {
	const most = 3000
	b, err := os.ReadFile(p.logPath)
	if err != nil {
		return err.Error()
	}
	cut := ""
	if len(b) > most {
		b = b[len(b)-most:]
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[i+1:]
		}
		cut = "…\n"
	}
	return fmt.Sprintf("--- end of %s ---\n%s%s", p.logPath, cut, b)
}

func (r *run) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func errOr(err error, text string) error {
	if err == nil {
		return errors.New(text)
	}
	return err
}
