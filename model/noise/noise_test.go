package noise

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/diff"
	"rewatch/model/logtest"
)

func compiled(t testing.TB, rules ...Rule) *Rules {
	t.Helper()
	c, err := Compile(rules)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// classify is what a rule says of two versions.
func classify(c *Rules, id model.Identity, old, new string) string {
	change := diff.Objects([]byte(old), []byte(new))
	if r := c.Classify(model.Event{Type: model.Modified}, id, []byte(old), []byte(new), &change); r != nil {
		return r.Name
	}
	return ""
}

func TestClassify(t *testing.T) {
	c := compiled(t, Default()...)
	lease := model.Identity{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Name: "x"}
	for _, x := range []struct {
		id       model.Identity
		old, new string
		want     string
	}{
		{model.Identity{Kind: "Pod"}, `{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"resourceVersion":"2","managedFields":[]}}`, "nothing but bookkeeping"},
		{model.Identity{Kind: "Pod"}, `{"metadata":{"generation":1}}`, `{"metadata":{"generation":2}}`, "nothing but bookkeeping"},
		{model.Identity{Kind: "Pod"}, `{"metadata":{"generation":1},"spec":1}`, `{"metadata":{"generation":2},"spec":2}`, ""},
		{lease, `{"spec":{"renewTime":"1","holderIdentity":"a"}}`, `{"spec":{"renewTime":"2","holderIdentity":"a"}}`, "lease renewals"},
		{lease, `{"spec":{"renewTime":"1","holderIdentity":"a"}}`, `{"spec":{"renewTime":"2","holderIdentity":"b"}}`, ""},
		{lease, `{"spec":{"renewTime":"1"}}`, `{"spec":{"renewTime":"2","leaseTransitions":1}}`, ""},
		{model.Identity{APIVersion: "acme.example/v1", Kind: "Lease"}, `{"spec":{"renewTime":"1"}}`, `{"spec":{"renewTime":"2"}}`, ""},
		{model.Identity{APIVersion: "v1", Kind: "Node"}, `{"status":{"conditions":[{"type":"Ready","lastHeartbeatTime":"1"},{"type":"X","lastHeartbeatTime":"1"}]}}`,
			`{"status":{"conditions":[{"type":"Ready","lastHeartbeatTime":"2"},{"type":"X","lastHeartbeatTime":"2"}]}}`, "node heartbeats"},
		{model.Identity{APIVersion: "v1", Kind: "Node"}, `{"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"1"}]}}`,
			`{"status":{"conditions":[{"type":"Ready","status":"Unknown","lastHeartbeatTime":"2"}]}}`, ""},
		{model.Identity{Kind: "Endpoints"}, `{"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{\"holderIdentity\":\"a\",\"renewTime\":\"1\"}"}}}`,
			`{"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{\"holderIdentity\":\"a\",\"renewTime\":\"2\"}"}}}`, "leader elections renewed"},
		{model.Identity{Kind: "Endpoints"}, `{"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{\"holderIdentity\":\"a\",\"renewTime\":\"1\"}"}}}`,
			`{"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{\"holderIdentity\":\"b\",\"renewTime\":\"2\"}"}}}`, ""},
		{model.Identity{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, `{"metadata":{}}`, `{"metadata":{"annotations":{"endpoints.kubernetes.io/last-change-trigger-time":"1"}}}`, "endpoints trigger times"},
		{model.Identity{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, `{"metadata":{}}`, `{"metadata":{"annotations":{"endpoints.kubernetes.io/last-change-trigger-time":"1","a":"b"}}}`, ""},
		{model.Identity{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}, `{"metadata":{"generation":1}}`, `{"metadata":{"generation":2},"endpoints":[]}`, ""},
		{model.Identity{APIVersion: "v1", Kind: "Event"}, `{"count":1,"lastTimestamp":"1"}`, `{"count":2,"lastTimestamp":"2"}`, "events counted up"},
		{model.Identity{APIVersion: "events.k8s.io/v1", Kind: "Event"}, `{}`, `{"series":{"count":2,"lastObservedTime":"2"}}`, "events counted up"},
		{model.Identity{APIVersion: "v1", Kind: "Event"}, `{"count":1,"message":"a"}`, `{"count":2,"message":"b"}`, ""},
	} {
		if got := classify(c, x.id, x.old, x.new); got != x.want {
			t.Errorf("%s %s → %s: %q, want %q", x.id.Kind, x.old, x.new, got, x.want)
		}
	}
}

func TestExpiredEvents(t *testing.T) {
	c := compiled(t, Default()...)
	now := time.Date(2026, 12, 1, 13, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		kind, object string
		want         bool
	}{
		{"Event", `{"lastTimestamp":"2026-12-01T12:00:00Z","metadata":{"creationTimestamp":"2026-12-01T10:00:00Z"}}`, true},
		{"Event", `{"lastTimestamp":"2026-12-01T12:30:00Z","metadata":{"creationTimestamp":"2026-12-01T10:00:00Z"}}`, false},
		{"Event", `{"lastTimestamp":null,"eventTime":"2026-12-01T12:00:00.000000Z","series":{"lastObservedTime":"2026-12-01T12:59:00.000000Z"}}`, false},
		{"Event", `{}`, false},
		{"Pod", `{"metadata":{"creationTimestamp":"2026-12-01T10:00:00Z"}}`, false},
	} {
		e := model.Event{Type: model.Deleted, Time: now.UnixNano()}
		if got := c.Classify(e, model.Identity{APIVersion: "v1", Kind: x.kind}, nil, []byte(x.object), nil); (got != nil) != x.want {
			t.Errorf("%s %s: %v", x.kind, x.object, got)
		}
	}
}

func TestRulesOfOnesOwn(t *testing.T) {
	id := model.Identity{APIVersion: "acme.example/v1", Kind: "Widget", Namespace: "shop-1", Name: "left"}
	old := `{"metadata":{"labels":{"a.b/c":"1"}},"status":{"last seen":"1","probes":[1,2],"list":[{"name":"x","at":1}]}}`
	new := `{"metadata":{"labels":{"a.b/c":"2"}},"status":{"last seen":"2","probes":[1,3],"list":[{"name":"x","at":2}]}}`
	like, ok := Like(id, diff.Objects([]byte(old), []byte(new)))
	want := Rule{Name: "like Widget left", Kind: "Widget.acme.example", Paths: []string{`metadata.labels["a.b/c"]`, `status["last seen"]`, "status.probes[*]", "status.list[name=x].at"}}
	if !ok || !reflect.DeepEqual(like, want) {
		t.Errorf("%+v, want %+v", like, want)
	}
	// As a configuration file would hold it.
	text, err := json.Marshal(like)
	var back Rule
	if err != nil || json.Unmarshal(text, &back) != nil || !reflect.DeepEqual(back, like) {
		t.Errorf("%s %+v", text, back)
	}
	c := compiled(t, back)
	if got := classify(c, id, old, new); got != like.Name {
		t.Errorf("the row that it was made of: %q", got)
	}
	other := strings.Replace(new, `"x","at":2`, `"x","at":2,"more":1`, 1)
	if got := classify(c, id, old, other); got != "" {
		t.Errorf("a further change: %q", got)
	}
	for _, x := range []struct {
		rule Rule
		want bool
	}{
		{Rule{Name: "r", Paths: []string{"*"}}, true},
		{Rule{Name: "r", Paths: []string{"status", "metadata.labels.*"}}, true},
		{Rule{Name: "r", Paths: []string{"status"}}, false},
		{Rule{Name: "r", Kind: "widget", Namespace: "shop-*", Object: "l*f*", Paths: []string{"*"}}, true},
		{Rule{Name: "r", Namespace: "shop", Paths: []string{"*"}}, false},
		{Rule{Name: "r", Object: "*right", Paths: []string{"*"}}, false},
		{Rule{Name: "r", Kind: "Pod", Paths: []string{"*"}}, false},
	} {
		if got := classify(compiled(t, x.rule), id, old, new); (got != "") != x.want {
			t.Errorf("%+v folds: %v", x.rule, !x.want)
		}
	}
	for _, bad := range []Rule{{}, {Name: "x", Paths: []string{"a["}}, {Name: "x", Paths: []string{""}}, {Name: "x", Paths: []string{"a#b["}}, {Name: "x", Deleted: 1, Paths: []string{"a"}}} {
		if _, err := Compile([]Rule{bad}); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// without is an object, decoded, without what the rules call noise: another way
// to tell, which knows nothing of paths.
func without(t testing.TB, raw []byte) map[string]any {
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatal(err)
	}
	m := o["metadata"].(map[string]any)
	for _, k := range []string{"resourceVersion", "managedFields", "generation"} {
		delete(m, k)
	}
	if a, ok := m["annotations"].(map[string]any); ok && strings.HasPrefix(o["kind"].(string), "Endpoint") {
		delete(a, "endpoints.kubernetes.io/last-change-trigger-time")
		if len(a) == 0 {
			delete(m, "annotations")
		}
	}
	switch o["kind"] {
	case "Lease":
		delete(o["spec"].(map[string]any), "renewTime")
	case "Node":
		list, _ := o["status"].(map[string]any)["conditions"].([]any)
		for _, c := range list {
			delete(c.(map[string]any), "lastHeartbeatTime")
		}
	case "Event":
		for _, k := range []string{"count", "lastTimestamp", "series", "deprecatedCount", "deprecatedLastTimestamp"} {
			delete(o, k)
		}
	}
	return o
}

// checkLog folds the changes of a log and decodes both versions of each: what is
// folded must be the same without the noise, what is not must differ.
func checkLog(t *testing.T, l *model.Log) (folded map[string]int, shown map[string]int) {
	c := compiled(t, Default()...)
	s := l.Snapshot()
	folded, shown = map[string]int{}, map[string]int{}
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if e.Type != model.Modified {
			continue
		}
		old, okOld := l.Bytes(e.Object, e.Version-1)
		new, okNew := l.Bytes(e.Object, e.Version)
		if !okOld || !okNew {
			t.Fatal("a version is missing")
		}
		id := l.Identity(e.Object)
		change := diff.Objects(old, new)
		rule := c.Classify(e, id, old, new, &change)
		if rule == nil && id.Kind == "Pod" && seq%8 != 0 {
			shown[id.Kind]++
			continue // they are many, and take long to decode
		}
		same := reflect.DeepEqual(without(t, old), without(t, new))
		switch {
		case rule != nil && !same:
			t.Errorf("%s %s is folded as %s, but changed: %s", id.Kind, id.Name, rule.Name, diff.Describe(id.Kind, change, old, new, 200))
		case rule == nil && same:
			t.Errorf("%s %s is noise, but not folded: %+v", id.Kind, id.Name, change.Changes)
		}
		if rule != nil {
			folded[id.Kind+": "+rule.Name]++
		} else {
			shown[id.Kind]++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(folded)) {
		t.Logf("folded %4d %s", folded[k], k)
	}
	t.Logf("shown %s", fmt.Sprint(shown))
	return folded, shown
}

func TestShop(t *testing.T) {
	folded, shown := checkLog(t, logtest.Shop(t))
	if folded["Lease: lease renewals"] != 18 || folded["Event: events counted up"] < 100 || shown["Lease"] != 0 {
		t.Error("not what was folded before")
	}
}

func TestLoad(t *testing.T) {
	folded, _ := checkLog(t, logtest.Load(t))
	if folded["Lease: lease renewals"] != 9 {
		t.Error("not what was folded before")
	}
}

// renewals counts what changed of Leases and Nodes: paths of what was folded,
// how many frames only renew (told by decoding), and how many of those are
// folded; a frame that changes more must never be.
func renewals(t *testing.T, l *model.Log) (folded map[string]int, renewing, hidden, real int) {
	c := compiled(t, Default()...)
	folded = map[string]int{}
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if e.Type != model.Modified {
			continue
		}
		id := l.Identity(e.Object)
		if id.Kind != "Lease" && id.Kind != "Node" {
			continue
		}
		old, okOld := l.Bytes(e.Object, e.Version-1)
		new, okNew := l.Bytes(e.Object, e.Version)
		if !okOld || !okNew {
			t.Fatal("a version is missing")
		}
		change := diff.Objects(old, new)
		rule := c.Classify(e, id, old, new, &change)
		same := reflect.DeepEqual(without(t, old), without(t, new))
		switch {
		case same:
			renewing++
		default:
			real++
		}
		if rule == nil {
			continue
		}
		if !same {
			t.Errorf("a real change of %s %s is folded as %s: %s", id.Kind, id.Name, rule.Name, diff.Describe(id.Kind, change, old, new, 200))
		}
		hidden++
		var paths []string
		for _, x := range change.Changes {
			steps, _ := diff.Steps(x.Path)
			paths = append(paths, pattern(steps))
		}
		slices.Sort(paths)
		folded[id.Kind+" "+rule.Name+": "+strings.Join(slices.Compact(paths), " ")]++
	}
	return folded, renewing, hidden, real
}

// TestRenewalsAreFolded: over 90 % of the frames of Leases and Nodes that only
// renew are folded, and no other. What is folded is listed here by its paths.
func TestRenewalsAreFolded(t *testing.T) {
	for name, log := range map[string]func(testing.TB) *model.Log{"shop": logtest.Shop, "load": logtest.Load} {
		t.Run(name, func(t *testing.T) {
			if name == "load" && os.Getenv("REWATCH_LONG") == "" {
				t.Skip("REWATCH_LONG=1 reads the large capture")
			}
			folded, renewing, hidden, real := renewals(t, log(t))
			t.Logf("%d frames only renew, of which %d are folded; %d change more, of which none is", renewing, hidden, real)
			for _, k := range slices.Sorted(maps.Keys(folded)) {
				t.Logf("%5d %s", folded[k], k)
			}
			if renewing == 0 || hidden*10 < renewing*9 || real == 0 {
				t.Error("too few are folded, or nothing changed")
			}
		})
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("spec.a", `{"spec":{"a":1}}`, `{"spec":{"a":2}}`)
	f.Add(`metadata.annotations["x"]#a.b[*]`, `{"metadata":{"annotations":{"x":"{}"}}}`, `{"metadata":{"annotations":{"x":"{\"a\":{\"b\":[1]}}"}}}`)
	f.Fuzz(func(t *testing.T, path, old, new string) {
		c, err := Compile([]Rule{{Name: "r", Paths: []string{path}}})
		if err != nil {
			return
		}
		change := diff.Objects([]byte(old), []byte(new))
		c.Classify(model.Event{Type: model.Modified}, model.Identity{}, []byte(old), []byte(new), &change)
		if like, ok := Like(model.Identity{Kind: "X"}, change); ok && json.Valid([]byte(old)) && json.Valid([]byte(new)) {
			c, err := Compile([]Rule{like})
			if err != nil {
				t.Fatalf("%+v: %v", like, err)
			}
			if c.Classify(model.Event{Type: model.Modified}, model.Identity{Kind: "X"}, []byte(old), []byte(new), &change) == nil {
				t.Fatalf("%+v does not fold what it was made of: %+v", like, change.Changes)
			}
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	c := compiled(b, Default()...)
	id := model.Identity{APIVersion: "v1", Kind: "Pod", Name: "x"}
	old, new := []byte(`{"status":{"phase":"Pending","a":1},"metadata":{"labels":{"a":"1"}}}`), []byte(`{"status":{"phase":"Running","a":2},"metadata":{"labels":{"a":"2"}}}`)
	change := diff.Objects(old, new)
	for b.Loop() {
		c.Classify(model.Event{Type: model.Modified}, id, old, new, &change)
	}
}
