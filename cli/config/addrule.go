package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rewatch/model/noise"
)

// AddRule writes a rule to the end of noise.rules in the file at path, which is
// made if it does not exist. All else in the file stays as it is, to the byte; a
// file in which that cannot be done, or with a mistake, is left alone: the error
// is an *[Error] then, or that of reading or writing.
func AddRule(path string, r noise.Rule) error {
	return edit(path, func(text []byte) ([]byte, error) { return WithRule(text, r) })
}

// edit changes the text of a file.
func edit(path string, change func([]byte) ([]byte, error)) error {
	mode := fs.FileMode(0o600)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if path, err = filepath.EvalSymlinks(path); err != nil { // the link stays one
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	text, err = change(text)
	if e := (*Error)(nil); errors.As(err, &e) {
		e.File = path
	}
	if err != nil {
		return err
	}
	return replaceFile(path, text, mode)
}

// replaceFile writes a file that is either as it was or complete.
func replaceFile(path string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".config.yaml.part-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	for _, step := range []func() error{func() error { return f.Chmod(mode) }, f.Sync, f.Close, func() error { return os.Rename(f.Name(), path) }} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
	return err
}

// ruleText is a rule as a file has it.
type ruleText struct {
	Name      string   `yaml:"name"`
	Kind      string   `yaml:"kind,omitempty"`
	Namespace string   `yaml:"namespace,omitempty"`
	Object    string   `yaml:"object,omitempty"`
	Paths     []string `yaml:"paths,omitempty"`
	Deleted   string   `yaml:"deleted,omitempty"`
}

// ruleNode is a rule as YAML.
func ruleNode(r noise.Rule) (*yaml.Node, error) {
	x := ruleText{Name: r.Name, Kind: r.Kind, Namespace: r.Namespace, Object: r.Object, Paths: r.Paths}
	if r.Deleted > 0 {
		x.Deleted = r.Deleted.String()
	}
	n := &yaml.Node{}
	return n, n.Encode(x)
}

// WithRule is the text of a file with one more rule. The error is an *[Error].
func WithRule(text []byte, r noise.Rule) ([]byte, error) {
	c, err := Parse(text)
	if err != nil {
		return nil, err
	}
	want := c
	want.Noise = append(c.Noise[:len(c.Noise):len(c.Noise)], r)
	says := func(text []byte) bool {
		got, err := Parse(text)
		got.Set, got.Own = want.Set, want.Own
		return err == nil && reflect.DeepEqual(got, want)
	}
	n, err := ruleNode(r)
	if err != nil {
		return nil, &Error{Message: err.Error()}
	}
	if out, err := inserted(text, n); err == nil && says(out) {
		return out, nil
	}
	rule, err := inALine(n)
	if err != nil {
		return nil, &Error{Message: err.Error()}
	}
	if out, ok := insertedInFlow(text, rule, says); ok {
		return out, nil
	}
	return nil, &Error{Message: "the rule cannot be put into it and leave all else as it is", Hint: "add it by hand to noise.rules: - " + rule}
}

// inALine is a rule in braces, in one line: the writer of YAML breaks long ones,
// also within a quoted value, at a blank. Other blanks are those of the values.
func inALine(n *yaml.Node) (string, error) {
	n.Style = yaml.FlowStyle
	for _, c := range n.Content {
		if c.Kind == yaml.SequenceNode {
			c.Style = yaml.FlowStyle
		}
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for i := range lines[1:] {
		lines[i+1] = strings.TrimLeft(lines[i+1], " ")
	}
	return strings.Join(lines, " "), nil
}

// insertedInFlow puts a rule, in a line, where braces and brackets end: into the
// list of rules, into noise, or into the file that is one pair of braces. Where
// each of them ends, nobody knows better than the reader of the file: the places
// are tried until it says that the rule, and nothing else, has come.
func insertedInFlow(text []byte, rule string, says func([]byte) bool) ([]byte, bool) {
	for _, end := range []struct{ closes, what string }{{"]", rule}, {"}", "rules: [" + rule + "]"}, {"}", "noise: {rules: [" + rule + "]}"}} {
		for i := len(text) - 1; i >= 0; i-- {
			if text[i] != end.closes[0] {
				continue
			}
			for _, comma := range []string{", ", ""} {
				if out := slices.Concat(text[:i], []byte(comma+end.what), text[i:]); says(out) {
					return out, true
				}
			}
		}
	}
	return nil, false
}

// find is a key of a mapping with its value, nil without it.
func find(n *yaml.Node, key string) (k, v *yaml.Node) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// inserted puts the lines of a rule where they belong and touches no other. It
// knows the usual ways to write a file; whether it was right, the reader of the
// file has to say.
func inserted(text []byte, rule *yaml.Node) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	body, err := yaml.Marshal([]*yaml.Node{rule})
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text[:len(text):len(text)], '\n')
	}
	lines := strings.SplitAfter(string(text), "\n")
	top := &yaml.Node{}
	if root.Kind != 0 {
		top = root.Content[0]
	}
	noiseKey, noiseValue := find(top, "noise")
	if noiseKey == nil {
		return []byte(strings.Join(lines, "") + "noise:\n  rules:\n" + indented(body, 4)), nil
	}
	rulesKey, rules := find(noiseValue, "rules")
	switch {
	case rulesKey == nil: // below the key of noise
		indent := 2
		if noiseValue.Kind == yaml.MappingNode {
			indent = noiseValue.Column - 1
		}
		return put(lines, noiseKey.Line, strings.Repeat(" ", indent)+"rules:\n"+indented(body, indent+2)), nil
	case len(rules.Content) == 0: // []
		line := lines[rulesKey.Line-1]
		at := strings.Index(line, "rules")
		if at < 0 {
			return nil, errors.New("the key is written in another way")
		}
		if rest, found := strings.CutPrefix(strings.TrimLeft(line[at+len("rules:"):], " "), "[]"); found {
			lines[rulesKey.Line-1] = strings.TrimRight(line[:at]+"rules:"+strings.TrimRight(rest, " \n"), " ") + "\n"
		}
		return put(lines, rulesKey.Line, indented(body, rulesKey.Column+1)), nil
	}
	return put(lines, lastLine(rules), indented(body, rules.Content[0].Column-3)), nil
}

// lastLine is the last line that a node has something on.
func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// put puts text behind a line, counted from 1.
func put(lines []string, line int, text string) []byte {
	return []byte(strings.Join(lines[:line], "") + text + strings.Join(lines[line:], ""))
}

// indented puts spaces before each line.
func indented(text []byte, n int) string {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString(strings.Repeat(" ", max(n, 0)) + line)
	}
	return b.String()
}
