// Package diff tells what changed between two versions of an object, from
// their JSON bytes.
//
// It walks the bytes of both versions side by side and steps only into what
// differs, so that its cost follows the size of the object and not the number
// of values in it. Numbers are never parsed: 9007199254740993 stays what it
// is. Strings that differ only in how they are escaped are equal.
//
// Elements of lists are matched as the API server does it: by their merge key
// (containers by name, conditions by type, …), and in lists that it does not
// know by a key that happens to be unique, or by content.
package diff

import (
	"bytes"

	"rewatch/model/jsonscan"
)

// Op is what happened at a path.
type Op uint8

const (
	Add Op = iota + 1
	Remove
	Replace
)

// Change is one changed path.
type Change struct {
	// Path as people write it: spec.template.spec.containers[name=app].image,
	// metadata.labels["app.kubernetes.io/name"], spec.args[2]. In a list without
	// keys the index is that of the old version for Remove, of the new one
	// otherwise. A path that ends with [order] is about the order of the
	// elements that a list with keys had and has; its values are arrays of
	// what is between the brackets of their paths. Values and keys in a path
	// come from the cluster: not sanitised.
	Path     string
	Op       Op
	Old, New string // JSON text of the values, "" where there is none; whole subtrees as one value
}

// Result is what one comparison found.
type Result struct {
	Changes []Change
	// Managers names the field managers whose managedFields entries are new,
	// have a new time, or gained fields: who likely made the change, most
	// recent first. If none is so, a manager that owns what changed and wrote
	// within the same second before. Of a created object it is the manager of its newest entry.
	// Empty is unknown.
	Managers []string
	// Cut is set when the list was cut short because of a bound.
	Cut bool

	old, new []byte   // managedFields, met on the way
	was, is  []entry  // of those
	members  []member // of the new version, that changed
}

// ManagedFields are those of both versions, nil where the comparison has not
// come by them. They are parts of the versions.
func (r *Result) ManagedFields() (old, new []byte) { return r.old, r.new }

// Entries appends where the entries of ManagedFields are in them, nothing where
// the comparison does not know.
func (r *Result) Entries(dst []jsonscan.Span) (old, new []jsonscan.Span) {
	for i := range r.was {
		dst = append(dst, r.was[i].span)
	}
	n := len(dst)
	for i := range r.is {
		dst = append(dst, r.is[i].span)
	}
	return dst[:n:n], dst[n:]
}

// Member is what the new object has as a member that changed, nil for others.
// To find it in the object takes a look at all that comes before.
func (r *Result) Member(key string) []byte {
	for i := range r.members {
		if r.members[i].key == key {
			return r.members[i].value
		}
	}
	return nil
}

// member is a member of the new object.
type member struct {
	key   string
	value []byte
}

const (
	// maxChanges bounds the result: nobody reads more lines than that.
	maxChanges = 2000
	// maxDepth bounds the recursion. What lies deeper is compared as a whole.
	maxDepth = 100
)

// Objects compares two versions; a nil old or new is an object that did not
// exist, of which the members of metadata, spec and status are listed one by
// one. metadata.resourceVersion and managedFields are left out.
//
// It does not fail: where bytes are not JSON, the value around them is one
// Replace, the whole object as the path "".
func Objects(old, new []byte) Result {
	d := differ{}
	r := Result{}
	switch {
	case old == nil && new == nil:
		return r
	case old == nil:
		d.whole(new, Add)
		r.Managers = Creator(new)
	case new == nil:
		d.whole(old, Remove)
	default:
		d.value(bytes.TrimSpace(old), bytes.TrimSpace(new), "", 0)
		if d.fields == nil && len(d.changes) > 0 { // metadata is the same
			d.fields = jsonscan.Get(new, "metadata", "managedFields")
			d.oldFields = d.fields
		}
		r.Managers, r.was, r.is = managers(d.oldFields, d.fields, d.changes)
	}
	r.Changes, r.Cut, r.old, r.new, r.members = d.changes, d.cut, d.oldFields, d.fields, d.changed
	return r
}

// differ collects the changes of one comparison. members and spans are stacks
// shared by all levels of the recursion.
type differ struct {
	changes []Change
	cut     bool
	path    []byte
	members []jsonscan.Member
	spans   []jsonscan.Span
	// The managedFields of both versions, met on the way.
	oldFields, fields []byte
	changed           []member
}

// report notes a change at the path at hand.
func (d *differ) report(op Op, old, new []byte) {
	if len(d.changes) >= maxChanges {
		d.cut = true
		return
	}
	d.changes = append(d.changes, Change{Path: string(d.path), Op: op, Old: string(old), New: string(new)})
}

// value compares two values; field is the key that leads to them.
func (d *differ) value(old, new []byte, field string, depth int) {
	if d.cut || bytes.Equal(old, new) {
		return
	}
	if len(old) > 0 && len(new) > 0 && old[0] == new[0] && depth < maxDepth {
		switch old[0] {
		case '{':
			if d.objects(old, new, depth+1) {
				return
			}
		case '[':
			if d.arrays(old, new, field, depth+1) {
				return
			}
		case '"':
			if sameString(old, new) {
				return
			}
		}
	}
	d.report(Replace, old, new)
}

// sameString reports whether two strings differ only in how they are written.
func sameString(old, new []byte) bool {
	if bytes.IndexByte(old, '\\') < 0 && bytes.IndexByte(new, '\\') < 0 {
		return false
	}
	a, errA := jsonscan.Unquote(old)
	b, errB := jsonscan.Unquote(new)
	return errA == nil && errB == nil && a == b
}

// objects compares two objects member by member; it reports false if one of
// them cannot be read.
func (d *differ) objects(old, new []byte, depth int) bool {
	base := len(d.members)
	defer func() { d.members = d.members[:base] }()
	var err error
	if d.members, err = jsonscan.AppendMembers(d.members, old); err != nil {
		return false
	}
	split := len(d.members)
	if d.members, err = jsonscan.AppendMembersLike(d.members, new, old, d.members[base:]); err != nil {
		return false
	}
	was, is := d.members[base:split], d.members[split:]
	find := finder{was: was}
	for _, m := range is {
		if d.ignored(m.Key) {
			if m.Key == "managedFields" {
				d.fields = m.Of(new)
			}
			continue
		}
		at := d.enterKey(m.Key)
		if i := find.next(m.Key); i >= 0 {
			if depth == 1 && !bytes.Equal(was[i].Of(old), m.Of(new)) {
				d.changed = append(d.changed, member{m.Key, m.Of(new)})
			}
			d.value(was[i].Of(old), m.Of(new), m.Key, depth)
		} else {
			d.report(Add, nil, m.Of(new))
		}
		d.path = d.path[:at]
	}
	if find.found == len(was) {
		return true
	}
	find = finder{was: is}
	for _, m := range was {
		if d.ignored(m.Key) {
			if m.Key == "managedFields" {
				d.oldFields = m.Of(old)
			}
		} else if find.next(m.Key) < 0 {
			at := d.enterKey(m.Key)
			d.report(Remove, m.Of(old), nil)
			d.path = d.path[:at]
		}
	}
	return true
}

// ignored reports whether a member says nothing of the object itself.
func (d *differ) ignored(key string) bool {
	return (key == "resourceVersion" || key == "managedFields") && string(d.path) == "metadata"
}

// finder finds members by key. Versions of an object have them in the same
// order, with few exceptions, so it looks first behind the last one found.
type finder struct {
	was   []jsonscan.Member
	at    int
	found int
	index map[string]int // for objects of many members, when the order did not help
}

func (f *finder) next(key string) int {
	if f.at < len(f.was) && f.was[f.at].Key == key {
		f.at++
		f.found++
		return f.at - 1
	}
	i := f.search(key)
	if i >= 0 {
		f.at = i + 1
		f.found++
	}
	return i
}

func (f *finder) search(key string) int {
	if len(f.was) <= 32 {
		for i := range f.was {
			if f.was[i].Key == key {
				return i
			}
		}
		return -1
	}
	if f.index == nil {
		f.index = make(map[string]int, len(f.was))
		for i := len(f.was) - 1; i >= 0; i-- {
			f.index[f.was[i].Key] = i
		}
	}
	if i, ok := f.index[key]; ok {
		return i
	}
	return -1
}

// whole reports all of an object that was created or deleted.
func (d *differ) whole(raw []byte, op Op) {
	none := []byte(`{"metadata":{},"spec":{},"status":{}}`)
	raw = bytes.TrimSpace(raw)
	members, err := jsonscan.AppendMembers(nil, raw)
	if err != nil {
		none = nil
	}
	old, new := none, raw
	if op == Remove {
		old, new = raw, none
	}
	if none == nil {
		d.report(op, old, new)
		return
	}
	for _, m := range members {
		switch m.Key {
		case "apiVersion", "kind":
			continue
		}
		at := d.enterKey(m.Key)
		v := m.Of(raw)
		switch had := jsonscan.Find(none, m.Key); {
		case op == Add && had != nil:
			d.value(had, v, m.Key, 1)
		case op == Add:
			d.report(Add, nil, v)
		case had != nil:
			d.value(v, had, m.Key, 1)
		default:
			d.report(Remove, v, nil)
		}
		d.path = d.path[:at]
	}
}
