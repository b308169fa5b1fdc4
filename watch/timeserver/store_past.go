package timeserver

import (
	"bytes"
	"fmt"
	"strconv"
)

// NewPastStore makes an empty store for recorded objects: they keep the
// resourceVersions that they had.
func NewPastStore() *Store {
	s := NewStore(nil)
	s.rv, s.past = 0, true
	return s
}

// PutRecorded is [Store.Put] for an object that keeps its resourceVersion. One
// that has none, or one that is no number, gets the newest of the store. It
// does nothing when the object is there just so already: an equal
// resourceVersion alone does not say that, since some types have none, and a
// restored etcd gives the same ones again.
func (s *Store) PutRecorded(resource string, obj []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return err
	}
	now, err := recorded(t.Resource, obj, max(s.rv, 1))
	if err != nil {
		return err
	}
	old := t.objects[now.key()]
	if old != nil && old.uid != now.uid {
		s.append(t, change{rv: old.rv, old: old, last: old})
		old = nil
	}
	if old == nil || old.rv != now.rv || !bytes.Equal(old.raw, now.raw) {
		s.append(t, change{rv: now.rv, old: old, now: now})
	}
	return nil
}

// DeleteRecorded is [Store.Delete] for a recorded deletion. last is the state
// that came with it, or nil. It is no error when there is no such object.
func (s *Store) DeleteRecorded(resource, namespace, name string, last []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return err
	}
	old := t.objects[(&object{namespace: namespace, name: name}).key()]
	if old == nil {
		return nil
	}
	c := change{rv: old.rv, old: old, last: old}
	if len(last) > 0 {
		if c.last, err = recorded(t.Resource, last, max(s.rv, 1)); err != nil {
			return err
		}
		c.rv = c.last.rv
	}
	s.append(t, c)
	return nil
}

// keepRecorded deletes the objects of a resource that are not in a set.
func (s *Store) keepRecorded(resource string, keys map[string]bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return err
	}
	for _, o := range t.sorted() {
		if !keys[o.key()] {
			s.append(t, change{rv: o.rv, old: o, last: o})
		}
	}
	return nil
}

// Progress notes that a recorded resource has nothing newer up to rv, as a
// bookmark says.
func (s *Store) Progress(resource string, rv int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, err := s.table(resource); err == nil && rv > t.rv {
		t.rv, s.rv = rv, max(s.rv, rv)
		wake(&s.moved)
	}
}

// Present makes what was put so far the state that the store begins with:
// there is no past before it.
func (s *Store) Present() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		t.trim(0)
		if t.rv == 0 {
			t.rv = s.rv // nothing was ever said of it
		}
		t.rv = max(t.rv, 1) // 0 has another meaning to clients
		t.oldest = t.rv
	}
	s.rv = max(s.rv, 1)
}

// recorded reads an object that keeps its resourceVersion, if that is a
// number.
func recorded(r Resource, raw []byte, otherwise int64) (*object, error) {
	o, err := newObject(r, raw, nil, 0)
	if err != nil {
		return nil, err
	}
	if o.rv > 0 {
		return o, nil
	}
	if o = o.at(otherwise); o.rv != otherwise {
		return nil, fmt.Errorf("%s %q: no place for a resourceVersion", r.Key(), o.key())
	}
	return o, nil
}

// recordedRV is the number of a recorded resourceVersion, 0 if it is none.
func recordedRV(text string) int64 {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0
	}
	return int64(n)
}

// newer reports whether the store has a later version of an object.
func (s *Store) newer(resource string, raw []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return false
	}
	now, err := newObject(t.Resource, raw, nil, 0)
	if err != nil {
		return false
	}
	old := t.objects[now.key()]
	return old != nil && old.uid == now.uid && old.rv > now.rv
}

// has reports whether there is an object of a resource without namespaces.
func (s *Store) has(resource, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	return err == nil && t.objects[name] != nil
}

// count is how many objects of a resource there are.
func (s *Store) count(resource string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return 0
	}
	return len(t.objects)
}

// setNamespaced corrects the scope of a resource.
func (s *Store) setNamespaced(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, err := s.table(resource); err == nil {
		t.Namespaced = true
	}
}
