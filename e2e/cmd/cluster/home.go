package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"rewatch/e2e/binaries"
	"rewatch/e2e/cluster"
)

// home is where the cluster of e2e/up keeps what the next command must find.
type home struct {
	data  string // etcd, logs, kubeconfigs
	state string // written when the cluster is ready, removed when it ends
	log   string // output of serve
	lock  string // held by serve as long as it lives, and holding its process id
}

// state is what serve tells up.
type state struct {
	Kubeconfig string `json:"kubeconfig"`
	Server     string `json:"server"`
}

func newHome() (home, error) {
	cache, err := binaries.CacheDir()
	if err != nil {
		return home{}, err
	}
	dir := filepath.Join(cache, "up")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return home{}, err
	}
	return home{
		data:  filepath.Join(dir, "cluster"),
		state: filepath.Join(dir, "state.json"),
		log:   filepath.Join(dir, "serve.log"),
		lock:  filepath.Join(dir, "lock"),
	}, nil
}

var errTaken = errors.New("a cluster is up already; e2e/down stops it")

// claim makes this process the owner of the cluster. The lock, not a stored process id, is the proof of life: the
// kernel drops it with the process, and an id can be given to somebody else.
func (h home) claim() (release func(), err error) {
	file, err := os.OpenFile(h.lock, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errTaken
		}
		return nil, err
	}
	// What a predecessor left behind that was killed with -9.
	err = errors.Join(os.RemoveAll(h.data), os.RemoveAll(h.state), os.MkdirAll(h.data, 0o700), file.Truncate(0))
	if err == nil {
		_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}

// owner is the process id of a living serve, or 0.
func (h home) owner() (int, error) {
	file, err := os.Open(h.lock)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return 0, nil
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return 0, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil { // between the lock and the number
		return 0, errors.New("a cluster is just coming up or going down; try again")
	}
	return pid, nil
}

func (h home) publish(c *cluster.Cluster) error {
	text, err := json.Marshal(state{Kubeconfig: c.Kubeconfig(cluster.Admin), Server: c.URL()})
	if err != nil {
		return err
	}
	tmp := h.state + ".tmp"
	if err := os.WriteFile(tmp, text, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, h.state)
}

func (h home) published() (state, error) {
	var s state
	text, err := os.ReadFile(h.state)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

// up starts serve in a session of its own and waits until it is ready. A cluster that is up already is as good.
func (h home) up(ctx context.Context, nodes int) error {
	// Built here rather than by serve, so that the minutes it may take can be seen and interrupted.
	if _, err := binaries.Ensure(ctx, os.Stderr); err != nil {
		return err
	}
	pid, err := h.owner()
	if err != nil {
		return err
	}
	if pid != 0 {
		s, err := h.published()
		if err != nil {
			return errors.New("a cluster is just coming up or going down; try again")
		}
		fmt.Fprintf(os.Stderr, "e2e: up already at %s; its nodes are left as they are\n", s.Server)
		fmt.Println(s.Kubeconfig)
		return nil
	}
	began := time.Now()
	log, err := os.OpenFile(h.log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(h.state); err != nil {
		return err
	}
	cmd := exec.Command(self, "serve", "--nodes", strconv.Itoa(nodes))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // survives this terminal
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "e2e: starting the control plane and %d nodes\n", nodes)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if s, err := h.published(); err == nil {
			fmt.Fprintf(os.Stderr, "e2e: ready after %s at %s; e2e/down stops it\n",
				time.Since(began).Round(100*time.Millisecond), s.Server)
			fmt.Println(s.Kubeconfig)
			return nil
		}
		select {
		case <-ended:
			text, _ := os.ReadFile(h.log)
			return fmt.Errorf("the cluster did not start:\n%s", bytes.TrimSpace(text))
		case <-ctx.Done():
			cmd.Process.Signal(syscall.SIGTERM)
			<-ended
			return errors.New("interrupted")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// down asks serve to end and waits until it has.
func (h home) down(ctx context.Context) error {
	pid, err := h.owner()
	if err != nil {
		return err
	}
	if pid == 0 {
		fmt.Fprintln(os.Stderr, "e2e: no cluster is up")
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return err
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		now, err := h.owner()
		if err == nil && now != pid {
			fmt.Fprintln(os.Stderr, "e2e: stopped")
			return nil
		}
		if time.Now().After(deadline) {
			// Its children are killed by the kernel with it, on Linux.
			return errors.Join(fmt.Errorf("process %d did not end and is killed", pid), syscall.Kill(pid, syscall.SIGKILL))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
