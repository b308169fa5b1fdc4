package timeserver

import (
	"maps"
	"sort"
)

// lookup finds the table of a request path, nil when it is not served.
func (s *Store) lookup(group, version, resource string) *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[Resource{Group: group, Resource: resource}.Key()]
	if t == nil || t.Version != version {
		return nil
	}
	return t
}

// get is one object of a table, nil when there is none.
func (s *Store) get(t *table, namespace, name string) *object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.objects[(&object{namespace: namespace, name: name}).key()]
}

// snapshot is the objects of a table now, in list order, and the
// resourceVersion that they are the state of.
func (s *Store) snapshot(t *table) ([]*object, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.sorted(), s.rv
}

// snapshotAt is the state of a table at a past resourceVersion, by undoing
// the changes since; false when the window does not reach back that far.
func (s *Store) snapshotAt(t *table, rv int64) ([]*object, bool) {
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

// after is the index of the first change after rv. The caller holds mu.
func (t *table) after(rv int64) int {
	return sort.Search(len(t.changes), func(i int) bool { return t.changes[i].rv > rv })
}

// feed is what a watch gets when it asks for more.
type feed struct {
	changes []change
	behind  int   // changes that wait after these
	rv      int64 // of the store: all changes up to it are here, when behind is 0
	moved   <-chan struct{}
	removed bool // the resource is not served any more
	lost    bool // changes after the position have left the window
	oldest  int64
	expired bool // a watch may not start from here: below oldest
}

// since returns at most n changes after rv.
func (s *Store) since(t *table, rv int64, n int) feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := feed{rv: s.rv, moved: t.moved, removed: t.removed, oldest: t.oldest}
	f.expired, f.lost = rv < t.oldest, rv < t.dropped
	if f.lost {
		return f
	}
	// A copy, since trim clears what it drops.
	rest := t.changes[t.after(rv):]
	f.behind = max(0, len(rest)-n)
	f.changes = append(f.changes, rest[:len(rest)-f.behind]...)
	return f
}

// movement is the resourceVersion of the store and a channel that is closed
// when it moves on.
func (s *Store) movement() (int64, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rv, s.moved
}
