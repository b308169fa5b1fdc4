package config

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"rewatch/ui"
)

// readKeys reads the keys of the interface: a key, or a list of them, by the id
// of what they do.
func (c *Config) readKeys(n *yaml.Node, key string) error {
	c.Keys = map[string][]string{}
	at := map[string]*yaml.Node{}
	known := map[string]func(*yaml.Node, string) error{}
	for _, id := range ui.KeyIDs() {
		known[id] = func(n *yaml.Node, key string) error {
			at[id] = n
			if n.Kind == yaml.SequenceNode {
				keys := []string{}
				err := words(n, key, &keys, nil)
				c.Keys[id] = append([]string{}, keys...)
				return err
			}
			var one string
			err := word(n, key, &one, nil)
			c.Keys[id] = []string{one}
			return err
		}
	}
	if err := members(n, key, known); err != nil {
		return err
	}
	if len(c.Keys) == 0 {
		c.Keys = nil
	}
	if e := (*ui.KeyError)(nil); errors.As(ui.CheckKeys(c.Keys), &e) {
		return mistake(at[e.ID], key+"."+e.ID, "docs/keys.md lists all keys", "%s", e.Message)
	}
	return nil
}
