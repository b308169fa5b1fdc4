//go:build unix

package model

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process has used. Throughput of one
// core is counted in it, so that a busy machine does not change the figures.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
