package cli

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inEnviron starts rewatch in a terminal of some environment, and of no other.
func inEnviron(t *testing.T, environ string, args ...string) *tty {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = []string{beMain + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "XDG_CONFIG_HOME=" + os.Getenv("XDG_CONFIG_HOME")}
	cmd.Env = append(cmd.Env, strings.Fields(environ)...)
	return cmdInTTY(t, 80, 24, cmd)
}

// private are sequences that only some terminals know: not what moves the
// cursor, erases and colours.
var private = regexp.MustCompile(`\x1b\[[?<=>][0-9;]*\$?[a-zA-Z]|\x1b\[[0-9;]*(?: q|t)|\x1b\][0-9]+|\x1bP[a-z]*`)

// What is written to a terminal is what it knows; nobody answers here, and the
// screen is there all the same.
func TestTerminalsAreWrittenWhatTheyKnow(t *testing.T) {
	isolate(t)
	// Of a screen: the alternate one, and whether the cursor is seen.
	least := []string{"\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h", "\x1b[?25l"}
	mouse := []string{"\x1b[?1002h", "\x1b[?1002l", "\x1b[?1003l", "\x1b[?1006h", "\x1b[?1006l", "\x1b[?1004h", "\x1b[?1004l", "\x1b[?2004h", "\x1b[?2004l"}
	keyboard := []string{"\x1b[>4;2m", "\x1b[>4m", "\x1b[>1u", "\x1b[<1u", "\x1b[?u"}
	title := []string{"\x1b[22;2t", "\x1b[23;2t", "\x1b]2"}
	xterm := slices.Concat(least, mouse, keyboard, title, []string{"\x1b[?5W", "\x1b[0 q", "\x1b[1 q", "\x1b[ q", "\x1b]11", "\x1b]52"})
	for name, c := range map[string]struct {
		environ string
		knows   []string
		has     []string // and these are written
	}{
		"linux":           {"TERM=linux", least, nil},
		"vt220":           {"TERM=vt220", least, nil},
		"xterm":           {"TERM=xterm", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p"), append(title, "\x1b]52", "\x1b[?2026$p")},
		"xterm-256color":  {"TERM=xterm-256color COLORTERM=truecolor", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p"), append(mouse, "\x1b]11")},
		"NO_COLOR":        {"TERM=xterm-256color NO_COLOR=1", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p"), mouse},
		"ASCII":           {"TERM=xterm LANG=C", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p"), mouse},
		"behind SSH":      {"TERM=xterm-256color SSH_TTY=/dev/pts/7", append(xterm, "\x1b[?2026$p"), []string{"\x1b[?2026$p"}},
		"Apple Terminal":  {"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", xterm, title}, // it prints the p of a question for a mode
		"PuTTY":           {"TERM=putty", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p"), mouse},
		"screen":          {"TERM=screen", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p", "\x1bP"), []string{"\x1bP"}},
		"screen-256color": {"TERM=screen-256color", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p", "\x1bP"), mouse},
		"tmux":            {"TERM=tmux-256color TMUX=/tmp/none,1,0", append(xterm, "\x1b[?2026$p", "\x1b[?2027$p", "\x1bPtmux"), []string{"\x1bPtmux", "\x1b]52"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := inEnviron(t, c.environ, "demo")
			m.shows("playing")
			m.typeKeys("/kind:deploy -type:gap\r") // of a row of the watch itself there is no name
			m.until("a row to copy of", func(l []string) bool {
				return slices.ContainsFunc(l, func(s string) bool {
					return (strings.Contains(s, "▌") || strings.Contains(s, ">")) && strings.Contains(s, " Deploy ")
				}) && !containsAny(l, "enter keeps")
			})
			m.typeKeys("yn")
			m.until("the end of a copy", func(l []string) bool { return containsAny(l, "copied") || containsAny(l, "no clipboard") })
			m.typeKeys("q")
			m.ends()
			out := m.take()
			seen := map[string]bool{}
			for _, s := range private.FindAllString(out, -1) {
				if !slices.Contains(c.knows, s) && !seen[s] {
					t.Errorf("it is written %q", s)
				}
				seen[s] = true
			}
			for _, s := range c.has {
				if !seen[s] {
					t.Errorf("it is not written %q", s)
				}
			}
			if missing := given(out); missing != nil || !m.cooked() {
				t.Errorf("it is not given back: %v", missing)
			}
			if seen["\x1b[22;2t"] && (strings.Index(out, "\x1b[22;2t") > strings.Index(out, "\x1b]2;") || strings.LastIndex(out, "\x1b[23;2t") < strings.LastIndex(out, "\x1b]2;")) {
				t.Error("the title of before does not come back")
			}
			if name == "ASCII" && strings.IndexFunc(out, func(r rune) bool { return r > 127 }) >= 0 {
				t.Error("more than ASCII is written")
			}
		})
	}
}

// Where no screen can be drawn there are lines, and the reason.
func TestATerminalThatCannotDraw(t *testing.T) {
	isolate(t)
	for environ, why := range map[string]string{
		"TERM=dumb": "this terminal (TERM=dumb) cannot draw a screen", "TERM=unknown": "this terminal (TERM=unknown) cannot draw a screen",
		"LANG=C": "TERM is not set, so nothing is known of this terminal",
	} {
		m := inEnviron(t, environ, "demo", "--speed", "60")
		out := ""
		m.wait("lines", func() bool { out += m.take(); return strings.Contains(out, "Deployment shop/checkout") })
		m.typeKeys("\x03")
		m.ends()
		if out += m.take(); strings.Contains(out, "\x1b") || !strings.Contains(out, "rewatch: "+why+": changes are printed as lines, until the end of the tape; --plain makes them sentences\r\n") {
			t.Errorf("%s: %.300q", environ, out)
		}
	}
	// Sentences need no excuse.
	m := inEnviron(t, "TERM=dumb", "demo", "--plain", "--speed", "60")
	out := ""
	m.wait("sentences", func() bool { out += m.take(); return strings.Contains(out, " in shop changed: ") })
	m.typeKeys("\x03")
	m.ends()
	if out += m.take(); strings.Contains(out, "\x1b") || strings.Contains(out, "cannot draw") {
		t.Errorf("%.300q", out)
	}
}

// A shell is told of a stop that another process asks for, at the screen of a
// size that changed meanwhile; a stop that nobody hears of is mended.
func TestStoppedByOthers(t *testing.T) {
	isolate(t)
	m, pid := inBash(t)
	for _, by := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
		m.take()
		if err := syscall.Kill(pid, by); err != nil {
			t.Fatal(err)
		}
		m.shows("Stopped")
		before, _, _ := strings.Cut(m.take(), "Stopped")
		if missing := given(before); by == syscall.SIGTSTP && missing != nil {
			t.Errorf("%v: still on: %v", by, missing)
		}
		m.typeKeys("fg\r")
		out := ""
		m.wait("all drawn again", func() bool {
			out += m.take()
			_, after, ok := strings.Cut(out, "\x1b[?1049h")
			return ok && strings.Contains(after, "REPLAY") && strings.Contains(after, "Streams")
		})
		if !strings.Contains(out, "\x1b[?1002h") || !strings.Contains(out, "\x1b[?1004h") {
			t.Errorf("%v: mouse and focus are not on again", by)
		}
	}
	m.typeKeys("q")
	gone(t, pid)
}

// Where nobody would continue it, it does not stop.
func TestNobodyToGoBackTo(t *testing.T) {
	isolate(t)
	m := inTTY(t, 100, 30, "demo")
	m.shows("playing")
	m.take()
	m.typeKeys("\x1a")
	m.shows("there is no shell here to go back to")
	if out := m.take(); strings.Contains(out, "\x1b[?1049l") {
		t.Error("the terminal is given away to say so")
	}
	m.typeKeys("?")
	m.shows("Keys")
	m.typeKeys("\x03")
	m.ends()
}

// A job that is stopped ends when its shell says so.
func TestAStoppedJobCanBeEnded(t *testing.T) {
	isolate(t)
	m, pid := inBash(t)
	m.typeKeys("\x1a")
	m.shows("Stopped")
	m.typeKeys("kill %1\r")
	gone(t, pid)
}

func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(patience); syscall.Kill(pid, 0) == nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it goes on")
		}
	}
}

// inBash starts the demo from a shell, and returns its process.
func inBash(t *testing.T) (*tty, int) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("bash", "--norc", "--noprofile", "-i")
	shell.Env = append(os.Environ(), beMain+"=1", "TERM=xterm-256color", "PS1=shell> ")
	m := cmdInTTY(t, 100, 30, shell)
	m.shows("shell>")
	m.typeKeys("'" + exe + "' demo; echo code=$?\r")
	m.shows("playing")
	c, err := m.pty.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	_ = c.Control(func(fd uintptr) { pid, err = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) })
	if err != nil || pid == shell.Process.Pid {
		t.Fatalf("the shell's job is %d: %v", pid, err)
	}
	return m, pid
}

// A terminal whose window is gone says so by SIGHUP to those that it controls;
// the others notice it all the same.
func TestATerminalThatVanishes(t *testing.T) {
	isolate(t)
	for _, args := range [][]string{{"demo"}, {"demo", "--plain"}, {"demo", "--chaos"}} {
		master, slave := openPTY(t, 80, 24)
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, args...)
		cmd.Env = append(os.Environ(), beMain+"=1", "TERM=xterm-256color")
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, &stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = slave.Close()
		if _, err := master.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		_ = master.Close()
		if code := wait(t, cmd); code != 0 {
			t.Errorf("%v: code %d\n%s", args, code, &stderr)
		}
	}
}

// Without the focus less is written.
func TestWithoutFocusLessIsWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("takes eight seconds")
	}
	isolate(t)
	m := inTTY(t, 120, 36, "demo", "--speed", "16")
	m.shows("playing")
	rate := func() int {
		time.Sleep(300 * time.Millisecond)
		m.take()
		time.Sleep(3 * time.Second)
		return len(m.take()) / 3
	}
	for range 4 { // others may use the processor
		with := rate()
		m.typeKeys("\x1b[O")
		without := rate()
		m.typeKeys("\x1b[I")
		t.Logf("%d bytes a second with the focus, %d without", with, without)
		if without*2 <= with {
			return
		}
	}
	t.Error("without the focus not much less is written")
}

// Over a real SSH server, by its own client.
func TestOverSSH(t *testing.T) {
	isolate(t)
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		t.Skip("no SSH server is installed")
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Skipf("ssh-keygen: %v %s", err, out)
		}
	}
	if me.Uid == "0" {
		_ = os.MkdirAll("/run/sshd", 0o755) // where it keeps its own apart
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// inetd mode: the client's proxy starts it, and no port is taken.
	proxy := strings.Join([]string{sshd, "-i", "-f", "/dev/null", "-h", filepath.Join(dir, "host"), "-o", "AuthorizedKeysFile=" + filepath.Join(dir, "user.pub"), "-o", "StrictModes=no", "-o", "UsePAM=no", "-o", "PermitRootLogin=yes"}, " ")
	client := exec.Command("ssh", "-tt", "-F", "/dev/null", "-o", "ProxyCommand="+proxy, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
		"-i", filepath.Join(dir, "user"), me.Username+"@here", beMain+"=1 XDG_CONFIG_HOME="+dir+" '"+exe+"' demo")
	client.Env = append(os.Environ(), "TERM=xterm-256color")
	m := cmdInTTY(t, 100, 30, client)
	m.shows("playing")
	m.typeKeys("?")
	m.shows("Keys")
	m.typeKeys("\x1b")
	m.until("help is gone", func(l []string) bool { return !containsAny(l, "Keys ") })
	m.typeKeys("\x1a")
	m.shows("there is no shell here to go back to")
	m.typeKeys("q")
	m.ends()
	if out := m.take(); given(out) != nil || !strings.Contains(out, "\x1b[?2026$p") {
		t.Errorf("not given back: %v", given(out))
	}
	if code := m.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("code %d", code)
	}
}
