package watch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rewatch/model"
)

// Target is one collection to watch. StreamInfo.ID, Context and Server are
// filled in by the engine.
type Target struct {
	model.StreamInfo
	// What this user may do, as far as it is known: a target that cannot be
	// watched is polled, one that cannot be listed depends on the server
	// streaming its initial list. Neither set means: not known, try both.
	CanList, CanWatch bool
}

func (t Target) mayList() bool  { return t.CanList || !t.CanWatch }
func (t Target) mayWatch() bool { return t.CanWatch || !t.CanList }

// Options of an engine. The zero value is the default.
type Options struct {
	Rand     func() float64 // in [0, 1), for jitter; called from many goroutines
	Timings  Timings
	MaxFrame int   // bytes of one frame or list item; larger ones are skipped and said. 32 MiB
	PageSize int64 // objects of one page of a list. 500
	Clock    Clock // finds sleep
	// Pace, if set, is called before each frame and each item of a list is read.
	// It may wait a little for who cannot follow, a recorder: the server keeps
	// what is not read, and one that loses patience lets the watch resume.
	Pace func()

	afterFrame func() // for tests: makes us slow
}

// Engine runs streams and writes what they see to a log.
type Engine struct {
	log *model.Log
	o   Options

	mu      sync.Mutex
	streams []*stream // by StreamID, nil where another writer owns the number, or it was removed
	gates   map[*Cluster]*hostGate
	ctx     context.Context // of Run; nil before
	end     context.CancelFunc
	running sync.WaitGroup
	ended   atomic.Bool // some stream was removed
	crash   any         // what the first stream that panicked said, and where
}

// NewEngine returns an engine that writes to log.
func NewEngine(log *model.Log, o Options) *Engine {
	o.Timings = o.Timings.withDefaults()
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.MaxFrame == 0 {
		o.MaxFrame = 32 << 20
	}
	if o.PageSize == 0 {
		o.PageSize = 500
	}
	if o.Clock == nil {
		o.Clock = systemClock()
	}
	return &Engine{log: log, o: o, gates: map[*Cluster]*hostGate{}}
}

// Add registers a stream; it starts at once if the engine runs, and with Run
// otherwise.
func (e *Engine) Add(c *Cluster, t Target) model.StreamID {
	t.Context, t.Server = c.name, c.host
	e.mu.Lock()
	defer e.mu.Unlock()
	t.ID = e.log.AddStream(t.StreamInfo)
	gate := e.gates[c]
	if gate == nil {
		gate = &hostGate{t: &e.o.Timings}
		e.gates[c] = gate
	}
	s := newStream(e, c, t, gate)
	for len(e.streams) <= int(t.ID) {
		e.streams = append(e.streams, nil)
	}
	e.streams[t.ID] = s
	if e.ctx != nil {
		e.start(s)
	}
	return t.ID
}

// start runs a stream; e.mu is held.
func (e *Engine) start(s *stream) {
	if e.ctx.Err() != nil {
		return // Run is ending and may not be kept
	}
	ctx, end := context.WithCancel(e.ctx)
	s.cease = end
	e.running.Go(func() {
		defer e.caught()
		defer end()
		s.run(ctx)
		e.forgetCluster(s.c)
	})
}

// Remove ends a stream for good, at the wish of the user: its last record says
// so, and what it watched is no longer known to exist. It returns at once.
func (e *Engine) Remove(id model.StreamID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if id < 0 || int(id) >= len(e.streams) || e.streams[id] == nil {
		return
	}
	s := e.streams[id]
	e.streams[id] = nil
	s.removed.Store(true)
	e.ended.Store(true)
	if s.cease == nil { // it never began
		s.to(model.Stopped, s.farewell())
		return
	}
	s.cease()
}

// forgetCluster closes the connections to a cluster of which no stream is left.
func (e *Engine) forgetCluster(c *Cluster) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.ContainsFunc(e.streams, func(s *stream) bool { return s != nil && s.c == c }) {
		delete(e.gates, c)
		c.Close()
	}
}

// caught keeps the panic of a stream for Run, and ends the others.
func (e *Engine) caught() {
	if r := recover(); r != nil {
		e.mu.Lock()
		if e.crash == nil {
			e.crash = fmt.Sprintf("%v\n\n%s", r, debug.Stack())
		}
		e.mu.Unlock()
		e.end()
	}
}

// Run runs the streams until ctx ends, and returns when every goroutine of the
// engine has. It may be called once. If a stream panics, Run ends them all and
// panics itself: its caller knows of the terminal that must be given back.
func (e *Engine) Run(ctx context.Context) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	e.mu.Lock()
	e.ctx, e.end = ctx, end
	for _, s := range e.all() {
		e.start(s)
	}
	e.mu.Unlock()
	e.keepWatch(ctx)
	e.mu.Lock() // a concurrent Add sees the end of ctx, or has started its stream
	streams := e.all()
	e.mu.Unlock()
	e.running.Wait()
	for _, s := range streams {
		s.c.Close()
	}
	if e.crash != nil {
		panic(e.crash)
	}
}

// all returns the streams there are; e.mu is held.
func (e *Engine) all() []*stream {
	var all []*stream
	for _, s := range e.streams {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// each calls f for one stream, or for all if id is negative.
func (e *Engine) each(id model.StreamID, f func(*stream)) {
	e.mu.Lock()
	all := e.all()
	e.mu.Unlock()
	for _, s := range all {
		if id < 0 || s.id == id {
			f(s)
		}
	}
}

// keepWatch looks for silence and for sleep until ctx ends.
func (e *Engine) keepWatch(ctx context.Context) {
	sleep := newSleepWatch(e.o.Clock)
	tick := time.NewTicker(e.o.Timings.Tick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		slept := sleep.look()
		e.each(-1, func(s *stream) {
			if slept >= e.o.Timings.Sleep {
				s.wakeUp(slept)
				return
			}
			s.tick(time.Now())
		})
	}
}

// Retry makes a stream that waits try now; id < 0 means all of them.
func (e *Engine) Retry(id model.StreamID) {
	e.each(id, func(s *stream) {
		s.retryNow()
		if p := s.gate.probing(); p != nil && p != s {
			p.retryNow() // s waits for that one
		}
	})
}

// SetPaused stops a stream, or lets it go on from where it was; id < 0 means
// all of them. What changes meanwhile is delivered later if the server still
// has it, and found by a relist otherwise.
func (e *Engine) SetPaused(id model.StreamID, paused bool) {
	e.each(id, func(s *stream) { s.setPaused(paused) })
}
