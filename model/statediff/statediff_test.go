package statediff

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"rewatch/model"
	"rewatch/model/diff"
)

func object(kind, ns, name, uid, rv, spec string) Object {
	raw := fmt.Appendf(nil, `{"kind":%q,"apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"uid":%q,"resourceVersion":%q,"managedFields":[{"manager":"m","time":"2026-12-01T00:00:%02dZ"}]},"spec":%s}`,
		kind, name, ns, uid, rv, len(rv), spec)
	return Object{model.Identity{Context: "c", APIVersion: "v1", Kind: kind, Namespace: ns, Name: name, UID: uid}, rv, raw}
}

// state yields objects in a buffer that is used again, as a tape's reader does.
func state(all ...Object) State {
	return func() iter.Seq2[Object, error] {
		return func(yield func(Object, error) bool) {
			var buf []byte
			for _, o := range all {
				buf = append(buf[:0], o.Raw...)
				o.Raw = buf
				if !yield(o, nil) {
					return
				}
				for i := range buf {
					buf[i] = 'x'
				}
			}
		}
	}
}

func TestCompare(t *testing.T) {
	from := state(
		object("Pod", "b", "same", "1", "1", `{"a":1}`), object("Pod", "b", "touched", "2", "2", `{"a":1}`),
		object("Pod", "b", "gone", "3", "3", `{}`), object("Pod", "a", "changed", "4", "4", `{"a":1,"n":9007199254740993}`),
		object("Pod", "a", "again", "5", "5", `{"a":1}`), object("Node", "", "n", "6", "6", `{"a":1}`),
		object("Pod", "b", "twice", "8", "8", `{"a":1}`), object("Pod", "b", "twice", "8", "9", `{"a":2}`))
	to := state(
		object("Pod", "b", "same", "1", "1", `{"a":1}`), object("Pod", "b", "touched", "2", "20", `{"a":1}`),
		object("Pod", "a", "changed", "4", "40", `{"a":2,"n":9007199254740992}`), object("Pod", "a", "again", "50", "50", `{"a":1}`),
		object("Node", "", "n", "6", "6", `{"a":1}`), object("Deployment", "z", "new", "7", "70", `{}`),
		object("Pod", "b", "twice", "8", "9", `{"a":2}`), object("Pod", "b", "twice", "8", "8", `{"a":1}`))
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "added Deployment z/new []; recreated Pod a/again [metadata.uid]; changed Pod a/changed [spec.a spec.n]; removed Pod b/gone []"},
		{Options{Bookkeeping: true}, "added Deployment z/new []; recreated Pod a/again [metadata.uid metadata.resourceVersion metadata.managedFields]; " +
			"changed Pod a/changed [spec.a spec.n metadata.resourceVersion metadata.managedFields]; removed Pod b/gone []; " +
			"changed Pod b/touched [metadata.resourceVersion metadata.managedFields]"},
	} {
		all, err := Compare(from, to, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range all {
			var paths []string
			for _, x := range d.Changes {
				paths = append(paths, x.Path)
			}
			got = append(got, fmt.Sprintf("%s %s %s/%s %v", d.Op, d.Identity.Kind, d.Identity.Namespace, d.Identity.Name, paths))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.o, strings.Join(got, "; "), c.want)
		}
		for _, d := range all {
			if d.Op == Changed && d.Identity.Name == "changed" {
				if x := d.Changes[1]; x.Old != "9007199254740993" || x.New != "9007199254740992" || x.Op != diff.Replace {
					t.Errorf("%+v", x)
				}
			}
			if (d.Old == nil) != (d.Op == Added) || (d.New == nil) != (d.Op == Removed) || strings.Contains(string(d.Old)+string(d.New), "xxxx") {
				t.Errorf("%s: %.40s → %.40s", d.Op, d.Old, d.New)
			}
		}
	}
	if same, err := Compare(to, to, Options{Bookkeeping: true}); err != nil || len(same) > 0 {
		t.Errorf("%v %v", same, err)
	}
}

func TestCompareHandsOnErrors(t *testing.T) {
	broken := errors.New("broken")
	bad := func() iter.Seq2[Object, error] {
		return func(yield func(Object, error) bool) { yield(Object{}, broken) }
	}
	for _, pair := range [][2]State{{bad, state()}, {state(), bad}} {
		if _, err := Compare(pair[0], pair[1], Options{}); err != broken {
			t.Error(err)
		}
	}
}
