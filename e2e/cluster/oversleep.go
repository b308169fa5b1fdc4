package cluster

import "time"

// Busy is how late a machine wakes up that is shared with something that takes
// its processors: it says nothing about how quick a program is. See [Oversleep].
const Busy = 15 * time.Millisecond

// Oversleep measures, until stop is called, how late the machine wakes up who
// asked for 5 ms of sleep: the worst case.
func Oversleep() (stop func() time.Duration) {
	var worst time.Duration
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			asleep := time.Now()
			select {
			case <-quit:
				return
			case <-time.After(5 * time.Millisecond):
				worst = max(worst, time.Since(asleep)-5*time.Millisecond)
			}
		}
	}()
	return func() time.Duration { close(quit); <-done; return worst }
}
