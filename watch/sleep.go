package watch

import "time"

// Clock reads the wall clock and the running (monotonic) clock, which stands
// still while the machine sleeps.
type Clock func() (wall time.Time, running time.Duration)

// systemClock reads both clocks of the operating system.
func systemClock() Clock {
	start := time.Now()
	return func() (time.Time, time.Duration) {
		now := time.Now()
		return now.Round(0), now.Sub(start) // Round strips the monotonic reading, Sub uses it
	}
}

// sleepWatch tells how long the machine slept between two looks.
type sleepWatch struct {
	clock   Clock
	wall    time.Time
	running time.Duration
}

func newSleepWatch(c Clock) *sleepWatch {
	w := &sleepWatch{clock: c}
	w.wall, w.running = c()
	return w
}

// look returns how far the wall clock ran ahead of the running clock since the
// last look. A clock that was set is seen as sleep too: reconnecting costs
// little. A clock set back is not.
func (w *sleepWatch) look() time.Duration {
	wall, running := w.clock()
	d := wall.Sub(w.wall) - (running - w.running)
	w.wall, w.running = wall, running
	return max(d, 0)
}
