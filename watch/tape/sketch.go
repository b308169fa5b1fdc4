package tape

import (
	"bytes"
	"slices"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// Telling objects without making them
//
// Objects whose splices use the same form against the same root differ in the
// values alone. So where in their texts the identity is, and which of the values
// are in it, is found out once; of each object no more than that is put together.

// sketch is what is common to the texts that a recipe makes of a root.
type sketch struct {
	size   int   // of such a text, without the values
	places []int // the values in it, by place
	bare   []int // those of them that are outside of strings
	// What Identity says, or nothing where the texts have no such member.
	apiVersion, kind, namespace, name, uid, rv spoken
}

// spoken is the text of a member.
type spoken struct {
	whole  string      // if no value is in it
	pieces []formPiece // otherwise
}

// noSketch stands for texts that have to be made to be understood.
var noSketch = &sketch{}

// newSketch finds out what is common to the texts that a recipe makes of a base.
// It is noSketch where values might change more than the texts of strings and
// the digits of numbers.
func newSketch(base []byte, steps recipe) *sketch {
	text, holes, ok := steps.outline(base)
	s := &sketch{size: len(text) - len(holes)}
	if !ok || !s.insides(text, holes) || !jsonscan.Valid(text) {
		return noSketch
	}
	top, err := jsonscan.AppendMembers(nil, text)
	if err != nil || !inMembers(top, holes, 0, len(text)) {
		return noSketch
	}
	meta, ok := only(top, "metadata")
	if !ok || meta.Start == 0 {
		return noSketch
	}
	members, err := jsonscan.AppendMembers(nil, meta.Of(text))
	if err != nil {
		return noSketch
	}
	for i := range members {
		members[i].Start += meta.Start
		members[i].End += meta.Start
	}
	if !inMembers(members, holes, meta.Start, meta.End) {
		return noSketch
	}
	for _, x := range []struct {
		in  []jsonscan.Member
		key string
		out *spoken
	}{
		{top, "apiVersion", &s.apiVersion}, {top, "kind", &s.kind}, {members, "namespace", &s.namespace},
		{members, "name", &s.name}, {members, "uid", &s.uid}, {members, "resourceVersion", &s.rv},
	} {
		m, ok := only(x.in, x.key)
		if !ok || m.End > 0 && !x.out.string(m.Span, text, holes) {
			return noSketch
		}
	}
	return s
}

// outline is what the steps make of a base, with a 7 for each value.
func (c recipe) outline(base []byte) (text []byte, holes []formHole, ok bool) {
	cursor := 0
	for i := range c {
		x := &c[i]
		if x.copied > len(base)-cursor {
			return nil, nil, false
		}
		text = append(append(text, base[cursor:cursor+x.copied]...), x.text...)
		if x.value >= 0 {
			holes = append(holes, formHole{len(text), x.value})
			text = append(text, '7') // is right in strings and in numbers, and no escape
		}
		if cursor += x.copied + x.jump; cursor < 0 || cursor > len(base) {
			return nil, nil, false
		}
	}
	return append(text, base[cursor:]...), holes, len(c) > 0
}

// insides finds out which values are outside of strings. It is false where one
// might be part of an escape.
func (s *sketch) insides(text []byte, holes []formHole) bool {
	const longest = len(`\u123`)
	quoted, at := false, 0
	for _, h := range holes {
		for ; at < h.at; at++ {
			switch text[at] {
			case '\\':
				at++
			case '"':
				quoted = !quoted
			}
		}
		if bytes.IndexByte(text[max(h.at-longest, 0):h.at], '\\') >= 0 {
			return false
		}
		s.places = append(s.places, h.value)
		if !quoted {
			s.bare = append(s.bare, h.value)
		}
	}
	return true
}

// inMembers reports whether all holes between two places are in values of
// members: a key would be another one.
func inMembers(members []jsonscan.Member, holes []formHole, from, to int) bool {
	return !slices.ContainsFunc(holes, func(h formHole) bool {
		return h.at >= from && h.at < to && !slices.ContainsFunc(members, func(m jsonscan.Member) bool {
			return h.at >= m.Start && h.at < m.End
		})
	})
}

// only returns the member with a key, nothing if there is none; false if there
// are several.
func only(members []jsonscan.Member, key string) (found jsonscan.Member, ok bool) {
	for _, m := range members {
		if m.Key == key {
			if found.End > 0 {
				return found, false
			}
			found = m
		}
	}
	return found, true
}

// string takes in the member at a place, which must be a string without escapes.
func (t *spoken) string(at jsonscan.Span, text []byte, holes []formHole) bool {
	quoted := at.Of(text)
	if len(quoted) < 2 || quoted[0] != '"' || !isASCII(quoted) || bytes.IndexByte(quoted, '\\') >= 0 {
		return false
	}
	from, end := at.Start+1, at.End-1
	for _, h := range holes {
		if h.at >= from && h.at < end {
			t.pieces = append(t.pieces, formPiece{text[from:h.at], h.value})
			from = h.at + 1
		}
	}
	if rest := text[from:end]; t.pieces != nil {
		t.pieces = append(t.pieces, formPiece{rest, -1})
	} else {
		t.whole = string(rest)
	}
	return true
}

// of returns the text for some values, in buf unless it is always the same.
func (t *spoken) of(buf []byte, values []byte, ends []int) (text string, _ []byte) {
	if t.pieces == nil {
		return t.whole, buf
	}
	from := len(buf)
	buf = append(buf, '"')
	for i := range t.pieces {
		p := &t.pieces[i]
		if buf = append(buf, p.text...); p.value >= 0 {
			buf = append(buf, valueOf(values, ends, p.value)...)
		}
	}
	buf = append(buf, '"')
	text, _ = jsonscan.Unquote(buf[from:]) // a view: nothing in it is escaped
	return text, buf
}

// valueOf is one of some values.
func valueOf(values []byte, ends []int, i int) []byte {
	from := 0
	if i > 0 {
		from = ends[i-1]
	}
	return values[from:ends[i]]
}

// tell is identify for the text that the sketch stands for, with some values;
// size is how long it is. Strings that it makes are in buf, which it returns.
func (s *sketch) tell(buf []byte, info *model.StreamInfo, values []byte, ends []int) (id model.Identity, rv string, size int, _ []byte, ok bool) {
	size = s.size
	for _, i := range s.places {
		size += len(valueOf(values, ends, i))
	}
	for _, i := range s.bare {
		v := valueOf(values, ends, i)
		if n, ok := parseInt(v); !ok || n < 0 || v[0] == '0' && len(v) > 1 {
			return id, "", 0, buf, false
		}
	}
	id.APIVersion, buf = s.apiVersion.of(buf, values, ends)
	id.Kind, buf = s.kind.of(buf, values, ends)
	id.Namespace, buf = s.namespace.of(buf, values, ends)
	id.Name, buf = s.name.of(buf, values, ends)
	id.UID, buf = s.uid.of(buf, values, ends)
	rv, buf = s.rv.of(buf, values, ends)
	complete(&id, info)
	return id, rv, size, buf, true
}

// sketches are those that were of use. A pair of form and root that has not been
// met twice has none: to make one takes longer than to make a text.
type sketches struct {
	of   map[sketched]*sketch
	last sketched
	used *sketch
}

type sketched struct {
	form *form
	root *root
}

// get returns the sketch of what a splice makes of its root; nil if that has to
// be made.
func (s *sketches) get(w *waiting) *sketch {
	key := sketched{w.form, w.from}
	if key == s.last {
		if s.used != nil {
			return s.used.useful()
		}
	} else {
		s.last = key
		s.used = s.of[key]
	}
	_, again := s.of[key]
	switch {
	case s.used != nil:
	case again:
		s.used = newSketch(w.from.text, w.form.plan.spelled())
		s.of[key] = s.used
	default:
		if s.of == nil {
			s.of = map[sketched]*sketch{}
		}
		s.of[key] = nil
	}
	return s.used.useful()
}

func (s *sketch) useful() *sketch {
	if s == noSketch {
		return nil
	}
	return s
}
