package player

import (
	"context"
	"math"
	"sync"
	"time"

	"rewatch/model"
	"rewatch/model/deck"
	"rewatch/model/redact"
	"rewatch/watch/tape"
)

// Source is a tape to play, with the name to call it by.
type Source struct {
	Name string
	Tape *tape.Tape
}

// Options of a Player; zeroes mean the defaults.
type Options struct {
	Log    model.Options // of the logs that are filled
	At     time.Time     // where to begin: the start of the tapes
	Speed  float64       // how many times faster than recorded, +Inf is as fast as possible: 1
	Paused bool          // do not play before Play is called
	// Hold, if it is set, is asked before anything is played: while it reports
	// true nothing is. It is for a reader that must not lose rows.
	Hold func() bool

	// For tests; see jump.go.
	small, window, near, large int64
}

// Player plays tapes. Its methods return at once and may be called from any
// goroutine; Run does the work.
type Player struct {
	reel    *reel
	o       Options
	changed chan struct{}
	kick    chan struct{}

	// Only for Run.
	take  *take
	asked int64 // where the clock was when the wish came that is being granted

	mu       sync.Mutex
	behind   bool // what is due was not appended yet when the clock was stopped
	log      *model.Log
	clock    clock
	playback deck.Playback // all but Now and what the clock has
	overview deck.Overview
	wish     *wish // the newest that is not granted yet
	granting *wish
	cancel   context.CancelFunc // of granting
}

// New returns a Player of one or several tapes; it does nothing before Run.
func New(sources []Source, o Options) *Player {
	p := &Player{reel: newReel(sources), o: o, changed: make(chan struct{}, 1), kick: make(chan struct{}, 1)}
	if p.o.Speed == 0 {
		p.o.Speed = 1
	}
	if p.o.small == 0 {
		p.o.small, p.o.window, p.o.near, p.o.large = smallTape, window, near, largeState
	}
	if p.o.Log.Redactor == nil {
		p.o.Log.Redactor = redact.New() // the same for every log
	}
	p.log = model.NewLog(o.Log)
	for _, s := range p.reel.streams {
		p.log.AddStream(s)
	}
	at := p.reel.from
	if !o.At.IsZero() {
		at = p.reel.within(o.At)
	}
	p.clock = clock{at: at.UnixNano(), wall: time.Now(), playing: !o.Paused, held: true, speed: p.o.Speed, limit: p.reel.to.UnixNano()}
	p.playback = deck.Playback{From: p.reel.from, To: p.reel.to, Held: p.reel.from, Events: p.reel.events}
	p.playback.Damaged = p.reel.damaged()
	p.overview = p.reel.density()
	p.wish = &wish{kind: seek, to: at}
	p.playback.Seeking, p.playback.Target = true, at
	return p
}

// Span is when the first of some tapes begins, and when the last one ends.
func Span(sources []Source) (from, to time.Time) {
	r := newReel(sources)
	return r.from, r.to
}

// within is the moment of the tapes that is nearest to another one.
func (r *reel) within(t time.Time) time.Time {
	switch {
	case t.Before(r.from):
		return r.from
	case t.After(r.to):
		return r.to
	}
	return t
}

// unfinished says that a tape ends without its end, "" if none does.
func (r *reel) unfinished() string {
	for _, p := range r.parts {
		if !p.Tape.Info().Closed && p.to == r.to.UnixNano() {
			return p.Name + " ends here: its recorder still runs, or was killed"
		}
	}
	return ""
}

func (r *reel) damaged() bool {
	for _, p := range r.parts {
		if len(p.Tape.Info().Damages) > 0 {
			return true
		}
	}
	return false
}

// Log is the log that is played into: another one after a jump.
func (p *Player) Log() *model.Log {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log
}

// Changed has a value pending after Log, Playback or Overview have changed in
// another way than by the passing of time: one conflated wake-up.
func (p *Player) Changed() <-chan struct{} { return p.changed }

func (p *Player) notify() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// Playback is how things stand.
func (p *Player) Playback() deck.Playback {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.playback
	b.Now, b.Playing, b.Speed = time.Unix(0, p.clock.now()), p.clock.playing, p.clock.speed
	return b
}

// Overview is the whole of the tapes for a scrubber.
func (p *Player) Overview() deck.Overview {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.overview
}

// Streams are those of all tapes, as Log numbers them.
func (p *Player) Streams() []model.StreamInfo { return p.reel.streams }

// wishKind is what was asked for.
type wishKind uint8

const (
	seek wishKind = iota
	step
	find
	earlier
)

type wish struct {
	kind     wishKind
	to       time.Time
	n        int
	landmark deck.Landmark
	merged   bool // into a newer one: what comes of it is of no use
}

// want replaces what was wanted before.
func (p *Player) want(w wish) {
	p.mu.Lock()
	if w.kind == step {
		// Steps that come faster than they can be taken add up. One forwards
		// that has begun will be taken.
		if before := p.wish; before != nil && before.kind == step {
			w.n += before.n
		} else if before := p.granting; before != nil && p.wish == nil && before.kind == step && before.n < 0 && !before.merged {
			w.n += before.n
			before.merged = true
		}
	}
	if w.kind == step || w.kind == find {
		p.stop()
	}
	p.wish = &w
	p.playback.Seeking, p.playback.Target, p.playback.Text = true, w.to, ""
	if p.cancel != nil {
		p.cancel()
	}
	p.mu.Unlock()
	p.poke()
	p.notify()
}

// stop stops the clock; p.mu is held.
func (p *Player) stop() {
	if p.clock.playing {
		p.clock.set(p.clock.now())
		p.clock.playing = false
		p.behind = true
	}
}

func (p *Player) poke() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// Play goes on or pauses. At the end, it begins again from the start.
func (p *Player) Play(on bool) {
	p.mu.Lock()
	restart := on && p.playback.AtEnd && !p.playback.Seeking
	switch {
	case !on:
		p.stop()
	default:
		p.clock.set(p.clock.now())
		p.clock.playing = true
	}
	p.mu.Unlock()
	if restart {
		p.want(wish{kind: seek, to: p.reel.from})
		return
	}
	p.poke()
	p.notify()
}

// SetSpeed sets how many times faster than recorded to play; +Inf is as fast as
// possible. What is not above 0 is ignored.
func (p *Player) SetSpeed(x float64) {
	if !(x > 0) {
		return
	}
	p.mu.Lock()
	p.clock.set(p.clock.now())
	p.clock.speed = x
	p.mu.Unlock()
	p.poke()
	p.notify()
}

// Step pauses and moves by n events, backwards if negative.
func (p *Player) Step(n int) {
	if n != 0 {
		p.want(wish{kind: step, n: n})
	}
}

// Seek moves to a moment; outside of the tapes it is their start or end.
func (p *Player) Seek(to time.Time) { p.want(wish{kind: seek, to: p.reel.within(to)}) }

// Find pauses and moves to the next landmark, so that it is the newest row.
func (p *Player) Find(l deck.Landmark) { p.want(wish{kind: find, landmark: l}) }

// Earlier puts more rows before Playback.Held into the log.
func (p *Player) Earlier() {
	p.mu.Lock()
	busy := p.playback.Seeking || !p.playback.Held.After(p.playback.From)
	p.mu.Unlock()
	if !busy { // a jump is worth more
		p.want(wish{kind: earlier})
	}
}

// Run plays until ctx ends, and returns when every goroutine of the Player has.
// It may be called once.
func (p *Player) Run(ctx context.Context) {
	var survey sync.WaitGroup
	defer survey.Wait()
	survey.Go(func() { p.survey(ctx) })
	for ctx.Err() == nil {
		if w, wctx := p.next(ctx); w != nil {
			p.grant(wctx, w)
			continue
		}
		wait := p.play(ctx)
		if wait == 0 || p.take != nil && p.take.log.Pack(packBatch) {
			continue
		}
		p.rest(ctx, wait)
	}
}

// packBatch is how many objects of a state are packed before the next look at
// what is due: less than a millisecond's worth.
const packBatch = 64

// forever is a wait for a wish.
const forever = math.MaxInt64

// rest waits for the time at which something is due, or for something to do.
func (p *Player) rest(ctx context.Context, wait time.Duration) {
	var due <-chan time.Time
	if wait != forever {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-p.kick:
	case <-due:
	}
}

// next takes the newest wish.
func (p *Player) next(ctx context.Context) (*wish, context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.wish
	if w == nil {
		return nil, nil
	}
	p.wish, p.granting = nil, w
	p.clock.set(p.clock.now())
	p.clock.held, p.asked = true, p.clock.at
	ctx, p.cancel = context.WithCancel(ctx)
	return w, ctx
}

// batch is how many records are appended between two looks at the clock and at
// the wishes.
const batch = 256

// holdPause is how soon Hold is asked again.
const holdPause = 5 * time.Millisecond

// play appends what is due, and returns how long nothing is. A wish ends it.
func (p *Player) play(ctx context.Context) time.Duration {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.mu.Lock()
	c, behind := p.clock, p.behind
	if p.cancel = cancel; p.wish != nil {
		cancel()
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.cancel = nil
		p.mu.Unlock()
	}()
	t := p.take
	if t == nil || t.partial || !c.playing && !behind {
		return forever
	}
	if p.o.Hold != nil && p.o.Hold() {
		return holdPause
	}
	fast := math.IsInf(c.speed, 1) && c.playing
	now := c.now()
	n := 0
	for n < batch && (fast || t.cursor.peek() <= now) && !t.partial && t.step(ctx) {
		n++
	}
	next := t.cursor.peek()
	p.mu.Lock()
	defer p.mu.Unlock()
	if fast {
		now = t.now
		p.clock.at = max(p.clock.at, now)
	}
	p.tell(t)
	if next <= now {
		if p.clock.playing || p.behind {
			return 0
		}
		return forever
	}
	p.behind = false
	if next == over && now >= p.clock.limit || fast && next == over {
		if p.clock.set(p.clock.limit); p.clock.playing {
			p.clock.playing = false
			p.notify()
		}
		p.tell(t)
		return forever
	}
	if fast {
		return 0
	}
	return max(time.Duration(float64(min(next, p.clock.limit)-now)/c.speed), time.Microsecond)
}

// tell brings Playback up to date; p.mu is held.
func (p *Player) tell(t *take) {
	b := &p.playback
	b.Event, b.Events = t.cursor.events(), p.reel.events
	if b.AtEnd = t.cursor.peek() == over && p.clock.at >= p.clock.limit; b.AtEnd && b.Text == "" {
		b.Text = p.reel.unfinished()
	}
	b.Held, b.Earlier = p.reel.from, t.before
	if t.start != beginning {
		b.Held = time.Unix(0, t.start)
	}
	if len(t.damages) > 0 {
		b.Damaged = true
	}
}
