package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rewatch/model/jsonscan"
)

func TestDemoNeedsNoCluster(t *testing.T) {
	isolate(t)
	r := background(t, "demo", "--speed", "50")
	r.waitFor(&r.out, "ADDED", "Node", "(initial)")
	r.waitFor(&r.out, "MODIFIED", "Deployment shop/checkout", "spec.replicas")
	r.waitFor(&r.out, "MODIFIED", "Secret shop/db")
	r.waitFor(&r.out, "DELETED", "Pod shop/checkout")
	r.stop()
	if all := r.out.String() + r.stderr.String(); strings.Contains(all, "SENTINEL") || strings.Contains(all, "U0VOVElORUwt") {
		t.Error("the value of a Secret was printed")
	}
}

func TestDemoOfOneType(t *testing.T) {
	isolate(t)
	r := background(t, "demo", "deploy", "--speed", "50")
	r.waitFor(&r.out, "MODIFIED", "Deployment shop/checkout")
	r.stop()
	for line := range strings.Lines(r.out.String()) {
		if !strings.Contains(line, " Deployment ") {
			t.Errorf("not a deployment: %s", line)
		}
	}
	if got := rewatch(t, "demo", "nonsense"); got.code != 1 || !containsAll(got.stderr, []string{`no type "nonsense"`, "the demo has: pods, deployments.apps"}) {
		t.Errorf("%+v", got)
	}
}

func TestAnInterruptWhileTheDemoStartsEndsIt(t *testing.T) {
	isolate(t)
	for _, after := range []time.Duration{0, 10 * time.Millisecond, 40 * time.Millisecond} {
		r := background(t, "demo")
		time.Sleep(after) // it is still starting, or has just begun
		r.stop()
		if got := r.stderr.String(); strings.Contains(got, "rewatch: ") {
			t.Errorf("after %v, stderr has:\n%s", after, got)
		}
	}
}

func TestChaosIsToldAndSurvived(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the first disturbance, about 15 s")
	}
	isolate(t)
	r := background(t, "demo", "--chaos", "--speed", "20")
	r.waitFor(&r.stderr, "NOTE", "chaos:")
	r.waitFor(&r.stderr, "RETRY")
	r.waitFor(&r.stderr, "LIVE", "recovered")
	r.stop()
}

// The demo runs for hours: what its server keeps of the past is bounded, beside
// what --memory bounds.
func TestTheDemosServerForgets(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d, err := startDemo(ctx, demoOptions{speed: pace{2000}})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	defer d.stop(cancel)
	get := func(query string) string {
		resp, err := http.Get(d.endpoint.URL() + "/api/v1/nodes?" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	rv := func() int {
		n, _ := strconv.Atoi(strings.Trim(string(jsonscan.Get([]byte(get("limit=1")), "metadata", "resourceVersion")), `"`))
		return n
	}
	start := rv()
	for deadline := time.Now().Add(patience); rv() < start+1000; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the recording does not play")
		}
	}
	if got := get(fmt.Sprintf("watch=1&timeoutSeconds=1&resourceVersion=%d", start)); !strings.Contains(got, "too old resource version") {
		t.Errorf("it still knows %d bytes of a past of 1000 changes", len(got))
	}
}

// terminal is rewatch in a real terminal, for which tmux stands.
type terminal struct {
	t      *testing.T
	socket string
	pid    string // the file with the process id of rewatch
}

func inTerminal(t *testing.T, width, height int, args string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t, fmt.Sprintf("rewatch-test-%d-%d", os.Getpid(), time.Now().UnixNano()), filepath.Join(t.TempDir(), "pid")}
	// After the end: the exit code, and whether the terminal is as it was.
	command := fmt.Sprintf("sh -c 'echo $$ >%s; exec env %s=1 %s %s'; echo exit=$?; "+
		"stty -a | tr ' ;' '\\n\\n' | grep -cx -e icanon -e echo; exec cat", term.pid, beMain, exe, args)
	term.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), command)
	t.Cleanup(func() { _ = exec.Command("tmux", "-L", term.socket, "kill-server").Run() })
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// waitFor waits until the screen shows all words, and returns it.
func (term *terminal) waitFor(words ...string) string {
	term.t.Helper()
	screen := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if screen = term.tmux("capture-pane", "-p"); containsAll(screen, words) {
			return screen
		}
	}
	term.t.Fatalf("the screen never had %q:\n%s", words, screen)
	return ""
}

func TestDemoOnATerminal(t *testing.T) {
	isolate(t)
	term := inTerminal(t, 120, 36, "demo --speed 4")
	term.waitFor("Streams", "LIVE", "pods", "Timeline", "Deploy", "shop/checkout")
	term.tmux("send-keys", "q")
	// The screen is given back, and line editing works again.
	screen := term.waitFor("exit=0", "\n2\n")
	if strings.Contains(screen, "Timeline") {
		t.Errorf("the screen is not what it was before:\n%s", screen)
	}
}

func TestASignalGivesTheTerminalBack(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			isolate(t)
			term := inTerminal(t, 80, 24, "demo")
			term.waitFor("Streams", "Timeline") // it has the terminal
			text, err := os.ReadFile(term.pid)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			p, err := os.FindProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Signal(signal); err != nil {
				t.Fatal(err)
			}
			term.waitFor("exit=0", "\n2\n")
		})
	}
}
