package diff

import (
	"strconv"
	"strings"

	"rewatch/model/jsonscan"
)

// Step is one step of the path of a change: a key of an object, or an element
// of a list.
type Step struct {
	Key   string // unescaped; "" for an element of a list
	Label string // what selects the element, without brackets: name=app, 2, order
}

// Steps takes a path apart that a Change has. ok is false if it is none.
func Steps(path string) (steps []Step, ok bool) {
	steps = make([]Step, 0, 1+strings.Count(path, ".")+strings.Count(path, "["))
	for path != "" {
		switch path[0] {
		case '[':
			end := bracketEnd(path)
			if end < 0 {
				return nil, false
			}
			inside := path[1:end]
			if strings.HasPrefix(inside, `"`) {
				key, err := jsonscan.Unquote([]byte(inside))
				if err != nil {
					return nil, false
				}
				steps = append(steps, Step{Key: key})
			} else {
				steps = append(steps, Step{Label: inside})
			}
			path = path[end+1:]
		default:
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			steps, path = append(steps, Step{Key: path[:end]}), path[end:]
		}
	}
	return steps, len(steps) > 0
}

// bracketEnd is where the bracket closes that path begins with, -1 if it does
// not.
func bracketEnd(path string) int {
	quoted := false
	for i := 1; i < len(path); i++ {
		switch c := path[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return i
		}
	}
	return -1
}

// Value is what an object or a list has at the step, nil if it has nothing.
func (s Step) Value(of []byte) []byte {
	if s.Label == "" {
		return jsonscan.Find(of, s.Key)
	}
	var room [16]jsonscan.Span
	spans, err := jsonscan.AppendElements(room[:0], of)
	if err != nil {
		return nil
	}
	if i, ok := s.Index(); ok {
		if i >= len(spans) {
			return nil
		}
		return spans[i].Of(of)
	}
	parts := labelParts(s.Label)
	for _, x := range spans {
		if e := x.Of(of); labelled(e, parts) {
			return e
		}
	}
	return nil
}

// Index is the place of the element, of a list without keys.
func (s Step) Index() (i int, ok bool) {
	if s.Label == "" || s.Label[0] < '0' || s.Label[0] > '9' {
		return 0, false
	}
	i, err := strconv.Atoi(s.Label)
	return i, err == nil
}

type labelPart struct {
	path  []string
	value string
}

// labelParts takes name=app,protocol=TCP apart; values may be quoted.
func labelParts(label string) (parts []labelPart) {
	for label != "" {
		name, rest, ok := strings.Cut(label, "=")
		if !ok {
			return nil
		}
		end, quoted := 0, false
		for ; end < len(rest) && (quoted || rest[end] != ','); end++ {
			switch rest[end] {
			case '\\':
				end++
			case '"':
				quoted = !quoted
			}
		}
		end = min(end, len(rest))
		parts = append(parts, labelPart{strings.Split(name, "."), rest[:end]})
		label = strings.TrimPrefix(rest[end:], ",")
	}
	return parts
}

// labelled reports whether an element has the label.
func labelled(element []byte, parts []labelPart) bool {
	for _, p := range parts {
		v := jsonscan.Get(element, p.path...)
		if len(v) == 0 {
			return false
		}
		want := p.value
		if v[0] == '"' && !strings.HasPrefix(want, `"`) {
			if v = []byte(text(v)); jsonscan.Valid([]byte(want)) {
				return false // a number in the label, a text in the element
			}
		} else if v[0] == '"' {
			v, want = []byte(text(v)), text([]byte(want))
		}
		if string(v) != want {
			return false
		}
	}
	return len(parts) > 0
}

// AppendKey puts a key at the end of a path, as it is spelled in those of
// changes.
func AppendKey(path []byte, key string) []byte {
	d := differ{path: path}
	d.enterKey(key)
	return d.path
}

// AppendElement puts an element of a list at the end of a path: by the members
// that are its keys, or by its index if there are none.
func AppendElement(path, element []byte, keys []string, index int) []byte {
	d := differ{path: path}
	if len(keys) == 0 {
		d.enterIndex(index)
		return d.path
	}
	m := make(mergeKey, len(keys))
	for i, k := range keys {
		m[i] = key(k)
	}
	d.enterLabel(appendLabel(nil, element, m))
	return d.path
}
