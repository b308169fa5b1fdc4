//go:build !linux

package logtest

import "time"

var start = time.Now()

// CPUTime is the time that has passed, where there is no better clock.
func CPUTime() time.Duration { return time.Since(start) }
