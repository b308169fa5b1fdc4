package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// childAttr ties the child to this process: the kernel kills it when we die, be it by panic, by -timeout or by
// kill -9, and it is in a group of its own so that Ctrl-C reaches only us.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func signalGroup(p *os.Process, sig syscall.Signal) error { return syscall.Kill(-p.Pid, sig) }

// awaitStopped returns when every thread of a process has stopped. The signal only asks for it: on a busy machine
// a thread can go on for milliseconds, long enough to answer a request that a test expects to hang.
func awaitStopped(pid int) error {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil {
			return err
		}
		running := 0
		for _, file := range files {
			stat, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) { // the thread has just ended
				continue
			}
			if err != nil {
				return err
			}
			// "pid (name) state …", and the name may hold anything.
			_, state, _ := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(" "))
			if !bytes.HasPrefix(state, []byte("T")) {
				running++
			}
		}
		if running == 0 && len(files) > 0 {
			return nil
		}
	}
	return fmt.Errorf("process %d did not stop", pid)
}
