package query

import "testing"

func TestReads(t *testing.T) {
	for _, c := range []struct {
		text, variable string
		want           bool
	}{
		{"cel: object.status.phase == 'Failed'", "object", true},
		{"cel: object.old.paths == 'type'", "old", false}, // a field, and a text
		{"cel: object.old.paths == 'type'", "paths", false},
		{"cel: has(old.status) && name == 'a'", "old", true},
		{"cel: paths.exists(p, p == 'spec')", "paths", true},
		{"cel: namespace == 'shop'", "namespace", true},
		{"cel: object.metadata.namespace == 'shop'", "namespace", false},
		{"old paths", "old", false}, // words
	} {
		if got := parse(t, c.text).Reads("synthetic", c.variable); got != c.want {
			t.Errorf("%s reads %s: %v", c.text, c.variable, got)
		}
	}
}
