package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stopped reports whether a process is.
func stopped(t *testing.T, pid int) bool {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return b[bytes.LastIndexByte(b, ')')+2] == 'T'
}

// In the background the program goes on without its screen, and one fg is enough
// to bring that back, however soon it comes.
func TestAJobInTheBackgroundGoesOnUntilTheNextFg(t *testing.T) {
	isolate(t)
	m, pid := inBash(t)
	for i, pause := range []time.Duration{0, behindTime / 2, behindTime, 3 * behindTime, 20 * behindTime} {
		m.typeKeys("\x1a")
		waitUntil(t, func() bool { return stopped(t, pid) })
		m.take()
		m.typeKeys(fmt.Sprintf("bg; echo in the back $((%d+10))\r", i))
		m.shows(fmt.Sprint("in the back ", i+10))
		time.Sleep(pause)
		if stopped(t, pid) {
			t.Errorf("%v after bg it is stopped", pause)
		}
		if out := m.take(); !strings.Contains(out, "in the back") || strings.Contains(out, "REPLAY") {
			t.Errorf("%v after bg it draws:\n%q", pause, out)
		}
		m.typeKeys("fg\r")
		out := ""
		took := m.wait("all drawn again", func() bool {
			out += m.take()
			_, after, ok := strings.Cut(out, "\x1b[?1049h")
			return ok && strings.Contains(after, "REPLAY") && strings.Contains(after, "Streams")
		})
		t.Logf("fg %v after bg: drawn after %v", pause, took)
		for range 15 { // the shell would say Stopped, over the screen
			time.Sleep(behindTime / 5)
			if stopped(t, pid) {
				t.Fatalf("fg %v after bg: it has stopped again", pause)
			}
		}
		m.typeKeys("?")
		m.shows("Keys")
		m.typeKeys("\x1b")
		m.until("help is gone", func(l []string) bool { return !containsAny(l, "Keys ") })
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
}

// A program that is started gets the terminal itself, also of one that is not
// written all that the screen draws with.
func TestAProgramHasATerminal(t *testing.T) {
	isolate(t)
	for _, term := range []string{"linux", "vt220", "xterm"} {
		dir := t.TempDir()
		pager := script(t, "for fd in 0 1 2; do [ -t $fd ] && is=$is$fd; done; echo $is. >'"+filepath.Join(dir, "is")+"'")
		m := inEnviron(t, "TERM="+term+" PAGER="+pager, "demo")
		m.shows("playing")
		m.take()
		m.typeKeys("!p")
		var is []byte
		for end := time.Now().Add(patience); !bytes.HasSuffix(is, []byte("\n")); time.Sleep(20 * time.Millisecond) {
			if is, _ = os.ReadFile(filepath.Join(dir, "is")); time.Now().After(end) {
				t.Fatalf("%s: the program does not come:\n%s", term, strings.Join(m.lines(), "\n"))
			}
		}
		if string(is) != "012.\n" {
			t.Errorf("%s: of standard input, output and error these are a terminal: %s", term, is)
		}
		// Until the screen is back, ctrl+c is for the program alone.
		out := ""
		m.wait("the screen again", func() bool { out += m.take(); return strings.Contains(out, "\x1b[?1049h") })
		m.typeKeys("\x03")
		m.ends()
	}
}

// A terminal of another size is drawn at once, also where nothing happened for
// a while.
func TestAnIdleScreenOfAnotherSize(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	isolate(t)
	m := inTTY(t, 100, 30, "demo")
	m.shows("playing")
	m.typeKeys(" ")
	m.shows("paused")
	c, err := m.pty.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	m.typeKeys("?")
	key := m.wait("help", func() bool { return containsAny(m.lines(), "Keys ") }) // what anything takes here
	m.typeKeys("\x1b")
	m.until("help is gone", func(l []string) bool { return !containsAny(l, "Keys ") })
	quickest := time.Minute // of three: others may use the processor
	for h := range uint16(3) {
		time.Sleep(3300 * time.Millisecond)
		m.take()
		_ = c.Control(func(fd uintptr) {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 29 - h, Col: 100})
		})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		quickest = min(quickest, m.wait("all drawn again", func() bool { out += m.take(); return strings.Contains(out, "Streams") }))
	}
	t.Logf("drawn after %v, and after a key after %v", quickest, key)
	if bound := 500*time.Millisecond + 5*key; quickest > bound {
		t.Errorf("it is drawn after %v; the bound is %v here", quickest, bound)
	}
}
