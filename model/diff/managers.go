package diff

import (
	"bytes"
	"slices"
	"strings"

	"rewatch/model/jsonscan"
)

// entry is one of the managedFields.
type entry struct {
	span        jsonscan.Span
	raw, fields []byte
	manager     string
	// These are views of raw, and do not leave the comparison.
	operation, subresource, seconds string
}

// entries tells the entries of managedFields apart; read reads one.
func entries(raw, old []byte, was []entry) []entry {
	like := make([]jsonscan.Span, len(was))
	for i, e := range was {
		like[i] = e.span
	}
	spans, err := jsonscan.AppendElementsLike(nil, raw, old, like)
	if err != nil {
		return nil
	}
	list := make([]entry, len(spans))
	for i, s := range spans {
		list[i] = entry{span: s, raw: s.Of(raw)}
	}
	return list
}

func (e *entry) read() {
	members, _ := jsonscan.AppendMembers(nil, e.raw)
	for _, m := range members {
		switch v := m.Of(e.raw); m.Key {
		case "manager":
			e.manager = text(v)
		case "operation":
			e.operation, _ = jsonscan.Unquote(v)
		case "subresource":
			e.subresource, _ = jsonscan.Unquote(v)
		case "time":
			e.seconds, _ = jsonscan.Unquote(v)
		case "fieldsV1":
			e.fields = v
		}
	}
}

// managers names who likely made the changes, given the managedFields of both
// versions: whose entry is new, has a
// new time, or gained fields. An entry that only lost fields does not count:
// the one who took them over has gained them.
//
// Within one second a manager may write again without a trace in its entry. If
// no entry differs, it is the newest one, provided that it owns a field named
// like one that changed.
//
// It returns the entries of both versions as well, nil if it has not looked.
func managers(old, new []byte, changes []Change) (names []string, was, is []entry) {
	if bytes.Equal(old, new) && len(changes) == 0 {
		return nil, nil, nil
	}
	was = entries(old, nil, nil)
	is = entries(new, old, was)
	unchanged := func(e entry) bool {
		return slices.ContainsFunc(was, func(o entry) bool { return bytes.Equal(o.raw, e.raw) })
	}
	gone := slices.DeleteFunc(slices.Clone(was), func(o entry) bool {
		return slices.ContainsFunc(is, func(e entry) bool { return bytes.Equal(o.raw, e.raw) })
	})
	for i := range gone {
		gone[i].read()
	}
	var moved []entry
	for _, e := range is {
		if unchanged(e) {
			continue
		}
		if e.read(); e.acted(gone) {
			moved = append(moved, e)
		}
	}
	if len(moved) == 0 {
		moved = again(is, changes)
	}
	// Times are whole seconds in RFC 3339, in UTC: they sort as text.
	slices.SortStableFunc(moved, func(a, b entry) int { return strings.Compare(b.seconds, a.seconds) })
	for _, e := range moved {
		if e.manager != "" && !slices.Contains(names, e.manager) {
			names = append(names, e.manager)
		}
	}
	return names, was, is
}

// again finds the newest entries, if they own what changed.
func again(is []entry, changes []Change) []entry {
	newest := ""
	for i := range is {
		is[i].read()
		newest = max(newest, is[i].seconds)
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
		if o.manager == e.manager && o.operation == e.operation && o.subresource == e.subresource && o.seconds == e.seconds && len(e.fields) < len(o.fields) {
			return false
		}
	}
	return true
}

// Creator names who likely created an object, as Objects does, without
// comparing it with anything; nil is unknown.
func Creator(object []byte) []string {
	return newestManager(jsonscan.Get(object, "metadata", "managedFields"))
}

// newestManager names who likely created an object.
func newestManager(managedFields []byte) []string {
	var newest entry
	for _, e := range entries(managedFields, nil, nil) {
		if e.read(); e.manager != "" && (newest.manager == "" || e.seconds > newest.seconds) {
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
