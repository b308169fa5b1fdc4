package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	c, err := Parse([]byte("keys:\n  mark: []\n  help: f2\n  find-next: [ctrl+n, alt+n]\n  quit:\n"))
	if want := map[string][]string{"mark": {}, "help": {"f2"}, "find-next": {"ctrl+n", "alt+n"}}; err != nil || !reflect.DeepEqual(c.Keys, want) {
		t.Errorf("%v %v", c.Keys, err)
	}
	for text, want := range map[string]string{
		"keys:\n  quitt: x":                      "line 2: keys.quitt: there is no such key; did you mean quit?",
		"keys:\n  quit: []":                      "line 2: keys.quit: there must be a key to quit",
		"theme: dark\nkeys:\n  mark: f":          `line 3: keys.mark: "f" is also the key of follow (Everywhere)`,
		"keys:\n  mark: ctrl+m":                  `line 2: keys.mark: "ctrl+m" cannot be told from enter by a terminal`,
		"keys:\n  mark: {a: b}":                  "line 2: keys.mark: it must be a single value",
		"keys: [a]":                              "line 1: keys: it must have keys and values",
		"keys:\n  mark: [f5, f5]":                "line 2: keys.mark: \"f5\" is there twice",
		"keys:\n  copy-name: y q\n  mark: \"y\"": "line 3: keys.mark: \"y\" does not go with y",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(" "+err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}
