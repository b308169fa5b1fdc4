package lanes

import (
	"sort"

	"rewatch/model"
)

// Look is what an object was in at a moment.
type Look struct {
	Phase  Phase
	Detail string // not sanitised
	Since  int64  // of the phase, as far as marks are read and held; 0 if before them
	Before Phase  // the phase before that
	// Row is the one that brought what was in force, if it is held.
	Row  model.Seq
	Held bool
	Left bool // it may only have left a selection
	// The cell at the moment.
	Cell Cell
	All  []Phase // those that began in the cell, in order, at most eight
}

// At looks at an object at a moment, which is in a column of w.
func (x *Set) At(object model.ObjectID, at int64, w Window, until int64) (out Look) {
	l := x.objects[object]
	if l == nil {
		return Look{}
	}
	one := Window{First: w.First + int64(w.Column(at)), Cell: w.Cell, N: 1}
	out.Cell = x.Cells(nil, object, one, until)[0]
	i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].time > min(at, until) })
	out.Phase = l.at(i)
	if i > 0 {
		m := l.marks[i-1]
		out.Row, out.Left = x.seq(m), m.bits&left != 0
		var e model.Event
		if e, out.Held = x.event(out.Row); out.Held && m.bits&ended == 0 {
			_, out.Detail = x.phase(object, l, e.Version)
		}
	}
	for j := i; j > 0 && l.at(j) == out.Phase; j-- {
		out.Since, out.Before = l.marks[j-1].time, l.at(j-1)
	}
	from, to := l.within(one.From(), min(one.To(), until+1))
	for j := from; j < to && len(out.All) < 8; j++ {
		if p := l.at(j + 1); p != l.at(j) {
			out.All = append(out.All, p)
		}
	}
	return out
}

// Step is the time of the change before a moment, or after it, that says
// something; ok is false if there is none up to until.
func (x *Set) Step(object model.ObjectID, at int64, dir int, until int64) (time int64, ok bool) {
	l := x.objects[object]
	if l == nil {
		return 0, false
	}
	if dir < 0 {
		for i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].time >= at }) - 1; i >= 0; i-- {
			if x.counts(&l.marks[i]) {
				return l.marks[i].time, true
			}
		}
		return 0, false
	}
	for i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].time > at }); i < len(l.marks) && l.marks[i].time <= until; i++ {
		if x.counts(&l.marks[i]) {
			return l.marks[i].time, true
		}
	}
	return 0, false
}
