package model

import "time"

var began = time.Now()

// cpuTime is the time of the clock on the wall, for want of a better one.
func cpuTime() time.Duration { return time.Since(began) }
