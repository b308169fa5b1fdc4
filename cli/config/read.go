package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rewatch/model/near"
)

// What follows reads YAML by its nodes: they know their lines, and nothing is
// taken that was not asked for.

func mistake(n *yaml.Node, key, hint, format string, args ...any) error {
	return &Error{Line: n.Line, Key: key, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// members reads a mapping of which the keys are known.
func members(n *yaml.Node, at string, known map[string]func(n *yaml.Node, key string) error) error {
	if n.Kind != yaml.MappingNode {
		return mistake(n, at, "an example: rewatch config example", "it must have keys and values")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key := strings.TrimPrefix(at+"."+k.Value, ".")
		read, ok := known[k.Value]
		switch {
		case !ok || k.Kind != yaml.ScalarNode:
			names := slices.Sorted(maps.Keys(known))
			hint := "keys are " + strings.Join(names, ", ")
			if meant := near.Names(k.Value, names, 1); len(meant) > 0 {
				hint = "did you mean " + meant[0] + "?"
			}
			return mistake(k, key, hint, "there is no such key")
		case seen[k.Value]:
			return mistake(k, key, "take one of them out", "it is there twice")
		}
		seen[k.Value] = true
		if null(v) { // a key without a value
			continue
		}
		if err := read(v, key); err != nil {
			return err
		}
	}
	return nil
}

// items reads a list.
func items(n *yaml.Node, at string, each func(n *yaml.Node, key string) error) error {
	if n.Kind != yaml.SequenceNode {
		return mistake(n, at, "write it as [a, b], or with a - before each", "it must be a list")
	}
	for i, v := range n.Content {
		if err := each(v, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

// word reads a single value, and checks it if check is not nil.
func word(n *yaml.Node, key string, into *string, check func(string) error) error {
	if n.Kind != yaml.ScalarNode || null(n) {
		return mistake(n, key, "an example: rewatch config example", "it must be a single value")
	}
	*into = n.Value
	if check == nil {
		return nil
	}
	if err := check(n.Value); err != nil {
		return mistake(n, key, "", "%q: %v", n.Value, err)
	}
	return nil
}

// words reads a list of values.
func words(n *yaml.Node, key string, into *[]string, check func(string) error) error {
	var all []string
	err := items(n, key, func(n *yaml.Node, key string) error {
		var s string
		err := word(n, key, &s, check)
		all = append(all, s)
		return err
	})
	*into = all
	return err
}

// null reports whether there is no value; that of a key leaves its default.
func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
