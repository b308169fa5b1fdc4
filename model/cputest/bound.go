package cputest

import (
	"runtime"
	"slices"
	"time"
)

// usual is what one round of Bound's work takes on the machine on which the
// bounds of tests are set.
const usual = 1200 * time.Microsecond

// Bound is how much processor time something may take here that may take d on the
// machine on which bounds are set. A slower machine, and one that looks for races
// beside, gets as much more as it takes more for a piece of work that is always
// the same, the slowest of some rounds; a quicker one gets d.
func Bound(d time.Duration) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	slowest := usual
	numbers := make([]uint32, 1<<14)
	for range 5 {
		x := uint32(1)
		for i := range numbers {
			x = x*1664525 + 1013904223
			numbers[i] = x
		}
		begin := Thread()
		slices.Sort(numbers)
		slowest = max(slowest, Thread()-begin)
	}
	return time.Duration(float64(d) * float64(slowest) / float64(usual))
}
