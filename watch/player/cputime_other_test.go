//go:build !linux

package player

import "time"

const processClock, threadClock = 0, 0

var began = time.Now()

// cpuTime is the time of the clock on the wall, for want of a better one.
func cpuTime(uintptr) time.Duration { return time.Since(began) }
