package cluster

import (
	"os"
	"syscall"
)

// childAttr ties the child to this process: the kernel kills it when we die, be it by panic, by -timeout or by
// kill -9, and it is in a group of its own so that Ctrl-C reaches only us.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func signalGroup(p *os.Process, sig syscall.Signal) error { return syscall.Kill(-p.Pid, sig) }
