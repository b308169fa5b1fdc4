// Package lanes makes waterfalls of a log: for each object a lane, time across,
// with the phases that the object went through, its changes, and the spans in
// which nobody watched or of which nothing is held.
//
// A [Set] is fed the rows of a log in order, which costs no look at any bytes:
// a mark of 16 bytes is kept for each row of an object that the log holds. The
// phases are worked out of the versions for those lanes and times that are
// looked at ([Set.Fill]), and kept.
package lanes

import (
	"math"
	"sort"
	"time"

	"rewatch/model"
)

// Set holds the lanes of one log. It belongs to one goroutine at a time.
type Set struct {
	log     *model.Log
	next    model.Seq // the first row that was not read
	pruned  model.Seq // rows before have been forgotten
	seeded  bool
	folds   func(model.Seq) (folded, known bool)
	objects map[model.ObjectID]*lane
	streams map[model.StreamID]*stream
	from    int64 // of the first row read
	to      int64 // of the last
	buf     []byte
	tree    tree
	// All counts rows that say nothing as well.
	All bool
}

// mark is a row of an object.
type mark struct {
	time  int64
	low   uint32 // of the row's number
	phase Phase  // Unread until somebody has looked
	bits  bits
}

type bits uint8

const (
	added   bits = 1 << iota // the object came to exist
	ended                    // it ceased to
	initial                  // it had been there when the stream began
	found                    // by comparing lists: it happened somewhen before
	judged                   // whether the row says anything is known
	noisy                    // it does not
	left                     // it may only have left, or entered, a selection
)

// lane is what is known of one object.
type lane struct {
	id      model.Identity
	streams []model.StreamID // that brought it, one after the other or at a time
	marks   []mark
	// Of an object whose oldest rows have left the log: what it was in then.
	carried bool
	before  uint32 // that version
	phase   Phase  // of that version

	owner owner
	asOf  model.Seq // the owner is known up to this row
}

// ignored is the lane of all objects that have none: Events are about others.
var ignored = &lane{}

// New returns an empty set for a log. folds says whether a row is among those
// that say nothing, and whether that is known yet; nil is that none is.
func New(l *model.Log, folds func(model.Seq) (folded, known bool)) *Set {
	if folds == nil {
		folds = func(model.Seq) (bool, bool) { return false, true }
	}
	return &Set{log: l, folds: folds, objects: map[model.ObjectID]*lane{}, streams: map[model.StreamID]*stream{}, from: math.MaxInt64, to: math.MinInt64}
}

// Read reads rows of a snapshot until more is false, which is asked every few
// rows. It reports whether it has read all.
func (x *Set) Read(s model.Snapshot, more func() bool) (done bool) {
	x.next = max(x.next, s.First())
	for n := 1; x.next < s.End(); n++ {
		if n%64 == 0 && !more() {
			return false
		}
		x.add(s.At(x.next))
		x.next++
	}
	if !x.seeded {
		x.seeded = true
		x.seed(s)
	}
	if s.First() >= x.pruned+pruneEvery {
		x.prune(s)
	}
	return true
}

// Next is the first row that was not read.
func (x *Set) Next() model.Seq { return x.next }

// Bounds are the times of the first and the last row read; ok is false if there
// is none.
func (x *Set) Bounds() (from, to int64, ok bool) { return x.from, x.to, x.from <= x.to }

func (x *Set) add(e model.Event) {
	x.from, x.to = min(x.from, e.Time), max(x.to, e.Time)
	if !e.Type.IsObject() {
		x.addStep(e)
		return
	}
	l := x.objects[e.Object]
	if e.Has(model.Replayed) {
		if l != nil && l != ignored {
			l.follow(e.Stream)
		}
		return
	}
	if l == ignored {
		return
	}
	if l == nil {
		if l = x.enter(e.Object, e.Stream); l == nil {
			return
		}
	}
	l.follow(e.Stream)
	m := mark{time: e.Time, low: uint32(e.Seq), phase: Unread}
	if n := len(l.marks); n > 0 {
		m.time = max(m.time, l.marks[n-1].time)
	}
	switch e.Type {
	case model.Added:
		m.bits |= added
	case model.Deleted:
		m.bits |= ended
	}
	if e.Has(model.Initial) {
		m.bits |= initial
	}
	if e.Has(model.Synthetic) {
		m.bits |= found
	}
	if e.Has(model.Selection) {
		m.bits |= left
	}
	l.marks = append(l.marks, m)
}

// enter makes the lane of an object; nil if it has none.
func (x *Set) enter(object model.ObjectID, s model.StreamID) *lane {
	id := x.log.Identity(object)
	switch {
	case id.Name == "":
		return nil // it has left the log
	case id.Kind == "Event":
		x.objects[object] = ignored
		return nil
	}
	l := &lane{id: id, streams: []model.StreamID{s}}
	x.objects[object] = l
	x.tree.stale = true
	return l
}

// seed enters the objects that exist though all their rows have left the log.
func (x *Set) seed(s model.Snapshot) {
	if s.First() == 0 {
		return
	}
	for _, st := range x.log.Streams(time.Time{}) {
		for k := range x.log.Current(st.ID) {
			if x.objects[k.Object] != nil {
				continue
			}
			if _, held := x.log.VersionSeq(k.Object, k.Version); held {
				continue // its row is yet to be read
			}
			if l := x.enter(k.Object, st.ID); l != nil {
				l.carried, l.before, l.phase = true, k.Version, Unread
			}
		}
	}
}

// pruneEvery is after how many rows that have left the log they are forgotten.
const pruneEvery = 1 << 16

// prune forgets rows that have left the log, but for what each object was in.
func (x *Set) prune(s model.Snapshot) {
	x.pruned = s.First()
	for id, l := range x.objects {
		if _, newest := x.log.Versions(id); newest == 0 {
			delete(x.objects, id)
			x.tree.stale = true
			continue
		}
		n := sort.Search(len(l.marks), func(i int) bool { return x.seq(l.marks[i]) >= s.First() })
		if l == ignored || n == 0 {
			continue
		}
		last := l.marks[n-1]
		l.carried, l.phase = last.bits&ended == 0, last.phase
		if l.before = 0; l.carried && l.phase == Unread {
			// Its row has left; the version is held only if it is the newest one.
			if _, newest := x.log.Versions(id); len(l.marks) == n {
				l.before = newest
			} else {
				l.phase = NotHeld
			}
		}
		l.marks = append([]mark(nil), l.marks[n:]...)
	}
	for _, st := range x.streams {
		st.prune(s)
	}
}

// seq is the row of a mark: the newest one read whose number ends like that.
func (x *Set) seq(m mark) model.Seq { return x.next - model.Seq(uint32(x.next)-m.low) }

// counts reports whether a mark is a change that says something.
func (x *Set) counts(m *mark) bool {
	if m.bits&judged == 0 {
		folded, known := x.folds(x.seq(*m))
		if known {
			m.bits |= judged
		}
		if folded {
			m.bits |= noisy
		}
	}
	return m.bits&initial == 0 && (x.All || m.bits&noisy == 0)
}
