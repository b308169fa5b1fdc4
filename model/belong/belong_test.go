package belong

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/logtest"
)

func indexed(l *model.Log) *Index {
	x := New(l)
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		x.Add(s.At(seq))
	}
	return x
}

func find(t testing.TB, l *model.Log, kind, name string) model.ObjectID {
	t.Helper()
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		if e := s.At(seq); e.Type.IsObject() {
			if id := l.Identity(e.Object); id.Kind == kind && id.Name == name {
				return e.Object
			}
		}
	}
	t.Fatalf("no %s %s", kind, name)
	return 0
}

// draw writes a tree in lines, in order of names.
func draw(l *model.Log, n *Node, indent string) string {
	id := l.Identity(n.Object)
	name := id.Kind + " " + id.Name
	if n.Object == 0 {
		name = "(" + n.Ref.Kind + " " + n.Ref.Name + ")"
	}
	slices.SortFunc(n.Children, func(a, b *Node) int { return strings.Compare(l.Identity(a.Object).Name, l.Identity(b.Object).Name) })
	s := indent + name + "\n"
	for _, c := range n.Children {
		s += draw(l, c, indent+" ")
	}
	return s
}

// The shop's deployment owns its replica sets, and those the pods that there
// were at each time.
func TestShopTree(t *testing.T) {
	l := logtest.Shop(t)
	x := indexed(l)
	s := l.Snapshot()
	pods := map[model.Seq]int{}
	for _, at := range []model.Seq{s.First() + 400, s.End() / 2, s.End() - 1} {
		root, truncated := x.Tree(find(t, l, "Deployment", "checkout"), at)
		text := draw(l, root, "")
		if truncated || !strings.HasPrefix(text, "Deployment checkout\n ReplicaSet checkout-") {
			t.Errorf("at %d:\n%s", at, text)
		}
		pods[at] = strings.Count(text, "\n  Pod ")
		// The tree of a pod is the same, whichever.
		if len(root.Children) > 0 && len(root.Children[0].Children) > 0 {
			other, _ := x.Tree(root.Children[0].Children[0].Object, at)
			if got := draw(l, other, ""); got != text {
				t.Errorf("the tree from a pod:\n%s\nwant\n%s", got, text)
			}
		}
	}
	if pods[s.First()+400] < 6 || pods[s.End()-1] != 2 {
		t.Errorf("pods %v", pods)
	}
}

func TestShopStory(t *testing.T) {
	l := logtest.Shop(t)
	x := indexed(l)
	s := l.Snapshot()
	kinds := func(object model.ObjectID) map[string]int {
		entries, truncated := x.Story(object)
		if truncated {
			t.Error("truncated")
		}
		seen, n, last := map[model.Seq]bool{}, map[string]int{}, int64(0)
		for _, e := range entries {
			if seen[e.Seq] || e.Time < last {
				t.Errorf("row %d comes twice or out of order", e.Seq)
			}
			seen[e.Seq], last = true, e.Time
			n[l.Identity(e.Object).Kind]++
		}
		return n
	}
	// Of a deployment: all of it, counted another way.
	deployment := find(t, l, "Deployment", "checkout")
	want := map[string]int{}
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if !e.Type.IsObject() || e.Has(model.Replayed) {
			continue
		}
		id := l.Identity(e.Object)
		raw, _ := l.Bytes(e.Object, e.Version)
		involved := text(raw, "involvedObject", "name")
		mine := func(name string) bool { return name == "checkout" || strings.HasPrefix(name, "checkout-") }
		switch {
		case id.Kind == "Deployment" && id.Name == "checkout", id.Kind == "ReplicaSet" && mine(id.Name), id.Kind == "Pod" && mine(id.Name),
			id.Kind == "Event" && mine(involved):
			want[id.Kind]++
		}
	}
	got := kinds(deployment)
	if fmt.Sprint(got) != fmt.Sprint(want) || got["Pod"] < 100 || got["Event"] < 100 {
		t.Errorf("the story of the deployment has %v, want %v", got, want)
	}
	// Of a pod: not its siblings.
	pod := find(t, l, "Pod", l.Identity(x.firstMember(t, deployment)).Name)
	if n := kinds(pod); n["Pod"] > 20 || n["ReplicaSet"] == 0 || n["Deployment"] == 0 || n["Event"] == 0 {
		t.Errorf("the story of a pod has %v", n)
	}
	// Of a node: its pods with it. Of a service: its slices.
	on := x.Links(pod)
	i := slices.IndexFunc(on, func(l Link) bool { return l.Relation == RunsOn })
	if i < 0 || on[i].To == 0 {
		t.Fatalf("the pod is on no node: %+v", on)
	}
	if n := kinds(on[i].To); n["Node"] == 0 || n["Pod"] == 0 || n["ReplicaSet"] != 0 {
		t.Errorf("the story of a node has %v", n)
	}
	if n := kinds(find(t, l, "Service", "checkout")); n["EndpointSlice"] < 50 || n["Service"] == 0 || n["Pod"] != 0 {
		t.Errorf("the story of a service has %v", n)
	}
}

// firstMember is a pod of a deployment.
func (x *Index) firstMember(t testing.TB, deployment model.ObjectID) model.ObjectID {
	for _, rs := range x.Members(deployment) {
		for _, p := range x.Members(rs.From) {
			if p.Relation == OwnedBy {
				return p.From
			}
		}
	}
	t.Fatal("no pod")
	return 0
}

// rig appends objects to a log.
type rig struct {
	t   testing.TB
	log *model.Log
	x   *Index
	now time.Time
	rv  int
	st  map[string]model.StreamID
}

func newRig(t testing.TB) *rig {
	l := model.NewLog(model.Options{})
	return &rig{t: t, log: l, x: New(l), now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), st: map[string]model.StreamID{}}
}

func (r *rig) add(typ model.Type, flags model.Flag, apiVersion, kind, name, uid, meta, rest string) model.Event {
	st, ok := r.st[apiVersion+kind]
	if !ok {
		st = r.log.AddStream(model.StreamInfo{Context: "c", Resource: strings.ToLower(kind) + "s", Kind: kind})
		r.st[apiVersion+kind] = st
	}
	r.now = r.now.Add(time.Second)
	r.rv++
	rec := model.Record{Time: r.now, Stream: st, Type: typ, Flags: flags}
	rec.Raw = fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%d"%s}%s}`, apiVersion, kind, name, uid, r.rv, meta, rest)
	e := r.log.Append(rec)
	r.x.Add(e)
	return e
}

func owner(kind, name, uid string, controller bool) string {
	return fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":%q,"uid":%q,"controller":%v}]`, kind, name, uid, controller)
}

func TestAdoptionAndOrphaning(t *testing.T) {
	r := newRig(t)
	pod := r.add(model.Added, 0, "v1", "Pod", "p", "u-p", "", "")
	set := r.add(model.Added, 0, "apps/v1", "ReplicaSet", "rs", "u-rs", owner("Deployment", "d", "u-d", true), "")
	adopted := r.add(model.Modified, 0, "v1", "Pod", "p", "u-p", owner("ReplicaSet", "rs", "u-rs", true), "")
	orphaned := r.add(model.Modified, 0, "v1", "Pod", "p", "u-p", "", "")
	again := r.add(model.Modified, 0, "v1", "Pod", "p", "u-p", owner("ReplicaSet", "rs", "u-rs", false), "")
	gone := r.add(model.Deleted, 0, "v1", "Pod", "p", "u-p", owner("ReplicaSet", "rs", "u-rs", false), "")
	links := r.x.Links(pod.Object)
	if len(links) != 2 {
		t.Fatalf("%+v", links)
	}
	a, b := links[0], links[1]
	if !a.Adopted || !a.Orphaned || a.Begin != adopted.Seq || a.End != orphaned.Seq || a.To != set.Object || !a.Controller {
		t.Errorf("%+v", a)
	}
	if !b.Adopted || b.Orphaned || b.Begin != again.Seq || b.End != gone.Seq+1 || b.Controller {
		t.Errorf("%+v", b)
	}
	if got := r.x.Members(set.Object); len(got) != 2 || got[0] != a {
		t.Errorf("members %+v", got)
	}
	for at, want := range map[model.Seq]string{
		pod.Seq:        "Pod p\n",
		adopted.Seq:    "(Deployment d)\n ReplicaSet rs\n  Pod p\n",
		orphaned.Seq:   "Pod p\n",
		again.Seq:      "(Deployment d)\n ReplicaSet rs\n  Pod p\n",
		gone.Seq + 100: "Pod p\n",
	} {
		if root, _ := r.x.Tree(pod.Object, at); draw(r.log, root, "") != want {
			t.Errorf("at %d:\n%swant\n%s", at, draw(r.log, root, ""), want)
		}
	}
}

// An object that changes its owner all the time has the newest of its links;
// those that hold are never forgotten.
func TestLinksOfALivingObjectAreBounded(t *testing.T) {
	r := newRig(t)
	const changes = 1000
	pod := r.add(model.Added, 0, "v1", "Pod", "p", "u-p", owner("ReplicaSet", "rs", "u-0", true), `,"spec":{"nodeName":"n"}`)
	for i := 1; i <= changes; i++ {
		r.add(model.Modified, 0, "v1", "Pod", "p", "u-p", owner("ReplicaSet", "rs", fmt.Sprint("u-", i%300), true), `,"spec":{"nodeName":"n"}`)
	}
	links := r.x.Links(pod.Object)
	if n := r.x.Forgotten(pod.Object); len(links) != maxEnded+2 || n != changes-maxEnded {
		t.Errorf("%d links, %d forgotten", len(links), n)
	}
	if l := links[0]; l.Relation != RunsOn || l.End != Forever || l.Begin != pod.Seq {
		t.Errorf("the first is %+v", l)
	}
	if l := links[len(links)-1]; l.End != Forever || l.Ref.UID != fmt.Sprint("u-", changes%300) {
		t.Errorf("the last is %+v", l)
	}
	back := 0
	for _, list := range r.x.back {
		if back += len(list); len(list) == 0 {
			t.Error("an empty list is kept")
		}
	}
	if back != len(links) {
		t.Errorf("%d links by whom they belong to", back)
	}
}

// An owner that comes after what it owns; a circle; an object that owns itself.
func TestOddOwners(t *testing.T) {
	r := newRig(t)
	a := r.add(model.Added, 0, "v1", "A", "a", "u-a", owner("B", "b", "u-b", false), "")
	b := r.add(model.Added, 0, "v1", "B", "b", "u-b", owner("A", "a", "u-a", false), "")
	self := r.add(model.Added, 0, "v1", "A", "s", "u-s", owner("A", "s", "u-s", true), "")
	if l := r.x.Links(a.Object); len(l) != 1 || l[0].To != b.Object {
		t.Errorf("%+v", l)
	}
	for _, id := range []model.ObjectID{a.Object, b.Object, self.Object} {
		root, _ := r.x.Tree(id, 100)
		if n := strings.Count(draw(r.log, root, ""), "\n"); n > 2 {
			t.Errorf("%s", draw(r.log, root, ""))
		}
		if s, _ := r.x.Story(id); len(s) == 0 || len(s) > 2 {
			t.Errorf("%+v", s)
		}
	}
}

// An Event under both APIs is one; times may be null.
func TestEvents(t *testing.T) {
	r := newRig(t)
	const about = `,"involvedObject":{"kind":"Pod","namespace":"shop","name":"p","uid":"u-p"}`
	const regarding = `,"regarding":{"kind":"Pod","namespace":"shop","name":"p","uid":"u-p"}`
	late := r.add(model.Added, model.Initial, "v1", "Event", "late", "u-1", "", about+`,"lastTimestamp":"2026-12-01T11:30:00Z","eventTime":null`)
	early := r.add(model.Added, model.Initial, "v1", "Event", "early", "u-2", "", about+`,"lastTimestamp":null,"firstTimestamp":null,"eventTime":"2026-12-01T11:00:00.000000Z"`)
	twin := r.add(model.Added, model.Initial, "events.k8s.io/v1", "Event", "early", "u-2", "", regarding+`,"deprecatedLastTimestamp":null,"eventTime":"2026-12-01T11:00:00.000000Z"`)
	series := r.add(model.Added, model.Initial, "events.k8s.io/v1", "Event", "series", "u-3", "", regarding+`,"eventTime":"2026-12-01T10:00:00.000000Z","series":{"count":3,"lastObservedTime":"2026-12-01T11:15:00.000000Z"}`)
	silent := r.add(model.Added, model.Initial, "v1", "Event", "silent", "u-4", "", about+`,"lastTimestamp":null`)
	pod := r.add(model.Added, 0, "v1", "Pod", "p", "u-p", "", `,"spec":{"nodeName":"n"}`)
	unnamed := r.add(model.Added, 0, "v1", "Event", "by-name", "u-5", "", `,"involvedObject":{"kind":"Pod","namespace":"shop","name":"p"}`)
	counted := r.add(model.Modified, 0, "v1", "Event", "late", "u-1", "", about+`,"lastTimestamp":"2026-12-01T11:59:00Z"`)
	node := r.add(model.Added, 0, "v1", "Node", "n", "u-n", "", "")
	_ = node

	if r.x.Duplicate(early.Object) || !r.x.Duplicate(twin.Object) || r.x.Duplicate(series.Object) {
		t.Error("which of two stands for an Event")
	}
	story, _ := r.x.Story(pod.Object)
	var got []model.Seq
	for _, e := range story {
		got = append(got, e.Seq)
	}
	want := []model.Seq{early.Seq, series.Seq, late.Seq, silent.Seq, pod.Seq, unnamed.Seq, counted.Seq}
	if !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	// The story of an Event is that of what it is about, too.
	if s, _ := r.x.Story(late.Object); len(s) < 3 {
		t.Errorf("%+v", s)
	}
}

// A deletion that a relist found brings no version, and is told all the same.
func TestDeletionWithoutVersion(t *testing.T) {
	r := newRig(t)
	pod := r.add(model.Added, 0, "v1", "Pod", "p", "u-p", "", "")
	e := r.log.Append(model.Record{Time: r.now, Stream: pod.Stream, Type: model.Deleted, Flags: model.Synthetic, Identity: r.log.Identity(pod.Object)})
	r.x.Add(e)
	story, _ := r.x.Story(pod.Object)
	if len(story) != 2 || story[1].Seq != e.Seq {
		t.Errorf("%+v", story)
	}
}

func TestForgets(t *testing.T) {
	l := model.NewLog(model.Options{Budget: 1 << 20})
	x := New(l)
	st := l.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	for i := range 3 * pruneEvery / 2 {
		for _, typ := range []model.Type{model.Added, model.Deleted} {
			e := l.Append(model.Record{Time: time.Unix(int64(i), 0), Stream: st, Type: typ,
				Raw: fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","uid":"u%d","resourceVersion":"%d"},"spec":{"nodeName":"n%d"}}`, i, i, 2*i+int(typ), i%9)})
			x.Add(e)
		}
	}
	if held := l.Stats().Objects; len(x.links) > held+pruneEvery || len(x.uids) > held+pruneEvery || len(x.names) > held+pruneEvery || len(x.gone) > held+pruneEvery {
		t.Errorf("the log holds %d objects, the index %d", held, len(x.links))
	}
}

func BenchmarkAdd(b *testing.B) {
	l := logtest.Load(b)
	s := l.Snapshot()
	b.ResetTimer()
	var used time.Duration
	for b.Loop() {
		start := cputest.Process()
		x := New(l)
		for seq := s.First(); seq < s.End(); seq++ {
			x.Add(s.At(seq))
		}
		used += cputest.Process() - start
	}
	b.ReportMetric(used.Seconds()*1e6/float64(b.N)/float64(s.Len()), "cpu-µs/row")
}
