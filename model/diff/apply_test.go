package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"rewatch/model/jsonscan"
)

// decode reads an object as encoding/json does, numbers kept as text, without
// what Objects leaves out.
func decode(raw []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if md, ok := v["metadata"].(map[string]any); ok {
		delete(md, "resourceVersion")
		delete(md, "managedFields")
	}
	return v, nil
}

// apply makes the changes to a decoded object, as one would read them: it
// knows nothing but paths and values.
func apply(object map[string]any, changes []Change) (err error) {
	removed := map[string]int{} // from a list without keys, by its path
	for _, c := range changes {
		steps, err := parsePath(c.Path)
		if err != nil {
			return err
		}
		if steps[len(steps)-1] == "[order]" {
			continue // lists with keys are compared as sets
		}
		if _, err := change(object, "", "", steps, c, removed); err != nil {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return nil
}

// parsePath splits a path into keys and brackets.
func parsePath(path string) (steps []string, err error) {
	for path != "" {
		if path[0] == '[' {
			end := 1
			for end < len(path) && path[end] != ']' {
				if path[end] == '"' {
					for end++; end < len(path) && path[end] != '"'; end++ {
						if path[end] == '\\' {
							end++
						}
					}
				}
				end++
			}
			if end >= len(path) {
				return nil, fmt.Errorf("open bracket in %s", path)
			}
			steps, path = append(steps, path[:end+1]), path[end+1:]
			continue
		}
		path = strings.TrimPrefix(path, ".")
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		steps, path = append(steps, path[:end]), path[end:]
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("empty path")
	}
	return steps, nil
}

func value(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// change makes one change below v and returns what v becomes.
func change(v any, at, field string, steps []string, c Change, removed map[string]int) (any, error) {
	if len(steps) == 0 {
		return value(c.New), nil
	}
	step, rest := steps[0], steps[1:]
	path := at + step
	last := len(rest) == 0
	switch v := v.(type) {
	case map[string]any:
		key := step
		if step[0] == '[' {
			key = value(step[1 : len(step)-1]).(string)
		}
		_, had := v[key]
		switch {
		case last && had == (c.Op == Add):
			return nil, fmt.Errorf("%s: had it: %v", key, had)
		case last && c.Op == Remove:
			delete(v, key)
			return v, nil
		case last && c.Op == Add:
			v[key] = value(c.New)
			return v, nil
		case !had:
			return nil, fmt.Errorf("%s is not there", key)
		}
		var err error
		v[key], err = change(v[key], path, key, rest, c, removed)
		return v, err
	case []any:
		i, err := place(v, field, step, at, last, c.Op, removed)
		if err != nil {
			return nil, err
		}
		switch {
		case last && c.Op == Remove:
			return slices.Delete(v, i, i+1), nil
		case last && c.Op == Add:
			return slices.Insert(v, i, value(c.New)), nil
		}
		v[i], err = change(v[i], path, field, rest, c, removed)
		return v, err
	}
	return nil, fmt.Errorf("%s in a %T", step, v)
}

// place finds the element that a bracket names.
func place(list []any, field, step, at string, last bool, op Op, removed map[string]int) (int, error) {
	label := step[1 : len(step)-1]
	if i, err := strconv.Atoi(label); err == nil {
		if last && op == Remove {
			i -= removed[at]
			removed[at]++
		}
		if i < 0 || i > len(list) || i == len(list) && !(last && op == Add) {
			return 0, fmt.Errorf("no element %d", i)
		}
		return i, nil
	}
	for i, e := range list {
		raw, _ := json.Marshal(e)
		for _, k := range keysOf(field) {
			if string(appendLabel(nil, raw, k)) == label {
				if last && op == Add {
					return 0, fmt.Errorf("%s is there already", label)
				}
				return i, nil
			}
		}
	}
	if last && op == Add {
		return len(list), nil
	}
	return 0, fmt.Errorf("no element %s", label)
}

// normal sorts the lists of objects, which may have keys: the changes do not say
// where in them an element was added.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range maps.Keys(v) {
			v[k] = normal(v[k])
		}
	case []any:
		objects := true
		for i := range v {
			v[i] = normal(v[i])
			_, ok := v[i].(map[string]any)
			objects = objects && ok
		}
		if objects {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(encode(a), encode(b)) })
		}
	}
	return v
}

// checkObjects applies what Objects reports to the old version, and compares the
// result with the new one, all decoded.
func checkObjects(t testing.TB, old, new []byte) {
	t.Helper()
	r := Objects(old, new)
	was, err := decode(old)
	if err != nil || was == nil || !json.Valid(old) || !json.Valid(new) {
		return
	}
	is, err := decode(new)
	if err != nil || is == nil || repeats(old) || repeats(new) || r.Cut {
		return
	}
	checkSteps(t, old, new, r.Changes)
	for _, c := range r.Changes {
		if c.Op == Replace && encode(value(c.Old)) == encode(value(c.New)) && utf8.ValidString(c.Old+c.New) {
			t.Fatalf("%s is reported, and did not change: %s\nold %s\nnew %s", c.Path, c.Old, old, new)
		}
	}
	equal := encode(was) == encode(is)
	if err := apply(was, r.Changes); err != nil {
		t.Fatalf("%v\nold %s\nnew %s\n%+v", err, old, new, r.Changes)
	}
	got, want := encode(normal(was)), encode(normal(is))
	if got != want {
		t.Fatalf("old %s\nnew %s\n%+v\n got %v\nwant %v", old, new, r.Changes, got, want)
	}
	if equal && len(r.Changes) > 0 && !bytes.ContainsAny(old, "\x80\xff") && len(bytes.ToValidUTF8(old, nil)) == len(old) && len(bytes.ToValidUTF8(new, nil)) == len(new) {
		t.Fatalf("equal, but %+v\nold %s\nnew %s", r.Changes, old, new)
	}
}

func encode(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// repeats reports whether a key occurs twice in an object, which decoding hides.
func repeats(raw []byte) bool {
	if members, err := jsonscan.AppendMembers(nil, raw); err == nil {
		seen := map[string]bool{}
		for _, m := range members {
			if seen[strings.ToValidUTF8(m.Key, "\ufffd")] || repeats(m.Of(raw)) {
				return true
			}
			seen[strings.ToValidUTF8(m.Key, "\ufffd")] = true
		}
	}
	if spans, err := jsonscan.AppendElements(nil, raw); err == nil {
		return slices.ContainsFunc(spans, func(s jsonscan.Span) bool { return repeats(s.Of(raw)) })
	}
	return false
}
