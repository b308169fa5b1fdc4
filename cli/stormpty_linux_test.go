package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"
)

// tty is rewatch in a pseudo-terminal, and what the screen shows.
type tty struct {
	t      testing.TB
	cmd    *exec.Cmd
	pty    *os.File
	ended  chan struct{} // the process
	silent chan struct{} // nobody has the terminal any more, and all is read
	mu     sync.Mutex
	screen *vt.Emulator
	raw    bytes.Buffer // what was written since the last take
	bytes  int
	erases int    // of the whole screen
	tail   string // of what was written, for sequences that are cut
	news   chan struct{}
}

// openPTY returns both ends of a new pseudo-terminal.
func openPTY(t testing.TB, w, h int) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: ", err)
	}
	control, err := master.SyscallConn() // Fd would make it blocking
	if err != nil {
		t.Fatal(err)
	}
	var n int
	_ = control.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
		if err == nil {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(h), Col: uint16(w)})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// inTTY starts rewatch in a pseudo-terminal of its own, as its session's
// leader.
func inTTY(t testing.TB, w, h int, args ...string) *tty {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), beMain+"=1", "TERM=xterm-256color", "COLORTERM=truecolor")
	return cmdInTTY(t, w, h, cmd)
}

func cmdInTTY(t testing.TB, w, h int, cmd *exec.Cmd) *tty {
	t.Helper()
	master, slave := openPTY(t, w, h)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	m := &tty{t: t, cmd: cmd, pty: master, screen: vt.NewEmulator(w, h), ended: make(chan struct{}), silent: make(chan struct{}), news: make(chan struct{}, 1)}
	var readers sync.WaitGroup
	readers.Go(func() { defer close(m.silent); m.read() })
	readers.Go(func() { _, _ = io.Copy(io.Discard, m.screen) }) // answers of the emulator: nobody asked it
	go func() { _ = cmd.Wait(); close(m.ended) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-m.ended
		_ = master.Close()
		_ = m.screen.InputPipe().(io.Closer).Close() // its Close is for one goroutine
		readers.Wait()
	})
	return m
}

func (m *tty) read() {
	b := make([]byte, 64<<10)
	for {
		n, err := m.pty.Read(b)
		m.mu.Lock()
		m.bytes += n
		s := m.tail + string(b[:n])
		m.erases += strings.Count(s, "\x1b[2J") + strings.Count(s, "\x1b[3J")
		m.tail = s[max(len(s)-3, 0):]
		_, _ = m.screen.Write(b[:n])
		m.raw.Write(b[:n])
		m.mu.Unlock()
		select {
		case m.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// lines is what the screen shows.
func (m *tty) lines() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Split(ansi.Strip(m.screen.Render()), "\n")
}

// lastLine is the footer: looking at it costs little.
func (m *tty) lastLine() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for x := range min(m.screen.Width(), 16) {
		if c := m.screen.CellAt(x, m.screen.Height()-1); c != nil {
			b.WriteString(c.Content)
		}
	}
	return b.String()
}

// take returns what was written to the terminal since the last call.
func (m *tty) take() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.raw.String()
	m.raw.Reset()
	return s
}

func (m *tty) typeKeys(keys string) {
	m.t.Helper()
	if _, err := m.pty.WriteString(keys); err != nil {
		m.t.Fatal(err)
	}
}

// until waits until the screen satisfies a condition.
func (m *tty) until(what string, ok func(lines []string) bool) {
	m.t.Helper()
	m.wait(what, func() bool { return ok(m.lines()) })
}

// wait waits for a condition, looked at after each write, and returns for how
// long it did.
func (m *tty) wait(what string, ok func() bool) time.Duration {
	m.t.Helper()
	begin := time.Now()
	end := time.After(patience)
	for {
		if ok() {
			return time.Since(begin)
		}
		select {
		case <-m.news:
		case <-end:
			m.t.Fatalf("waited in vain for: %s\n%s", what, strings.Join(m.lines(), "\n"))
		}
	}
}

func (m *tty) shows(text string) {
	m.t.Helper()
	m.until(text, func(lines []string) bool { return strings.Contains(strings.Join(lines, "\n"), text) })
}

// cpu is the processor time that the process has used, in ticks of 10 ms.
func (m *tty) cpu() time.Duration {
	m.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		m.t.Fatal(err)
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
