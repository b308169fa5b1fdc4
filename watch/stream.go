package watch

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rewatch/model"
)

// stream is one list/watch loop. Its goroutine owns every field but those
// below mu, which the engine's ticker and the user's commands touch too.
type stream struct {
	e    *Engine
	c    *Cluster
	t    Target
	id   model.StreamID
	gate *hostGate

	apiVersion string
	secret     bool // nothing of the content may be quoted
	selective  bool // a selector may hide an object that still exists

	inv      *inventory
	cmp      *comparison
	heritage heritage
	complete bool // the whole state was known once: from now on lists are compared
	back     backoff
	buf      []byte // an item of a list with its kind, reused
	frame    []byte // the frame that is being taken in; nil in lists

	listOnly   bool // no streamed initial list
	polling    bool // no watch
	noWatch    bool // the watch was refused; polling is tried, and what is said if that is refused too
	vanished   bool // the resource is not served
	noInitial  bool // the server refused to stream the initial list
	opaque     bool // no resourceVersion to resume from
	doubt      bool // the position may lie in the future
	saidOpaque bool
	distrusted bool // the server refused a resourceVersion that it had given
	kills      int  // streamed lists that died in a row
	empties    int  // watches in a row that ended at once without a frame
	shorts     int  // watches in a row that ended in order but early
	lagging    int  // answers in a row that our resourceVersion is too new
	stuck      int  // ERROR frames in a row at the same resourceVersion
	slow       int  // slow retries in a row
	expiries   int  // 410 in a row, none of the watches between healthy
	refusals   int  // 401 in a row
	requests   int64
	lostAt     time.Time
	lostRV     string
	lostCause  model.Cause

	poke chan struct{} // wakes the goroutine to look at the flags

	cease   context.CancelFunc // ends run; nil before; of the engine
	removed atomic.Bool        // by the user

	mu     sync.Mutex
	state  model.State
	flight *flight // the request that is open, if any
	past   *flight // the newest one, while no step has told how it ended
	rv     string  // to resume from; "" is none
	paused bool
	retry  bool          // the user wants it now
	slept  time.Duration // not reported yet
	turn   bool          // to probe the host
}

func newStream(e *Engine, c *Cluster, t Target, gate *hostGate) *stream {
	s := &stream{e: e, c: c, t: t, id: t.ID, gate: gate, inv: newInventory(), poke: make(chan struct{}, 1)}
	s.back = backoff{t: &e.o.Timings, rand: e.o.Rand}
	s.apiVersion = t.Version
	if t.Group != "" {
		s.apiVersion = t.Group + "/" + t.Version
	}
	s.secret = t.Group == "" && t.Resource == "secrets" || len(e.log.Redactor().Rules()) > 0
	s.selective = t.Label != "" || fieldsMayChange(t.Field)
	s.listOnly = !t.mayWatch()
	s.polling = !t.mayWatch()
	return s
}

// fieldsMayChange reports whether an object can leave a field selector while
// it exists: not if it selects by what never changes.
func fieldsMayChange(selector string) bool {
	for term := range strings.SplitSeq(selector, ",") {
		if f, _, _ := strings.Cut(strings.TrimSpace(term), "="); f != "" && f != "metadata.name" && f != "metadata.namespace" {
			return true
		}
	}
	return false
}

// run is the goroutine of the stream: until ctx ends it sends a request, reads
// it to its end, and does what that end calls for.
func (s *stream) run(ctx context.Context) {
	defer s.gate.leave(s)
	if !s.isPaused() {
		s.to(model.Connecting, verdict{failure: failure{cause: model.CauseStart}})
	}
	for ctx.Err() == nil {
		if !s.control(ctx) {
			continue
		}
		v := s.attempt(ctx)
		if ctx.Err() == nil {
			s.act(ctx, v)
		}
	}
	s.to(model.Stopped, s.farewell())
}

// farewell says why the stream is over.
func (s *stream) farewell() verdict {
	if s.removed.Load() {
		return verdict{failure: failure{cause: model.CauseUser, text: "removed"}}
	}
	return verdict{failure: failure{cause: model.CauseShutdown}}
}

// control does what was asked from outside: pause, sleep. It returns false if
// the flags have to be looked at again.
func (s *stream) control(ctx context.Context) bool {
	s.mu.Lock()
	paused, slept, state := s.paused, s.slept, s.state
	s.slept = 0
	if !paused {
		s.retry, s.turn = false, false
	}
	s.mu.Unlock()
	switch {
	case paused:
		s.gate.leave(s)
		if state != model.Paused {
			s.to(model.Paused, verdict{failure: failure{cause: model.CauseUser, text: "paused"}})
		}
		s.wait(ctx, -1, nil)
		return false
	case slept > 0:
		s.back.reset()
		if state.Fresh() || state == model.Overdue { // it was followed until it fell asleep
			s.lostAt = s.lostAt.Add(-slept)
		}
		d := s.jitter(s.e.o.Timings.MinLife) // every stream of every machine in the room wakes at once
		s.to(model.Slept, verdict{until: time.Now().Add(d), failure: failure{cause: model.CauseSlept,
			text: fmt.Sprintf("slept %v: reconnecting", slept.Round(time.Second))}})
		s.wait(ctx, d, nil)
	}
	return ctx.Err() == nil
}

// wait waits for d (negative: for ever), for up to be closed, or for a command.
func (s *stream) wait(ctx context.Context, d time.Duration, up <-chan struct{}) {
	var timeout <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeout = timer.C
	}
	paused := s.isPaused()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timeout:
			return
		case <-up:
			return
		case <-s.poke:
		}
		s.mu.Lock()
		woken := s.paused != paused || !s.paused && (s.retry || s.slept > 0 || s.turn)
		s.mu.Unlock()
		if woken {
			return
		}
	}
}

// jitter is a random time below d.
func (s *stream) jitter(d time.Duration) time.Duration {
	return time.Duration(s.e.o.Rand() * float64(d))
}

// to publishes a step of the state machine.
func (s *stream) to(state model.State, v verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.toLocked(state, v)
}

func (s *stream) toLocked(state model.State, v verdict) {
	t := model.Transition{From: s.state, To: state, Cause: v.cause, Text: v.text, Attempt: v.attempt, Until: v.until,
		Status: v.status, RV: s.rv, Total: v.total}
	f := v.flight
	if f == nil {
		f = s.flight
	}
	if f != nil {
		t.Bytes, t.Frames, t.Took = f.x.bytes.Load(), f.frames.Load(), time.Since(f.start)
		if f.opened.Load() || v.flight != nil { // the tap has written by now
			t.Proto = f.x.proto
			if t.Status == 0 {
				t.Status = f.x.status
			}
		}
	}
	t.Request = s.tell(v)
	s.state = state
	s.e.log.Append(model.Record{Time: time.Now(), Stream: s.id, Type: model.StreamChange, Detail: t})
}

// note publishes something that changes no state.
func (s *stream) note(cause model.Cause, text string) {
	s.e.log.Append(model.Record{Time: time.Now(), Stream: s.id, Type: model.Noted, Detail: model.Note{Cause: cause, Text: text}})
}

// openState is the state of a watch that works.
func (s *stream) openState() model.State {
	if s.t.Uncached {
		return model.Quiet
	}
	return model.Live
}

func (s *stream) now() model.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *stream) isPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

func (s *stream) setRV(rv string) {
	s.mu.Lock()
	s.rv = rv
	s.mu.Unlock()
}

// resume returns the position to resume from.
func (s *stream) resume() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rv
}

// forget drops the resume position: the next thing is a list. What is known
// stays, to be compared with.
func (s *stream) forget(why model.Cause) {
	if s.lostCause == model.CauseNone {
		s.lostRV, s.lostCause = s.resume(), why
	}
	s.setRV("")
}

// interrupt ends the request in flight and any wait; s.mu is held.
func (s *stream) interrupt() {
	if s.flight != nil {
		s.flight.cancel(errInterrupt)
	}
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

func (s *stream) setPaused(paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused != paused {
		s.paused = paused
		s.interrupt()
	}
}

// retryNow ends a wait, and a request that shows no sign of life.
func (s *stream) retryNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case model.Backoff, model.Expired, model.Denied, model.Gone, model.Stopped, model.Slept, model.Polling, model.Overdue:
	case model.Connecting:
		if s.flight == nil || !s.flight.late {
			return
		}
	default:
		return
	}
	s.retry = true
	s.interrupt()
}

// yourTurn ends the wait for another stream to probe the host.
func (s *stream) yourTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = true
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// wakeUp tells the stream that the machine slept. Its connections are as good
// as dead: their peers gave up long ago.
func (s *stream) wakeUp(slept time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused || s.state == model.Stopped || s.state == model.Idle {
		return
	}
	s.slept += slept
	s.interrupt()
}
