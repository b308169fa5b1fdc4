package ui

import (
	"slices"
	"sort"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/query"
)

// scanBudget is how many rows one call of extend looks at: a few milliseconds
// of them, so that a change of the filter over a full log never holds up a key.
const scanBudget = 20_000

// fold is what one row stands for besides itself.
type fold struct {
	stream model.StreamID
	count  int // of an initial list: its objects; 0 for a step
	// Of a step: the streams of one host that took it within a second, the row's
	// own first, and the failed attempts of that one, the newest of them last.
	streams []model.StreamID
	tries   int
	last    model.Transition
	when    time.Time // of last
	changes int       // counts what was folded, for those who draw it
}

// step is what two rows of streams must share to be one.
type step struct {
	host  host
	to    model.State
	cause model.Cause
}

// together is the time in which the same step of two streams is one event.
const together = time.Second

// index lists the rows of the log that the timeline shows, in order. It grows
// with the log and is never copied or sorted: a frame looks at it only where
// it draws. It is not a model.View because it folds: one row stands for all
// initial objects of a stream.
//
// Positions are counted from the first row ever listed, so that they do not
// move when the oldest rows leave the log.
type index struct {
	filter model.Filter // nil keeps all
	noise  bool         // show all: heartbeats, initial objects, routine steps of streams

	seqs  []model.Seq
	base  int       // position of seqs[0]
	next  model.Seq // the first row not looked at yet
	limit model.Seq // rows from it on must not be: whether they match is not known
	heed  *rowSet   // all that have to be looked at; nil is each
	folds map[model.Seq]*fold
	open  map[model.StreamID]model.Seq // fold that still grows, by stream
	ill   map[model.StreamID]model.Seq // streams whose recovery is still to be shown, with the row of the newest failure
	steps map[step]model.Seq           // newest row of each kind of step
	host  func(model.StreamID) host

	hidden int         // rows folded or left out as noise
	gaps   []model.Seq // listed, of an index with a filter
	// verdicts say which changes say nothing; nil if that is not known. byRule
	// counts those that are left out, by the number of the rule.
	verdicts *verdicts
	byRule   map[int]int
	judged   model.Seq // rows before were judged when it was made
	repeats  repeats
	groups   *groups // nil: each row is shown
}

func newIndex(filter model.Filter, noise bool, first model.Seq, of func(model.StreamID) host) *index {
	return &index{filter: filter, noise: noise, next: first, limit: noRow, folds: map[model.Seq]*fold{}, byRule: map[int]int{}, host: of,
		open: map[model.StreamID]model.Seq{}, ill: map[model.StreamID]model.Seq{}, steps: map[step]model.Seq{}}
}

// first and end are the positions of the rows listed: [first, end).
func (x *index) first() int {
	if x.groups != nil {
		return 0 // they move all the time
	}
	return x.base
}
func (x *index) end() int {
	if x.groups != nil {
		return x.groups.rows.len()
	}
	return x.base + len(x.seqs)
}

// at returns the row at a position.
func (x *index) at(pos int) model.Seq {
	if x.groups != nil {
		return x.groups.rows.at(pos)
	}
	return x.seqs[pos-x.base]
}

// find returns the position of a row, or of the nearest one before it.
func (x *index) find(seq model.Seq) int {
	if x.groups != nil {
		n, _ := x.groups.rows.upTo(seq)
		return max(n-1, 0)
	}
	i := sort.Search(len(x.seqs), func(i int) bool { return x.seqs[i] > seq })
	return x.base + max(i-1, 0)
}

// extend looks at new rows and forgets those that have left the log. It
// reports whether it has seen all of them, up to the limit.
func (x *index) extend(s model.Snapshot) (done bool) {
	if first := s.First(); x.next < first {
		x.next = first
	}
	x.evict(s.First())
	end := min(s.End(), x.limit)
	stop := min(x.next+scanBudget, end)
	for ; x.next < stop; x.next++ {
		if x.heed != nil {
			if x.next = min(x.heed.from(x.next), end); x.next >= stop {
				break
			}
		}
		x.add(s.At(x.next))
	}
	x.compact(s.First())
	x.groups.settle()
	return x.next >= end
}

// list puts a row at the end. What is folded into it is known before.
func (x *index) list(e model.Event) {
	x.seqs = append(x.seqs, e.Seq)
	if e.Type == model.GapFound && x.filter != nil {
		x.gaps = append(x.gaps, e.Seq)
	}
	if x.groups != nil {
		x.groups.add(e, x.folds[e.Seq] != nil)
	}
}

func (x *index) add(e model.Event) {
	routine := e.Type == model.Bookmark || e.Has(model.Replayed)
	t, isStep := e.Detail.(model.Transition)
	if isStep {
		if !t.Bare() {
			delete(x.open, e.Stream)
		}
		routine = x.routine(e.Stream, t)
	}
	if x.filter != nil && !x.filter(e) {
		return
	}
	switch {
	case x.noise:
		x.list(e)
	case routine:
		x.hidden++
	case isStep:
		x.addStep(e, t)
	case x.repeated(e):
	case !e.Has(model.Initial):
		if x.verdicts != nil {
			if rule := x.verdicts.of(e.Seq).rule(); rule > 0 {
				x.hidden++
				x.byRule[rule]++
				return
			}
		}
		x.list(e)
	default:
		x.hidden++
		if at, ok := x.open[e.Stream]; ok {
			x.folds[at].count++
			x.folds[at].changes++
			return
		}
		x.open[e.Stream] = e.Seq
		x.folds[e.Seq] = &fold{stream: e.Stream, count: 1}
		x.list(e)
	}
}

// routine reports whether a step of a stream is part of its normal life. What
// is shown is that it falls ill, each time an attempt to recover fails of its
// own, and that it is well again.
func (x *index) routine(id model.StreamID, t model.Transition) bool {
	_, ill := x.ill[id]
	switch {
	case t.Bare():
		return true
	case t.To.Degraded():
		if !ill {
			x.ill[id] = noRow
		}
		return ill && (t.To == model.Relisting || t.Cause == model.CauseHostDown)
	case t.To == model.Paused || t.From == model.Paused || t.To == model.Polling:
		return false
	case ill && t.To.Fresh() && t.To != model.Rotating:
		delete(x.ill, id)
		return false
	}
	return true
}

// noRow is no row of any log.
const noRow = ^model.Seq(0)

// addStep lists a step of a stream, or folds it: into the row of the failure
// before, if it is the same again; into that of another stream of the host, if
// both took the same step at once.
func (x *index) addStep(e model.Event, t model.Transition) {
	kind := step{x.host(e.Stream), t.To, t.Cause}
	if t.To.Fresh() {
		kind.to, kind.cause = model.Live, ""
	}
	before, ill := x.ill[e.Stream]
	at := e.Seq
	if f := x.folds[before]; ill && f != nil && f.last.To == t.To && f.last.Cause == t.Cause {
		at = before
		if f.stream == e.Stream {
			f.tries++
			f.last, f.when = t, e.When()
		}
	} else if f := x.folds[x.steps[kind]]; f != nil && e.When().Sub(f.when) < together && f.tries == 1 && !slices.Contains(f.streams, e.Stream) {
		at = x.steps[kind]
		f.streams = append(f.streams, e.Stream)
	}
	if ill {
		x.ill[e.Stream] = at
	}
	if at != e.Seq {
		x.folds[at].changes++
		x.hidden++
		return
	}
	x.steps[kind] = e.Seq
	x.folds[e.Seq] = &fold{stream: e.Stream, streams: []model.StreamID{e.Stream}, tries: 1, last: t, when: e.When()}
	x.list(e)
}

func (x *index) evict(first model.Seq) {
	n := 0
	for n < len(x.seqs) && x.seqs[n] < first {
		if f := x.folds[x.seqs[n]]; f != nil {
			delete(x.folds, x.seqs[n])
			if x.open[f.stream] == x.seqs[n] {
				delete(x.open, f.stream)
			}
		}
		n++
	}
	x.seqs = x.seqs[n:]
	x.base += n
	for len(x.gaps) > 0 && x.gaps[0] < first {
		x.gaps = x.gaps[1:]
	}
	if x.groups != nil {
		x.groups.evict(first)
	}
}

// refold takes rows out of [from, to) that turned out to say nothing, and
// returns how many they were.
func (x *index) refold(from, to model.Seq) int {
	if x.noise || x.verdicts == nil {
		return 0
	}
	i := sort.Search(len(x.seqs), func(i int) bool { return x.seqs[i] >= from })
	j := sort.Search(len(x.seqs), func(i int) bool { return x.seqs[i] >= to })
	kept := i
	for k := i; k < j; k++ {
		if rule := x.verdicts.of(x.seqs[k]).rule(); rule > 0 && rule != x.repeats.rule {
			x.hidden++
			x.byRule[rule]++
			if x.groups != nil {
				x.groups.drop(x.seqs[k])
			}
			continue
		}
		x.seqs[kept] = x.seqs[k]
		kept++
	}
	if kept < j {
		x.seqs = append(x.seqs[:kept], x.seqs[j:]...)
	}
	return j - kept
}

// refold takes rows out of the list that turned out to say nothing, and groups
// by the owners known now. The row under the cursor stays where it is.
func (t *timeline) refold(from, to model.Seq) {
	at, ok := t.selected()
	offset := t.cursor - t.top
	if t.building != nil {
		t.building.refold(from, to)
		t.building.groups.settle()
	}
	if t.index.refold(from, to) == 0 && t.index.groups == nil {
		return
	}
	t.index.groups.settle()
	if ok && !t.follow {
		t.cursor = t.index.place(at)
		t.top = t.cursor - offset
	}
	t.settle()
}

// gapsBeside says how many gaps are listed beside what a filter matches: no
// filter hides one.
func (x *index) gapsBeside(filter string) string {
	if len(x.gaps) == 0 {
		return ""
	}
	if strings.Contains(filter, "gap") { // most need not be read for it
		if q, err := query.Parse(filter); err != nil || q.AsksForGaps() {
			return ""
		}
	}
	return " +" + plural(len(x.gaps), "gap")
}
