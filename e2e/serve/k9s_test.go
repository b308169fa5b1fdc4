package serve

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/e2e/binaries"
)

// k9sVersion is the one that is tried; .ci/run builds it.
const k9sVersion = "v0.50.16"

// k9s finds the program: E2E_K9S, which must be there, or where the control
// plane's programs are kept. It is not built here, since that takes longer than
// all else: .ci/run does that.
func k9s(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("E2E_K9S"); path != "" {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("E2E_K9S: %v", err)
		}
		if _, err := exec.LookPath("tmux"); err != nil {
			t.Fatal("no tmux on PATH, but E2E_K9S is set")
		}
		return path
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux on PATH")
	}
	cache, err := binaries.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "k9s-"+k9sVersion, "k9s")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no k9s: GOBIN=%s go install github.com/derailed/k9s@%s", filepath.Dir(path), k9sVersion)
	}
	return path
}

// terminal is a program in a tmux of its own.
type terminal struct {
	t      *testing.T
	socket string
}

func (p *past) terminal(program string, args ...string) *terminal {
	p.t.Helper()
	term := &terminal{p.t, fmt.Sprintf("rewatch-e2e-%d-%s", os.Getpid(), filepath.Base(p.home))}
	env := []string{"-e", "KUBECONFIG=" + p.kubeconfig, "-e", "HOME=" + p.home, "-e", "TZ=UTC", "-e", "LANG=C.UTF-8",
		"-e", "XDG_CONFIG_HOME=" + p.home, "-e", "XDG_STATE_HOME=" + p.home, "-e", "XDG_DATA_HOME=" + p.home, "-e", "XDG_CACHE_HOME=" + p.home}
	term.tmux(append(append([]string{"-f", "/dev/null", "new-session", "-d", "-x", "180", "-y", "50"}, env...), append([]string{program}, args...)...)...)
	p.t.Cleanup(func() { _ = exec.Command("tmux", "-L", term.socket, "kill-server").Run() })
	return term
}

func (t *terminal) tmux(args ...string) string {
	t.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		t.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// see waits until all of some texts are on the screen.
func (t *terminal) see(texts ...string) {
	t.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		screen := t.tmux("capture-pane", "-p")
		missing := ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.t.Fatalf("%q does not show:\n%s", missing, screen)
		}
	}
}

// command goes to a view of k9s.
func (t *terminal) command(text string) {
	t.t.Helper()
	t.tmux("send-keys", "-l", ":"+text)
	t.see("> " + text) // Enter before the prompt is open would be for the view
	t.tmux("send-keys", "Enter")
}

// k9s shows the past: pods, deployments, a custom resource, events, and what
// it describes; and a node gone NotReady later, when the past moves.
func TestK9s(t *testing.T) {
	path := k9s(t)
	p := serve(t, shop(t), "--at", moment)
	term := p.terminal(path, "-n", "shop", "-c", "pods", "--refresh", "1")
	term.see("checkout-5b6b6bc4f9-dzkwb", "checkout-65d44f9694-5jp8k", "Terminating", "ContainerCreating")
	term.command("deployments shop")
	term.see("UP-TO-DATE", "checkout", "3/6")
	term.tmux("send-keys", "d")
	term.see("Describe", "RollingUpdateStrategy", "registry.example/checkout:1.5.0")
	term.tmux("send-keys", "Escape")
	term.see("UP-TO-DATE")
	time.Sleep(time.Second) // a key right behind Escape is taken for Alt
	term.command("cronwidgets shop")
	term.see("gear")
	term.command("events shop")
	term.see("ScalingReplicaSet", "deployment/checkout")
	term.command("nodes")
	term.see("node-01", "Ready")
	term.command("namespaces")
	term.see("kube-system", "Active")
}
