package diff

import (
	"testing"
)

// Every path of a change leads to its values, in the versions they are of.
func checkSteps(t testing.TB, old, new []byte, changes []Change) {
	t.Helper()
	follow := func(o []byte, steps []Step) []byte {
		for _, s := range steps {
			o = s.Value(o)
		}
		return o
	}
	for _, c := range changes {
		steps, ok := Steps(c.Path)
		switch {
		case c.Path == "":
			continue
		case !ok:
			t.Fatalf("cannot read the path %s", c.Path)
		case steps[len(steps)-1].Label == "order":
			continue
		}
		if got := follow(new, steps); c.Op != Remove && string(got) != c.New {
			t.Fatalf("%s: new %s, want %s", c.Path, got, c.New)
		}
		// Indices are those of the new version, but for what was removed.
		if got := follow(old, steps); c.Op == Remove && string(got) != c.Old {
			t.Fatalf("%s: old %s, want %s", c.Path, got, c.Old)
		}
	}
}

func TestSteps(t *testing.T) {
	old := []byte(`{"spec":{"containers":[{"name":"a,b","image":"x"},{"name":"80","image":"x"}],"ports":[{"port":80,"protocol":"TCP","n":1},{"port":80,"protocol":"UDP","n":1}],"args":["a"]},"metadata":{"labels":{"a.b/c":"1","q\"]":"1"}}}`)
	new := []byte(`{"spec":{"containers":[{"name":"a,b","image":"y"},{"name":"80","image":"y"}],"ports":[{"port":80,"protocol":"TCP","n":1},{"port":80,"protocol":"UDP","n":2}],"args":["b"]},"metadata":{"labels":{"a.b/c":"2","q\"]":"2"}}}`)
	r := Objects(old, new)
	if len(r.Changes) != 6 {
		t.Fatalf("%+v", r.Changes)
	}
	checkSteps(t, old, new, r.Changes)
	for _, bad := range []string{"", "a[", `a["x]`, `a["\`} {
		if steps, ok := Steps(bad); ok {
			t.Errorf("%q is the path %v", bad, steps)
		}
	}
}
