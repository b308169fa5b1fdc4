package diff

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"rewatch/model/jsonscan"
	"rewatch/model/jsonscan/scantest"
)

// show writes changes one a line.
func show(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s %s→%s\n", [...]string{"?", "+", "-", "~"}[c.Op], c.Path, c.Old, c.New)
	}
	return b.String()
}

var pairs = []struct{ name, old, new, want string }{
	{"scalars", `{"spec":{"replicas":3,"a":"x","b":true,"c":null}}`, `{"spec":{"replicas":8,"a":"x","b":false,"c":1.5}}`,
		"~ spec.replicas 3→8\n~ spec.b true→false\n~ spec.c null→1.5\n"},
	{"large integers", `{"a":9007199254740993,"b":9007199254740993}`, `{"a":9007199254740992,"b":9007199254740993}`, "~ a 9007199254740993→9007199254740992\n"},
	{"spelling", `{"a":"\u00e4\/<","b":{"x":1,"y":[1,2]},"c":["\u003c"]}`, `{ "b" : { "y" : [1, 2], "x":1 }, "a":"ä/\u003c", "c":["<"]}`, ""},
	{"left out", `{"metadata":{"resourceVersion":"1","managedFields":[]},"spec":{"resourceVersion":"1"}}`,
		`{"metadata":{"resourceVersion":"2","managedFields":[{}]},"spec":{"resourceVersion":"2"}}`, "~ spec.resourceVersion \"1\"→\"2\"\n"},
	{"subtrees", `{"a":{"b":{"c":1}},"d":1}`, `{"d":1,"e":{"f":[1,2]}}`, "+ e →{\"f\":[1,2]}\n- a {\"b\":{\"c\":1}}→\n"},
	{"types", `{"a":{},"b":[],"c":"1"}`, `{"a":[],"b":{},"c":1}`, "~ a {}→[]\n~ b []→{}\n~ c \"1\"→1\n"},
	{"keys", `{"metadata":{"labels":{"a-b":"1","app.kubernetes.io/name":"x","a\"]":"y","":"z","0":"n"}}}`,
		`{"metadata":{"labels":{"a-b":"2","app.kubernetes.io/name":"y","a\"]":"z","":"","0":"m"}}}`,
		"~ metadata.labels.a-b \"1\"→\"2\"\n~ metadata.labels[\"app.kubernetes.io/name\"] \"x\"→\"y\"\n~ metadata.labels[\"a\\\"]\"] \"y\"→\"z\"\n" +
			"~ metadata.labels[\"\"] \"z\"→\"\"\n~ metadata.labels[\"0\"] \"n\"→\"m\"\n"},
	{"containers", `{"spec":{"containers":[{"name":"a","image":"x:1","env":[{"name":"E","value":"1"}]},{"name":"b"}]}}`,
		`{"spec":{"containers":[{"name":"c"},{"name":"a","image":"x:2","env":[{"name":"E","value":"2"}]}]}}`,
		"+ spec.containers[name=c] →{\"name\":\"c\"}\n~ spec.containers[name=a].image \"x:1\"→\"x:2\"\n~ spec.containers[name=a].env[name=E].value \"1\"→\"2\"\n- spec.containers[name=b] {\"name\":\"b\"}→\n"},
	{"ports", `{"ports":[{"containerPort":53,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"}]}`,
		`{"ports":[{"containerPort":53,"protocol":"UDP","name":"d"},{"containerPort":54,"protocol":"TCP"}]}`,
		"+ ports[containerPort=53,protocol=UDP].name →\"d\"\n+ ports[containerPort=54,protocol=TCP] →{\"containerPort\":54,\"protocol\":\"TCP\"}\n" +
			"- ports[containerPort=53,protocol=TCP] {\"containerPort\":53,\"protocol\":\"TCP\"}→\n"},
	{"conditions in any order", `{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"X","status":"True"}]}}`,
		`{"status":{"conditions":[{"type":"X","status":"True"},{"type":"Ready","status":"False"}]}}`, "~ status.conditions[type=Ready].status \"True\"→\"False\"\n"},
	{"order that counts", `{"env":[{"name":"a"},{"name":"b"}]}`, `{"env":[{"name":"b"},{"name":"a"}]}`, "~ env[order] [\"name=a\",\"name=b\"]→[\"name=b\",\"name=a\"]\n"},
	{"endpoints", `{"endpoints":[{"addresses":["10.0.0.1"],"targetRef":{"name":"p-1","uid":"1"}},{"targetRef":{"name":"p-2"}}]}`,
		`{"endpoints":[{"targetRef":{"name":"p-2"}},{"addresses":["10.0.0.9"],"targetRef":{"name":"p-1","uid":"1"}}]}`,
		"~ endpoints[targetRef.name=p-1].addresses[0] \"10.0.0.1\"→\"10.0.0.9\"\n"},
	{"node addresses", `{"addresses":[{"type":"InternalIP","address":"1"},{"type":"InternalIP","address":"::1"}]}`,
		`{"addresses":[{"type":"InternalIP","address":"1"}]}`, "- addresses[type=InternalIP,address=::1] {\"type\":\"InternalIP\",\"address\":\"::1\"}→\n"},
	{"unknown list with a key", `{"spec":{"rules":[{"id":1,"v":1},{"id":"1","v":1}]}}`, `{"spec":{"rules":[{"id":1,"v":2},{"id":"1","v":3}]}}`,
		"~ spec.rules[id=1].v 1→2\n~ spec.rules[id=\"1\"].v 1→3\n"},
	{"a key that does not tell apart", `{"env":[{"name":"a","value":"1"},{"name":"a","value":"2"}]}`, `{"env":[{"name":"a","value":"1"},{"name":"a","value":"3"}]}`,
		"~ env[1].value \"2\"→\"3\"\n"},
	{"tolerations", `{"tolerations":[{"key":"a","effect":"NoExecute"}]}`, `{"tolerations":[{"key":"b"},{"effect":"NoExecute","key":"a"}]}`,
		"+ tolerations[0] →{\"key\":\"b\"}\n"},
	{"arguments", `{"args":["a","b","c","d"]}`, `{"args":["a","x","c","d"]}`, "~ args[1] \"b\"→\"x\"\n"},
	{"argument removed", `{"args":["a","b","c"]}`, `{"args":["a","c"]}`, "- args[1] \"b\"→\n"},
	{"arguments shifted", `{"args":["a","b","c","d"]}`, `{"args":["b","c","e","d"]}`, "- args[0] \"a\"→\n+ args[2] →\"e\"\n"},
	{"arguments in another order", `{"args":["a","b"]}`, `{"args":["b","a"]}`, "~ args [\"a\",\"b\"]→[\"b\",\"a\"]\n"},
	{"the same argument twice", `{"args":["a","a","b"]}`, `{"args":["a","b"]}`, "- args[1] \"a\"→\n"},
	{"not JSON", `{"a":`, `{}`, "~  {\"a\":→{}\n"},
	{"a part that is not JSON", `{"a":{"b":tru},"c":{x},"d":1}`, `{"a":{"b":true},"c":{},"d":2}`, "~ a.b tru→true\n~ c {x}→{}\n~ d 1→2\n"},
}

func TestObjects(t *testing.T) {
	for _, p := range pairs {
		if got := show(Objects([]byte(p.old), []byte(p.new)).Changes); got != p.want {
			t.Errorf("%s:\n got %s\nwant %s", p.name, got, p.want)
		}
		checkObjects(t, []byte(p.old), []byte(p.new))
		checkObjects(t, []byte(p.new), []byte(p.old))
	}
}

func TestCreatedAndDeleted(t *testing.T) {
	raw := []byte(`{"kind":"X","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1","managedFields":[{"manager":"m","time":"1"},{"manager":"n","time":"2"}]},"spec":{"a":{"b":1}},"data":{"k":"v"}}`)
	r := Objects(nil, raw)
	if got, want := show(r.Changes), "+ metadata.name →\"a\"\n+ spec.a →{\"b\":1}\n+ data →{\"k\":\"v\"}\n"; got != want || !slices.Equal(r.Managers, []string{"n"}) {
		t.Errorf("created: %s%v", got, r.Managers)
	}
	r = Objects(raw, nil)
	if got, want := show(r.Changes), "- metadata.name \"a\"→\n- spec.a {\"b\":1}→\n- data {\"k\":\"v\"}→\n"; got != want || r.Managers != nil {
		t.Errorf("deleted: %s%v", got, r.Managers)
	}
	if r := Objects(nil, nil); len(r.Changes) != 0 {
		t.Errorf("%+v", r)
	}
	if r := Objects(nil, []byte(`<`)); len(r.Changes) != 1 || r.Changes[0].New != "<" {
		t.Errorf("%+v", r)
	}
}

func TestManagers(t *testing.T) {
	object := func(replicas int, entries ...string) []byte {
		return fmt.Appendf(nil, `{"metadata":{"managedFields":[%s]},"spec":{"replicas":%d}}`, strings.Join(entries, ","), replicas)
	}
	entry := func(manager, op, sub, time, fields string) string {
		return fmt.Sprintf(`{"manager":%q,"operation":%q,"subresource":%q,"time":"2026-12-01T00:00:%sZ","fieldsV1":{%s}}`, manager, op, sub, time, fields)
	}
	a1 := entry("autoscaler", "Update", "scale", "01", `"f:spec":{"f:replicas":{}}`)
	g1 := entry("gitops", "Apply", "", "01", `"f:x":{},"f:y":{}`)
	for _, c := range []struct {
		name     string
		old, new []byte
		want     []string
	}{
		{"a new time", object(1, a1, g1), object(2, entry("autoscaler", "Update", "scale", "05", `"f:spec":{"f:replicas":{}}`), g1), []string{"autoscaler"}},
		{"a new entry", object(1, g1), object(2, g1, a1), []string{"autoscaler"}},
		{"the same name elsewhere", object(1, a1), object(2, a1, entry("autoscaler", "Update", "", "02", "")), []string{"autoscaler"}},
		{"most recent first", object(1), object(2, g1, entry("b", "Update", "", "03", "")), []string{"b", "gitops"}},
		{"fields lost to another", object(1, a1, g1), object(2, a1, entry("gitops", "Apply", "", "01", `"f:x":{}`), entry("c", "Update", "", "02", `"f:y":{}`)), []string{"c"}},
		{"fields gained in the same second", object(1, g1), object(2, entry("gitops", "Apply", "", "01", `"f:x":{},"f:y":{},"f:z":{}`)), []string{"gitops"}},
		{"again in the same second", object(1, a1, g1), object(2, a1, g1), []string{"autoscaler"}},
		{"nobody owns it", object(1, g1), object(2, g1), nil},
		{"stripped", object(1), object(2), nil},
	} {
		if got := Objects(c.old, c.new).Managers; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	var old, new strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&old, `,"k%d":1`, i)
		fmt.Fprintf(&new, `,"k%d":2`, i)
	}
	r := Objects([]byte(`{"a":1`+old.String()+`}`), []byte(`{"a":1`+new.String()+`}`))
	if len(r.Changes) != maxChanges || !r.Cut {
		t.Errorf("%d changes, cut %v", len(r.Changes), r.Cut)
	}
	deep := func(v string) []byte {
		return []byte(strings.Repeat(`{"a":`, 20_000) + v + strings.Repeat(`}`, 20_000))
	}
	if r := Objects(deep("1"), deep("2")); len(r.Changes) != 1 {
		t.Errorf("%d changes", len(r.Changes))
	}
}

// versions returns the pairs of successive versions of all objects in a capture.
func versions(tb testing.TB, frames []scantest.Frame) (pairs [][2][]byte) {
	last := map[string][]byte{}
	for _, f := range frames {
		_, object, err := jsonscan.SplitFrame(f.Raw)
		if err != nil {
			tb.Fatal(err)
		}
		m, err := jsonscan.Identity(object)
		if err != nil {
			tb.Fatal(err)
		}
		if m.UID == "" {
			continue
		}
		id := m.Kind + strings.Clone(m.UID)
		if old := last[id]; old != nil {
			pairs = append(pairs, [2][]byte{old, object})
		}
		last[id] = object
	}
	return pairs
}

func TestCapture(t *testing.T) {
	pairs := versions(t, scantest.Shop(t))
	if os.Getenv("REWATCH_LONG") != "" {
		pairs = versions(t, scantest.WholeShop(t))
	}
	for _, p := range pairs {
		checkObjects(t, p[0], p[1])
	}
	t.Logf("%d pairs of versions compared", len(pairs))
}

func TestLargeCapture(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	every := 50
	if os.Getenv("REWATCH_LONG") != "" {
		every = 1
	}
	pairs, compared := versions(t, scantest.Load(t)), 0
	for i, p := range pairs {
		if i%every == 0 {
			checkObjects(t, p[0], p[1])
			compared++
		}
	}
	t.Logf("%d of %d pairs of versions compared", compared, len(pairs))
}

// mutate changes a decoded value here and there.
func mutate(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			switch r.IntN(40) {
			case 0:
				delete(v, k)
			case 1:
				v[fmt.Sprint(k, r.IntN(3))] = v[k]
			default:
				v[k] = mutate(r, v[k])
			}
		}
	case []any:
		for i := range v {
			v[i] = mutate(r, v[i])
		}
		switch n := len(v); r.IntN(8) {
		case 0:
			r.Shuffle(n, func(i, j int) { v[i], v[j] = v[j], v[i] })
		case 1:
			if n > 0 {
				return slices.Delete(v, n-1, n)
			}
		case 2:
			if n > 0 {
				return append(v, v[r.IntN(n)])
			}
		case 3:
			return append(v, "new")
		}
	case string:
		if r.IntN(30) == 0 {
			return v + "'"
		}
	}
	return v
}

func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := versions(t, scantest.Shop(t))
	for range 400 {
		old := pairs[r.IntN(len(pairs))][0]
		v, err := decode(old)
		if err != nil {
			t.Fatal(err)
		}
		new, _ := json.Marshal(mutate(r, v))
		checkObjects(t, old, new)
	}
}

func FuzzObjects(f *testing.F) {
	for _, p := range pairs {
		f.Add([]byte(p.old), []byte(p.new))
	}
	f.Fuzz(func(t *testing.T, old, new []byte) {
		checkObjects(t, old, new)
		for _, kind := range []string{"Pod", "Event", "X"} {
			_, _, _ = Summary(kind, old, new, 80), Summary(kind, nil, new, 80), Summary(kind, old, nil, 80)
		}
	})
}
