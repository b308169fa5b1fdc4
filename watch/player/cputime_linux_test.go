package player

import (
	"syscall"
	"time"
	"unsafe"
)

// Clocks of clock_gettime(2).
const (
	processClock = 2 // CLOCK_PROCESS_CPUTIME_ID
)

// cpuTime is the processor time used by the process, or by the thread (which
// the caller must be locked to). Figures are counted in it, so that a busy
// machine changes them less.
func cpuTime(clock uintptr) time.Duration {
	var t syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
