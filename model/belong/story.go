package belong

import (
	"cmp"
	"slices"
	"time"

	"rewatch/model"
)

// Node is an object in an owner tree.
type Node struct {
	Object   model.ObjectID // 0 if the log has no such object
	Ref      Ref            // of an object that the log does not have
	Link     Link           // to the owner above; of the root zero
	Children []*Node
}

// maxTree bounds a tree, in nodes, and its depth.
const (
	maxTree  = 5000
	maxDepth = 20
)

// Tree is the owner tree that an object is part of, as it was at a row: its
// topmost owner by controllers, with all that it owns. truncated says that it
// is larger than what is returned.
func (x *Index) Tree(object model.ObjectID, at model.Seq) (root *Node, truncated bool) {
	b := builder{x: x, at: at, seen: map[model.ObjectID]bool{}}
	top := &Node{Object: object}
	for range maxDepth {
		l, ok := x.controller(top.Object, at)
		if !ok || l.To == object {
			break
		}
		top = &Node{Object: l.To, Ref: l.Ref}
		if l.To == 0 { // not in the log: it has this one child as far as one can know
			child := &Node{Object: l.From, Link: l}
			b.grow(child, 0)
			top.Children = []*Node{child}
			return top, b.truncated
		}
	}
	b.grow(top, 0)
	return top, b.truncated
}

// controller is the link to the owner that manages an object, or to its first
// owner if none does.
func (x *Index) controller(object model.ObjectID, at model.Seq) (found Link, ok bool) {
	for _, l := range x.Links(object) {
		if l.Relation == OwnedBy && l.Holds(at) && (!ok || l.Controller && !found.Controller) {
			found, ok = l, true
		}
	}
	return found, ok
}

type builder struct {
	x         *Index
	at        model.Seq
	seen      map[model.ObjectID]bool
	truncated bool
}

func (b *builder) grow(n *Node, depth int) {
	b.seen[n.Object] = true
	for _, l := range b.x.Members(n.Object) {
		switch {
		case l.Relation != OwnedBy || !l.Holds(b.at) || b.seen[l.From]:
			continue
		case len(b.seen) >= maxTree || depth >= maxDepth:
			b.truncated = true
			return
		}
		child := &Node{Object: l.From, Link: l}
		n.Children = append(n.Children, child)
		b.grow(child, depth+1)
	}
}

// Entry is one row of a story.
type Entry struct {
	Seq    model.Seq
	Object model.ObjectID
	// Time is when it happened, nanoseconds since the Unix epoch: of receipt;
	// of an Event that was there before the stream began its own time.
	Time int64
}

// maxStory bounds a story, in rows. The newest are told.
const maxStory = 5000

// Story is what happened to an object, to its owners, to what it owns, to Pods
// on it if it is a node and to slices of it if it is a Service, and the Events
// about all of them, in order of time. truncated says that older rows were left
// out.
func (x *Index) Story(object model.ObjectID) (entries []Entry, truncated bool) {
	cast := x.cast(object)
	for _, id := range cast {
		entries, truncated = x.rows(entries, id, truncated)
		if len(entries) > 2*maxStory {
			entries, truncated = order(entries)[len(entries)-maxStory:], true
		}
	}
	entries = order(entries)
	if n := len(entries); n > maxStory {
		entries, truncated = entries[n-maxStory:], true
	}
	return entries, truncated || len(cast) > maxTree
}

func order(entries []Entry) []Entry {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), compare(a.Seq, b.Seq))
	})
	return entries
}

// cast are the objects of a story.
func (x *Index) cast(object model.ObjectID) []model.ObjectID {
	cast := []model.ObjectID{object}
	in := map[model.ObjectID]bool{object: true}
	enter := func(id model.ObjectID) bool {
		if id == 0 || in[id] || len(cast) > maxTree || x.Duplicate(id) {
			return false
		}
		in[id] = true
		cast = append(cast, id)
		return true
	}
	// Up: owners, and what an Event is about, but not what those own besides.
	up := []model.ObjectID{object}
	for len(up) > 0 {
		for _, l := range x.Links(up[0]) {
			if (l.Relation == OwnedBy || l.Relation == About && up[0] == object) && enter(l.To) {
				up = append(up, l.To)
			}
		}
		up = up[1:]
	}
	// Down: all that belongs to it.
	down := []model.ObjectID{object}
	for len(down) > 0 {
		for _, l := range x.Members(down[0]) {
			if enter(l.From) && l.Relation != About {
				down = append(down, l.From)
			}
		}
		down = down[1:]
	}
	// And the Events about the owners.
	for _, id := range slices.Clone(cast) {
		for _, l := range x.Members(id) {
			if l.Relation == About {
				enter(l.From)
			}
		}
	}
	return cast
}

// rows appends the rows of one object.
func (x *Index) rows(entries []Entry, id model.ObjectID, truncated bool) ([]Entry, bool) {
	oldest, newest := x.log.Versions(id)
	if newest == 0 {
		return entries, truncated
	}
	if newest-oldest >= maxStory {
		oldest, truncated = newest-maxStory+1, true
	}
	s := x.log.Snapshot()
	isEvent := x.log.Identity(id).Kind == "Event"
	deletion, gone := x.gone[id]
	for v := oldest; v <= newest; v++ {
		seq, ok := x.log.VersionSeq(id, v)
		if !ok || seq < s.First() || seq >= s.End() {
			continue
		}
		e := s.At(seq)
		when := e.Time
		if isEvent && e.Has(model.Initial) {
			if raw, ok := x.log.Bytes(id, v); ok {
				if t := EventTime(raw); !t.IsZero() {
					when = min(when, t.UnixNano())
				}
			}
		}
		gone = gone && seq != deletion
		entries = append(entries, Entry{seq, id, when})
	}
	if gone && deletion >= s.First() && deletion < s.End() { // a deletion that brought no version
		entries = append(entries, Entry{deletion, id, s.At(deletion).Time})
	}
	return entries, truncated
}

// EventTime is when an Event, of either API, happened last, as far as it says;
// any of its times may be null. The zero time if all are.
func EventTime(event []byte) time.Time {
	for _, path := range [][]string{{"series", "lastObservedTime"}, {"lastTimestamp"}, {"deprecatedLastTimestamp"}, {"eventTime"},
		{"firstTimestamp"}, {"deprecatedFirstTimestamp"}, {"metadata", "creationTimestamp"}} {
		if t, err := time.Parse(time.RFC3339Nano, text(event, path...)); err == nil {
			return t
		}
	}
	return time.Time{}
}
