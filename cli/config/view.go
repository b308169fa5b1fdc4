package config

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"

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
	want.Columns, want.Times = columns, times
	says := func(text []byte) bool {
		got, err := Parse(text)
		got.Set = want.Set
		return err == nil && reflect.DeepEqual(got, want)
	}
	for _, set := range []func([]byte, string, string) ([]byte, error){withLine, withKey} {
		out, err := set(text, "columns", "["+strings.Join(columns, ", ")+"]")
		if err == nil {
			out, err = set(out, "time", times)
		}
		if err == nil && says(out) {
			return out, nil
		}
	}
	return nil, &Error{Message: "columns and times cannot be written into it", Hint: "write them by hand: rewatch config example"}
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

// withKey has the whole file written anew, with a value for a key at the top.
func withKey(text []byte, key, value string) ([]byte, error) {
	var root, v yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal([]byte(value), &v); err != nil {
		return nil, err
	}
	if root.Kind == 0 || root.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("there is nothing to add to")
	}
	n := v.Content[0]
	old := child(root.Content[0], key, n.Kind)
	n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
	*old = *n
	return written(&root)
}

// written is a document as text.
func written(root *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// child is the value of a key of a mapping, made if there is none.
func child(n *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	_, v := find(n, key)
	if v == nil {
		v = &yaml.Node{}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, v)
	}
	if v.Kind != kind {
		*v = yaml.Node{Kind: kind, HeadComment: v.HeadComment, LineComment: v.LineComment, FootComment: v.FootComment}
	}
	return v
}
