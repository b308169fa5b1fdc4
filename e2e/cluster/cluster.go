// Package cluster runs a real Kubernetes control plane on loopback: etcd, kube-apiserver and, unless left out,
// kube-controller-manager, kube-scheduler and kwok, which plays the nodes and the life of pods on them.
//
// It exists to show rewatch what really happens: a server killed with -9, a history that was compacted, a right
// taken away in the middle of a watch. Nothing listens beyond 127.0.0.1, every port is picked at start, all state
// is in one temporary directory, and all credentials are random and die with the cluster. On Linux the processes
// die with the process that called Start, even when it panics.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"rewatch/e2e/binaries"
)

const loopback = "127.0.0.1"

// Component is one program of the control plane.
type Component string

// The components, by the names of their programs.
const (
	Etcd              Component = binaries.Etcd
	APIServer         Component = binaries.APIServer
	ControllerManager Component = binaries.ControllerManager
	Scheduler         Component = binaries.Scheduler
	Kwok              Component = binaries.Kwok
)

// APIOnly leaves out everything but etcd and the API server, for Options.Without: objects can be written and
// watched, nothing acts on them, and it starts in a few seconds.
var APIOnly = []Component{ControllerManager, Scheduler, Kwok}

// Options of a cluster. The zero value is a whole control plane in a temporary directory.
type Options struct {
	// Without lists components to leave out; etcd and the API server cannot be.
	Without []Component
	// Flags are extra command-line flags by component, added after the built-in ones, so that they win:
	//	{APIServer: {"--default-watch-cache-size=10", "--feature-gates=ShardedListAndWatch=true"}}
	Flags map[Component][]string
	// Users to create besides the standard ones; each gets a token and a kubeconfig and no rights: see Grant.
	Users []string
	// Dir for data, logs and kubeconfigs. Empty: a temporary directory, removed by Stop.
	Dir string
	// Keep the temporary directory when the cluster stops, to read its logs.
	Keep bool
	// Progress receives a line for every slow step. Nil: os.Stderr.
	Progress io.Writer
}

// Cluster is a running control plane. Its methods may be called from several goroutines, but starting and ending
// the same component concurrently is for the caller to put in order.
type Cluster struct {
	opts     Options
	set      binaries.Set
	dir      string
	ports    ports
	procs    map[Component]*process
	order    []Component // order of starting
	users    map[string]string
	ca       []byte
	rights   grants
	stopOnce sync.Once
	stopErr  error
	nodes    struct {
		sync.Mutex
		next int
	}
}

type ports struct{ apiServer, etcdClient, etcdPeer int }

// Start brings a cluster up and returns when the API server is ready, the standard users have their rights and
// the namespace shop exists. Programs that are not in the cache yet are built first, which takes minutes. When
// it fails nothing is left running, and the error carries the end of the failing component's log.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	if opts.Progress == nil {
		opts.Progress = os.Stderr
	}
	set, err := binaries.Ensure(ctx, opts.Progress)
	if err != nil {
		return nil, err
	}
	// Free ports are found by trying; between that and their use another process may take one.
	for attempt := 1; ; attempt++ {
		c, err := start(ctx, set, opts)
		if err == nil {
			return c, nil
		}
		if attempt == 3 || !strings.Contains(err.Error(), "address already in use") {
			return nil, err
		}
	}
}

func start(ctx context.Context, set binaries.Set, opts Options) (_ *Cluster, err error) {
	c := &Cluster{opts: opts, set: set, dir: opts.Dir, procs: map[Component]*process{}}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "rewatch-e2e-"); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	for _, dir := range []string{c.path("logs"), c.path("kubeconfig"), c.path("certs"), c.path("etcd")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	free, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	c.ports = ports{apiServer: free[0], etcdClient: free[1], etcdPeer: free[2]}
	if err := c.writeCredentials(); err != nil {
		return nil, err
	}
	if err := c.startComponents(ctx); err != nil {
		return nil, err
	}
	if err := c.grantStandardRights(ctx); err != nil {
		return nil, fmt.Errorf("giving the users their rights: %w", err)
	}
	return c, nil
}

func (c *Cluster) startComponents(ctx context.Context) error {
	for component, args := range c.commandLines() {
		c.procs[component] = &process{
			name: string(component), path: c.set.Path(string(component)), dir: c.dir,
			args:    append(args, c.opts.Flags[component]...),
			logPath: c.path("logs", string(component)+".log"),
		}
	}
	// The API server waits for etcd by itself; starting both at once saves a second.
	if err := c.launch(Etcd); err != nil {
		return err
	}
	if err := c.launch(APIServer); err != nil {
		return err
	}
	if err := c.writeKubeconfigs(ctx); err != nil {
		return err
	}
	if err := c.waitReady(ctx); err != nil {
		return err
	}
	for _, component := range []Component{ControllerManager, Scheduler, Kwok} {
		if c.has(component) {
			if err := c.launch(component); err != nil {
				return err
			}
		}
	}
	return nil
}

// Stop kills everything and removes the temporary directory. It returns an error if a component had ended
// without being asked to: a test whose control plane crashed has proved nothing. It may be called twice.
func (c *Cluster) Stop() error {
	c.stopOnce.Do(func() {
		var errs []error
		for _, p := range c.procs { // before anything is killed: later deaths are consequences
			errs = append(errs, p.failure())
		}
		for i := len(c.order) - 1; i >= 0; i-- {
			// Nothing here is worth saving: no grace.
			errs = append(errs, c.procs[c.order[i]].end(context.Background(), syscall.SIGKILL, time.Minute))
		}
		if c.opts.Dir == "" && !c.opts.Keep {
			errs = append(errs, os.RemoveAll(c.dir))
		}
		c.stopErr = errors.Join(errs...)
	})
	return c.stopErr
}

// Err says whether a component has ended without being asked to, with the end of its log.
func (c *Cluster) Err() error {
	var errs []error
	for _, p := range c.procs {
		errs = append(errs, p.failure())
	}
	return errors.Join(errs...)
}

// Dir holds the data, the logs (logs/<component>.log) and the kubeconfigs (kubeconfig/<user>).
func (c *Cluster) Dir() string { return c.dir }

// Kubectl is the path of a kubectl of the same version as the server.
func (c *Cluster) Kubectl() string { return c.set.Path(binaries.Kubectl) }

// Version the API server reports, such as v1.37.2.
func (c *Cluster) Version() string { return c.set.KubernetesVersion }

// Pids of the running components.
func (c *Cluster) Pids() map[Component]int {
	pids := map[Component]int{}
	for component, p := range c.procs {
		if pid := p.pid(); pid != 0 {
			pids[component] = pid
		}
	}
	return pids
}

func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir}, elem...)...)
}

func (c *Cluster) has(component Component) bool {
	for _, without := range c.opts.Without {
		if without == component {
			return false
		}
	}
	return true
}

func (c *Cluster) launch(component Component) error {
	if err := c.procs[component].start(); err != nil {
		return err
	}
	c.order = append(c.order, component)
	return nil
}
