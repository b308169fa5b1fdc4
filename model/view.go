package model

import "sort"

// Filter decides whether a row is shown. It is called once for each row, in
// no particular order, from the goroutine that advances the view.
type Filter func(Event) bool

// View is the rows of a log that match a filter, in order. It grows in steps
// whose size the caller chooses, newest rows first, so that a screen has its
// page at once and the rest while it is being looked at; afterwards paging
// costs the same however many rows the log holds. A View belongs to one
// goroutine.
type View struct {
	match Filter
	// Low bits of the Seqs that match: older ones in descending order, newer
	// ones in ascending order, so that both grow at their end.
	older, newer []uint32
	start, end   Seq // rows in [start, end) were looked at
	begun        bool
}

// NewView returns a view in which nothing has been looked at yet.
func NewView(match Filter) *View { return &View{match: match} }

// Advance looks at no more than max rows of s that it has not seen: new ones
// first, then older and older ones. It also drops what has left the log. done
// is whether all rows of s have been looked at. Snapshots must be passed in
// the order in which they were taken.
func (v *View) Advance(s Snapshot, max int) (done bool) {
	if !v.begun {
		v.start, v.end, v.begun = s.End(), s.End(), true
	}
	v.drop(s.First())
	for ; max > 0 && v.end < s.End(); max-- {
		if v.match(s.At(v.end)) {
			v.newer = append(v.newer, uint32(v.end))
		}
		v.end++
	}
	for ; max > 0 && v.start > s.First(); max-- {
		v.start--
		if v.match(s.At(v.start)) {
			v.older = append(v.older, uint32(v.start))
		}
	}
	return v.end == s.End() && v.start == s.First()
}

// drop forgets rows before first.
func (v *View) drop(first Seq) {
	v.start, v.end = max(v.start, first), max(v.end, first)
	n := len(v.older)
	for n > 0 && v.full(v.older[n-1]) < first {
		n--
	}
	v.older = v.older[:n]
	for n == 0 && len(v.newer) > 0 && v.full(v.newer[0]) < first {
		v.newer = v.newer[1:]
	}
}

func (v *View) full(low uint32) Seq { return v.end - Seq(uint32(v.end)-low) }

// Len is the number of matching rows found so far.
func (v *View) Len() int { return len(v.older) + len(v.newer) }

// Looked returns the span of rows that have been looked at, for a progress
// mark: [start, end).
func (v *View) Looked() (start, end Seq) { return v.start, v.end }

// At returns the i-th matching row, 0 being the oldest found so far: while
// the view still grows backwards, numbers shift and a screen should hold on to
// a Seq instead.
func (v *View) At(i int) Seq {
	if n := len(v.older); i < n {
		return v.full(v.older[n-1-i])
	}
	return v.full(v.newer[i-len(v.older)])
}

// IndexOf returns the place of a row, or of the next newer one that matches;
// if there is none that of the newest; -1 in an empty view.
func (v *View) IndexOf(seq Seq) int {
	n := v.Len()
	i := sort.Search(n, func(i int) bool { return v.At(i) >= seq })
	if i == n {
		return n - 1
	}
	return i
}
