// Package statediff tells what is different between two states of a cluster,
// object by object.
//
// A state is given as a sequence that can be gone through again, so that no
// more of it is held than what differs.
package statediff

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"iter"
	"slices"
	"strconv"
	"strings"

	"rewatch/model"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// Object is one object of a state. Its strings and bytes need be valid only
// until the next one is asked for.
type Object struct {
	Identity model.Identity
	RV       string
	Raw      []byte
}

// State yields the objects of a state, the same ones each time. An object may
// come several times, from several streams: the highest resourceVersion counts.
type State func() iter.Seq2[Object, error]

// Op is what happened to an object between two states.
type Op string

// The ops.
const (
	Added     Op = "added"
	Removed   Op = "removed"
	Changed   Op = "changed"
	Recreated Op = "recreated" // removed, and another of its name added: the UIDs differ
)

// Difference is one object that differs.
type Difference struct {
	Op       Op
	Identity model.Identity // of the newer object; of the older one if it was removed
	OldUID   string         // "" if it was added
	Old, New []byte         // nil where there is none
	// Changes are the paths that differ, none for an object that was added or
	// removed.
	Changes  []diff.Change
	Managers []string // who likely made them, most recent first
	Cut      bool     // there are more Changes than is sensible to list
}

// Options of Compare.
type Options struct {
	// Bookkeeping includes metadata.resourceVersion and managedFields, which
	// change with everything else; an object in which nothing else differs is
	// no difference otherwise.
	Bookkeeping bool
}

// Compare returns what differs, ordered by context, kind, namespace and name.
// Errors are those of the states.
func Compare(from, to State, o Options) ([]Difference, error) {
	seed := maphash.MakeSeed()
	before, err := index(from, seed)
	if err != nil {
		return nil, err
	}
	after, err := index(to, seed)
	if err != nil {
		return nil, err
	}
	var differ []name
	for n, a := range after {
		if b, ok := before[n]; !ok || a.hash != b.hash {
			differ = append(differ, n)
		}
	}
	for n := range before {
		if _, ok := after[n]; !ok {
			differ = append(differ, n)
		}
	}
	slices.SortFunc(differ, name.compare)
	old, err := collect(from, before, differ)
	if err != nil {
		return nil, err
	}
	new, err := collect(to, after, differ)
	if err != nil {
		return nil, err
	}
	var out []Difference
	for _, n := range differ {
		if d, ok := compare(old[n], new[n], o); ok {
			out = append(out, d)
		}
	}
	return out, nil
}

// name is what an object is called, whatever its UID and version.
type name struct{ context, group, kind, namespace, name string }

func nameOf(id *model.Identity) name {
	group, _, ok := strings.Cut(id.APIVersion, "/")
	if !ok {
		group = ""
	}
	return name{id.Context, group, id.Kind, id.Namespace, id.Name}
}

func (n name) clone() name {
	return name{strings.Clone(n.context), strings.Clone(n.group), strings.Clone(n.kind), strings.Clone(n.namespace), strings.Clone(n.name)}
}

func (n name) compare(m name) int {
	return cmp.Or(strings.Compare(n.context, m.context), strings.Compare(n.kind, m.kind), strings.Compare(n.group, m.group),
		strings.Compare(n.namespace, m.namespace), strings.Compare(n.name, m.name))
}

// entry is one object of a state: which one in its order, and what tells its
// content.
type entry struct {
	at   int
	rv   uint64
	hash uint64
}

func index(s State, seed maphash.Seed) (map[name]entry, error) {
	out := map[name]entry{}
	at := 0
	for o, err := range s() {
		if err != nil {
			return nil, err
		}
		e := entry{at: at, hash: maphash.Bytes(seed, o.Raw)}
		e.rv, _ = strconv.ParseUint(o.RV, 10, 64) // 0 if it is no number
		at++
		n := nameOf(&o.Identity)
		if known, ok := out[n]; ok && known.rv >= e.rv {
			continue
		}
		out[n.clone()] = e
	}
	return out, nil
}

// collect returns the objects of some names.
func collect(s State, all map[name]entry, wanted []name) (map[name]Object, error) {
	at := make(map[int]name, len(wanted))
	for _, n := range wanted {
		if e, ok := all[n]; ok {
			at[e.at] = n
		}
	}
	out := make(map[name]Object, len(at))
	i := 0
	for o, err := range s() {
		if err != nil {
			return nil, err
		}
		if n, ok := at[i]; ok {
			id := o.Identity
			out[n] = Object{Raw: bytes.Clone(o.Raw), Identity: model.Identity{Context: n.context, Kind: n.kind, Namespace: n.namespace, Name: n.name,
				APIVersion: strings.Clone(id.APIVersion), UID: strings.Clone(id.UID)}}
		}
		i++
	}
	return out, nil
}

// compare tells what differs between two versions of an object, or that it came
// or went; ok is false if it is nothing.
func compare(old, new Object, o Options) (d Difference, ok bool) {
	d = Difference{Op: Changed, Identity: new.Identity, OldUID: old.Identity.UID, Old: old.Raw, New: new.Raw}
	switch {
	case old.Raw == nil:
		d.Op = Added
		d.Managers = diff.Objects(nil, new.Raw).Managers
		return d, true
	case new.Raw == nil:
		d.Op, d.Identity = Removed, old.Identity
		return d, true
	case old.Identity.UID != new.Identity.UID:
		d.Op = Recreated
	}
	r := diff.Objects(old.Raw, new.Raw)
	d.Changes, d.Managers, d.Cut = r.Changes, r.Managers, r.Cut
	if o.Bookkeeping {
		d.Changes = append(d.Changes, bookkeeping(old.Raw, new.Raw)...)
	}
	return d, len(d.Changes) > 0 || d.Op == Recreated
}

// bookkeeping are the changes that diff.Objects leaves out.
func bookkeeping(old, new []byte) []diff.Change {
	var out []diff.Change
	for _, key := range []string{"resourceVersion", "managedFields"} {
		a, b := jsonscan.Get(old, "metadata", key), jsonscan.Get(new, "metadata", key)
		if bytes.Equal(a, b) {
			continue
		}
		c := diff.Change{Path: "metadata." + key, Op: diff.Replace, Old: string(a), New: string(b)}
		switch {
		case a == nil:
			c.Op = diff.Add
		case b == nil:
			c.Op = diff.Remove
		}
		out = append(out, c)
	}
	return out
}
