package watch

import (
	"slices"
	"sync"
	"time"
)

// hostGate keeps all but one stream of a context from dialling a host that does
// not answer. Contexts that lead to the same host have gates of their own: what
// fails may be the proxy, the certificates or the credentials of one of them.
// The first stream that cannot reach the host becomes its prober; the others
// wait until somebody gets an answer, or until it is their turn to probe.
type hostGate struct {
	t *Timings

	mu      sync.Mutex
	prober  *stream
	handed  bool          // the prober took over and has not looked at next yet
	waiting []*stream     // in order of arrival
	since   time.Time     // of the first failure of this outage
	dialed  time.Time     // the last attempt
	next    time.Time     // when the next attempt is due
	open    chan struct{} // closed when the wait is over; nil while the host answers
}

// enter asks whether s may send a request. If not, it gets the time of the
// next attempt and the channel to wait on; without a channel s is the prober
// itself and too early.
func (g *hostGate) enter(s *stream, now time.Time) (wait <-chan struct{}, next time.Time, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.open == nil:
		return nil, time.Time{}, true
	case g.prober == nil: // the last one left
		g.prober, g.handed = s, true
	case g.prober != s:
		if !slices.Contains(g.waiting, s) {
			g.waiting = append(g.waiting, s)
		}
		return g.open, g.next, false
	}
	if early := g.handed && now.Before(g.next); early {
		g.handed = false
		return nil, g.next, false
	}
	g.handed, g.dialed = false, now
	return nil, time.Time{}, true
}

// down reports that s got no answer from the host and would try again after d.
// It returns when the next attempt is due, and whether s is to make it. After
// a soft failure (the host took the connection, but did not answer) another
// stream is next: the fault may lie with the one request.
func (g *hostGate) down(s *stream, now time.Time, d time.Duration, soft bool) (next time.Time, probing bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open, g.since, g.dialed = make(chan struct{}), now, now
	}
	if g.prober == nil {
		g.prober = s
	}
	if g.prober != s {
		return g.next, false
	}
	g.next = now.Add(d)
	if floor := g.dialed.Add(g.t.ProbeGap); now.Sub(g.since) >= g.t.BackoffLong && g.next.Before(floor) {
		g.next = floor
	}
	if soft && len(g.waiting) > 0 {
		g.handOver()
		return g.next, false
	}
	return g.next, true
}

// handOver makes the stream that has waited longest the prober, if there is
// one; g.mu is held.
func (g *hostGate) handOver() {
	g.prober, g.handed = nil, false
	if len(g.waiting) > 0 {
		g.prober, g.handed = g.waiting[0], true
		g.waiting = g.waiting[1:]
		g.prober.yourTurn()
	}
}

// slow reports that s has waited for an answer for a while. If it probes,
// another one is to try: its connection may be dead where the host is not.
func (g *hostGate) slow(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.prober == s && !g.handed && len(g.waiting) > 0 {
		g.handOver()
	}
}

// answered reports that the host gave any answer at all.
func (g *hostGate) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		close(g.open)
		g.open, g.prober, g.handed, g.waiting = nil, nil, false, nil
	}
}

// leave reports that s neither waits nor probes any more: it was paused or has
// ended.
func (g *hostGate) leave(s *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(w *stream) bool { return w == s })
	if g.prober == s {
		g.handOver()
	}
}

// probing returns the stream that probes the host, nil while it answers.
func (g *hostGate) probing() *stream {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prober
}
