package lanes

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/belong"
	"rewatch/model/cputest"
	"rewatch/model/logtest"
)

func always() bool { return true }

// read makes a set of all rows of a log, in pieces.
func read(l *model.Log, folds func(model.Seq) (bool, bool)) *Set {
	x := New(l, folds)
	for n := 0; !x.Read(l.Snapshot(), func() bool { n++; return n%3 != 0 }); {
	}
	return x
}

// past is a row of an object, and what the version says that it brought.
type past struct {
	model.Event
	now Phase
}

// pasts are the rows of all objects, worked out one by one.
func pasts(l *model.Log) map[model.ObjectID][]past {
	out := map[model.ObjectID][]past{}
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if !e.Type.IsObject() || e.Has(model.Replayed) {
			continue
		}
		p := past{e, Absent}
		if e.Type != model.Deleted {
			raw, ok := l.Bytes(e.Object, e.Version)
			if p.now = NotHeld; ok {
				p.now, _ = Of(l.Identity(e.Object).Kind, raw)
			}
		}
		out[e.Object] = append(out[e.Object], p)
	}
	return out
}

// naive is the lane of an object, worked out from all its rows for each cell
// anew.
func naive(rows []past, w Window, until int64, folds func(model.Seq) bool) []Cell {
	out := make([]Cell, w.N)
	for c := range out {
		from, to := w.Start(c), w.Start(c+1)
		if from > until {
			continue
		}
		in := NotHeld
		if len(rows) > 0 && rows[0].Type == model.Added {
			in = Absent
		}
		var began []Phase
		cell := Cell{}
		for _, e := range rows {
			if e.Time >= to || e.Time > until {
				break
			}
			now := e.now
			if e.Time >= from {
				if now != in && now != Absent {
					began = append(began, now)
				}
				if !folds(e.Seq) && !e.Has(model.Initial) {
					cell.Changes++
				}
				cell.Ended = now == Absent
			}
			in = now
		}
		cell.Phase = in
		if len(began) > 0 && !cell.Ended {
			cell.Phase = slices.MaxFunc(began, func(a, b Phase) int { return int(a.Tone()) - int(b.Tone()) })
			for _, p := range began {
				if p.Tone() == cell.Phase.Tone() {
					cell.Phase = p
				}
			}
		}
		cell.Began, cell.Mixed = len(began) > 0, len(began) > 1
		out[c] = cell
	}
	return out
}

func compare(t *testing.T, rows map[model.ObjectID][]past, x *Set, w Window, until int64, folds func(model.Seq) bool) (shown int) {
	t.Helper()
	for id, lane := range x.objects {
		if lane == ignored {
			continue
		}
		for n := 0; !x.Fill(id, w, func() bool { n++; return n%4 != 0 }); {
		}
		got := x.Cells(nil, id, w, until)
		want := naive(rows[id], w, until, folds)
		for c := range got {
			got[c].Unwatched, got[c].Missed = false, false
			if got[c] != want[c] {
				t.Fatalf("%s %s, %+v, cell %d: %+v (%s), want %+v (%s)", lane.id.Kind, lane.id.Name, w, c, got[c], got[c].Phase.Word(), want[c], want[c].Phase.Word())
			}
			if want[c].Phase > NotHeld {
				shown++
			}
		}
	}
	return shown
}

// Every cell shows what the versions held at its time say.
func TestCellsAgainstBruteForce(t *testing.T) {
	l := logtest.Shop(t)
	folds := func(s model.Seq) bool { return s%5 == 0 }
	x := read(l, func(s model.Seq) (bool, bool) { return folds(s), s%3 != 0 })
	rows := pasts(l)
	from, to, ok := x.Bounds()
	if !ok {
		t.Fatal("no rows")
	}
	for _, cell := range []time.Duration{50 * time.Millisecond, time.Second, 7 * time.Second, 5 * time.Minute} {
		n := min(int((to-from)/int64(cell))+3, 120)
		first := from/int64(cell) - 1
		if n == 120 {
			first = to/int64(cell) - 100
		}
		w := Window{First: first, Cell: int64(cell), N: n}
		if shown := compare(t, rows, x, w, to-int64(3*time.Second), folds); shown < 10 {
			t.Errorf("%v: only %d cells show a phase", cell, shown)
		}
	}
}

// history is a log in which pods live, die and come back.
func history(seed uint64) *model.Log {
	r := rand.New(rand.NewPCG(seed, 1))
	l := model.NewLog(model.Options{})
	st := l.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	now := time.Unix(1_800_000_000, 0)
	statuses := []string{`"status":{"phase":"Pending"}`, `"status":{"phase":"Running","containerStatuses":[{"ready":true,"state":{"running":{}}}]}`,
		`"status":{"phase":"Running","containerStatuses":[{"ready":false,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}`,
		`"status":{"phase":"Succeeded"}`, `"status":{"phase":"Failed","reason":"Evicted"}`}
	alive := map[int]bool{}
	for i := range 400 {
		now = now.Add(time.Duration(r.IntN(900)) * time.Millisecond)
		p := r.IntN(7)
		typ, flags := model.Modified, model.Flag(0)
		switch {
		case !alive[p] && (p > 0 || i > 0):
			typ, alive[p] = model.Added, true
			if r.IntN(3) == 0 {
				flags = []model.Flag{model.Initial, model.Synthetic, model.Selection}[r.IntN(3)]
			}
		case r.IntN(9) == 0:
			typ = model.Deleted
		}
		alive[p] = typ != model.Deleted
		l.Append(model.Record{Time: now, Stream: st, Type: typ, Flags: flags, Raw: fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"n","uid":"u%d","resourceVersion":"%d"},%s}`, p, p, i+1, statuses[r.IntN(len(statuses))])})
	}
	return l
}

func TestCellsOfGeneratedHistories(t *testing.T) {
	none := func(model.Seq) bool { return false }
	for seed := range uint64(30) {
		l := history(seed)
		x := read(l, nil)
		from, to, _ := x.Bounds()
		r, rows := rand.New(rand.NewPCG(seed, 2)), pasts(l)
		for range 6 {
			cell := int64(1+r.IntN(5000)) * int64(time.Millisecond)
			compare(t, rows, x, Window{First: from/cell + int64(r.IntN(20)) - 10, Cell: cell, N: 1 + r.IntN(150)}, from+r.Int64N(to-from+1), none)
		}
	}
}

// What leaves the log is forgotten, and said to be not held.
func TestWhatHasLeftIsNotHeld(t *testing.T) {
	l := model.NewLog(model.Options{Budget: 4 << 20})
	st := l.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	x := New(l, nil)
	begin := time.Unix(1_800_000_000, 0)
	put := func(i, p int, typ model.Type) {
		l.Append(model.Record{Time: begin.Add(time.Duration(i) * time.Second), Stream: st, Type: typ, Raw: fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"n","uid":"u%d","resourceVersion":"%d"},"status":{"phase":"Pending"}}`, p, p, i+1)})
	}
	put(0, 1000, model.Added) // lives on without a change
	put(1, 1001, model.Added) // changes once more, at the end
	const rows = 250_000
	for i := 2; i < rows; i++ {
		put(i, i%20, model.Modified)
		if i%5000 == 0 {
			x.Read(l.Snapshot(), always)
		}
	}
	put(rows, 1001, model.Modified)
	x.Read(l.Snapshot(), always)
	if l.Snapshot().First() < pruneEvery {
		t.Fatalf("nothing has left: first %d", l.Snapshot().First())
	}
	late := New(l, nil)
	late.Read(l.Snapshot(), always)
	w := Window{First: begin.Unix() + rows - 10, Cell: int64(time.Second), N: 11}
	for name, x := range map[string]*Set{"read all along": x, "opened late": late} {
		marks := 0
		for _, lane := range x.objects {
			marks += len(lane.marks)
		}
		if held := l.Snapshot().Len(); marks > held+pruneEvery+1024 {
			t.Errorf("%s: %d marks are kept of %d rows held", name, marks, held)
		}
		of := func(p int) []Cell {
			id := l.Named(model.Identity{Context: "c", APIVersion: "v1", Kind: "Pod", Namespace: "n", Name: fmt.Sprint("p", p)})
			x.Fill(id, w, always)
			return x.Cells(nil, id, w, w.To())
		}
		if c := of(1000); c[0].Phase != Pending || c[10].Phase != Pending {
			t.Errorf("%s: an object whose row has left, but not its version: %v", name, c[0].Phase.Word())
		}
		if c := of(1001); c[9].Phase != NotHeld || c[10].Phase != Pending || c[10].Changes != 1 {
			t.Errorf("%s: a version that has left: %v, then %v with %d changes", name, c[9].Phase.Word(), c[10].Phase.Word(), c[10].Changes)
		}
	}
}

// Where nobody watched is hatched, for as long as the object may have been there.
func TestUnwatchedAndMissed(t *testing.T) {
	l := model.NewLog(model.Options{})
	st := l.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	at := func(s float64) time.Time { return time.Unix(0, int64((1_800_000_000+s)*1e9)) }
	step := func(s float64, from, to model.State) {
		l.Append(model.Record{Time: at(s), Stream: st, Type: model.StreamChange, Detail: model.Transition{From: from, To: to}})
	}
	put := func(s float64, p string, typ model.Type, f model.Flag) {
		l.Append(model.Record{Time: at(s), Stream: st, Type: typ, Flags: f, Raw: fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"n","uid":"u%s","resourceVersion":"%d"},"status":{"phase":"Pending"}}`, p, p, int(s*10)+1)})
	}
	step(2, model.Idle, model.Syncing)
	put(2.1, "old", model.Added, model.Initial)
	step(2.2, model.Syncing, model.Live)
	put(4.5, "new", model.Added, 0)
	step(6, model.Live, model.Rotating)
	step(6.1, model.Rotating, model.Connecting) // a moment, and nothing was missed
	step(6.2, model.Connecting, model.Live)
	step(8, model.Live, model.Backoff)
	put(11.4, "found", model.Added, model.Synthetic)
	put(11.4, "new", model.Deleted, model.Synthetic)
	l.Append(model.Record{Time: at(11.4), Stream: st, Type: model.GapFound, Detail: model.Gap{Since: at(8), Took: 3400 * time.Millisecond}})
	step(11.4, model.Backoff, model.Live)
	x := read(l, nil)
	w := Window{First: 1_800_000_000, Cell: int64(time.Second), N: 14}
	draw := func(name string) string {
		id := l.Named(model.Identity{Context: "c", APIVersion: "v1", Kind: "Pod", Namespace: "n", Name: name})
		x.Fill(id, w, always)
		var b strings.Builder
		for _, c := range x.Cells(nil, id, w, at(12.9).UnixNano()) {
			switch {
			case c.Ended:
				b.WriteByte('x')
			case c.Began:
				b.WriteString(c.Phase.Letter())
			case c.Missed:
				b.WriteByte('%')
			case c.Unwatched:
				b.WriteByte(':')
			case c.Phase != Absent:
				b.WriteByte('-')
			default:
				b.WriteByte(' ')
			}
		}
		return b.String()
	}
	for name, want := range map[string]string{
		"old":   "::P-----%%%%- ",
		"new":   "    P---%%%x  ",
		"found": "        %%%P- ",
	} {
		if got := draw(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// names lists rows as an outline.
func outline(list List) (out []string) {
	for _, r := range list.Rows {
		s := strings.Repeat(" ", r.Depth) + r.ID.Kind + " " + r.ID.Name
		if r.Folded {
			s += fmt.Sprint(" +", r.Below)
		}
		out = append(out, s)
	}
	return out
}

// owners asks an index of what belongs together.
func owners(l *model.Log) func(ask []model.ObjectID, answer func(int, belong.Link)) model.Seq {
	x := belong.New(l)
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		x.Add(s.At(seq))
	}
	return func(ask []model.ObjectID, answer func(int, belong.Link)) model.Seq {
		for i, id := range ask {
			if link, ok := OwnerOf(x.Links(id)); ok {
				answer(i, link)
			}
		}
		return s.End()
	}
}

func TestARolloutIsAStaircase(t *testing.T) {
	l := logtest.Shop(t)
	x := read(l, nil)
	from, to, _ := x.Bounds()
	// The capture has no marks of what was there when it began: its first seconds
	// are left out.
	w := Window{First: from/int64(time.Second) + 15, Cell: int64(time.Second), N: int((to-from)/int64(time.Second)) - 13}
	c := Choice{Window: w, Until: to, Group: true, Owners: owners(l)}
	list := x.List(c)
	got := outline(list)
	if len(got) < 30 || got[0] != "Deployment cart" && got[0] != "Deployment checkout" {
		t.Fatalf("%d lanes: %q", len(got), got)
	}
	depth := map[int]int{}
	last := map[int]int64{}
	for _, r := range list.Rows {
		depth[r.Depth]++
		b := &branch{Row: r, lane: x.objects[r.Object]}
		if r.Depth == 2 {
			if b.born() < last[2] {
				t.Errorf("%s came before the pod above it", r.ID.Name)
			}
			last[2] = b.born()
		} else {
			last[2] = 0
		}
	}
	if depth[2] < 30 || list.Quiet == 0 {
		t.Errorf("lanes by depth %v, %d quiet ones left out", depth, list.Quiet)
	}
	// Folding the first takes out what is below it, and nothing else.
	first := list.Rows[0]
	c.Folded = map[Key]bool{first.Key(): true}
	folded := x.List(c)
	if want := append([]string{got[0] + fmt.Sprint(" +", first.Below)}, got[first.Below+1:]...); !slices.Equal(outline(folded), want) {
		t.Errorf("folded: %q\nwant %q", outline(folded), want)
	}
	// The filter: one pod, and its owners above it.
	c.Folded = nil
	var pod Row
	for _, r := range list.Rows {
		if r.Depth == 2 {
			pod = r
		}
	}
	c.Shows = func(id model.ObjectID) bool { return id == pod.Object }
	if one := x.List(c); len(one.Rows) != 3 || one.Rows[2].Object != pod.Object || one.Hidden == 0 {
		t.Errorf("one pod: %q, %d hidden", outline(one), one.Hidden)
	}
	// Quiet ones, all of them.
	c.Shows, c.Quiet = nil, true
	if all := x.List(c); all.Quiet != 0 || len(all.Rows) != len(list.Rows)+list.Quiet {
		t.Errorf("%d lanes with the quiet ones, want %d + %d", len(all.Rows), len(list.Rows), list.Quiet)
	}
	c.Group = false
	for _, r := range x.List(c).Rows {
		if r.Depth != 0 || r.Object == 0 {
			t.Fatalf("flat: %+v", r)
		}
	}
}

func TestLookAndStep(t *testing.T) {
	l := logtest.Shop(t)
	x := read(l, nil)
	_, to, _ := x.Bounds()
	w := Window{First: 0, Cell: int64(time.Second), N: 1}
	looked := 0
	for id, lane := range x.objects {
		if lane == ignored || lane.id.Kind != "Pod" {
			continue
		}
		at, n := int64(0), 0
		for {
			next, ok := x.Step(id, at, 1, to)
			if !ok {
				break
			}
			if back, ok := x.Step(id, next, -1, to); n > 0 && (!ok || back >= next || back != at) {
				t.Fatalf("%s: from %d on to %d and back to %d", lane.id.Name, at, next, back)
			}
			at = next
			n++
			w.First = at / w.Cell
			x.Fill(id, Window{First: w.First - 1, Cell: w.Cell, N: 2}, always)
			k := x.At(id, at, w, to)
			e := l.Snapshot().At(k.Row)
			if !k.Held || e.Object != id || e.Time > at {
				t.Fatalf("%s at %d: row %+v", lane.id.Name, at, e)
			}
			if e.Type == model.Deleted {
				if k.Phase != Absent {
					t.Fatalf("%s is %s after its end", lane.id.Name, k.Phase.Word())
				}
				continue
			}
			raw, _ := l.Bytes(id, e.Version)
			if want, detail := Of("Pod", raw); k.Phase != want || k.Detail != detail {
				t.Fatalf("%s: %s %q, want %s %q", lane.id.Name, k.Phase.Word(), k.Detail, want.Word(), detail)
			}
			looked++
		}
	}
	if looked < 100 {
		t.Errorf("only %d changes of pods were looked at", looked)
	}
}

// firstPage works out a first page, and returns what it took.
func firstPage(l *model.Log) (lanes int, took time.Duration) {
	runtime.GC()
	begin := cputest.Process()
	x := New(l, nil)
	x.Read(l.Snapshot(), always)
	from, to, _ := x.Bounds()
	w := Window{First: from / int64(10*time.Second), Cell: int64(10 * time.Second), N: 120}
	list := x.List(Choice{Window: w, Until: to, Group: true, Owners: func([]model.ObjectID, func(int, belong.Link)) model.Seq { return x.Next() }})
	for _, r := range list.Rows[:50] {
		x.Fill(r.Object, w, always)
		x.Cells(nil, r.Object, w, to)
	}
	return len(list.Rows), cputest.Process() - begin
}

// A page of lanes of a million rows is there after a second at most; a tenth of
// that is tried here.
func TestTheFirstPage(t *testing.T) {
	if testing.Short() {
		t.Skip("a log of 100,000 rows takes a while to make")
	}
	n, took := firstPage(logtest.Many(100_000, 6000))
	t.Logf("%d lanes: the first page took %v of processor time", n, took)
	if took > cputest.Bound(time.Second) {
		t.Errorf("the first page of 100,000 rows took %v", took)
	}
}

func BenchmarkFirstPageOfAMillionRows(b *testing.B) {
	l := logtest.Many(1_000_000, 30_000)
	for b.Loop() {
		n, took := firstPage(l)
		b.ReportMetric(float64(took)/1e6, "cpu-ms")
		b.ReportMetric(float64(n), "lanes")
	}
}

// Of the owners that an object had, its lane is under the one that holds, or
// held last; the one that manages it comes before others.
func TestOwnerOf(t *testing.T) {
	link := func(to model.ObjectID, r belong.Relation, end model.Seq, controller bool) belong.Link {
		return belong.Link{To: to, Relation: r, End: end, Controller: controller}
	}
	for _, c := range []struct {
		links []belong.Link
		want  model.ObjectID
	}{
		{nil, 0},
		{[]belong.Link{link(1, belong.RunsOn, belong.Forever, false)}, 0},
		{[]belong.Link{link(1, belong.OwnedBy, 7, true), link(2, belong.OwnedBy, belong.Forever, false)}, 2},
		{[]belong.Link{link(1, belong.OwnedBy, 7, true), link(2, belong.OwnedBy, 9, true), link(3, belong.OwnedBy, 8, true)}, 2},
		{[]belong.Link{link(1, belong.OwnedBy, 7, false), link(2, belong.OwnedBy, 7, true), link(3, belong.OwnedBy, 7, true)}, 2},
	} {
		if l, ok := OwnerOf(c.links); l.To != c.want || ok != (c.want != 0) {
			t.Errorf("of %+v: %d, want %d", c.links, l.To, c.want)
		}
	}
}
