package ui

import (
	"sort"

	"rewatch/model"
)

// scanBudget is how many rows one call of extend looks at: a few milliseconds
// of them, so that a change of the filter over a full log never holds up a key.
const scanBudget = 20_000

// fold is a group of initial objects shown as one row.
type fold struct {
	stream model.StreamID
	count  int
}

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
	folds map[model.Seq]*fold
	open  map[model.StreamID]model.Seq // fold that still grows, by stream
	ill   map[model.StreamID]bool      // streams whose recovery is still to be shown

	hidden int // rows folded or left out as noise
}

func newIndex(filter model.Filter, noise bool, first model.Seq) *index {
	return &index{filter: filter, noise: noise, next: first,
		folds: map[model.Seq]*fold{}, open: map[model.StreamID]model.Seq{}, ill: map[model.StreamID]bool{}}
}

// first and end are the positions of the rows listed: [first, end).
func (x *index) first() int { return x.base }
func (x *index) end() int   { return x.base + len(x.seqs) }

// at returns the row at a position.
func (x *index) at(pos int) model.Seq { return x.seqs[pos-x.base] }

// find returns the position of a row, or of the nearest one before it.
func (x *index) find(seq model.Seq) int {
	i := sort.Search(len(x.seqs), func(i int) bool { return x.seqs[i] > seq })
	return x.base + max(i-1, 0)
}

// extend looks at new rows and forgets those that have left the log. It
// reports whether it has seen all of them.
func (x *index) extend(s model.Snapshot) (done bool) {
	if first := s.First(); x.next < first {
		x.next = first
	}
	x.evict(s.First())
	stop := min(x.next+scanBudget, s.End())
	for ; x.next < stop; x.next++ {
		x.add(s.At(x.next))
	}
	return x.next == s.End()
}

func (x *index) add(e model.Event) {
	routine := e.Type == model.Bookmark || e.Has(model.Replayed)
	if t, ok := e.Detail.(model.Transition); ok {
		delete(x.open, e.Stream)
		routine = x.routine(e.Stream, t)
	}
	if x.filter != nil && !x.filter(e) {
		return
	}
	switch {
	case x.noise, !routine && !e.Has(model.Initial):
		x.seqs = append(x.seqs, e.Seq)
	case routine:
		x.hidden++
	default:
		x.hidden++
		if at, ok := x.open[e.Stream]; ok {
			x.folds[at].count++
			return
		}
		x.open[e.Stream] = e.Seq
		x.folds[e.Seq] = &fold{stream: e.Stream, count: 1}
		x.seqs = append(x.seqs, e.Seq)
	}
}

// routine reports whether a step of a stream is part of its normal life. What
// is shown is that it falls ill, each time an attempt to recover fails, and
// that it is well again.
func (x *index) routine(id model.StreamID, t model.Transition) bool {
	switch {
	case t.To.Degraded():
		x.ill[id] = true
		return false
	case t.To == model.Paused || t.From == model.Paused || t.To == model.Polling:
		return false
	case t.To.Fresh() && t.To != model.Rotating && x.ill[id]:
		delete(x.ill, id)
		return false
	}
	return true
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
}
