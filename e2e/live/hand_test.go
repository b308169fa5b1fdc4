package live

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
)

// program runs rewatch itself in a terminal, as a user of the cluster.
func program(t *testing.T, c *cluster.Cluster, user string, cols, rows int, args ...string) *screen {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rewatch")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	home := t.TempDir()
	cmd.Env = []string{"TERM=xterm-256color", "COLORTERM=truecolor", "HOME=" + home, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + c.Kubeconfig(user)}
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, term: vt.NewSafeEmulator(cols, rows), keys: master, ended: make(chan struct{})}
	go func() { _, _ = io.Copy(s.term, master) }()
	go func() { _, _ = io.Copy(master, s.term) }()
	go func() { defer close(s.ended); _ = cmd.Wait() }()
	t.Cleanup(func() {
		cancel()
		<-s.ended
		_ = master.Close()
		_ = s.term.InputPipe().(io.Closer).Close() // its Close is for one goroutine
	})
	return s
}

// shows waits for a text on the screen.
func (s *screen) shows(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.until("the screen shows "+text, patience, func() bool { return strings.Contains(s.term.String(), text) })
	}
}

// do types a line into the palette.
func (s *screen) do(text string) {
	s.t.Helper()
	s.press(":")
	s.shows("What to do")
	s.press(text)
	s.until("the line has "+text, patience, func() bool { return strings.Contains(s.lines()[len(s.lines())-1], ": "+text) })
	s.press("\r")
	s.until("the palette closes", patience, func() bool { return !strings.Contains(s.term.String(), "What to do") })
}

// What is watched is changed by hand, against a real API server: a type that
// came into being later, other namespaces, and types no more.
func TestWhatIsWatchedChangesByHand(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Without: cluster.APIOnly})
	ctx := t.Context()
	w, err := workload.New(c.Config(cluster.Admin))
	if err != nil {
		t.Fatal(err)
	}
	for ns, name := range map[string]string{cluster.Shop: "settings-of-shop", "default": "settings-of-default"} {
		if err := w.ConfigMap(ctx, ns, name, map[string]string{"level": "info"}); err != nil {
			t.Fatal(err)
		}
	}
	s := program(t, c, cluster.Admin, 160, 48, "cm", "-n", cluster.Shop)
	s.shows("LIVE", "configmaps")
	s.press("a") // all rows: the initial list too
	s.shows("settings-of-shop")

	if err := w.CRD(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Widget(ctx, cluster.Shop, "blue", map[string]any{"size": 1}); err != nil {
		t.Fatal(err)
	}
	s.do("widgets.e2e.rewatch")
	s.shows("kind:widget", "blue", "widgets")
	s.press("\x1b") // all rows again
	s.until("the filter is gone", patience, func() bool { return !strings.Contains(s.term.String(), "kind:widget") })

	s.do("ns default")
	s.shows("  default", "settings-of-default", "removed")
	s.do("ns default," + cluster.Shop)
	s.shows("default," + cluster.Shop)

	s.do("-widgets")
	s.shows("no longer watched: 2 streams")
	s.until("widgets are no longer listed", patience, func() bool {
		for _, line := range s.lines() {
			pane, _, _ := strings.Cut(line, "│")
			if strings.Contains(pane, "widgets") {
				return false
			}
		}
		return true
	})
	s.do("wodgets")
	s.shows(`no type "wodgets"`, "did you mean widgets?")
	s.do("cm,wodgets,frobs")
	s.shows(`no type "wodgets" (did you mean widgets?)`, `no type "frobs"`, "nothing has changed")
	s.do("+widgets")
	s.shows("now watched too: 2 streams")
}

// Who may not read something sees which permission is missing, exactly.
func TestTheMissingPermissionIsNamed(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Without: cluster.APIOnly})
	s := program(t, c, cluster.ViewerShop, 160, 48, "cm", "-n", cluster.Shop)
	s.shows("LIVE", "configmaps")
	s.do("+nodes")
	s.shows("DENIED", "may not list nodes in the cluster", "check: kubectl auth can-i list nodes", "kubectl create clusterrole watch-nodes --verb=list,watch --resource=nodes")
	s.do("ns default")
	s.shows("may not list configmaps in namespace default", "kubectl auth can-i list configmaps -n default")
}
