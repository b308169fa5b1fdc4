//go:build !linux

package cluster

import (
	"os"
	"syscall"
	"time"
)

// childAttr puts the child in a group of its own. Only Linux has a parent-death signal: elsewhere a panic in a
// test can leave processes behind, which e2e/README.md says how to find.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(p *os.Process, sig syscall.Signal) error { return syscall.Kill(-p.Pid, sig) }

// awaitStopped gives the threads of a process time to stop: there is no portable way to ask whether they have.
func awaitStopped(int) error {
	time.Sleep(100 * time.Millisecond)
	return nil
}
