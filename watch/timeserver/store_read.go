package timeserver

import (
	"maps"
	"sort"
)

// lookup finds the table of a request path, nil when it is not served. Its
// Resource is a copy, which stays as it is while [Store.setNamespaced] corrects
// the store's.
func (s *Store) lookup(group, version, resource string) *shelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[Resource{Group: group, Resource: resource}.Key()]
	if t == nil || t.Version != version {
		return nil
	}
	c := *t
	return &c
}

// get is one object of a table, nil when there is none.
func (s *Store) get(t *shelf, namespace, name string) *object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.objects[(&object{namespace: namespace, name: name}).key()]
}

// snapshot is the objects of a table now, in list order, the resourceVersion
// that they are the state of, and the seq of the newest change in it.
func (s *Store) snapshot(t *shelf) (objects []*object, rv, seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.sorted(), s.current(t), t.seq
}

// current is the resourceVersion that a list of a table carries. Records of
// other types may be ahead of this one's in a recording, so that only its own
// count there. The caller holds mu.
func (s *Store) current(t *shelf) int64 {
	if s.past {
		return t.rv
	}
	return s.rv
}

// snapshotAt is the state of a table at a past resourceVersion, by undoing
// the changes since; false when the window does not reach back that far.
func (s *Store) snapshotAt(t *shelf, rv int64) ([]*object, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rv < t.oldest || rv > s.rv {
		return nil, false
	}
	first := t.after(rv)
	if first == len(t.changes) {
		return t.sorted(), true
	}
	m := maps.Clone(t.objects)
	for i := len(t.changes) - 1; i >= first; i-- {
		if c := t.changes[i]; c.old != nil {
			m[c.old.key()] = c.old
		} else {
			delete(m, c.now.key())
		}
	}
	return sortObjects(m), true
}

// after is the index of the first change that the holder of rv may not have
// seen. The caller holds mu.
func (t *shelf) after(rv int64) int {
	return sort.Search(len(t.changes), func(i int) bool {
		c := t.changes[i]
		return max(c.rv, c.floor) > rv || c.floor >= rv
	})
}

// feed is what a watch gets when it asks for more.
type feed struct {
	changes []change
	behind  int   // changes that wait after these
	rv      int64 // of the table: all changes up to it are here, when behind is 0
	moved   <-chan struct{}
	removed bool // the resource is not served any more
	lost    bool // changes after the position have left the window
}

// since returns at most n changes after the one that a seq numbers.
func (s *Store) since(t *shelf, seq int64, n int) feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := feed{rv: s.current(t), moved: t.moved, removed: t.removed, lost: seq < t.dropped}
	if f.lost {
		return f
	}
	// A copy, since trim clears what it drops.
	rest := t.changes[len(t.changes)-int(t.seq-seq):]
	f.behind = max(0, len(rest)-n)
	f.changes = append(f.changes, rest[:len(rest)-f.behind]...)
	return f
}

// position is the seq from which a watch goes on that has seen everything up
// to rv; expired says that it may not, since rv is below oldest.
func (s *Store) position(t *shelf, rv int64) (seq, oldest int64, expired bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.seq - int64(len(t.changes)-t.after(rv)), t.oldest, rv < t.oldest
}

// latest is the resourceVersion of a table now, and the seq of its newest
// change.
func (s *Store) latest(t *shelf) (rv, seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current(t), t.seq
}

// movement is the resourceVersion of the store and a channel that is closed
// when it moves on.
func (s *Store) movement() (int64, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rv, s.moved
}
