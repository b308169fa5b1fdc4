package config

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"rewatch/model/near"
	"rewatch/ui"
)

func (c *Config) readColumns(n *yaml.Node, key string) error {
	at := map[string]*yaml.Node{}
	err := items(n, key, func(n *yaml.Node, key string) error {
		var s string
		if err := word(n, key, &s, nil); err != nil {
			return err
		}
		c.Columns = append(c.Columns, s)
		if err := ui.CheckColumns(c.Columns); err != nil {
			hint := ""
			if meant := near.Names(s, ui.Columns(), 1); len(meant) > 0 && at[s] == nil {
				hint = "did you mean " + meant[0] + "?"
			}
			return mistake(n, key, hint, "%v", err)
		}
		at[s] = n
		return nil
	})
	return err
}

func (c *Config) readTimes(n *yaml.Node, key string) error {
	if err := word(n, key, &c.Times, nil); err != nil {
		return err
	}
	if names := ui.TimeModes(); !slices.Contains(names, c.Times) {
		hint := ""
		if meant := near.Names(c.Times, names, 1); len(meant) > 0 {
			hint = "did you mean " + meant[0] + "?"
		}
		return mistake(n, key, hint, "%q: it must be one of %s", c.Times, strings.Join(names, ", "))
	}
	return nil
}

// SetView writes the columns and the times of the interface into the file at
// path, as AddRule writes a rule.
func SetView(path string, columns []string, times string) error {
	return edit(path, func(text []byte) ([]byte, error) { return WithView(text, columns, times) })
}

// WithView is the text of a file with other columns and times. The error is an
// *[Error].
func WithView(text []byte, columns []string, times string) ([]byte, error) {
	want, err := Parse(text)
	if err != nil {
		return nil, err
	}
	says := func(text []byte) bool {
		got, err := Parse(text)
		got.Set = want.Set
		return err == nil && reflect.DeepEqual(got, want)
	}
	list := "[" + strings.Join(columns, ", ") + "]"
	want.Columns = columns
	out, ok := withValue(text, "columns", list, says)
	if want.Times = times; ok {
		out, ok = withValue(out, "time", times, says)
	}
	if !ok {
		return nil, &Error{Message: "columns and times cannot be put into it and leave all else as it is",
			Hint: "write them by hand, columns: " + list + " and time: " + times}
	}
	return out, nil
}

// withValue gives a key at the top a value, and touches nothing else: in its line,
// or else where the value stands in braces. says is whether that is what came out.
func withValue(text []byte, key, value string, says func([]byte) bool) ([]byte, bool) {
	if says(text) && withKey(text, key) {
		return text, true
	}
	if out, err := withLine(text, key, value); err == nil && says(out) {
		return out, true
	}
	from, ends, known := valueAt(text, key)
	if !known { // before the brace that ends the file
		for i := len(text) - 1; i >= 0; i-- {
			if text[i] != '}' {
				continue
			}
			for _, comma := range []string{", ", ""} {
				if out := slices.Concat(text[:i], []byte(comma+key+": "+value), text[i:]); says(out) {
					return out, true
				}
			}
		}
		return nil, false
	}
	for _, end := range ends {
		if out := slices.Concat(text[:from], []byte(value), text[end:]); says(out) {
			return out, true
		}
	}
	return nil, false
}

// withKey reports whether a key is at the top.
func withKey(text []byte, key string) bool {
	_, _, known := valueAt(text, key)
	return known
}

// valueAt is where the value of a key at the top begins, and where it may end: a
// list in brackets behind one of them, a word in its line.
func valueAt(text []byte, key string) (from int, ends []int, known bool) {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil || root.Kind == 0 {
		return 0, nil, false
	}
	_, v := find(root.Content[0], key)
	if v == nil {
		return 0, nil, false
	}
	line := 1
	for ; line < v.Line; line++ {
		from += bytes.IndexByte(text[from:], '\n') + 1
	}
	for range v.Column - 1 { // characters
		_, n := utf8.DecodeRune(text[from:])
		from += n
	}
	for i := from; i < len(text); i++ {
		switch {
		case v.Kind == yaml.SequenceNode:
			if text[i] == ']' {
				ends = append(ends, i+1)
			}
		case text[i] == '\n':
			return from, ends, true
		default:
			ends = append(ends, i+1)
		}
	}
	return from, ends, true
}

// withLine gives a key at the top a value, in its line or in a new one at the
// end, and touches no other. It knows the usual ways to write a file.
func withLine(text []byte, key, value string) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text[:len(text):len(text)], '\n')
	}
	line := key + ": " + value
	top := &yaml.Node{}
	if root.Kind != 0 {
		top = root.Content[0]
	}
	k, v := find(top, key)
	if k == nil {
		return append(text[:len(text):len(text)], line+"\n"...), nil
	}
	for _, comment := range []string{k.LineComment, v.LineComment} {
		if comment != "" {
			line += " " + comment
			break
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	if !strings.HasPrefix(lines[k.Line-1], key+":") {
		return nil, errors.New("the key is written in another way")
	}
	return put(slices.Delete(lines, k.Line-1, max(lastLine(v), k.Line)), k.Line-1, line+"\n"), nil
}
