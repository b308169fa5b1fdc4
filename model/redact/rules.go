package redact

import (
	"bytes"
	"cmp"
	"slices"

	"rewatch/model/jsonscan"
)

// With returns a Redactor under the same key that also replaces what rules
// select, in any object (Redactor.Apply).
func (r *Redactor) With(rules ...Rule) *Redactor { return &Redactor{key: r.key, rules: rules} }

// Rules returns the rules of With.
func (r *Redactor) Rules() []Rule { return r.rules }

// Apply returns an object with what the rules select replaced by fingerprints,
// also in the copies of the object that tools keep in annotations. What names
// the object (kind, apiVersion, and name, namespace, uid and resourceVersion in
// its metadata) always stays. Without rules, or where none selects anything,
// the result is raw.
//
// Bytes that are not one whole JSON object become `{}`, for rules cannot be
// applied to them.
func (r *Redactor) Apply(raw []byte) []byte {
	if len(r.rules) == 0 {
		return raw
	}
	w := walker{r: r, rules: r.rules}
	if !jsonscan.Valid(raw) || !w.object(raw, 0) {
		return []byte(placeholder)
	}
	return w.edited(raw)
}

// ApplyFrame is Apply for the object in a frame of a watch.
func (r *Redactor) ApplyFrame(frame []byte) []byte {
	if len(r.rules) == 0 {
		return frame
	}
	_, object, err := jsonscan.SplitFrame(frame)
	at := bytes.Index(frame, object)
	if err != nil || len(object) == 0 || at < 0 {
		return []byte(placeholder)
	}
	out := append([]byte(nil), frame[:at]...)
	return append(append(out, r.Apply(object)...), frame[at+len(object):]...)
}

// edited returns raw with the edits made.
func (w *walker) edited(raw []byte) []byte {
	if len(w.edits) == 0 {
		return raw
	}
	out := make([]byte, 0, len(raw)+64)
	at := 0
	for _, e := range w.edits {
		out = append(out, raw[at:e.Start]...)
		out = append(out, e.text...)
		at = e.End
	}
	return append(out, raw[at:]...)
}

// ruled collects the edits that the rules call for; it reports false if raw is
// no object.
func (w *walker) ruled(raw []byte, nesting int) bool {
	members, err := jsonscan.AppendMembers(nil, raw)
	if err != nil {
		return false
	}
	n := len(w.edits)
	for _, rule := range w.rules {
		w.follow(raw, jsonscan.Span{End: len(raw)}, rule.steps, nesting)
	}
	for _, m := range members {
		if m.Key == "metadata" {
			w.inside(raw, m.Span, func(md []byte) { w.metadata(md, nesting) })
		}
	}
	keep := names(raw, members)
	found := slices.Clone(w.edits[n:])
	slices.SortStableFunc(found, func(a, b edit) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	w.edits = w.edits[:n]
	end := 0
	for _, e := range found {
		named := slices.ContainsFunc(keep, func(s jsonscan.Span) bool { return e.Start <= s.Start && s.End <= e.End })
		if e.Start < end || named { // it is inside another one, or would make the object another
			continue
		}
		w.edits = append(w.edits, e)
		end = e.End
	}
	return true
}

// names are the spans of what names an object.
func names(raw []byte, members []jsonscan.Member) (keep []jsonscan.Span) {
	for _, m := range members {
		switch m.Key {
		case "kind", "apiVersion":
			keep = append(keep, m.Span)
		case "metadata":
			inner, _ := jsonscan.AppendMembers(nil, m.Of(raw))
			for _, x := range inner {
				switch x.Key {
				case "name", "namespace", "uid", "resourceVersion":
					keep = append(keep, jsonscan.Span{Start: m.Start + x.Start, End: m.Start + x.End})
				}
			}
		}
	}
	return keep
}

// follow goes the steps of a rule from a value, and replaces where they end.
func (w *walker) follow(raw []byte, at jsonscan.Span, steps []step, nesting int) {
	value := at.Of(raw)
	if len(steps) == 0 {
		w.replace(at, value, false, nesting)
		return
	}
	s, rest := steps[0], steps[1:]
	into := func(inner jsonscan.Span, rest []step) {
		w.follow(raw, jsonscan.Span{Start: at.Start + inner.Start, End: at.Start + inner.End}, rest, nesting)
	}
	if len(value) > 0 && value[0] == '{' {
		members, _ := jsonscan.AppendMembers(nil, value)
		for _, m := range members {
			if s.kind == every || (s.kind == named || s.kind == anywhere) && m.Key == s.name {
				into(m.Span, rest)
			}
			if s.kind == anywhere {
				into(m.Span, steps)
			}
		}
		return
	}
	if len(value) == 0 || value[0] != '[' {
		return
	}
	elements, _ := jsonscan.AppendElements(nil, value)
	for i, e := range elements {
		switch {
		case s.kind == anywhere:
			into(e, steps)
		case s.kind == every, s.kind == numbered && (i == s.index || i-len(elements) == s.index), s.kind == where && s.holds(e.Of(value)):
			into(e, rest)
		}
	}
}

// holds reports whether a value meets the condition of a step.
func (s *step) holds(value []byte) bool {
	got := jsonscan.Get(value, s.path...)
	if got == nil {
		return s.not
	}
	text, err := jsonscan.Unquote(got)
	if err != nil {
		text = string(got)
	}
	return (text == s.equals) != s.not
}
