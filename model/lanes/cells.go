package lanes

import (
	"math"
	"sort"

	"rewatch/model"
)

// Window is the part of time that is looked at: N columns of Cell nanoseconds
// each, the first one Cell*First after the Unix epoch. Columns so keep their
// borders while the window moves.
type Window struct {
	First int64
	Cell  int64
	N     int
}

// From and To bound a window: [From, To).
func (w Window) From() int64 { return w.First * w.Cell }

// To is the end of a window.
func (w Window) To() int64 { return (w.First + int64(w.N)) * w.Cell }

// Column is the column of a moment, which may be outside of [0, N).
func (w Window) Column(at int64) int {
	c := at / w.Cell
	if at%w.Cell < 0 {
		c--
	}
	return int(c - w.First)
}

// Start is when a column begins.
func (w Window) Start(column int) int64 { return (w.First + int64(column)) * w.Cell }

// Cell is one column of a lane. Phase is the phase that began in it; if several
// did, the worst of them, the last one of those that are as bad; if none did,
// the one that the object was in before. Where the object has ended, and not
// come back until the end of the cell, Phase is Absent.
type Cell struct {
	Phase   Phase
	Began   bool  // Phase began here, or the object came to be
	Mixed   bool  // several phases began here
	Ended   bool  // the object ended here
	Changes int32 // rows that say something
	// Unwatched says that nobody watched for at least half of the cell, Missed
	// that changes in it may have been missed. Of an object that was found,
	// they tell of the time before as well: it may have been there.
	Unwatched, Missed bool
}

// Fill works out the phases of an object that a window needs, the newest first,
// until more is false. It reports whether it has all of them.
func (x *Set) Fill(object model.ObjectID, w Window, more func() bool) (done bool) {
	l := x.objects[object]
	if l == nil {
		return true
	}
	from, to := l.within(w.From(), w.To())
	for i := to - 1; i >= max(from-1, 0); i-- {
		if l.marks[i].phase != Unread || l.marks[i].bits&ended != 0 {
			continue
		}
		if !more() {
			return false
		}
		seq := x.seq(l.marks[i])
		e, ok := x.event(seq)
		l.marks[i].phase = NotHeld
		if ok {
			l.marks[i].phase, _ = x.phase(object, l, e.Version)
		}
	}
	if from == 0 && l.carried && l.phase == Unread {
		if !more() {
			return false
		}
		l.phase, _ = x.phase(object, l, l.before)
	}
	return true
}

// event is a row that is still held.
func (x *Set) event(seq model.Seq) (model.Event, bool) {
	if s := x.log.Snapshot(); seq >= s.First() && seq < s.End() {
		return s.At(seq), true
	}
	return model.Event{}, false
}

func (x *Set) phase(object model.ObjectID, l *lane, version uint32) (Phase, string) {
	raw, ok := x.log.AppendBytes(x.buf[:0], object, version)
	if x.buf = raw; !ok {
		return NotHeld, ""
	}
	return Of(l.id.Kind, raw)
}

// within are the marks in [from, to).
func (l *lane) within(from, to int64) (i, j int) {
	i = sort.Search(len(l.marks), func(i int) bool { return l.marks[i].time >= from })
	j = i + sort.Search(len(l.marks)-i, func(j int) bool { return l.marks[i+j].time >= to })
	return i, j
}

// at is what an object was in before a mark.
func (l *lane) at(i int) Phase {
	switch {
	case i > 0 && l.marks[i-1].bits&ended != 0:
		return Absent
	case i > 0:
		return l.marks[i-1].phase
	case l.carried:
		return l.phase
	case len(l.marks) > 0 && l.marks[0].bits&added == 0:
		return NotHeld // it must have been there
	}
	return Absent
}

// Cells draws the lane of an object up to a moment; what comes after it is
// Absent, and nobody is blamed for not watching. It costs no look at bytes.
func (x *Set) Cells(dst []Cell, object model.ObjectID, w Window, until int64) []Cell {
	l := x.objects[object]
	if l == nil {
		return append(dst, make([]Cell, w.N)...)
	}
	st := x.watch(l)
	since := int64(math.MaxInt64) // what is dark from here to the first mark may hide it
	if len(l.marks) > 0 && !l.carried && l.marks[0].bits&added != 0 && l.marks[0].bits&(initial|found) != 0 {
		since = st.darkBefore(l.marks[0].time)
	}
	i, _ := l.within(w.From(), w.To())
	phase := l.at(i)
	for c := range w.N {
		from := w.Start(c)
		to := min(from+w.Cell, until)
		if from > until {
			dst = append(dst, Cell{})
			continue
		}
		cell := Cell{Phase: phase}
		there := phase != Absent
		began := 0
		for ; i < len(l.marks) && l.marks[i].time < from+w.Cell && l.marks[i].time <= until; i++ {
			m := &l.marks[i]
			if x.counts(m) {
				cell.Changes++
			}
			there = true
			if m.bits&ended != 0 {
				phase, cell.Ended = Absent, true
				continue
			}
			if cell.Ended = false; m.phase == phase {
				continue
			}
			began++
			if phase = m.phase; began == 1 || phase.Tone() >= cell.Phase.Tone() {
				cell.Phase = phase
			}
		}
		cell.Began, cell.Mixed = began > 0, began > 1
		if cell.Ended {
			cell.Phase = Absent
		}
		maybe := there || len(l.marks) > 0 && from < l.marks[0].time && to > since
		if maybe && to > from {
			cell.Unwatched = 2*st.dark(from, to) >= to-from
			cell.Missed = st.missed(from, to)
		}
		dst = append(dst, cell)
	}
	return dst
}
