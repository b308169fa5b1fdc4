package timeserver

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// Player drives a store through a history: first the state at its start, then
// every change at the recorded pace. Times within the objects are moved so
// that the recording seems to happen now; resourceVersions are those of the
// store.
type Player struct {
	History *History
	Store   *Store
	Speed   float64 // of the recorded pace; 0 is 1, Inf does not wait
	// Loop leads the state back to that of the start, change by change, and
	// begins again, until the context ends. What came back to life has another
	// UID then, as it would in a cluster.
	Loop  bool
	Pause time.Duration // between two runs; 0 is 3 s

	first time.Time        // when the first run began, in whole seconds after Start
	now   time.Time        // when this run began
	run   int              // from 0
	shown map[string]*past // what the store holds: resource + " " + key
	born  map[string]int   // run in which a recorded UID came to life; absent is 0
}

// restoreEvery is how far apart the changes are that lead back to the start.
const restoreEvery = 10 * time.Millisecond

// NewPlayer makes a player, and a store for it that serves what is in the
// history.
func NewPlayer(h *History) *Player {
	return &Player{History: h, Store: NewStore(h.Resources())}
}

// Load puts the state at the start of the history into the store. Run does it
// if it was not called; called before, it lets a server start with the state
// in place.
func (p *Player) Load() error {
	if p.shown != nil {
		return nil
	}
	p.shown, p.born = map[string]*past{}, map[string]int{}
	p.begin()
	p.first = p.now
	for _, o := range p.History.initial {
		if err := p.put(o); err != nil {
			return err
		}
	}
	return nil
}

// Run plays until the history ends or, with Loop, the context does. The error
// is nil in both cases.
func (p *Player) Run(ctx context.Context) error {
	if err := p.Load(); err != nil {
		return err
	}
	for p.play(ctx); p.Loop && ctx.Err() == nil; p.play(ctx) {
		pause := p.Pause
		if pause == 0 {
			pause = 3 * time.Second
		}
		p.rewind(ctx)
		if !sleepUntil(ctx, time.Now().Add(pause)) {
			return nil
		}
		p.run++
		p.begin()
	}
	return nil
}

// begin fixes the time of a run. It is a whole number of seconds after the
// recorded one, so that times which are written in whole seconds are as late
// or early as they were.
func (p *Player) begin() {
	d := time.Since(p.History.start)
	p.now = p.History.start.Add(d.Truncate(time.Second) + time.Second)
}

func (p *Player) speed() float64 {
	if p.Speed <= 0 {
		return 1
	}
	return p.Speed
}

// play makes the recorded changes.
func (p *Player) play(ctx context.Context) {
	for _, s := range p.History.steps {
		if !sleepUntil(ctx, p.now.Add(time.Duration(float64(s.at)/p.speed()))) {
			return
		}
		p.step(s)
	}
	sleepUntil(ctx, p.now.Add(time.Duration(float64(p.History.length)/p.speed())))
}

// step makes one change. What cannot be done (an object that a user of the
// store took away) is left out.
func (p *Player) step(s step) {
	if s.typ == watch.Deleted {
		_ = p.remove(s.past)
		return
	}
	if s.typ == watch.Added && s.uid != "" && p.run > 0 {
		p.born[s.uid] = p.run
	}
	_ = p.put(s.past)
}

func (p *Player) put(o *past) error {
	_, err := p.Store.Put(o.resource, p.rewriter().rewrite(o.raw))
	if err != nil {
		return fmt.Errorf("%s %s: %w", o.resource, o.key, err)
	}
	p.shown[o.resource+" "+o.key] = o
	return nil
}

func (p *Player) remove(o *past) error {
	delete(p.shown, o.resource+" "+o.key)
	_, err := p.Store.DeleteAs(o.resource, p.rewriter().rewrite(o.raw))
	return err
}

// rewind leads from the present state to that of the start.
func (p *Player) rewind(ctx context.Context) {
	start := map[string]*past{}
	for _, o := range p.History.initial {
		start[o.resource+" "+o.key] = o
	}
	at := time.Now()
	next := func() bool {
		at = at.Add(time.Duration(float64(restoreEvery) / p.speed()))
		return sleepUntil(ctx, at)
	}
	for _, r := range p.History.resources {
		for _, o := range p.shownOf(r.Key()) {
			if start[o.resource+" "+o.key] == nil {
				if !next() || p.remove(o) != nil {
					return
				}
			}
		}
	}
	for _, o := range p.History.initial {
		now := p.shown[o.resource+" "+o.key]
		if now == o {
			continue
		}
		if now == nil && o.uid != "" {
			p.born[o.uid] = p.run + 1
		}
		if !next() || p.put(o) != nil {
			return
		}
	}
}

func (p *Player) shownOf(resource string) []*past {
	m := map[string]*past{}
	for _, o := range p.shown {
		if o.resource == resource {
			m[o.key] = o
		}
	}
	return sortedPast(m)
}

// rewriter maps the recorded times and UIDs to those of this run.
func (p *Player) rewriter() rewriter {
	return rewriter{
		moment: p.moment,
		uid:    func(uid string) string { return reborn(uid, p.born[uid]) },
	}
}

// moment maps a recorded time. What was before the recording keeps its
// distance to the first run, so that it never changes; what was within it
// happens in this run, at its speed.
func (p *Player) moment(t time.Time) time.Time {
	d := t.Sub(p.History.start)
	if d < 0 {
		return p.first.Add(d)
	}
	return p.now.Add(time.Duration(float64(d) / p.speed()))
}

// sleepUntil reports whether the time was reached before the context ended.
func sleepUntil(ctx context.Context, t time.Time) bool {
	d := time.Until(t)
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
