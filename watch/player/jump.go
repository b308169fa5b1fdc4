package player

import (
	"context"
	"slices"
	"time"
)

const (
	// smallTape is how many events are loaded from the start of the tapes on,
	// so that all of it is in the log: about what takes 300 ms.
	smallTape = 12_000
	// window is how many events before a moment are loaded otherwise.
	window = 1_000
	// previewShare is what part of them is enough for what is shown first.
	previewShare = 3
	// near is how many events ahead of the moment shown are played rather than
	// jumped over, so that the log keeps what it has.
	near = 10_000
	// largeState is how many bytes of a tape take so long to read for the state
	// of a moment that what is shown of it comes first: a tenth of a second.
	largeState = 4 << 20
)

// arrival is where a wish led.
type arrival struct {
	take *take
	at   int64 // of the clock
	text string
	// fulfilled: everything up to the place is in the log, and nothing behind it.
	fulfilled bool
}

// grant does what was wished for. A newer wish ends ctx.
func (p *Player) grant(ctx context.Context, w *wish) {
	if p.take == nil && w.kind != seek { // it came before there was a log
		if a, err := p.seek(ctx, p.asked); err == nil {
			p.arrive(w, a, false)
		}
	}
	a, err := arrival{}, ctx.Err()
	if err == nil {
		a, err = p.granted(ctx, w)
	}
	newer := ctx.Err() != nil
	if err != nil {
		a = arrival{take: p.take, at: p.asked}
		if p.take != nil && p.take.now > a.at { // part of the way was gone
			a.at = p.take.now
		}
		if !newer {
			a.text = err.Error()
		} else if w.kind == step && w.n > 0 {
			p.again(w)
		}
	}
	p.arrive(w, a, !newer)
}

func (p *Player) granted(ctx context.Context, w *wish) (arrival, error) {
	if p.take != nil && p.take.partial && w.kind != seek { // a step counts from what it shows
		rows := p.take.rows
		t, err := p.build(ctx, p.take.start, func(t *take) bool { return t.rows >= rows })
		if err != nil {
			return arrival{}, err
		}
		p.take = t
	}
	switch w.kind {
	case seek:
		return p.seek(ctx, w.to.UnixNano())
	case step:
		if w.n < 0 {
			return p.stepBack(ctx, -w.n)
		}
		return p.step(ctx, w.n)
	case find:
		return p.find(ctx, w.landmark)
	}
	return p.earlier(ctx)
}

// again adds steps that were not taken to those that are wished for since.
func (p *Player) again(w *wish) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wish != nil && p.wish.kind == step {
		p.wish.n += w.n
	}
}

// arrive shows where a wish led; last is whether it was the newest one.
func (p *Player) arrive(w *wish, a arrival, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.take != nil && !w.merged {
		p.take, p.log = a.take, a.take.log
		p.clock.set(a.at)
		p.asked = a.at
		p.behind = p.behind && !a.fulfilled
	}
	if last && p.wish == nil {
		p.cancel()
		p.cancel, p.granting = nil, nil
		p.clock.set(p.clock.at)
		p.clock.held = false
		p.playback.Seeking, p.playback.Target, p.playback.Text = false, time.Time{}, a.text
	}
	if p.take != nil {
		p.tell(p.take)
	}
	p.notify()
}

// build fills a new log from a moment on until it is done.
func (p *Player) build(ctx context.Context, start int64, done func(*take) bool) (*take, error) {
	return p.fill(ctx, start, nil, done)
}

func (p *Player) fill(ctx context.Context, start int64, pre *preview, done func(*take) bool) (*take, error) {
	t, err := newTake(ctx, p.reel, start, pre, p.o.Log)
	if err != nil {
		return nil, err
	}
	return t, advance(ctx, t, done)
}

// show is build for a moment that is waited for: if that takes long, a log comes
// first that is without the objects that nothing is shown of, or without much of
// what was before.
func (p *Player) show(ctx context.Context, to int64, done func(*take) bool) (*take, error) {
	start := p.start(to)
	t, err := p.first(ctx, start, to, done)
	if err != nil || !t.partial {
		return t, err
	}
	p.preview(t, to)
	return p.build(ctx, start, done)
}

// first fills the log that is shown first of a moment.
func (p *Player) first(ctx context.Context, start, to int64, done func(*take) bool) (*take, error) {
	if !p.long(start, to) {
		return p.build(ctx, start, done)
	}
	short := max(start, p.reel.before(to, p.o.window/previewShare))
	t, err := p.fill(ctx, short, &preview{to, p.o.large}, done)
	if err == nil && short > start {
		t.partial = true
	}
	return t, err
}

// long reports whether a log takes so long to fill that another one comes first.
func (p *Player) long(start, to int64) bool {
	if start == beginning {
		return p.reel.eventsUntil(to) > 2*p.o.window
	}
	return slices.ContainsFunc(p.reel.parts, func(x *part) bool {
		return x.from <= start && x.Tape.Behind(time.Unix(0, start)) >= p.o.large
	})
}

// preview shows a log that another one will replace.
func (p *Player) preview(t *take, at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take, p.log, p.asked, p.behind = t, t.log, at, false
	p.clock.set(at)
	p.tell(t)
	p.playback.Text = "loading what else there was"
	p.notify()
}

// advance appends what comes next until it is done.
func advance(ctx context.Context, t *take, done func(*take) bool) error {
	for n := 1; !done(t) && t.step(ctx); n++ {
		if (n%batch == 0 || t.partial) && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

func until(at int64) func(*take) bool {
	return func(t *take) bool { return t.cursor.peek() > at }
}

// start is where to begin a log that shows a moment.
func (p *Player) start(at int64) int64 {
	if p.reel.eventsUntil(at) <= p.o.small {
		return beginning
	}
	return p.reel.before(at, p.o.window)
}

func (p *Player) seek(ctx context.Context, to int64) (arrival, error) {
	return p.reach(ctx, to, until(to))
}

// reach makes a log that ends where it is done, which is at about a moment; the
// one shown, if that is not far ahead.
func (p *Player) reach(ctx context.Context, to int64, done func(*take) bool) (arrival, error) {
	start := p.start(to)
	t := p.take
	var err error
	if t != nil && !t.partial && t.now <= to && (start <= t.start || p.reel.eventsUntil(to)-t.cursor.events() <= p.o.near) {
		err = advance(ctx, t, done)
	} else {
		t, err = p.show(ctx, to, done)
	}
	if err != nil {
		return arrival{}, err
	}
	return arrival{take: t, at: to, fulfilled: true}, nil
}

// step appends n rows.
func (p *Player) step(ctx context.Context, n int) (arrival, error) {
	t := p.take
	rows := t.rows + int64(n)
	for t.rows < rows && t.step(ctx) {
		if t.partial {
			return arrival{}, ctx.Err()
		}
	}
	return arrival{take: t, at: max(t.now, p.reel.from.UnixNano()), fulfilled: true}, nil
}

// stepBack makes a log that lacks the newest n rows.
func (p *Player) stepBack(ctx context.Context, n int) (arrival, error) {
	start, rows := p.take.start, p.take.rows-int64(n)
	for rows < 0 && start != beginning {
		further := p.reel.before(start, max(p.o.window, -2*rows))
		t, err := p.build(ctx, further, until(start))
		if err != nil {
			return arrival{}, err
		}
		start, rows = further, rows+t.rows
	}
	t, err := p.build(ctx, start, func(t *take) bool { return t.rows >= rows })
	if err != nil {
		return arrival{}, err
	}
	return arrival{take: t, at: t.now, fulfilled: true}, nil
}

// earlier makes a log that begins earlier and ends where the one shown does.
func (p *Player) earlier(ctx context.Context) (arrival, error) {
	old := p.take
	if old.start == beginning {
		return arrival{take: old, at: p.asked}, nil
	}
	events := old.cursor.events()
	t, err := p.build(ctx, p.reel.before(old.start, max(p.o.window, old.rows)), func(t *take) bool {
		if t.cursor.events() < events {
			return false
		}
		h := t.cursor.first()
		return h == nil || h.entry != nil || h.when > old.now
	})
	if err != nil {
		return arrival{}, err
	}
	return arrival{take: t, at: p.asked}, nil
}
