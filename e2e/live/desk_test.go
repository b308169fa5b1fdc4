// Package live holds rewatch against a real control plane: engine, log and
// screen together, the screen in a real terminal emulator.
package live

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/ui"
	"rewatch/watch"
)

// patience is when a wait is given up. It says nothing about how long anything
// may take: a busy machine is to get there too.
const patience = 3 * time.Minute

// kinds are the streams of a desk, by resource.
var kinds = map[string]model.StreamInfo{
	"pods":           {Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true},
	"services":       {Version: "v1", Resource: "services", Kind: "Service", Namespaced: true},
	"configmaps":     {Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true},
	"secrets":        {Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true},
	"nodes":          {Version: "v1", Resource: "nodes", Kind: "Node"},
	"events":         {Version: "v1", Resource: "events", Kind: "Event", Namespaced: true, Uncached: true},
	"deployments":    {Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true},
	"replicasets":    {Group: "apps", Version: "v1", Resource: "replicasets", Kind: "ReplicaSet", Namespaced: true},
	"statefulsets":   {Group: "apps", Version: "v1", Resource: "statefulsets", Kind: "StatefulSet", Namespaced: true},
	"daemonsets":     {Group: "apps", Version: "v1", Resource: "daemonsets", Kind: "DaemonSet", Namespaced: true},
	"jobs":           {Group: "batch", Version: "v1", Resource: "jobs", Kind: "Job", Namespaced: true},
	"endpointslices": {Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Kind: "EndpointSlice", Namespaced: true},
	"leases":         {Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Kind: "Lease", Namespaced: true},
}

// desk is one rewatch in front of a cluster: the real engine and log, and the
// real screen drawing into a terminal emulator.
type desk struct {
	*screen
	log    *model.Log
	engine *watch.Engine
	cancel context.CancelFunc
	done   chan struct{} // closed when screen and engine have ended
}

// setting is what a desk may have beside its streams.
type setting struct {
	begin func(*model.Log) // called with the log before anything comes to it
	now   func() time.Time // the clock of the screen
}

// open starts a desk and waits until every stream has its initial state.
func open(t *testing.T, cfg *rest.Config, cols, rows int, resources ...string) *desk {
	t.Helper()
	d := start(t, cfg, cols, rows, resources...)
	d.until("every stream has its initial state", patience, d.allFresh)
	return d
}

// start starts a desk of cols x rows over some resources.
func start(t *testing.T, cfg *rest.Config, cols, rows int, resources ...string) *desk {
	t.Helper()
	return setting{}.start(t, cfg, cols, rows, resources...)
}

func (with setting) start(t *testing.T, cfg *rest.Config, cols, rows int, resources ...string) *desk {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d := &desk{log: model.NewLog(model.Options{}), cancel: cancel, done: make(chan struct{})}
	if with.begin != nil {
		with.begin(d.log)
	}
	c, err := watch.NewCluster("real", cfg, watch.ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.engine = watch.NewEngine(d.log, watch.Options{})
	for _, r := range resources {
		d.engine.Add(c, watch.Target{StreamInfo: kinds[r], CanList: true, CanWatch: true})
	}
	engineDone := make(chan struct{})
	go func() { defer close(engineDone); d.engine.Run(ctx) }()
	d.screen = show(t, ctx, cols, rows, ui.Options{Log: d.log, Controls: d.engine, Title: "real", Now: with.now})
	go func() {
		defer close(d.done)
		<-d.ended
		cancel()
		<-engineDone
	}()
	t.Cleanup(d.stop) // before that of the screen
	return d
}

// stop ends screen and engine.
func (d *desk) stop() { d.cancel(); <-d.done }

// screen is the interface in a terminal emulator.
type screen struct {
	t     *testing.T
	term  *vt.SafeEmulator
	keys  io.Writer
	ended chan struct{}
}

// show runs the interface in a terminal of cols x rows until the user quits or
// ctx ends.
func show(t *testing.T, ctx context.Context, cols, rows int, o ui.Options) *screen {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, term: vt.NewSafeEmulator(cols, rows), keys: master, ended: make(chan struct{})}
	go func() { _, _ = io.Copy(s.term, master) }()
	go func() { _, _ = io.Copy(master, s.term) }() // the emulator's answers to queries
	o.Theme, o.Input, o.Output, o.Environ = "dark", tty, tty, []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(s.ended)
		if err := ui.Run(ctx, o); err != nil {
			t.Errorf("the screen ended with %v", err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-s.ended
		_, _ = master.Close(), tty.Close()
		_ = s.term.InputPipe().(io.Closer).Close() // its Close is for one goroutine
	})
	return s
}

// press types keys, as bytes of the terminal.
func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// lines are the lines of the screen, without colours.
func (s *screen) lines() []string {
	return strings.Split(s.term.String(), "\n")
}

// until waits for a condition, and fails with the screen when it does not come.
func (s *screen) until(what string, timeout time.Duration, ok func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(timeout)
	for !ok() {
		if time.Now().After(deadline) {
			s.t.Fatalf("not within %v: %s. The screen:\n%s", timeout, what, s.term.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// headerSaysLive reports whether the first line calls the screen live.
func (s *screen) headerSaysLive() bool {
	return strings.Contains(s.lines()[0], "LIVE")
}
