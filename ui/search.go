package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/query"
)

// search looks a log through for the rows that a query matches, outside of the
// event loop and the newest first, so that there is a page to show at once. It
// hands over an index as often as it has found more. Where the query looks into
// objects, rows that come later are matched by it as well. It belongs to the
// one command that runs a step of it: see timeline.searching.
type search struct {
	log    *model.Log
	query  *query.Query // nil matches every row
	now    time.Time    // what times in the query are counted from
	match  *query.Matcher
	memory *memory
	noise  bool
	how    grouping
	know   *understanding
	ctx    context.Context
	cancel context.CancelFunc

	// Rows in [next, end) have been looked at; done is set when an index of all
	// of them has been handed over.
	next, end model.Seq
	done      bool
	steps     int
	found     rowSet // the rows that match; not kept when done
	heed      rowSet // those, and the steps of streams: what an index has to look at
	news      bool   // some that match are in no index
}

// memory is what searches of one log find out about its rows. A search that was
// given up ends between two rows; the next one waits for that.
type memory struct {
	lock  chan struct{}
	cache *query.Cache
}

func newMemory() *memory { return &memory{lock: make(chan struct{}, 1), cache: query.NewCache()} }

const (
	// firstStep is how long the first page is looked for, laterStep how long a
	// step takes that goes on.
	firstStep = 15 * time.Millisecond
	laterStep = 150 * time.Millisecond
	// freshStep is how long a step looks at rows that came meanwhile.
	freshStep = 10 * time.Millisecond
	// fewAtOnce is how many rows are looked at between two looks at the clock.
	fewAtOnce = 64
)

// newSearch begins a search of the rows of a snapshot.
func newSearch(ctx context.Context, log *model.Log, s model.Snapshot, q *query.Query, now time.Time, noise bool, how grouping, m *memory, know *understanding) *search {
	x := &search{log: log, query: q, now: now, memory: m, know: know, noise: noise, how: how, next: s.End(), end: s.End(),
		found: rowSet{first: s.First()}, heed: rowSet{first: s.First()}}
	x.ctx, x.cancel = context.WithCancel(ctx)
	if q != nil {
		x.match = q.Compile(log, query.Options{Now: now, Cache: m.cache})
	}
	return x
}

// deep reports whether it takes bytes to tell whether a row matches.
func (x *search) deep() bool { return x.query != nil && x.query.Deep() }

// searchMsg is what a step of a search has found.
type searchMsg struct {
	search *search
	index  *index // takes the place of the one shown; nil if it would have no more
	// The rows of [from, end) that match, when all before have been handed over.
	fresh     []model.Seq
	from, end model.Seq
	done      bool
	percent   int
	problem   string // what cel: terms failed for
}

// step goes on for a while; page is how many rows fill the screen. ok is false
// if the search was given up.
func (x *search) step(s model.Snapshot, page int) (m searchMsg, ok bool) {
	select {
	case x.memory.lock <- struct{}{}:
		defer func() { <-x.memory.lock }()
	case <-x.ctx.Done():
		return m, false
	}
	m = searchMsg{search: x, from: x.end, percent: 100}
	m.fresh = x.forward(s)
	if !x.done {
		x.backward(s, page)
		if x.done = x.next <= s.First(); x.done || x.news {
			m.index, x.news = x.list(s), false
		}
		if !x.done {
			m.percent = int(100 * (x.end - x.next) / (x.end - s.First()))
		} else {
			x.found.bits, x.heed.bits = nil, nil
		}
	}
	m.end, m.done = x.end, x.done
	if x.match != nil {
		if text, n := x.match.Problem(); n > 0 {
			m.problem = plural(n, "row") + " not judged: " + text
		}
	}
	return m, x.ctx.Err() == nil
}

// forward looks at rows that came since.
func (x *search) forward(s model.Snapshot) (found []model.Seq) {
	begin := time.Now()
	for n := 1; x.end < s.End(); n++ {
		if n%fewAtOnce == 0 && (x.ctx.Err() != nil || time.Since(begin) > freshStep) {
			break
		}
		e := s.At(x.end)
		if e.Type == model.StreamChange && !x.done {
			x.heed.add(e.Seq)
		}
		if x.match == nil || x.match.Match(e) {
			if found = append(found, x.end); !x.done {
				x.add(x.end)
			}
		}
		x.end++
	}
	return found
}

// backward looks at older rows until its time is over; the first time, until a
// page is found.
func (x *search) backward(s model.Snapshot, page int) {
	budget := laterStep
	if x.steps++; x.steps == 1 {
		budget = firstStep
	}
	if x.match == nil {
		x.next = s.First()
		return
	}
	ctx, cancel := context.WithTimeout(x.ctx, budget)
	defer cancel()
	for x.next > s.First() && ctx.Err() == nil {
		before := x.next
		var rows []model.Seq
		rows, x.next = x.match.Before(ctx, s, before, max(page, 1))
		x.addSteps(s, x.next, before)
		for _, seq := range rows {
			x.add(seq)
		}
		if x.steps == 1 && len(rows) >= page {
			return
		}
	}
}

// add keeps a row that matches.
func (x *search) add(seq model.Seq) {
	x.found.add(seq)
	x.heed.add(seq)
	x.news = true
}

// addSteps keeps which rows of [from, to) are steps of streams: what the ones that
// are listed stand for depends on them.
func (x *search) addSteps(s model.Snapshot, from, to model.Seq) {
	for from < to {
		run := s.From(from)
		for i := 0; i < run.Len() && from < to; i++ {
			if run.Traits(i).Type() == model.StreamChange {
				x.heed.add(from)
			}
			from++
		}
	}
}

// list makes an index of what has been found so far, to be given away.
func (x *search) list(s model.Snapshot) *index {
	all := newOverall(x.log.Streams(time.Time{}), time.Time{})
	out := newIndex(nil, x.noise, max(x.next, s.First()), all.host)
	if x.match != nil {
		out.filter = func(e model.Event) bool { return x.found.has(e.Seq) }
		out.heed = &x.heed
	}
	out.limit = x.end
	out.by(x.know, &all)
	out.group(x.know, x.how)
	out.judged = out.verdicts.end()
	for !out.extend(s) && x.ctx.Err() == nil {
	}
	out.heed = nil
	switch {
	case x.match == nil:
		out.limit = noRow
	case x.deep():
		out.filter = func(model.Event) bool { return false } // see admit
	default:
		out.limit = noRow
		out.filter = x.query.Compile(x.log, query.Options{Now: x.now}).Match
	}
	return out
}

// admit lists rows that a search has matched since.
func (x *index) admit(s model.Snapshot, m searchMsg) {
	if m.from != x.limit {
		return
	}
	x.limit = m.end
	fresh := m.fresh
	x.filter = func(e model.Event) bool {
		for len(fresh) > 0 && fresh[0] < e.Seq {
			fresh = fresh[1:]
		}
		return len(fresh) > 0 && fresh[0] == e.Seq
	}
	for !x.extend(s) {
	}
}

// reindex lists what a query matches; nil is every row. Few rows are looked
// through at once, many by a search, and the old rows are shown until there is
// a page of new ones. Either gives up what was under way.
func (t *timeline) reindex(ctx context.Context, q *query.Query, now time.Time, noise bool) {
	t.giveUp()
	t.query, t.noise, t.problem = q, noise, ""
	if at, ok := t.selected(); ok && !t.follow && t.anchor == noRow {
		t.anchor, t.lift = at.Seq, t.cursor-t.top
	}
	switch {
	case q != nil && q.Deep(), t.snap.Len() > scanBudget:
		t.search = newSearch(ctx, t.log, t.snap, q, now, noise, t.grouping, t.memory, t.know)
	case q == nil:
		t.building = newIndex(nil, noise, t.snap.First(), t.all.host)
	default:
		t.building = newIndex(q.Compile(t.log, query.Options{Now: now}).Match, noise, t.snap.First(), t.all.host)
	}
	if t.building != nil {
		t.building.by(t.know, t.all)
		t.building.group(t.know, t.grouping)
	}
	t.extend(t.snap)
}

// giveUp ends the search under way.
func (t *timeline) giveUp() {
	if t.search != nil {
		t.search.cancel()
	}
	t.search, t.building, t.searching, t.sought, t.percent = nil, nil, false, false, 0
}

// due reports whether a step of the search should be taken.
func (t *timeline) due() bool {
	return t.search != nil && !t.searching && (!t.sought || t.index.limit < t.snap.End())
}

// goOn takes a step of the search.
func (t *timeline) goOn() tea.Cmd {
	x, snap, page := t.search, t.snap, t.height
	t.searching = true
	return func() tea.Msg {
		if m, ok := x.step(snap, page); ok {
			return m
		}
		return nil
	}
}

// take shows what a step has found, unless the search was given up since.
func (t *timeline) take(m searchMsg) {
	if m.search != t.search {
		return
	}
	t.searching, t.sought, t.percent, t.problem = false, m.done, m.percent, m.problem
	if m.index != nil {
		m.index.host, m.index.repeats.events = t.all.host, t.all.isOfEvents
		m.index.refold(m.index.judged, t.know.verdicts.end()) // rows judged meanwhile
		m.index.groups.settle()
		t.building, t.listed = m.index, m.search
		t.swap()
	} else if m.done {
		t.index.admit(t.snap, m)
	}
	if m.done && !m.search.deep() {
		t.search = nil
	}
	t.extend(t.snap)
}

// looking reports whether rows that may match have not been looked at, and how
// many have, in percent.
func (t *timeline) looking() (percent int, yes bool) {
	x := t.index
	if t.building != nil {
		x = t.building
	}
	first, end := t.snap.First(), t.snap.End()
	switch {
	case t.search != nil && !t.sought:
		return t.percent, true
	case t.scanning && end > first:
		return int(100 * (max(x.next, first) - first) / (end - first)), true
	}
	return 100, false
}
