package diff

import (
	"bytes"
	"slices"
	"strings"

	"rewatch/model/jsonscan"
)

// entry is one of the managedFields.
type entry struct {
	raw, fields          []byte
	manager, id, seconds string // id: manager, operation and subresource
}

// entries reads the managedFields of an object.
func entries(object []byte) []entry {
	raw := jsonscan.Get(object, "metadata", "managedFields")
	spans, err := jsonscan.AppendElements(nil, raw)
	if err != nil {
		return nil
	}
	list := make([]entry, 0, len(spans))
	for _, s := range spans {
		e := entry{raw: s.Of(raw)}
		members, _ := jsonscan.AppendMembers(nil, e.raw)
		var operation, subresource string
		for _, m := range members {
			switch v := m.Of(e.raw); m.Key {
			case "manager":
				e.manager = text(v)
			case "operation":
				operation = text(v)
			case "subresource":
				subresource = text(v)
			case "time":
				e.seconds = text(v)
			case "fieldsV1":
				e.fields = v
			}
		}
		e.id = e.manager + "\x00" + operation + "\x00" + subresource
		list = append(list, e)
	}
	return list
}

// managers names who likely changed old into new: whose entry is new, has a
// new time, or gained fields. An entry that only lost fields does not count:
// the one who took them over has gained them.
//
// Within one second a manager may write again without a trace in its entry. If
// no entry differs, it is the newest one, provided that it owns a field named
// like one that changed.
func managers(old, new []byte, changes []Change) []string {
	was, is := entries(old), entries(new)
	var moved []entry
	for _, e := range is {
		if !slices.ContainsFunc(was, func(o entry) bool { return bytes.Equal(o.raw, e.raw) }) && e.acted(was) {
			moved = append(moved, e)
		}
	}
	if len(moved) == 0 {
		moved = again(is, changes)
	}
	// Times are whole seconds in RFC 3339, in UTC: they sort as text.
	slices.SortStableFunc(moved, func(a, b entry) int { return strings.Compare(b.seconds, a.seconds) })
	var names []string
	for _, e := range moved {
		if e.manager != "" && !slices.Contains(names, e.manager) {
			names = append(names, e.manager)
		}
	}
	return names
}

// again finds the newest entries, if they own what changed.
func again(is []entry, changes []Change) []entry {
	newest := ""
	for _, e := range is {
		newest = max(newest, e.seconds)
	}
	var found []entry
	for _, e := range is {
		owns := func(c Change) bool {
			field := c.Path[strings.LastIndexAny(c.Path, ".]")+1:]
			return field != "" && bytes.Contains(e.fields, []byte(`"f:`+field+`"`))
		}
		if e.seconds == newest && slices.ContainsFunc(changes, owns) {
			found = append(found, e)
		}
	}
	return found
}

// acted reports whether e differs from its former self by more than a loss.
func (e entry) acted(was []entry) bool {
	for _, o := range was {
		if o.id == e.id && o.seconds == e.seconds && len(e.fields) < len(o.fields) {
			return false
		}
	}
	return true
}

// newestManager names who likely created an object.
func newestManager(object []byte) []string {
	var newest entry
	for _, e := range entries(object) {
		if e.manager != "" && (newest.manager == "" || e.seconds > newest.seconds) {
			newest = e
		}
	}
	if newest.manager == "" {
		return nil
	}
	return []string{newest.manager}
}

// text is the text of a JSON string, "" of anything else.
func text(raw []byte) string {
	s, err := jsonscan.Unquote(raw)
	if err != nil {
		return ""
	}
	return strings.Clone(s)
}
