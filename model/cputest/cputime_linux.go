// Package cputest counts processor time, for tests and benchmarks: a busy
// machine changes their figures less than it changes those of a clock.
package cputest

import (
	"syscall"
	"time"
	"unsafe"
)

// Process is the processor time that the process has used.
func Process() time.Duration { return read(2) } // CLOCK_PROCESS_CPUTIME_ID

// Thread is that of the thread, to which the caller must be locked.
func Thread() time.Duration { return read(3) } // CLOCK_THREAD_CPUTIME_ID

// read is clock_gettime(2).
func read(clock uintptr) time.Duration {
	var t syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
