package blame

import (
	"testing"

	"rewatch/model/diff"
)

// Whatever managedFields hold, there is one owner for each change, and the
// fields of an object lie within it.
func FuzzBlame(f *testing.F) {
	f.Add(pod(false), pod(true))
	f.Add([]byte(`{"metadata":{"managedFields":[{"manager":"a","time":"x","fieldsV1":{"f:a":{"k:{\"b\":1}":{},"v:\"x\"":{},"i:0":{},".":{}}}}]},"a":[{"b":1},"x"]}`),
		[]byte(`{"metadata":{"managedFields":[{"manager":"a","fieldsV1":{"f:a":{"k:":{},"k:{}":1,"":{}}}},{},[],1]},"a":["x",{"b":2}]}`))
	f.Add([]byte(`{"metadata":{"managedFields":{}}}`), []byte(`<html>`))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		r := diff.Objects(old, new)
		if n := len(Changes(r, old, new)); n != len(r.Changes) {
			t.Fatalf("%d owners of %d changes", n, len(r.Changes))
		}
		for _, o := range [][]byte{old, new} {
			Changes(diff.Objects(nil, o), nil, o)
			Changes(diff.Objects(o, nil), o, nil)
			for _, x := range Object(o) {
				if len(x.Value) == 0 || x.Path == "" {
					t.Fatalf("a field %q of value %q in %s", x.Path, x.Value, o)
				}
			}
		}
	})
}
