package ui

import (
	"context"
	"sort"
	"sync"
	"testing"
	"time"

	"rewatch/model"
)

// memoryDeck is a Transport over records in memory.
type memoryDeck struct {
	mu      sync.Mutex
	streams []model.StreamInfo
	tape    []model.Record
	keys    []string // what each record replaces: an object, the state of a stream
	changed chan struct{}
	log     *model.Log
	held    int // records before are not in the log, but as state
	next    int // the first record that is not played
	play    Playback
	over    Overview

	keep int  // how many records before a moment are held after a jump
	slow bool // jumps wait for arrive
	goal func()
	find []Landmark // what was looked for
}

// newMemoryDeck makes a tape of what a log holds. It begins at its start.
func newMemoryDeck(log *model.Log) *memoryDeck {
	d := &memoryDeck{changed: make(chan struct{}, 1), keep: 12}
	for _, s := range log.Streams(epoch) {
		d.streams = append(d.streams, s.StreamInfo)
	}
	s := log.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		r := model.Record{Time: e.When(), Stream: e.Stream, Type: e.Type, Flags: e.Flags & (model.Initial | model.Synthetic), Detail: e.Detail}
		key := ""
		if e.Type.IsObject() {
			r.Raw, _ = log.Bytes(e.Object, e.Version)
			id := log.Identity(e.Object)
			key = id.Kind + " " + id.Name
		} else if e.Type == model.StreamChange {
			key = d.streams[e.Stream].Resource
		}
		d.keys = append(d.keys, key)
		if e.Type == model.Bookmark {
			r.Raw = []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"` + count(e.RV)[:2] + `000"}}`)
		}
		d.tape = append(d.tape, r)
	}
	from, to := d.tape[0].Time, d.tape[len(d.tape)-1].Time
	d.play = Playback{From: from, To: to, Now: from, Speed: 1, Events: int64(len(d.tape))}
	d.over = Overview{From: from, To: to, Density: make([]uint32, 300)}
	for _, r := range d.tape {
		d.over.Density[min(int(300*r.Time.Sub(from)/(to.Sub(from)+1)), 299)]++
		switch x := r.Detail.(type) {
		case model.Gap:
			d.over.Gaps = append(d.over.Gaps, Span{From: x.Since, To: r.Time})
		case model.Note:
			if x.Cause == model.CauseMark {
				d.over.Marks = append(d.over.Marks, Span{From: r.Time, To: r.Time, Text: x.Text})
			}
		}
	}
	d.jump(from)
	return d
}

func (d *memoryDeck) lock() func() { d.mu.Lock(); return d.mu.Unlock }

func (d *memoryDeck) notify() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func (d *memoryDeck) Log() *model.Log          { defer d.lock()(); return d.log }
func (d *memoryDeck) Changed() <-chan struct{} { return d.changed }
func (d *memoryDeck) Playback() Playback       { defer d.lock()(); return d.play }
func (d *memoryDeck) Overview() Overview       { defer d.lock()(); return d.over }

// do does something at once, or when a slow deck arrives.
func (d *memoryDeck) do(target time.Time, f func()) {
	defer d.notify()
	if d.slow {
		d.play.Seeking, d.play.Target, d.goal = true, target, f
		return
	}
	f()
}

// arrive ends the jump of a slow deck.
func (d *memoryDeck) arrive() {
	defer d.lock()()
	defer d.notify()
	d.play.Seeking, d.play.Target = false, time.Time{}
	d.goal()
}

// jump plays into a new log: the state before the records held, then those.
func (d *memoryDeck) jump(to time.Time) {
	d.next = sort.Search(len(d.tape), func(i int) bool { return d.tape[i].Time.After(to) })
	d.held = max(d.next-d.keep, 0)
	d.rebuild()
	d.at(to)
}

func (d *memoryDeck) rebuild() {
	d.log = model.NewLog(model.Options{})
	for _, s := range d.streams {
		d.log.AddStream(s)
	}
	var order []string
	newest := map[string]model.Record{}
	for i, r := range d.tape[:d.held] {
		key := d.keys[i]
		if key == "" {
			continue
		}
		if _, ok := newest[key]; !ok {
			order = append(order, key)
		}
		newest[key] = r
	}
	for _, key := range order {
		r := newest[key]
		if r.Type == model.Deleted {
			continue
		}
		if r.Type.IsObject() {
			r.Type, r.Flags = model.Added, model.Initial
		}
		d.log.Append(r)
	}
	for _, r := range d.tape[d.held:d.next] {
		d.log.Append(r)
	}
}

// at sets the clock, and what follows from it.
func (d *memoryDeck) at(now time.Time) {
	p := &d.play
	p.Now, p.AtEnd = now, d.next == len(d.tape)
	p.Playing = p.Playing && !p.AtEnd
	p.Event, p.Earlier = int64(d.next), int64(d.held)
	p.Held = p.From
	if d.held > 0 {
		p.Held = d.tape[d.held].Time
	}
}

// pass lets time pass while it plays.
func (d *memoryDeck) pass(t time.Duration) {
	defer d.lock()()
	if !d.play.Playing {
		return
	}
	now := d.play.Now.Add(time.Duration(float64(t) * min(d.play.Speed, 1000)))
	for ; d.next < len(d.tape) && !d.tape[d.next].Time.After(now); d.next++ {
		d.log.Append(d.tape[d.next])
	}
	if d.next == len(d.tape) {
		now = d.play.To
		defer d.notify()
	}
	d.at(now)
}

func (d *memoryDeck) Play(on bool)       { defer d.lock()(); d.play.Playing = on; d.notify() }
func (d *memoryDeck) SetSpeed(x float64) { defer d.lock()(); d.play.Speed = x; d.notify() }

func (d *memoryDeck) Step(n int) {
	defer d.lock()()
	d.play.Playing = false
	d.do(time.Time{}, func() {
		next := max(min(d.next+n, len(d.tape)), 1)
		if next < d.next {
			d.next = next
			d.held = max(d.next-d.keep, 0)
			d.rebuild()
		}
		for ; d.next < next; d.next++ {
			d.log.Append(d.tape[d.next])
		}
		d.at(d.tape[d.next-1].Time)
	})
}

func (d *memoryDeck) Seek(to time.Time) {
	defer d.lock()()
	if to.Before(d.play.From) {
		to = d.play.From
	}
	if to.After(d.play.To) {
		to = d.play.To
	}
	d.do(to, func() { d.jump(to) })
}

func (d *memoryDeck) Find(l Landmark) {
	defer d.lock()()
	d.find = append(d.find, l)
	d.play.Playing, d.play.Text = false, ""
	d.do(time.Time{}, func() {
		var match model.Filter
		all := model.NewLog(model.Options{})
		for _, s := range d.streams {
			all.AddStream(s)
		}
		if l.Match != nil {
			match = l.Match(all)
		}
		found := -1
		for i, r := range d.tape {
			e := all.Append(r)
			x, _ := r.Detail.(model.Transition)
			ok := l.Kind == AnyGap && e.Type == model.GapFound || l.Kind == AnyDeletion && e.Type == model.Deleted ||
				l.Kind == AnyError && x.To.Degraded() || l.Kind == AnyMatch && (match == nil || match(e))
			switch {
			case ok && l.Back && i < d.next-1:
				found = i
			case ok && !l.Back && i >= d.next && found < 0:
				found = i
			}
		}
		if found < 0 {
			d.play.Text = "nothing found"
			return
		}
		d.next = found + 1
		d.held = max(d.next-d.keep, 0)
		d.rebuild()
		d.at(d.tape[found].Time)
	})
}

func (d *memoryDeck) Earlier() {
	defer d.lock()()
	d.do(time.Time{}, func() {
		d.held = max(d.held-d.keep, 0)
		d.rebuild()
		d.at(d.play.Now)
	})
}

// newReplay is a driver of the replay of a script: the little history, then
// trouble, a mark and its end.
func newReplay(t testing.TB, w, h int, theme string, more ...func(*driver)) (*driver, *memoryDeck) {
	t.Helper()
	live := newDriver(t, w, h, theme)
	live.script()
	for _, do := range more {
		do(live)
	}
	live.demo.log.Append(model.Record{Time: live.now, Type: model.Noted, Detail: model.Note{Cause: model.CauseMark, Text: "deploy of 1.4.2"}})
	live.wait(3 * time.Second)
	live.trouble()
	for i := range 20 {
		live.now = live.now.Add(400 * time.Millisecond)
		live.demo.pod(live.now, "prod-eu", live.demo.pods[i%12], model.Modified, 0, "Running", i)
	}
	deck := newMemoryDeck(live.demo.log)
	at := epoch.Add(8500 * time.Millisecond)
	deck.over.Unwatched = []Span{{From: at, To: at.Add(1500 * time.Millisecond)}}
	// It is watched three days later.
	d := &driver{t: t, now: epoch.Add(72 * time.Hour), demo: live.demo, controls: &demoControls{}, deck: deck}
	d.app = NewApp(context.Background(), Options{Transport: deck, Title: "shop.tape", Now: func() time.Time { return d.now }, Location: time.UTC, Theme: theme})
	t.Cleanup(func() { d.app.Close() })
	d.app.wake.frame, d.app.wake.brief, d.app.replay.patience = 0, 0, 0 // the clock on the wall is that of the test
	d.resize(w, h)
	return d, deck
}

// settle lets the screen take in what the deck has to say.
func (d *driver) settle() {
	d.t.Helper()
	if d.deck == nil {
		return
	}
	for range 10 {
		if len(d.deck.changed) == 0 && len(d.app.wake.wake) == 0 {
			return
		}
		msg, ok := d.app.wait()().(wakeMsg)
		if !ok {
			d.t.Fatal("no wake-up")
		}
		d.take(msg)
	}
	d.t.Fatal("the screen is woken again and again")
}

// playFor lets the tape and the clock on the wall go on.
func (d *driver) playFor(t time.Duration) {
	d.deck.pass(t)
	d.now = d.now.Add(t)
	d.settle()
	d.wait(0)
}
