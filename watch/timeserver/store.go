package timeserver

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// firstRV is where resourceVersions begin: above the values "" and 0, which
// the protocol gives another meaning.
const firstRV = 100

// DefaultWindow is how many changes per resource a [Store] keeps for watches
// that resume and for paged lists.
const DefaultWindow = 4096

// Store is the state of a small cluster, with a window of its past changes.
// All resources share one sequence of resourceVersions, as in etcd: the
// store's own with [Store.Put], or that of a recorded cluster with
// [Store.PutRecorded]; one store takes one of the two. It is safe for
// concurrent use.
type Store struct {
	mu     sync.Mutex
	rv     int64
	past   bool // resourceVersions are those of a recorded cluster
	window int
	order  []string // keys, in the order they were added
	tables map[string]*shelf
	moved  chan struct{} // closed and replaced whenever rv moves
}

// shelf holds one resource. [Store.lookup] gives copies of it away, which share
// the contents.
type shelf struct {
	Resource
	*contents
}

// contents are read and changed under the store's lock.
type contents struct {
	objects map[string]*object
	changes []change // the window, in order of seq
	seq     int64    // of the newest change
	rv      int64    // the largest that was handed out for this resource
	// oldest is the smallest resourceVersion that a watch may start from, and
	// dropped the seq of the newest change that left the window: a running
	// watch which has sent that one loses nothing.
	oldest  int64
	dropped int64
	moved   chan struct{} // closed and replaced whenever changes grows
	removed bool
}

// change is one step of one object; old is nil when it was created, now is
// nil when it was deleted. last is what watches see of a deletion, when that
// is not simply old with another resourceVersion.
//
// Recorded changes come in the order in which they were seen, which is not
// always that of their resourceVersions: several watches of one type do not
// keep step. seq counts the changes of a resource without holes, and floor is
// the largest resourceVersion that was handed out before the change: who holds
// that one, or a smaller, may not have seen it.
type change struct {
	seq            int64
	rv, floor      int64
	old, now, last *object
}

// NewStore makes an empty store that serves these resources.
func NewStore(resources []Resource) *Store {
	s := &Store{rv: firstRV, window: DefaultWindow, tables: map[string]*shelf{}, moved: make(chan struct{})}
	for _, r := range resources {
		s.AddResource(r)
	}
	return s
}

// SetWindow changes how many changes per resource are kept; at least 1.
func (s *Store) SetWindow(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window = max(n, 1)
	for _, t := range s.tables {
		t.trim(s.window)
	}
}

// AddResource begins to serve a resource, as when a CRD is established. It
// does nothing when the resource is served already.
func (s *Store) AddResource(r Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.tables[r.Key()]; ok {
		return
	}
	s.order = append(s.order, r.Key())
	s.tables[r.Key()] = &shelf{r, &contents{objects: map[string]*object{}, rv: s.rv, oldest: s.rv, moved: make(chan struct{})}}
}

// RemoveResource stops serving a resource as a kube-apiserver does when its
// CRD is deleted: all objects are deleted, then the watches end, and from
// then on every request for it is answered 404.
func (s *Store) RemoveResource(resource string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return err
	}
	for _, o := range t.sorted() {
		s.record(t, change{old: o})
	}
	t.removed = true
	wake(&t.moved)
	delete(s.tables, t.Key())
	s.order = slices.DeleteFunc(s.order, func(k string) bool { return k == t.Key() })
	return nil
}

// Resources are those served now, in the order they were added.
func (s *Store) Resources() []Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Resource, len(s.order))
	for i, k := range s.order {
		out[i] = s.tables[k].Resource
	}
	return out
}

// RV is the newest resourceVersion of the store.
func (s *Store) RV() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rv
}

// Put creates or updates an object, given as JSON, and returns the
// resourceVersion that it was stamped with. Missing apiVersion, kind and uid
// are filled in. An object of the same name with another UID is deleted
// first. The resource is a plural ("pods") or a key ("deployments.apps").
func (s *Store) Put(resource string, obj []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return 0, err
	}
	now, err := newObject(t.Resource, obj, t.uid, s.rv+1)
	if err != nil {
		return 0, err
	}
	old := t.objects[now.key()]
	if old != nil && old.uid != now.uid {
		s.record(t, change{old: old})
		old, now = nil, now.at(s.rv+1)
	}
	s.record(t, change{old: old, now: now})
	return s.rv, nil
}

// Delete removes an object and returns the resourceVersion of the deletion;
// it is an error when there is none of that name.
func (s *Store) Delete(resource, namespace, name string) (int64, error) {
	return s.delete(resource, namespace, name, nil)
}

// DeleteAs is [Store.Delete] with the last state, as JSON, that the watches
// are to see; the object must be there.
func (s *Store) DeleteAs(resource string, last []byte) (int64, error) {
	return s.delete(resource, "", "", last)
}

func (s *Store) delete(resource, namespace, name string, last []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return 0, err
	}
	key := (&object{namespace: namespace, name: name}).key()
	var c change
	if last != nil {
		if c.last, err = newObject(t.Resource, last, nil, s.rv+1); err != nil {
			return 0, err
		}
		key = c.last.key()
	}
	if c.old = t.objects[key]; c.old == nil {
		return 0, fmt.Errorf("%s %q not found", t.Key(), key)
	}
	s.record(t, c)
	return s.rv, nil
}

// Compact forgets all past changes, of every resource: a watch that resumes
// below the present resourceVersion is answered 410, and so is a paged list
// that began before. Running watches that are up to date go on.
func (s *Store) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		t.trim(0)
		t.oldest = s.rv
	}
}

// Restore sets the newest resourceVersion to rv and forgets the window, as
// when etcd comes back from a backup. The objects stay as they are.
func (s *Store) Restore(rv int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rv = rv
	for _, t := range s.tables {
		t.changes, t.rv, t.oldest, t.dropped = nil, rv, rv, t.seq
		for k, o := range t.objects {
			if o.rv > rv {
				t.objects[k] = o.at(rv)
			}
		}
	}
}

// State is every object of a resource now, in the order a list has them.
// The bytes must not be changed. It is nil for an unknown resource.
func (s *Store) State(resource string) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.table(resource)
	if err != nil {
		return nil
	}
	var out [][]byte
	for _, o := range t.sorted() {
		out = append(out, o.raw)
	}
	return out
}

// record appends one change of the store's own, under the next
// resourceVersion. The caller holds mu.
func (s *Store) record(t *shelf, c change) {
	c.rv = s.rv + 1
	s.append(t, c)
}

// append appends one change, moves the resourceVersion to it and wakes the
// watches. The caller holds mu.
func (s *Store) append(t *shelf, c change) {
	t.seq++
	c.seq, c.floor = t.seq, t.rv
	t.rv = max(t.rv, c.rv)
	s.rv = max(s.rv, c.rv)
	if c.now != nil {
		t.objects[c.now.key()] = c.now
	} else {
		delete(t.objects, c.old.key())
	}
	t.changes = append(t.changes, c)
	t.trim(s.window)
	wake(&t.moved)
	wake(&s.moved)
}

func wake(c *chan struct{}) {
	close(*c)
	*c = make(chan struct{})
}

func (t *shelf) trim(window int) {
	if n := len(t.changes) - window; n > 0 {
		t.dropped = t.changes[n-1].seq
		t.oldest = max(t.oldest, t.changes[n-1].rv, t.changes[n-1].floor)
		clear(t.changes[:n]) // the array lives on: let go of what it holds
		t.changes = t.changes[n:]
	}
}

func (t *shelf) sorted() []*object { return sortObjects(t.objects) }

func sortObjects(m map[string]*object) []*object {
	return slices.SortedFunc(maps.Values(m), func(a, b *object) int { return strings.Compare(a.key(), b.key()) })
}

// table finds a resource by key, or by plural when no other has the same. The
// caller holds mu.
func (s *Store) table(name string) (*shelf, error) {
	if t, ok := s.tables[name]; ok {
		return t, nil
	}
	for _, k := range s.order {
		if s.tables[k].Resource.Resource == name {
			return s.tables[k], nil
		}
	}
	return nil, fmt.Errorf("unknown resource %q", name)
}

// uid is that of the object which a key names now, or a new one.
func (t *shelf) uid(key string) string {
	if o := t.objects[key]; o != nil {
		return o.uid
	}
	return newUID()
}

func newUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
