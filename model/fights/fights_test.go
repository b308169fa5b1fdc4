package fights

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/logtest"
)

func detect(l *model.Log) []*Finding {
	d := New(l)
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		d.Add(s.At(seq))
	}
	return d.Findings()
}

func describe(l *model.Log, f *Finding) string {
	id := l.Identity(f.Object)
	return fmt.Sprintf("%s of %s %s %s by %v among %v, %d changes", f.Kind, id.Kind, id.Name, f.Path, f.Managers, f.Values, f.Count)
}

// The fight over the replicas of the shop's deployment, and no other.
func TestShop(t *testing.T) {
	l := logtest.Shop(t)
	var fights []*Finding
	for _, f := range detect(l) {
		t.Log(describe(l, f))
		if f.Kind == Fight {
			fights = append(fights, f)
		}
	}
	if len(fights) != 1 {
		t.Fatalf("%d fights", len(fights))
	}
	f := fights[0]
	id := l.Identity(f.Object)
	if id.Kind != "Deployment" || id.Name != "checkout" || f.Path != "spec.replicas" || !slices.Equal(f.Managers, []string{"autoscaler", "gitops"}) ||
		!slices.Equal(f.Values, []string{"8", "9"}) || f.Count != 8 || len(f.Rows) != 8 {
		t.Error(describe(l, f))
	}
	if took := time.Duration(f.Until - f.Since).Round(time.Second); took != 14*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestLoad(t *testing.T) {
	l := logtest.Load(t)
	for _, f := range detect(l) {
		t.Log(describe(l, f))
		if f.Kind != Flap {
			t.Errorf("found: %s", describe(l, f))
		}
	}
}

// rig appends the states of one object, a minute apart unless a step says else.
type rig struct {
	log    *model.Log
	stream model.StreamID
	now    time.Time
	rv     int
}

func newRig() *rig {
	l := model.NewLog(model.Options{})
	return &rig{log: l, stream: l.AddStream(model.StreamInfo{Version: "v1", Resource: "widgets", Kind: "Widget"}), now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
}

func (r *rig) add(flags model.Flag, after time.Duration, manager, rest string) {
	r.now = r.now.Add(after)
	r.rv++
	raw := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Widget","metadata":{"name":"x","uid":"u","resourceVersion":"%d","managedFields":[{"manager":%q,"operation":"Update","apiVersion":"v1","time":%q,"fieldsV1":{"f:spec":{"f:a":{}},"f:status":{"f:a":{}}}}]},%s}`,
		r.rv, manager, r.now.Format(time.RFC3339), rest)
	typ := model.Modified
	if r.rv == 1 {
		typ = model.Added
	}
	r.log.Append(model.Record{Time: r.now, Stream: r.stream, Type: typ, Flags: flags, Raw: raw})
}

func TestToAndFro(t *testing.T) {
	for name, c := range map[string]struct {
		steps string // manager:value, … ; ! before is after an hour, ? found by a relist
		path  string // spec or status
		want  string
	}{
		"fight":                    {"m:1 a:2 b:1 a:2", "spec", "fight [a b] [1 2] 3"},
		"fight of three":           {"m:1 a:2 b:1 c:2 b:1", "spec", "fight [a b c] [1 2] 4"},
		"once undone":              {"m:1 a:2 b:1", "spec", ""},
		"one manager":              {"m:1 a:2 a:1 a:2 a:1", "spec", ""},
		"one manager, often":       {"m:1 a:2 a:1 a:2 a:1 a:2", "spec", "flap [a] [1 2] 5"},
		"values move on":           {"m:1 a:2 b:3 a:4 b:5 a:6 b:7", "spec", ""},
		"status is no fight":       {`m:"x" a:"y" b:"x" a:"y"`, "status", ""},
		"status flaps":             {`m:"x" a:"y" b:"x" a:"y" b:"x" a:"y"`, "status", `flap [a b] ["x" "y"] 5`},
		"numbers in status do not": {"m:1 a:2 b:1 a:2 b:1 a:2 b:1", "status", ""},
		"too slow":                 {"m:1 a:2 b:1 !a:2 !b:1 !a:2", "spec", ""},
		"what a relist found":      {"m:1 a:2 b:1 ?a:2", "spec", ""},
		"the first is not theirs":  {"m:1 a:5 a:2 b:5 a:2", "spec", "fight [a b] [5 2] 3"},
		"texts of people are not":  {`m:"x" a:"y" b:"x" a:"y" b:"x" a:"y"`, "message", ""},
	} {
		r := newRig()
		for _, step := range strings.Fields(c.steps) {
			after, flags := time.Minute, model.Flag(0)
			switch step[0] {
			case '!':
				after, step = time.Hour, step[1:]
			case '?':
				flags, step = model.Synthetic, step[1:]
			}
			who, value, _ := strings.Cut(step, ":")
			rest := fmt.Sprintf(`%q:{"a":%s}`, c.path, value)
			if c.path == "message" {
				rest = fmt.Sprintf(`"status":{"message":%s}`, value)
			}
			r.add(flags, after, who, rest)
		}
		got := ""
		for _, f := range detect(r.log) {
			got += fmt.Sprintf("%s %v %v %d", f.Kind, f.Managers, f.Values, f.Count)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRestartLoop(t *testing.T) {
	r := newRig()
	for i, restarts := range []int{0, 1, 2, 2, 4, 5} {
		r.add(0, time.Minute, "kubelet", fmt.Sprintf(`"status":{"containerStatuses":[{"name":"app","restartCount":%d,"ready":%v},{"name":"side","restartCount":0}]}`, restarts, i%2 == 0))
	}
	found := detect(r.log)
	i := slices.IndexFunc(found, func(f *Finding) bool { return f.Kind == RestartLoop })
	if i < 0 {
		t.Fatal("no restart loop")
	}
	f := found[i]
	if f.Path != "status.containerStatuses[name=app].restartCount" || f.Count != 5 || len(f.Rows) != 4 || f.Values[0] != "5" {
		t.Errorf("%+v", f)
	}
	// Rarely is no loop.
	r = newRig()
	for restarts := range 6 {
		r.add(0, time.Hour, "kubelet", fmt.Sprintf(`"status":{"containerStatuses":[{"name":"app","restartCount":%d}]}`, restarts))
	}
	if found := detect(r.log); len(found) > 0 {
		t.Errorf("%+v", found[0])
	}
}

// However many paths change, what is remembered is bounded.
func TestBounded(t *testing.T) {
	r := newRig()
	d := New(r.log)
	for n := range 3 {
		var b strings.Builder
		for i := range 1900 {
			fmt.Fprintf(&b, `,"k%d-%d":%d`, n, i, n)
		}
		r.add(0, time.Minute, "a", `"data":{"x":0`+b.String()+`}`)
	}
	s := r.log.Snapshot()
	for range 20 {
		for seq := s.First(); seq < s.End(); seq++ {
			d.Add(s.At(seq))
		}
	}
	if len(d.tracks) > maxTracks {
		t.Errorf("%d tracks", len(d.tracks))
	}
}

// However much goes to and fro, a bounded number of findings is kept: fights
// before flaps, and what goes on before what has become quiet.
func TestFindingsAreBounded(t *testing.T) {
	r := newRig()
	d := New(r.log)
	say := func(who, path string, value int) {
		r.add(0, time.Second, who, fmt.Sprintf(`"spec":{%q:%d}`, path, value))
		s := r.log.Snapshot()
		d.Add(s.At(s.End() - 1))
	}
	for i := range 4 {
		say([]string{"a", "b"}[i%2], "fight", i%2)
	}
	if f := d.Findings(); len(f) != 1 || f[0].Kind != Fight {
		t.Fatalf("%d findings", len(f))
	}
	for i := range maxFindings + 20 {
		// Not through the log: that takes minutes.
		k := key{1, fmt.Sprint("flap", i)}
		d.report(k, &track{rows: []model.Seq{model.Seq(1000 + i)}}, Flap)
		f := d.findings[len(d.findings)-1]
		f.Rows, f.Until = []model.Seq{model.Seq(1000 + i)}, r.now.UnixNano()+int64(i)
	}
	f := d.Findings()
	if len(f) != maxFindings || d.Dropped() != 21 {
		t.Errorf("%d findings, %d dropped", len(f), d.Dropped())
	}
	if f[0].Kind != Fight || f[1].Path != "flap21" || f[len(f)-1].Path != fmt.Sprint("flap", maxFindings+19) {
		t.Errorf("kept %s of %s, then %s … %s", f[0].Kind, f[0].Path, f[1].Path, f[len(f)-1].Path)
	}
}

// A finding that was dropped and goes on is found anew; what was told of it
// before does not change.
func TestADroppedFindingGoesOn(t *testing.T) {
	r := newRig()
	d := New(r.log)
	var newest *Finding
	for i := range 8 {
		r.add(0, time.Minute, []string{"a", "b"}[i%2], fmt.Sprintf(`"spec":{"a":%d}`, i%2))
		s := r.log.Snapshot()
		if found := d.Add(s.At(s.End() - 1)); len(found) > 0 {
			newest = found[0]
		}
		if i == 5 {
			copied, rows := *newest, len(newest.Rows)
			d.drop()
			if len(d.Findings()) != 0 || len(copied.Rows) != rows {
				t.Fatalf("%d findings", len(d.Findings()))
			}
		}
	}
	if f := d.Findings(); len(f) != 1 || f[0] != newest || f[0].Kind != Fight || f[0].Count != 7 || len(f[0].Rows) != 7 || d.Dropped() != 1 {
		t.Errorf("%+v, %d dropped", f, d.Dropped())
	}
}

func FuzzDetector(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a","uid":"1"},"spec":{"a":1},"status":{"containerStatuses":[{"name":"x","restartCount":1}]}}`),
		[]byte(`{"metadata":{"name":"a","uid":"1"},"spec":{"a":2},"status":{"containerStatuses":[{"name":"x","restartCount":1e99}]}}`))
	f.Add([]byte(`{"metadata":{"name":"a","uid":"1"},"status":""}`), []byte(`{"metadata":{"name":"a","uid":"1"},"status":}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		l := model.NewLog(model.Options{})
		st := l.AddStream(model.StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
		d := New(l)
		for i := range 8 {
			d.Add(l.Append(model.Record{Time: time.Unix(int64(i), 0), Stream: st, Type: model.Modified, Raw: [][]byte{a, b}[i%2], RV: fmt.Sprint(i), Identity: model.Identity{Name: "x", UID: "u"}}))
		}
		for _, f := range d.Findings() {
			if f.Count < 3 && f.Kind != RestartLoop || len(f.Rows) == 0 || f.Until < f.Since {
				t.Fatalf("%+v", f)
			}
		}
	})
}
