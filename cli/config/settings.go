package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Setting is a key that a file gives, with its value in a line.
type Setting struct {
	Key   string // noise.off
	Value string
	Line  int
}

// settings are those of a mapping, in the order of the file. A key without a
// value is not among them: it has its default.
func settings(n *yaml.Node, at string) (out []Setting) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key := strings.TrimPrefix(at+"."+k.Value, ".")
		switch {
		case null(v):
		case v.Kind == yaml.MappingNode:
			out = append(out, settings(v, key)...)
		default:
			out = append(out, Setting{key, inLine(v), k.Line})
		}
	}
	return out
}

// inLine is a value in a line: of a list its elements, of an element with keys
// its name.
func inLine(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value
	case yaml.MappingNode:
		if _, name := find(n, "name"); name != nil {
			return fmt.Sprintf("%q", name.Value)
		}
		return fmt.Sprintf("%d keys", len(n.Content)/2)
	}
	parts := make([]string, len(n.Content))
	for i, v := range n.Content {
		parts[i] = inLine(v)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
