package ui

import (
	"context"
	"sort"
	"time"

	"rewatch/model"
	"rewatch/model/query"
)

// swapped is another log to show, with all that takes long already done: the
// screen goes from one log to the other in one frame.
type swapped struct {
	log     *model.Log
	snap    model.Snapshot
	index   *index
	percent int // of the rows that are looked at
	query   *query.Query
	memory  *memory
	// grouping is what index has its rows grouped by.
	grouping grouping
	know     *understanding
	search   *search               // that goes on, nil if it does not
	infos    map[model.Seq]rowInfo // of the newest rows
}

// consult asks the deck what it has for the screen. It returns false if ctx
// ended.
func (w *waker) consult(ctx context.Context, msg *wakeMsg, o outlook) bool {
	select {
	case <-w.changed:
		msg.changed = true
	default:
	}
	if w.deck.Log() != w.log {
		if msg.swap = w.prepare(ctx, o); msg.swap == nil {
			return false
		}
	}
	if msg.changed {
		msg.over = w.deck.Overview()
	}
	return true
}

// prepare makes a log ready to show. It returns nil if ctx ended, and starts
// over when the deck has gone on to yet another log.
func (w *waker) prepare(ctx context.Context, o outlook) *swapped {
	for {
		s := &swapped{log: w.deck.Log(), query: o.query}
		s.snap = s.log.Snapshot()
		all := newOverall(s.log.Streams(time.Time{}), time.Time{})
		s.memory, s.know = newMemory(), o.know.anew(s.log)
		s.search = newSearch(ctx, s.log, s.snap, o.query, o.now, o.noise, o.grouping, s.memory, s.know)
		s.index = newIndex(nil, o.noise, s.snap.End(), all.host) // if nothing is found at first
		s.index.limit = s.snap.End()
		s.index.by(s.know, &all)
		s.index.group(s.know, o.grouping)
		for begin := time.Now(); !s.search.done && w.deck.Log() == s.log; {
			m, ok := s.search.step(s.snap, o.height)
			if !ok {
				return nil
			}
			if s.percent = m.percent; m.index != nil {
				s.index = m.index
			}
			if s.search.deep() && time.Since(begin) > firstStep {
				break
			}
		}
		if w.deck.Log() != s.log {
			s.search.cancel()
			continue
		}
		s.infos = map[model.Seq]rowInfo{}
		begin := time.Now()
		for pos, n := s.index.end()-1, 0; pos >= s.index.first() && n < o.height; pos-- {
			e := s.snap.At(s.index.at(pos))
			if !e.Type.IsObject() || s.index.folds[e.Seq] != nil {
				n++
				continue
			}
			if ctx.Err() != nil || time.Since(begin) > infoTime {
				break
			}
			s.infos[e.Seq] = loadInfo(s.log, s.know, e)
			if s.know.verdicts.of(e.Seq).rule() == 0 {
				n++
			}
		}
		s.index.refold(s.snap.First(), s.snap.End())
		s.index.groups.settle()
		s.grouping = o.grouping
		return s
	}
}

// takeSwap shows another log, and keeps what the user had: the filter, the
// focus, the opened object, the row under the cursor unless the timeline
// follows.
func (a *App) takeSwap(s *swapped) {
	old, noise := a.log, a.timeline.noise
	a.Close()
	a.log = s.log
	a.subscribe()
	a.timeline.swapLog(s)
	a.object.swapLog(old, s.log)
	a.infoRequest++ // what was asked of the old log comes too late
	a.infoLoading = false
	a.reading, a.behind, a.findings, a.dropped = false, true, nil, 0
	a.previewed = previewed{}
	a.last = model.Snapshot{}
	if a.replay != nil {
		a.replay.whole = false // until the deck has nothing left to load
	}
	a.refresh()
	if s.query != a.filter.query || s.index.noise != noise || s.grouping != a.timeline.grouping {
		a.applyFilter() // they were changed meanwhile
	}
}

// swapLog takes the rows of another log.
func (t *timeline) swapLog(s *swapped) {
	at, ok := t.selected()
	offset := t.cursor - t.top
	t.giveUp()
	t.anchor = noRow
	t.log, t.snap, t.index, t.scanning, t.memory = s.log, s.snap, s.index, false, s.memory
	t.know = s.know
	t.search, t.listed, t.sought, t.percent = s.search, s.search, s.search.done, s.percent
	if t.sought && !s.search.deep() {
		t.search = nil
	}
	t.index.host, t.index.repeats.events = t.all.host, t.all.isOfEvents
	t.rows.clear()
	t.infos.clear()
	for seq, info := range s.infos {
		t.infos.put(seq, info)
	}
	if ok && !t.follow {
		t.cursor = t.index.place(t.rowOf(locate(s.snap, at)))
		t.top = t.cursor - offset
	}
	t.settle()
}

// locate finds a row of another log: the one of the same time and kind, or
// else the nearest one before.
func locate(s model.Snapshot, e model.Event) model.Seq {
	first, n := s.First(), s.Len()
	i := sort.Search(n, func(i int) bool { return s.At(first+model.Seq(i)).Time >= e.Time })
	for j := i; j < n; j++ {
		x := s.At(first + model.Seq(j))
		if x.Time != e.Time {
			break
		}
		if x.Type == e.Type && x.Stream == e.Stream && x.RV == e.RV {
			return x.Seq
		}
	}
	return first + model.Seq(max(min(i, n-1), 0))
}

// swapLog looks the object up in another log. What is on screen stays until
// what takes its place is there.
func (p *objectPane) swapLog(old, log *model.Log) {
	if p.want.id != 0 {
		p.identity = old.Identity(p.want.id)
	}
	p.request++
	p.loading, p.before = false, nil
	var at int64
	if d := p.data; d != nil {
		if d.hasEvent && d.key == p.want && !p.newest {
			at = d.event.Time
		}
	}
	p.want = objectKey{}
	p.hasRow = false
	p.stale = true
	if p.pinned {
		p.lookUp(log, at)
	}
}

// settleSwap ends what stayed on screen of another log if nothing takes its
// place: it is of another moment.
func (p *objectPane) settleSwap() {
	if p.stale && p.want.id == 0 {
		p.data, p.docWidth, p.stale = nil, 0, false
	}
}

// lookUp finds the opened object: its version of a time, or the newest.
func (p *objectPane) lookUp(log *model.Log, at int64) {
	k, _, ok := log.Lookup(p.identity)
	if !ok {
		p.stale = false
		p.data = &objectData{identity: p.identity, missing: "this object is not there at this moment of the tape"}
		p.docWidth = 0
		return
	}
	p.want = objectKey{k.Object, k.Version, p.view}
	if v := versionAt(log, k.Object, at); v > 0 {
		p.want.version = v
		return
	}
	p.newest = true
}

// versionAt is the version of an object that came at a time; 0 if none did.
func versionAt(log *model.Log, id model.ObjectID, at int64) uint32 {
	if at == 0 {
		return 0
	}
	s := log.Snapshot()
	oldest, newest := log.Versions(id)
	came := func(v uint32) int64 {
		if seq, ok := log.VersionSeq(id, v); ok && seq >= s.First() && seq < s.End() {
			return s.At(seq).Time
		}
		return 0
	}
	n := sort.Search(int(newest-oldest)+1, func(i int) bool { return came(oldest+uint32(i)) >= at })
	if v := oldest + uint32(n); v <= newest && newest > 0 && came(v) == at {
		return v
	}
	return 0
}
