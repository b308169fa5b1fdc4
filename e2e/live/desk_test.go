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
	t      *testing.T
	log    *model.Log
	engine *watch.Engine
	term   *vt.SafeEmulator
	keys   io.Writer
	stop   context.CancelFunc
	done   chan struct{} // closed when screen and engine have ended
	ended  chan struct{} // closed when the screen has ended
}

// open starts a desk and waits until every stream has its initial state.
func open(t *testing.T, cfg *rest.Config, cols, rows int, resources ...string) *desk {
	t.Helper()
	d := start(t, cfg, cols, rows, resources...)
	d.until("every stream has its initial state", 30*time.Second, d.allFresh)
	return d
}

// start starts a desk of cols x rows over some resources.
func start(t *testing.T, cfg *rest.Config, cols, rows int, resources ...string) *desk {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d := &desk{t: t, log: model.NewLog(model.Options{}), term: vt.NewSafeEmulator(cols, rows), stop: cancel,
		done: make(chan struct{}), ended: make(chan struct{})}
	c, err := watch.NewCluster("real", cfg, watch.ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.engine = watch.NewEngine(d.log, watch.Options{})
	for _, r := range resources {
		d.engine.Add(c, watch.Target{StreamInfo: kinds[r], CanList: true, CanWatch: true})
	}
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	d.keys = master
	engineDone := make(chan struct{})
	go func() { defer close(engineDone); d.engine.Run(ctx) }()
	go func() { _, _ = io.Copy(d.term, master) }()
	go func() { _, _ = io.Copy(master, d.term) }() // the emulator's answers to queries
	go func() {
		defer close(d.done)
		err := ui.Run(ctx, ui.Options{Log: d.log, Controls: d.engine, Title: "real", Theme: "dark", Input: tty, Output: tty,
			Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor"}})
		close(d.ended)
		if err != nil {
			t.Errorf("the screen ended with %v", err)
		}
		cancel()
		<-engineDone
	}()
	t.Cleanup(func() {
		cancel()
		<-d.done
		_, _ = master.Close(), tty.Close()
		_ = d.term.Close()
	})
	return d
}

// press types keys, as bytes of the terminal.
func (d *desk) press(keys string) {
	d.t.Helper()
	if _, err := io.WriteString(d.keys, keys); err != nil {
		d.t.Fatal(err)
	}
}

// lines are the lines of the screen, without colours.
func (d *desk) lines() []string {
	return strings.Split(d.term.String(), "\n")
}

// until waits for a condition, and fails with the screen when it does not come.
func (d *desk) until(what string, timeout time.Duration, ok func() bool) {
	d.t.Helper()
	deadline := time.Now().Add(timeout)
	for !ok() {
		if time.Now().After(deadline) {
			d.t.Fatalf("not within %v: %s. The screen:\n%s", timeout, what, d.term.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// headerSaysLive reports whether the first line calls the screen live.
func (d *desk) headerSaysLive() bool {
	return strings.Contains(d.lines()[0], "LIVE")
}
