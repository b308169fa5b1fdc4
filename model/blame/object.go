package blame

import (
	"slices"
	"strings"

	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// Field is a part of an object that has the same owners throughout.
type Field struct {
	// Path is spelled as the paths of changes are; from the cluster, not
	// sanitised.
	Path  string
	Value []byte // JSON, a view of the object
	// Owners are all who hold the field, who wrote last first; none is unknown.
	// Those that own it as a part of a larger value only are likely.
	Owners []Owner
}

// maxDepth bounds the recursion; what lies deeper is one field.
const maxDepth = 100

// Object tells of each field of an object who owns it, in the order of the
// object's bytes, without managedFields and resourceVersion.
func Object(object []byte) []Field {
	w := walker{list: entries(managedFields(object), nil, nil, nil)}
	at := make([]state, len(w.list))
	for i := range at {
		at[i] = state{node: w.list[i].fields, in: len(w.list[i].fields) > 0}
	}
	w.walk(object, at, nil, 0)
	return w.fields
}

type walker struct {
	list   []entry
	fields []Field
}

func (w *walker) walk(v []byte, at []state, path []byte, depth int) {
	deeper := depth == 0
	for i := range at {
		deeper = deeper || at[i].in && !empty(at[i].node)
	}
	var parts []place
	if deeper && depth < maxDepth {
		parts = partsOf(v)
	}
	if len(parts) == 0 {
		if depth > 0 {
			w.fields = append(w.fields, Field{Path: string(path), Value: v, Owners: w.owners(at)})
		}
		return
	}
	next := make([]state, len(at))
	for _, p := range parts {
		if string(path) == "metadata" && (p.key == "managedFields" || p.key == "resourceVersion") {
			continue
		}
		var keys []string
		for i := range at {
			next[i] = state{covered: at[i].covered || depth > 0 && at[i].in && empty(at[i].node)}
			if !at[i].in || next[i].covered {
				continue
			}
			next[i].node = child(at[i].node, p)
			next[i].in = next[i].node != nil
			if next[i].in && p.element && keys == nil {
				keys = keysOf(at[i].node, p)
			}
		}
		if p.element {
			w.walk(p.value, next, diff.AppendElement(path[:len(path):len(path)], p.value, keys, p.index), depth+1)
		} else {
			w.walk(p.value, next, diff.AppendKey(path[:len(path):len(path)], p.key), depth+1)
		}
	}
}

// partsOf are the members of an object or the elements of a list.
func partsOf(v []byte) (parts []place) {
	if members, err := jsonscan.AppendMembers(nil, v); err == nil {
		for _, m := range members {
			parts = append(parts, place{key: m.Key, index: -1, value: m.Of(v)})
		}
		return parts
	}
	spans, _ := jsonscan.AppendElements(nil, v)
	for i, s := range spans {
		parts = append(parts, place{element: true, index: i, value: s.Of(v)})
	}
	return parts
}

// keysOf are the members by which a tree tells an element from others.
func keysOf(node []byte, p place) (keys []string) {
	members, _ := jsonscan.AppendMembers(nil, node)
	for _, m := range members {
		if strings.HasPrefix(m.Key, "k:") && elementIs(m.Key, p) {
			found, _ := jsonscan.AppendMembers(nil, []byte(m.Key[2:]))
			for _, k := range found {
				keys = append(keys, strings.Clone(k.Key))
			}
			return keys
		}
	}
	return nil
}

// owners are those who hold what the states are at.
func (w *walker) owners(at []state) (owners []Owner) {
	exactly := slices.ContainsFunc(at, func(s state) bool { return s.in })
	for i, s := range at {
		o := w.list[i].Owner
		switch {
		case s.in:
		case s.covered && !exactly:
			// An atomic list or object: one value, whatever is in it. Without the
			// schema it may as well be one that was empty when it was set.
			o.Likely = true
		default:
			continue
		}
		owners = append(owners, o)
	}
	slices.SortStableFunc(owners, func(a, b Owner) int { return b.Time.Compare(a.Time) })
	return owners
}
