package watch

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"rewatch/model"
)

// kind is what a request is for.
type kind uint8

const (
	reqList      kind = iota
	reqWatch          // from a resourceVersion
	reqWatchList      // with the initial state streamed
	reqDiscovery
	reqPeek   // the resourceVersion of a list
	reqQueued // not sent yet
)

// verb is what the server checks permission for.
func (k kind) verb() string {
	if k == reqList || k == reqPeek {
		return "list"
	}
	return "watch"
}

// flight is one request, from its sending to the end of its answer.
type flight struct {
	kind   kind
	ctx    context.Context
	cancel context.CancelCauseFunc
	x      *exchange
	body   io.ReadCloser
	start  time.Time
	asked  time.Duration // timeoutSeconds of a watch
	number int64         // of the stream's requests, from 1
	path   string
	query  string
	how    failure // how it ended, where no verdict says so

	ended bool // under stream.mu, with took
	took  time.Duration

	frames  atomic.Int64
	last    atomic.Int64 // when something arrived, nanoseconds after start
	initial atomic.Int64 // when something of the initial state arrived, the same
	opened  atomic.Bool  // headers are here
	syncing atomic.Bool  // the initial state is arriving
	settled atomic.Bool  // the stream was called live
	overdue atomic.Bool
	late    bool // "awaiting headers" was said; under stream.mu
	at      time.Duration
}

// saw notes a sign of life.
func (f *flight) saw() { f.last.Store(int64(time.Since(f.start))) }

// heard is when something arrived last.
func (f *flight) heard() time.Time { return f.start.Add(time.Duration(f.last.Load())) }

// sawInitial notes progress of the initial state.
func (f *flight) sawInitial() { f.initial.Store(int64(time.Since(f.start))) }

// lived is how long the answer has been open.
func (f *flight) lived() time.Duration { return time.Since(f.start) - f.at }

// silent is how long nothing has arrived.
func (f *flight) silent() time.Duration { return time.Since(f.start) - time.Duration(f.last.Load()) }

// open sends a request and waits for its headers. A failure is returned as the
// error; the flight has to be ended either way.
func (s *stream) open(ctx context.Context, k kind, opts *metav1.ListOptions) (*flight, error) {
	s.tellPast()
	f := s.newFlight(ctx, k)
	r := s.request(opts)
	f.address(s.t.path(), r)
	if opts.TimeoutSeconds != nil {
		f.asked = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	s.sending(f)
	if s.take(f) {
		f.outcome(errInterrupt)
		return f, errInterrupt
	}
	body, err := r.Stream(quiet(withExchange(f.ctx, f.x)))
	if err != nil {
		return f, err
	}
	s.gate.answered()
	s.refusals, s.slow = 0, 0
	f.body = body
	f.at = time.Since(f.start)
	f.saw()
	f.sawInitial()
	f.opened.Store(true)
	return f, nil
}

// newFlight is the next request of the stream.
func (s *stream) newFlight(ctx context.Context, k kind) *flight {
	s.requests++
	f := &flight{kind: k, x: &exchange{}, start: time.Now(), number: s.requests}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	return f
}

// take makes f the request in flight. It reports whether it was interrupted
// before there was something to interrupt.
func (s *stream) take(f *flight) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flight = f
	return s.paused || s.slept > 0
}

func (s *stream) request(opts *metav1.ListOptions) *rest.Request {
	opts.LabelSelector, opts.FieldSelector = s.t.Label, s.t.Field
	return s.c.client.Get().AbsPath(s.t.path()...).
		SpecificallyVersionedParams(opts, s.c.params, optionsVersion).MaxRetries(0)
}

// end closes the answer. It is safe on every path, once.
func (s *stream) end(f *flight) {
	f.outcome(context.Cause(f.ctx))
	f.cancel(nil)
	if f.body != nil {
		_ = f.body.Close()
	}
	s.mu.Lock()
	s.flight, s.past, f.ended, f.took = nil, f, true, time.Since(f.start)
	s.mu.Unlock()
}

// sending publishes that a request leaves, unless the state already says so.
// Rotating, Denied, Gone and Polling last until there is an answer.
func (s *stream) sending(f *flight) {
	relisting := (f.kind == reqList || f.kind == reqWatchList) && s.complete && !s.polling
	switch state := s.now(); {
	case state == model.Denied, state == model.Gone, state == model.Polling, state == model.Syncing,
		state == model.Relisting, state == model.Rotating && !relisting, state == model.Connecting && !relisting:
	case relisting:
		s.to(model.Relisting, verdict{failure: failure{cause: s.lostCause}, next: f})
	default:
		s.to(model.Connecting, verdict{next: f})
	}
}

// arriving publishes that the initial state, or a list, is being read.
func (s *stream) arriving() {
	want := model.Syncing
	if s.complete {
		want = model.Relisting
	}
	if state := s.now(); state != want && !s.polling {
		s.to(want, verdict{})
	}
}

// sign notes a frame, and what it says about a stream that was not certain to live.
func (s *stream) sign(f *flight) {
	f.frames.Add(1)
	f.saw()
	if f.settled.Load() && !f.overdue.Load() || f.syncing.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.overdue.CompareAndSwap(true, false) && s.state == model.Overdue {
		s.toLocked(model.Live, verdict{failure: failure{text: "a frame arrived"}})
	}
	s.settleLocked(f)
}

// settleLocked calls the stream live; s.mu is held.
func (s *stream) settleLocked(f *flight) {
	if f.settled.CompareAndSwap(false, true) {
		s.toLocked(s.openState(), verdict{})
	}
}

// tick is called by the engine's ticker: what only the passing of time shows.
func (s *stream) tick(time.Time) {
	if s.look() {
		s.gate.slow(s) // locks other streams
	}
}

// look is tick, but for reporting that a request has waited long for its headers.
func (s *stream) look() (hanging bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flight
	if f == nil || f.kind == reqQueued {
		return false
	}
	s.lookAt(f)
	return !f.opened.Load() && time.Since(f.start) > s.e.o.Timings.ProbeGap
}

// lookAt does what the time calls for; s.mu is held.
func (s *stream) lookAt(f *flight) {
	t, age := &s.e.o.Timings, time.Since(f.start)
	if f.kind != reqWatch && f.kind != reqWatchList {
		if f.silent() > t.ListSilence {
			f.cancel(errSilent)
		} else if !f.opened.Load() {
			s.headersLate(f, age)
		}
		return
	}
	switch {
	case age > f.asked+t.Grace:
		f.cancel(errDeadline)
	case !f.opened.Load():
		s.headersLate(f, age)
	case f.syncing.Load():
		s.syncLate(f, age)
	case !f.settled.Load() && age-f.at >= t.MinLife:
		s.settleLocked(f)
	case s.state == model.Live && f.silent() > t.Overdue:
		f.overdue.Store(true)
		s.toLocked(model.Overdue, verdict{failure: failure{text: fmt.Sprintf("no frame for %v", f.silent().Round(time.Second))}})
	}
}

// headersLate keeps a rotation from looking fresh while its successor hangs.
func (s *stream) headersLate(f *flight, age time.Duration) {
	if f.late || age < s.e.o.Timings.MinLife {
		return
	}
	f.late = true
	if s.state == model.Rotating {
		s.toLocked(model.Connecting, verdict{failure: failure{text: "awaiting headers"}})
	}
}

// syncLate gives up on a server that does not end its initial list.
func (s *stream) syncLate(f *flight, age time.Duration) {
	limit := s.e.o.Timings.SyncSilence
	if f.frames.Load() == 0 {
		limit = s.e.o.Timings.SyncFirst
	}
	if age-time.Duration(f.initial.Load()) > limit {
		f.cancel(errNoEndMark)
	}
}
