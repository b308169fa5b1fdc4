// Package blame tells who changed what, from the managedFields that the API
// server keeps in every object: of a change for each path, and of an object for
// each of its fields.
//
// What managedFields can tell: the server gives the fields that a write set or
// changed to the manager that wrote, and takes them from all others. So after a
// change of one version the entry that holds a path is who changed it. What
// they cannot tell, this package says to be likely, or unknown: times are whole
// seconds; a write that only removes leaves no trace; fields that the server
// sets itself (metadata.generation, deletionTimestamp) and defaults have no
// owner; old entries are merged into one called ancient-changes; an object may
// have been stripped of its entries.
package blame

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// Owner is who a field or a change is put down to.
type Owner struct {
	Manager     string // "" is unknown; from the cluster, not sanitised
	Operation   string // Apply or Update
	Subresource string // "status", …, "" for the object itself
	// Time is when the manager last changed the fields that it owns, to the
	// second: not later than that it set this one.
	Time time.Time
	// Likely is set where managedFields suggest the owner, and do not name it.
	Likely bool
}

// Known reports whether there is an owner.
func (o Owner) Known() bool { return o.Manager != "" }

// entry is one of the managedFields.
type entry struct {
	Owner
	at     jsonscan.Span // in the list
	raw    []byte
	fields []byte // fieldsV1
	// These are views of raw, and do not leave the comparison.
	apiVersion, seconds string
	moved               bool // it was written to between the two versions
}

// ancient is the manager that the server makes of the oldest, when there are
// too many.
const ancient = "ancient-changes"

func managedFields(object []byte) []byte {
	return jsonscan.Get(object, "metadata", "managedFields")
}

// entries reads managedFields. Those that an older version, of which was are the
// entries, has in the same words are not read again. spans is where they are,
// nil if that is not known.
func entries(raw, old []byte, was []entry, spans []jsonscan.Span) []entry {
	if len(spans) == 0 {
		before := make([]jsonscan.Span, len(was))
		for i := range was {
			before[i] = was[i].at
		}
		var err error
		if spans, err = jsonscan.AppendElementsLike(nil, raw, old, before); err != nil {
			return nil
		}
	}
	list := make([]entry, len(spans))
	for i, s := range spans {
		list[i].raw = s.Of(raw)
		if i < len(was) && bytes.Equal(list[i].raw, was[i].raw) {
			list[i] = was[i]
		} else {
			list[i].read()
		}
		list[i].at = s
	}
	return list
}

func (e *entry) read() {
	var room [8]jsonscan.Member
	members, _ := jsonscan.AppendMembers(room[:0], e.raw)
	for _, m := range members {
		switch v := m.Of(e.raw); m.Key {
		case "manager":
			e.Manager = text(v)
		case "operation":
			e.Operation = word(v)
		case "subresource":
			e.Subresource = word(v)
		case "apiVersion":
			e.apiVersion, _ = jsonscan.Unquote(v)
		case "time":
			e.seconds, _ = jsonscan.Unquote(v)
		case "fieldsV1":
			e.fields = v
		}
	}
	e.Time, _ = time.Parse(time.RFC3339, e.seconds)
	e.Likely = e.Manager == ancient
}

// word is text for what hardly ever is anything else than one of these.
func word(raw []byte) string {
	switch string(raw) {
	case `"Update"`:
		return "Update"
	case `"Apply"`:
		return "Apply"
	case `"status"`:
		return "status"
	}
	return text(raw)
}

// text is the text of a JSON string, "" of anything else.
func text(raw []byte) string {
	s, err := jsonscan.Unquote(raw)
	if err != nil {
		return ""
	}
	return strings.Clone(s)
}

// same reports whether two entries are of one manager.
func (e *entry) same(o *entry) bool {
	return e.Manager == o.Manager && e.Operation == o.Operation && e.Subresource == o.Subresource && e.apiVersion == o.apiVersion
}

// mark marks the entries that were written to since. An entry that only lost
// fields was not: who took them over has gained them.
func mark(is, was []entry) {
	for i := range is {
		e := &is[i]
		e.moved = true
		for j := range was {
			if bytes.Equal(e.raw, was[j].raw) || e.same(&was[j]) && e.seconds == was[j].seconds && len(e.fields) <= len(was[j].fields) {
				e.moved = false
				break
			}
		}
		if e.Manager == ancient { // its time is that of those it was made of
			e.moved = false
		}
	}
}

// Changes puts each change between two versions down to somebody; r is what
// diff.Objects found. A nil old or new is an object that did not exist. The
// result has one owner for each change, in their order.
func Changes(r diff.Result, old, new []byte) []Owner {
	c := comparison{old: old, new: new}
	before, now := r.ManagedFields()
	if before == nil {
		before = managedFields(old)
	}
	if now == nil {
		now = managedFields(new)
	}
	var room [16]jsonscan.Span
	wasAt, isAt := r.Entries(room[:0])
	c.was = entries(before, nil, nil, wasAt)
	c.is = entries(now, before, c.was, isAt)
	c.before, c.now = newCursor(old, c.was), newCursor(new, c.is)
	c.now.changed = &r
	mark(c.is, c.was)
	c.newest = newest(c.is)
	c.writer = c.oneWriter()
	owners := make([]Owner, len(r.Changes))
	for i := range r.Changes {
		owners[i] = c.owner(&r.Changes[i])
	}
	return owners
}

// Managers names who made the step between two versions, in a word for a line:
// those that its changes are put down to, who made most of them first. A step
// in which nothing but bookkeeping changed is put down to those whom r names.
func Managers(r diff.Result, old, new []byte) []string {
	count := map[string]int{}
	for _, o := range Changes(r, old, new) {
		if o.Known() {
			count[o.Manager]++
		}
	}
	if len(count) == 0 && len(r.Changes) > 0 {
		return nil
	}
	if len(count) == 0 {
		return r.Managers
	}
	names := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return names
}

// comparison is one step from a version to the next.
type comparison struct {
	old, new []byte
	was, is  []entry
	newest   string // time of the newest entry
	writer   Owner  // who made the whole step, if that is plain

	before, now *cursor
}

// oneWriter is the only entry that was written to; unknown if there are
// several, as there are when versions in between are missing.
func (c *comparison) oneWriter() Owner {
	var found Owner
	for i := range c.is {
		if !c.is[i].moved {
			continue
		}
		if found.Known() {
			return Owner{}
		}
		found = c.is[i].Owner
	}
	return found
}

func (c *comparison) owner(x *diff.Change) Owner {
	steps, ok := diff.Steps(x.Path)
	if !ok || len(c.is) == 0 && len(c.was) == 0 {
		return Owner{}
	}
	switch {
	case c.new == nil: // deleting writes no entry
		return Owner{}
	case x.Op == diff.Remove:
		return c.remover(steps)
	}
	if o := c.holder(c.now.follow(steps)); o.Known() {
		return o
	}
	return c.likelyWriter()
}

// holder is the entry that holds a path after the change.
func (c *comparison) holder(at []state) Owner {
	best, rank, several := -1, 0, false
	for i := range c.is {
		e := &c.is[i]
		h := at[i].holds()
		if h == none {
			continue
		}
		// Who holds the path itself goes before who holds something around it;
		// then who has written since; then who has written last.
		n := int(h) * 4
		if e.moved {
			n += 2
		}
		switch {
		case n > rank:
			best, rank, several = i, n, false
		case n == rank && e.seconds > c.is[best].seconds:
			best, several = i, true
		case n == rank:
			several = true
		}
	}
	if best < 0 {
		return Owner{}
	}
	o := c.is[best].Owner
	switch {
	case c.is[best].moved:
		o.Likely = o.Likely || several
	default: // it wrote within the second of its last write, or somebody else did
		o.Likely = o.Likely || several || c.writer.Known() || c.is[best].seconds != c.newest
	}
	return o
}

// remover is who likely took a field away: who wrote; otherwise who had it and
// may have written again within a second; otherwise nobody knows.
func (c *comparison) remover(steps []diff.Step) Owner {
	if c.writer.Known() {
		o := c.writer
		o.Likely = true
		return o
	}
	at := c.before.follow(steps)
	var found Owner
	for i := range c.was {
		if at[i].holds() == none || c.was[i].Manager == ancient {
			continue
		}
		for j := range c.is {
			if e := &c.is[j]; e.same(&c.was[i]) && !bytes.Equal(e.raw, c.was[i].raw) && (e.moved || e.seconds == c.newest) {
				if found.Known() {
					return Owner{}
				}
				found = e.Owner
				found.Likely = true
			}
		}
	}
	return found
}

// likelyWriter is who wrote, for what has no owner: the generation for
// instance, which the server counts up.
func (c *comparison) likelyWriter() Owner {
	o := c.writer
	o.Likely = true
	if c.old == nil { // of a created object all comes from who created it
		for i := range c.is {
			if c.is[i].Subresource == "" && (!o.Known() || c.is[i].seconds < o.Time.UTC().Format(time.RFC3339)) {
				o = c.is[i].Owner
				o.Likely = true
			}
		}
	}
	if !o.Known() {
		return Owner{}
	}
	return o
}

// newest is the time of the newest entry. Times are RFC 3339 in UTC and sort
// as text.
func newest(list []entry) string {
	s := ""
	for i := range list {
		s = max(s, list[i].seconds)
	}
	return s
}
