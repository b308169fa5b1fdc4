package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// output is a terminal that keeps what was written.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// inVain is when a wait is given up. It says nothing about how long anything
// may take: a busy machine is to get there too.
const inVain = 2 * time.Minute

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(inVain); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// start runs the screen on pipes.
func start(t *testing.T, ctx context.Context, log *model.Log) (keys io.Writer, out *output, done chan error) {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	out, done = &output{}, make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{Log: log, Title: "test", Input: r, Output: out, Width: 80, Height: 24,
			Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "SSH_TTY=/dev/pts/0"}})
	}()
	until(t, "the first frame", func() bool { return strings.Contains(out.String(), "\x1b[?1049h") })
	return w, out, done
}

// ends fails unless the screen ends, without an error.
func ends(t *testing.T, done chan error) {
	t.Helper()
	begin := time.Now()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(inVain):
		t.Fatal("does not end")
	}
	t.Logf("ended after %v", time.Since(begin))
}

func TestRunEndsOnQuitAndOnTheEndOfItsContext(t *testing.T) {
	d := newDemoLog("prod-eu")
	d.start(time.Now(), "prod-eu", 100)
	keys, out, done := start(t, t.Context(), d.log)
	until(t, "the question for synchronised output", func() bool { return strings.Contains(out.String(), "\x1b[?2026$p") })
	// After a change of the size the scrolling region may be that of the old one.
	until(t, "the scrolling region reset, then all drawn", func() bool {
		_, after, ok := strings.Cut(out.String(), "\x1b[r")
		return ok && strings.Contains(after, "\x1b[2J")
	})
	io.WriteString(keys, "q")
	ends(t, done)
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Error("the alternate screen was not left")
	}

	ctx, cancel := context.WithCancel(t.Context())
	_, out, done = start(t, ctx, d.log)
	cancel()
	ends(t, done)
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Error("the alternate screen was not left at the end of the context")
	}
}

// What is asked of the terminal must not come after it was given back: the
// answers would go to the shell.
func TestQuitAtOnceAsksNothingOfTheShell(t *testing.T) {
	for i := range 6 {
		r, keys := io.Pipe()
		out := &output{}
		ctx, cancel := context.WithCancel(t.Context())
		if i%2 == 0 {
			go io.WriteString(keys, "q")
		} else {
			cancel()
		}
		err := Run(ctx, Options{Log: model.NewLog(model.Options{}), Input: r, Output: out, Width: 80, Height: 24, Environ: []string{"TERM=xterm-256color"}})
		cancel()
		keys.Close()
		if err != nil {
			t.Fatal(err)
		}
		_, after, ok := strings.Cut(out.String(), "\x1b[?1049l")
		if !ok || strings.Contains(after, "\x1b]11;?") || strings.Contains(after, "$p") {
			t.Fatalf("after the alternate screen was left: %q", after)
		}
	}
}

// A storm of rows must not hold up a key.
func TestQuitInAStorm(t *testing.T) {
	d := newDemoLog("prod-eu")
	d.start(time.Now(), "prod-eu", 100)
	keys, _, done := start(t, t.Context(), d.log)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				d.churn(time.Now(), "prod-eu")
			}
		}
	})
	time.Sleep(100 * time.Millisecond) // let the storm rage for some frames
	io.WriteString(keys, "q")
	ends(t, done)
	close(stop)
	wg.Wait()
}

// A panic gives the terminal back as it was, and is an error.
func TestPanicRestoresTheTerminal(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	out := &output{}
	log := model.NewLog(model.Options{})
	var calls int
	stderr := os.Stderr
	os.Stderr, _ = os.Open(os.DevNull) // Bubble Tea prints the stack
	defer func() { os.Stderr = stderr }()
	err := Run(t.Context(), Options{Log: log, Input: r, Output: out, Width: 80, Height: 24, Environ: []string{"TERM=xterm"}, Now: func() time.Time {
		if calls++; calls > 1 {
			panic("a clock that breaks")
		}
		return time.Now()
	}})
	if !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("the error is %v", err)
	}
	if s := out.String(); strings.LastIndex(s, "\x1b[?1049l") < strings.LastIndex(s, "\x1b[?1049h") {
		t.Error("the alternate screen was not left")
	}
}

// A screen of 80×24 behind SSH stays below 20 kB/s at 100 rows a second.
func TestTrafficOverSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("takes three seconds")
	}
	d := newDemoLog("prod-eu")
	d.start(time.Now(), "prod-eu", 100)
	keys, out, done := start(t, t.Context(), d.log)
	until(t, "the first rows", func() bool { return strings.Contains(out.String(), "initial list") })
	before := len(out.String())
	begin := time.Now()
	for i := 0; time.Since(begin) < 3*time.Second; i++ {
		d.pod(time.Now(), "prod-eu", d.pods[i%len(d.pods)], model.Modified, 0, "Failed", i)
		time.Sleep(10 * time.Millisecond)
	}
	rate := float64(len(out.String())-before) / time.Since(begin).Seconds() / 1000
	t.Logf("%.1f kB/s", rate)
	if rate > 20 {
		t.Errorf("%.1f kB/s at 100 rows a second, want 20 at the most", rate)
	}
	io.WriteString(keys, "q")
	ends(t, done)
}

// term is a real terminal: a tmux of its own.
type term struct {
	t      *testing.T
	socket string
}

func newTerm(t *testing.T, what string) *term {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: not tested in a real terminal")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &term{t: t, socket: t.TempDir() + "/tmux"}
	m.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24",
		"stty -a | tr ';' '\\n' | grep -o -- '-*icanon'; REWATCH_UI_DEMO="+what+" '"+exe+"'; echo exit=$?; stty -a | tr ';' '\\n' | grep -o -- '-*icanon'; sleep 60")
	t.Cleanup(func() { exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	return m
}

func (m *term) tmux(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (m *term) screen() string { return m.tmux("capture-pane", "-p") }

func (m *term) until(want string) { m.t.Helper(); m.untilTimes(want, 1) }

// untilTimes waits until the screen shows a text so many times.
func (m *term) untilTimes(want string, n int) {
	m.t.Helper()
	defer func() {
		if m.t.Failed() {
			m.t.Logf("the screen:\n%s", m.screen())
		}
	}()
	until(m.t, want+" on screen", func() bool { return strings.Count(m.screen(), want) >= n })
}

func TestInARealTerminal(t *testing.T) {
	t.Parallel()
	m := newTerm(t, "live")
	m.until("LIVE")
	m.until("checkout-5b6")
	m.tmux("send-keys", "g", "s")
	m.until("▸Streams")
	m.until("replicasets")
	m.tmux("send-keys", "g", "t", "/")
	m.tmux("send-keys", "-l", "kind:deployment type:modified")
	m.until("/kind:deployment type:modified")
	m.tmux("send-keys", "Enter")
	// Up is for the row above the newest one: both have to be there.
	m.untilTimes("~ Deploy ", 2)
	m.tmux("send-keys", "Up", "Enter")
	m.until("▸Deployment")
	m.tmux("send-keys", "[")
	m.until("version")
	m.tmux("resize-window", "-x", "130", "-y", "40")
	m.until("┬")
	m.until("q quit")
	m.tmux("resize-window", "-x", "30", "-y", "8")
	m.until("too small")
	m.tmux("resize-window", "-x", "80", "-y", "24")
	m.until("▸Deployment")
	m.tmux("send-keys", "q")
	m.until("exit=0")
	m.until("exit=0\nicanon") // the terminal is in its normal mode again
}

// A new row is written, with what changed, well within 100 ms of its arrival.
// The bound is on the median: the slowest of a busy machine is e2e's to judge. A
// machine that wakes a sleeper late says nothing about the screen.
func TestNewRowsAreWrittenAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("measures how quick the screen is")
	}
	d := newDemoLog("prod-eu")
	d.start(time.Now(), "prod-eu", 100)
	r, keys := io.Pipe()
	defer keys.Close()
	out, done := &output{}, make(chan error, 1)
	go func() {
		done <- Run(t.Context(), Options{Log: d.log, Title: "test", Input: r, Output: out, Width: 200, Height: 50,
			Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}})
	}()
	until(t, "the first rows", func() bool { return strings.Contains(out.String(), "initial list") })
	var took, late []time.Duration
	for i := range 40 {
		// The terminal gets only cells that differ from what stood there: no
		// letter is where it was in the row before.
		phase := strings.Repeat(string([]rune{rune('A' + i%26), rune('A' + (i+13)%26)}), 6)
		name := fmt.Sprintf("api-%x", 0xabc000+i*4099)
		old := len(out.String())
		begin := time.Now()
		d.object(begin, "prod-eu/pods", model.Added, 0, "Pod", "v1", "shop", name, `"status":{"phase":"Pending"}`)
		d.object(begin, "prod-eu/pods", model.Modified, 0, "Pod", "v1", "shop", name, fmt.Sprintf(`"status":{"phase":%q}`, phase))
		until(t, "what changed: "+phase, func() bool { return strings.Contains(out.String()[old:], phase) })
		took = append(took, time.Since(begin))
		pause := time.Duration(10+i*7%90) * time.Millisecond // any phase of the renderer's clock
		begin = time.Now()
		time.Sleep(pause)
		late = append(late, time.Since(begin)-pause)
	}
	slices.Sort(took)
	slices.Sort(late)
	t.Logf("p50 %v, max %v; sleepers were late by %v, max %v", took[len(took)/2], took[len(took)-1], late[len(late)/2], late[len(late)-1])
	switch {
	case took[len(took)/2] <= 100*time.Millisecond:
	case late[len(late)-1] > 10*time.Millisecond:
		t.Log("the machine is too busy to tell")
	default:
		t.Errorf("half of the rows took more than %v", took[len(took)/2])
	}
	io.WriteString(keys, "q")
	ends(t, done)
}
