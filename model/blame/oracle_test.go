package blame

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"rewatch/model"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
	"rewatch/model/logtest"
)

// oracle compares objects by the real schema of the built-in types, and reads
// managedFields as the API server does.
type oracle struct {
	t    testing.TB
	conv managedfields.TypeConverter
}

func newOracle(t testing.TB) oracle {
	return oracle{t, applyconfigurations.NewTypeConverter(scheme.Scheme)}
}

// typed is an object by its schema; ok is false for types without one.
func (o oracle) typed(raw []byte) (*typed.TypedValue, bool) {
	var content map[string]any
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		o.t.Fatal(err)
	}
	v, err := o.conv.ObjectToTyped(&unstructured.Unstructured{Object: content}, typed.AllowDuplicates)
	return v, err == nil
}

// sets are the fields of each entry of managedFields, in order.
func (o oracle) sets(raw []byte) (sets []fieldpath.Set) {
	for _, e := range entries(managedFields(raw), nil, nil, nil) {
		var s fieldpath.Set
		if err := s.FromJSON(bytes.NewReader(e.fields)); err != nil {
			o.t.Fatal(err)
		}
		sets = append(sets, s)
	}
	return sets
}

// span is where a value stands in its object.
type span struct{ from, to int }

func spanOf(v, object []byte) span {
	from := cap(object) - cap(v)
	return span{from, from + len(v)}
}

func (s span) within(x span) bool { return s.from >= x.from && s.to <= x.to }

// find returns where in an object a path of the server's leads.
func (o oracle) find(object []byte, p fieldpath.Path) (span, bool) {
	v := object
	for _, e := range p {
		var next []byte
		switch {
		case e.FieldName != nil:
			next = jsonscan.Find(v, *e.FieldName)
		default:
			at := place{element: true, index: -1}
			name, err := fieldpath.SerializePathElement(e)
			if err != nil {
				o.t.Fatal(err)
			}
			spans, _ := jsonscan.AppendElements(nil, v)
			for i, s := range spans {
				at.index, at.value = i, s.Of(v)
				if elementIs(name, at) {
					next = at.value
					break
				}
			}
		}
		if v = next; v == nil {
			return span{}, false
		}
	}
	return spanOf(v, object), true
}

// holders are the entries that hold one of the paths that changed at a change
// of ours, as part of it or around it.
func (o oracle) holders(c *diff.Change, object []byte, changed *fieldpath.Set, sets []fieldpath.Set) (list []int) {
	steps, _ := diff.Steps(c.Path)
	v := object
	for _, s := range steps {
		if s.Label != "order" {
			v = s.Value(v)
		}
	}
	ours := spanOf(v, object)
	changed.Iterate(func(p fieldpath.Path) {
		theirs, ok := o.find(object, p)
		if !ok || !theirs.within(ours) && !ours.within(theirs) {
			return
		}
		for i := range sets {
			if sets[i].Has(p) && !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	})
	return list
}

// counts tell what a test has seen, so that one that sees nothing fails.
type counts struct{ pairs, changes, certain, likely, unknown, removed int }

// check holds the owners of the changes between two versions against the oracle.
func (o oracle) check(old, new []byte, n *counts) {
	was, ok := o.typed(old)
	if !ok {
		return
	}
	is, ok := o.typed(new)
	if !ok {
		return
	}
	difference, err := was.Compare(is)
	if err != nil {
		o.t.Fatal(err)
	}
	changed := difference.Added.Union(difference.Modified)
	r := diff.Objects(old, new)
	owners := Changes(r, old, new)
	sets, list := o.sets(new), entries(managedFields(new), nil, nil, nil)
	n.pairs++
	for i := range r.Changes {
		c, got := &r.Changes[i], owners[i]
		n.changes++
		switch {
		case !got.Known():
			n.unknown++
		case got.Likely:
			n.likely++
		default:
			n.certain++
		}
		if c.Op == diff.Remove {
			n.removed++
			if got.Known() && !got.Likely {
				o.t.Errorf("%s was removed, by %s for certain", c.Path, got.Manager)
			}
			continue
		}
		holders := o.holders(c, new, changed, sets)
		isHolder := slices.ContainsFunc(holders, func(h int) bool {
			return list[h].Manager == got.Manager && list[h].Operation == got.Operation && list[h].Subresource == got.Subresource
		})
		switch {
		case isHolder, len(holders) == 0 && (got.Likely || !got.Known()):
		default:
			var names []string
			for _, h := range holders {
				names = append(names, list[h].Manager)
			}
			o.t.Errorf("%s %s→%s: owner %+v, the schema says %q", c.Path, c.Old, c.New, got, names)
		}
	}
}

// checkObject holds the owners of all fields of an object against its sets.
func (o oracle) checkObject(object []byte) (fields int) {
	sets, list := o.sets(object), entries(managedFields(object), nil, nil, nil)
	all := Object(object)
	var at []span
	for _, f := range all {
		at = append(at, spanOf(f.Value, object))
	}
	backed := make([]map[Owner]bool, len(all))
	for i := range sets {
		sets[i].Leaves().Iterate(func(p fieldpath.Path) {
			theirs, ok := o.find(object, p)
			if !ok {
				return
			}
			found := false
			for f := range all {
				if !at[f].within(theirs) && !theirs.within(at[f]) {
					continue
				}
				// A map of which the entry owns no member: it is told of those who do.
				found = found || at[f] != theirs && at[f].within(theirs)
				for _, owner := range all[f].Owners {
					likely := owner
					owner.Likely = list[i].Likely
					if owner == list[i].Owner {
						found = true
						if backed[f] == nil {
							backed[f] = map[Owner]bool{}
						}
						backed[f][likely] = true
					}
				}
			}
			if !found {
				o.t.Errorf("%s owns %s: not told", list[i].Manager, p)
			}
		})
	}
	for f := range all {
		fields++
		for _, owner := range all[f].Owners {
			if !backed[f][owner] {
				o.t.Errorf("%s: %+v does not own it", all[f].Path, owner)
			}
		}
	}
	return fields
}

// sampled is one in so many, and every one where REWATCH_LONG asks for all.
func sampled(n int) int {
	if os.Getenv("REWATCH_LONG") != "" {
		return 1
	}
	return n
}

func (o oracle) checkLog(l *model.Log, every int) (n counts, fields int) {
	s := l.Snapshot()
	modified := 0
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		new, ok := l.Bytes(e.Object, e.Version)
		if !e.Type.IsObject() || !ok {
			continue
		}
		new = slices.Clip(new)
		switch e.Type {
		case model.Modified:
			if modified++; modified%every != 0 {
				continue
			}
			if old, ok := l.Bytes(e.Object, e.Version-1); ok {
				o.check(slices.Clip(old), new, &n)
			}
			if modified%(every*sampled(7)) == 0 {
				fields += o.checkObject(new)
			}
		}
	}
	return n, fields
}

func TestOwnersOfShop(t *testing.T) {
	o := newOracle(t)
	n, fields := o.checkLog(logtest.Shop(t), sampled(2))
	t.Logf("%+v, %d fields", n, fields)
	if n.pairs < 600 || n.certain < 3000 || fields < 4000 {
		t.Errorf("saw %+v, %d fields", n, fields)
	}
}

func TestOwnersOfLoad(t *testing.T) {
	l := logtest.Load(t)
	o := newOracle(t)
	n, fields := o.checkLog(l, sampled(20))
	t.Logf("%+v, %d fields", n, fields)
	if n.pairs < 250 || n.certain < 800 || fields < 2000 {
		t.Errorf("saw %+v, %d fields", n, fields)
	}
}

func mustJSON(t testing.TB, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clip(b)
}

// A controller that wrote status within a second of somebody else's write to
// spec.replicas is told from that one, though the fields have one name.
func TestManagersOfShop(t *testing.T) {
	l := logtest.Shop(t)
	s := l.Snapshot()
	by := map[string]int{}
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		old, okOld := l.Bytes(e.Object, e.Version-1)
		new, okNew := l.Bytes(e.Object, e.Version)
		if e.Type != model.Modified || !okOld || !okNew || l.Identity(e.Object).Kind != "Deployment" {
			continue
		}
		r := diff.Objects(old, new)
		managers := Managers(r, old, new)
		inSpec := slices.ContainsFunc(r.Changes, func(c diff.Change) bool { return c.Path == "spec.replicas" })
		inStatus := slices.ContainsFunc(r.Changes, func(c diff.Change) bool { return c.Path == "status.replicas" })
		switch {
		case inSpec && (len(managers) != 1 || managers[0] == "kube-controller-manager"),
			inStatus && !slices.Equal(managers, []string{"kube-controller-manager"}):
			t.Errorf("%+v by %q", r.Changes, managers)
		}
		if inSpec {
			by[managers[0]]++
		}
	}
	if by["platform-team"] != 1 || by["autoscaler"] != 4 || by["gitops"] != 4 || by["kubectl"] != 2 {
		t.Errorf("who scaled: %v", by)
	}
}
