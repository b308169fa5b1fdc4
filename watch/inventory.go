package watch

import (
	"hash/fnv"
	"strconv"
	"strings"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// inventory is what a stream knows to exist: identities and versions, no
// content. It is what a fresh list is compared with. About 200 bytes an object.
type inventory struct {
	known      map[string]*entry // by UID
	generation uint32            // of the running or last comparison
	namespaces map[string]string // interned
}

// entry is one object that exists as far as the stream knows.
type entry struct {
	object    model.ObjectID
	version   uint32 // of the object in the log
	seen      uint32 // generation of the last comparison that found it
	rv        uint64 // versionKey
	uid       string
	namespace string
	name      string
}

func newInventory() *inventory {
	return &inventory{known: map[string]*entry{}, namespaces: map[string]string{}}
}

// key names an object for as long as it lives: by UID, or by name where an API
// has no UIDs.
func key(uid, namespace, name string) string {
	if uid != "" {
		return uid
	}
	return namespace + "/" + name
}

func (e *entry) key() string { return key(e.uid, e.namespace, e.name) }

// find returns what is known of the object; nil is nothing.
func (v *inventory) find(m jsonscan.Meta) *entry { return v.known[key(m.UID, m.Namespace, m.Name)] }

// holds reports whether the object of an entry exists as far as is known.
func (v *inventory) holds(e *entry) bool { return v.known[e.key()] == e }

// add notes an object that was not known. m may be views of a buffer.
func (v *inventory) add(m jsonscan.Meta) *entry {
	ns, ok := v.namespaces[m.Namespace]
	if !ok {
		ns = strings.Clone(m.Namespace)
		v.namespaces[ns] = ns
	}
	e := &entry{uid: strings.Clone(m.UID), namespace: ns, name: strings.Clone(m.Name)}
	v.known[e.key()] = e
	return e
}

func (v *inventory) remove(e *entry) { delete(v.known, e.key()) }

// begin starts a comparison: every object that is not seen until its end is gone.
func (v *inventory) begin() { v.generation++ }

// unseen returns what the running comparison has not found.
func (v *inventory) unseen() []*entry {
	var gone []*entry
	for _, e := range v.known {
		if e.seen != v.generation {
			gone = append(gone, e)
		}
	}
	return gone
}

// names indexes what is known by namespace and name, for finding objects that
// were deleted and created anew.
func (v *inventory) names() map[[2]string]*entry {
	idx := make(map[[2]string]*entry, len(v.known))
	for _, e := range v.known {
		idx[[2]string{e.namespace, e.name}] = e
	}
	return idx
}

// versionKey makes a resourceVersion comparable for equality in eight bytes:
// its number, or a hash of one that is opaque. 0 is no resourceVersion.
func versionKey(rv string) uint64 {
	if !resumable(rv) {
		return 0
	}
	if n, err := strconv.ParseUint(rv, 10, 63); err == nil {
		return n
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(rv))
	return h.Sum64() | 1<<63
}

// resumable reports whether a watch can be resumed from a resourceVersion:
// "" and "0" have another meaning.
func resumable(rv string) bool { return rv != "" && rv != "0" }
