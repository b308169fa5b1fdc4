package cli

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// given reports whether a terminal was given back: what was switched on is off.
func given(out string) (missing []string) {
	for _, mode := range []string{"1049", "1002", "1006", "1004", "2004"} {
		if on, off := strings.LastIndex(out, "\x1b[?"+mode+"h"), strings.LastIndex(out, "\x1b[?"+mode+"l"); on >= 0 && off < on {
			missing = append(missing, mode)
		}
	}
	if on, off := strings.LastIndex(out, "\x1b[?25l"), strings.LastIndex(out, "\x1b[?25h"); on > off {
		missing = append(missing, "cursor")
	}
	return missing
}

// cooked reports whether lines are edited by the terminal, as a shell expects.
func (m *tty) cooked() (yes bool) {
	m.t.Helper()
	c, err := m.pty.SyscallConn()
	if err != nil {
		m.t.Fatal(err)
	}
	_ = c.Control(func(fd uintptr) {
		if s, err := unix.IoctlGetTermios(int(fd), unix.TCGETS); err == nil {
			yes = s.Lflag&unix.ICANON != 0 && s.Lflag&unix.ECHO != 0
		}
	})
	return yes
}

func (m *tty) ends() {
	m.t.Helper()
	select {
	case <-m.ended:
	case <-time.After(patience):
		m.t.Fatalf("it does not end\n%s", strings.Join(m.lines(), "\n"))
	}
	<-m.silent // the last of what was written
}

// However it ends, the terminal is what it was.
func TestTheTerminalIsGivenBack(t *testing.T) {
	isolate(t)
	for name, end := range map[string]func(*tty){
		"q":       func(m *tty) { m.typeKeys("q") },
		"ctrl+c":  func(m *tty) { m.typeKeys("\x03") },
		"SIGINT":  func(m *tty) { _ = m.cmd.Process.Signal(os.Interrupt) },
		"SIGTERM": func(m *tty) { _ = m.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(m *tty) { _ = m.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGQUIT": func(m *tty) { _ = m.cmd.Process.Signal(syscall.SIGQUIT) },
	} {
		t.Run(name, func(t *testing.T) {
			m := inTTY(t, 80, 24, "demo")
			m.shows("playing")
			end(m)
			m.ends()
			out := m.take()
			if missing := given(out); missing != nil || !strings.Contains(out, "\x1b[?1049h") {
				t.Errorf("still on: %v\n%q", missing, out[max(len(out)-400, 0):])
			}
			if !m.cooked() {
				t.Error("the terminal is still raw")
			}
		})
	}
}

// ctrl+z gives the terminal to the shell, fg takes it again and draws all anew;
// when the shell is killed nothing is left behind.
func TestSuspendedAndResumed(t *testing.T) {
	isolate(t)
	m, pid := inBash(t)
	m.typeKeys("\x1a")
	m.shows("Stopped")
	before, _, _ := strings.Cut(m.take(), "Stopped") // then the shell switches on its own
	if missing := given(before); missing != nil {
		t.Errorf("while suspended, still on: %v", missing)
	}
	m.typeKeys("echo between=$((40+2))\r")
	m.shows("between=42")
	m.take()
	m.typeKeys("fg\r")
	out := ""
	m.wait("all drawn again", func() bool {
		out += m.take()
		_, after, ok := strings.Cut(out, "\x1b[?1049h")
		return ok && strings.Contains(after, "REPLAY") && strings.Contains(after, "Streams")
	})
	for _, want := range []string{"\x1b[?1049h", "\x1b[?1002h", "\x1b[?1004h"} {
		if !strings.Contains(out, want) {
			t.Errorf("after fg %q was not switched on again", want)
		}
	}
	m.until("nothing of the shell", func(lines []string) bool { return !strings.Contains(strings.Join(lines, "\n"), "between") })
	m.typeKeys("?")
	m.shows("Keys")
	_ = m.cmd.Process.Kill()
	for end := time.Now().Add(patience); processRuns(strconv.Itoa(pid)); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the shell is dead, and rewatch goes on")
		}
	}
}

// processRuns reports whether a process is neither gone nor a zombie.
func processRuns(pid string) bool {
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	s := string(b)
	return !strings.HasPrefix(s[strings.LastIndexByte(s, ')')+1:], " Z")
}

func containsAny(lines []string, text string) bool {
	return strings.Contains(strings.Join(lines, "\n"), text)
}
