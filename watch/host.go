package watch

import (
	"sync"
	"time"
)

// hostGate keeps all but one stream from dialling a host that does not answer.
// The first stream that cannot reach the host becomes its prober; the others
// wait until it gets an answer, or until it leaves and one of them takes over.
type hostGate struct {
	t *Timings

	mu     sync.Mutex
	prober *stream
	since  time.Time     // of the first failure of this outage
	dialed time.Time     // the prober's last attempt
	next   time.Time     // the prober's next attempt
	open   chan struct{} // closed when the wait is over; nil while the host answers
}

// enter asks whether s may send a request. If not, it gets the time of the
// prober's next attempt and the channel to wait on; without a channel s is the
// prober itself and too early.
func (g *hostGate) enter(s *stream, now time.Time) (wait <-chan struct{}, next time.Time, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.open == nil:
		return nil, time.Time{}, true
	case g.prober == nil: // the last one left: s takes over, at the pace of the outage
		if g.prober = s; now.Before(g.next) {
			return nil, g.next, false
		}
	case g.prober != s:
		return g.open, g.next, false
	}
	g.dialed = now
	return nil, time.Time{}, true
}

// down reports that s could not reach the host and would try again after d. It
// returns the time of its next attempt, or ok false if another one probes.
func (g *hostGate) down(s *stream, now time.Time, d time.Duration) (next time.Time, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open, g.since, g.dialed = make(chan struct{}), now, now
	}
	if g.prober == nil {
		g.prober = s
	}
	if g.prober != s {
		return time.Time{}, false
	}
	g.next = now.Add(d)
	if floor := g.dialed.Add(g.t.ProbeGap); now.Sub(g.since) >= g.t.BackoffLong && g.next.Before(floor) {
		g.next = floor
	}
	return g.next, true
}

// answered reports that the host gave any answer at all.
func (g *hostGate) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		close(g.open)
		g.open, g.prober = nil, nil
	}
}

// leave reports that s will not probe any more: it was paused or has ended.
func (g *hostGate) leave(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil || g.prober != s {
		return
	}
	// Wake everybody; the first one in enter takes over.
	g.prober = nil
	close(g.open)
	g.open = make(chan struct{})
}

// probing returns the stream that probes the host, nil while it answers.
func (g *hostGate) probing() *stream {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prober
}
