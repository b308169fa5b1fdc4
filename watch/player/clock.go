package player

import (
	"math"
	"time"
)

// clock is that of the tapes, in nanoseconds.
type clock struct {
	at      int64 // at the moment wall
	wall    time.Time
	playing bool
	held    bool // by a jump
	speed   float64
	limit   int64 // it goes no further
}

func (c *clock) now() int64 {
	if !c.playing || c.held || math.IsInf(c.speed, 1) {
		return c.at
	}
	d := float64(time.Since(c.wall)) * c.speed
	if d >= float64(c.limit-c.at) {
		return max(c.at, c.limit)
	}
	return c.at + int64(d)
}

// set sets the clock, which goes on from there.
func (c *clock) set(at int64) { c.at, c.wall = at, time.Now() }
