package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rewatch/model"
	"rewatch/model/logtest"
	"rewatch/model/noise"
	"rewatch/model/query"
)

// wantGroups groups the rows that a flat index lists, by counting all of them.
func wantGroups(u *understanding, x *index, s model.Snapshot, how grouping) (rows []model.Seq, counts map[model.Seq]tally) {
	type sum struct {
		last    model.Seq
		changes int
		objects map[model.ObjectID]bool
	}
	sums := map[groupKey]*sum{}
	for _, seq := range x.seqs {
		e := s.At(seq)
		if e.Object == 0 || x.folds[seq] != nil {
			if how.within == (groupKey{}) {
				rows = append(rows, seq)
			}
			continue
		}
		key := groupKey{object: e.Object}
		if how.by == byOwner {
			id, ok := u.owners.top(e.Object)
			if !ok {
				id = u.log.Identity(e.Object)
			}
			if how.within == (groupKey{}) {
				key = keyOf(id)
			} else if keyOf(id) != how.within {
				continue
			}
		}
		if sums[key] == nil {
			sums[key] = &sum{objects: map[model.ObjectID]bool{}}
		}
		g := sums[key]
		g.last, g.changes, g.objects[e.Object] = seq, g.changes+1, true
	}
	counts = map[model.Seq]tally{}
	for _, g := range sums {
		rows = append(rows, g.last)
		counts[g.last] = tally{nil, g.changes, len(g.objects)}
	}
	slices.Sort(rows)
	return rows, counts
}

// sameGroups compares what an index shows with that.
func sameGroups(t *testing.T, what string, u *understanding, x, flat *index, s model.Snapshot, how grouping) {
	t.Helper()
	rows, counts := wantGroups(u, flat, s, how)
	if !slices.Equal(rows, rowsShown(x)) {
		t.Fatalf("%s: %d rows, want %d\n%v\n%v", what, len(rowsShown(x)), len(rows), rowsShown(x), rows)
	}
	for _, seq := range rows {
		got := x.groups.at(seq).tally()
		if got.of = nil; got != counts[seq] {
			t.Fatalf("%s: row %d counts %+v, want %+v", what, seq, got, counts[seq])
		}
	}
	if x.hidden != flat.hidden {
		t.Fatalf("%s: %d folded, want %d", what, x.hidden, flat.hidden)
	}
}

// ofLog is an understanding that has read a log, with what the log streams.
func ofLog(t *testing.T, log *model.Log, read bool) (*understanding, *overall) {
	u := newUnderstanding(log, noise.Default())
	for s := log.Snapshot(); read && u.next < s.End(); {
		u.read(t.Context(), s)
	}
	all := newOverall(log.Streams(epoch), epoch)
	return u, &all
}

// TestGroupsOfACapture: in a real cluster's rows, with and without noise and a
// filter, groups are what counting them one by one says.
func TestGroupsOfACapture(t *testing.T) {
	log := logtest.Shop(t)
	u, all := ofLog(t, log, true)
	s := log.Snapshot()
	owners, below := map[string]int{}, groupKey{}
	for id := range u.owners.of {
		top, _ := u.owners.top(id)
		owners[top.Kind]++
		if top.Kind == "Deployment" {
			below = keyOf(top)
		}
	}
	if owners["Deployment"] < 10 || owners["ReplicaSet"] != 0 {
		t.Fatalf("the tops are of %v", owners)
	}
	q, err := query.Parse("kind:pod,rs,deploy")
	if err != nil {
		t.Fatal(err)
	}
	for _, noise := range []bool{false, true} {
		for name, f := range map[string]model.Filter{"": nil, "filtered": q.Filter(log)} {
			plain := newIndex(f, noise, s.First(), all.host)
			plain.by(u, all)
			for !plain.extend(s) {
			}
			for _, how := range []grouping{{by: byObject}, {by: byOwner}, {by: byOwner, within: below}} {
				x := newIndex(f, noise, s.First(), all.host)
				x.by(u, all)
				x.group(u, how)
				for !x.extend(s) {
				}
				if len(rowsShown(x)) == 0 {
					t.Errorf("%v has no rows", how)
				}
				sameGroups(t, fmt.Sprint(name, noise, how), u, x, plain, s, how)
			}
		}
	}
}

// TestTopsOfACapture: what rows said one after the other is what the owner tree
// says at the end, whatever came first: owners, or what they own.
func TestTopsOfACapture(t *testing.T) {
	log := logtest.Shop(t)
	u, _ := ofLog(t, log, true)
	s := log.Snapshot()
	seen, owned := map[model.ObjectID]bool{}, 0
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if e.Object == 0 || seen[e.Object] {
			continue
		}
		seen[e.Object] = true
		if id := log.Identity(e.Object); id.Kind == "Event" || !log.ExistsIn(e.Object, e.Stream) {
			continue
		}
		root, _ := u.belong.Tree(e.Object, s.End())
		want := log.Identity(e.Object)
		if root.Object != 0 {
			want = log.Identity(root.Object)
		} else if root.Ref.UID != "" {
			want.UID = root.Ref.UID
		}
		got, ok := u.owners.top(e.Object)
		if !ok {
			got = log.Identity(e.Object)
		} else {
			owned++
		}
		if keyOf(got) != keyOf(want) {
			t.Errorf("the top of %+v is %+v, want %+v", log.Identity(e.Object), got, want)
		}
	}
	if owned < 5 {
		t.Errorf("only %d objects have an owner; the test shows little", owned)
	}
}

// TestGroupsGrowAsIfMadeAtOnce: rows come, are judged, get owners and leave the
// log in any order; at each step groups are what counting them says.
func TestGroupsGrowAsIfMadeAtOnce(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 11))
		d := newDemoLog("prod-eu")
		d.log = model.NewLog(model.Options{Budget: 300_000})
		for _, k := range []model.StreamInfo{{Resource: "pods", Kind: "Pod"}, {Resource: "replicasets", Kind: "ReplicaSet"}, {Resource: "events", Kind: "Event"}} {
			k.Context, k.Version = "prod-eu", "v1"
			d.streams["prod-eu/"+k.Resource] = d.log.AddStream(k)
		}
		u, all := ofLog(t, d.log, false)
		u.rules.Store(newUnderstanding(d.log, noise.Default()).rules.Load())
		hows := []grouping{{by: byObject}, {by: byOwner}, {by: byOwner, within: keyOf(model.Identity{Context: "prod-eu", UID: "u-Deployment-D1"})}}
		flatOne := newIndex(nil, false, 0, all.host)
		flatOne.by(u, all)
		var xs []*index
		for _, how := range hows {
			x := newIndex(nil, false, 0, all.host)
			x.by(u, all)
			x.group(u, how)
			xs = append(xs, x)
		}
		f, evicted := rollout{&driver{demo: d}, epoch}, false
		for step := range 120 {
			for range r.IntN(40) {
				f.ownedChange(float64(step)/10, r)
			}
			s := d.log.Snapshot()
			evicted = evicted || s.First() > 0
			flatOne.extend(s)
			for _, x := range xs {
				x.extend(s)
			}
			if r.IntN(3) > 0 {
				m := u.read(t.Context(), s)
				flatOne.refold(m.from, m.to)
				for _, x := range xs {
					x.refold(m.from, m.to)
					x.groups.settle()
				}
			}
			for i, x := range xs {
				sameGroups(t, fmt.Sprintf("seed %d step %d %+v", seed, step, hows[i]), u, x, flatOne, s, hows[i])
			}
		}
		if !evicted {
			t.Fatal("nothing was evicted; the test shows nothing")
		}
	}
}

// ownedChange appends a change of a pod, of a set that pods belong to, or of an
// Event about a pod; now and then a pod or a set gets another owner.
func (f rollout) ownedChange(at float64, r *rand.Rand) {
	n := r.IntN(9)
	typ := []model.Type{model.Added, model.Modified, model.Modified, model.Modified, model.Deleted}[r.IntN(5)]
	owner := func(kind string) string {
		if r.IntN(4) == 0 {
			return ""
		}
		return fmt.Sprint(kind, " ", kind[:1], r.IntN(3))
	}
	switch r.IntN(4) {
	case 0:
		f.put(at, "replicasets", typ, 0, "ReplicaSet", "apps/v1", fmt.Sprint("R", n%3), owner("Deployment"), fmt.Sprint(`"replicas":`, r.IntN(5)), "")
	case 1:
		f.d.demo.object(f.time(at), "prod-eu/events", typ, 0, "Event", "v1", "shop", fmt.Sprint("e", n),
			fmt.Sprintf(`"count":%d,"involvedObject":{"kind":"Pod","namespace":"shop","name":"p%d","uid":"u-Pod-p%d"}`, r.IntN(50), n, n))
	default:
		f.put(at, "pods", typ, 0, "Pod", "v1", fmt.Sprint("p", n), owner("ReplicaSet"), "", fmt.Sprintf(`"phase":"P%d"`, r.IntN(3)))
	}
}

// rowsShown lists the rows that an index shows.
func rowsShown(x *index) []model.Seq {
	if x.groups != nil {
		return x.groups.rows.all()
	}
	return x.seqs
}
