package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// A search finds what a plain look at each row finds: whatever the query, in
// both directions, in pages of any size, while the log grows and its oldest rows
// leave.
func TestASearchFindsWhatEachRowSays(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 4))
		l := newRandomLog(r)
		l.grow(1500)
		type pair struct {
			text string
			m    *Matcher // goes on as the log grows
		}
		var pairs []pair
		now := l.now
		for range 15 {
			text := randomQuery(r, 3)
			pairs = append(pairs, pair{text, parse(t, text).Compile(l.log, Options{Now: now})})
		}
		old := l.log.Snapshot()
		for round := range 3 {
			l.grow(r.IntN(1500))
			s := l.log.Snapshot()
			for _, p := range pairs {
				q := parse(t, p.text)
				checkSearch(t, l.log, s, q, p.m, now, r)
				checkSearch(t, l.log, s, q, q.Compile(l.log, Options{Now: now, Cache: NewCache()}), now, r)
				// Rows that have left are not judged as they were, but each way alike.
				all := rowsOf(q.Compile(l.log, Options{Now: l.now}), old, 70)
				if each := eachRow(old, q.Compile(l.log, Options{Now: l.now}).Match); !slices.Equal(all, each) {
					t.Fatalf("seed %d, round %d, %s: of rows that have left %d are found, %d match", seed, round, p.text, len(all), len(each))
				}
			}
		}
		if l.log.Snapshot().Evicted() == 0 {
			t.Error("no row has left the log")
		}
	}
}

func FuzzSearch(f *testing.F) {
	f.Add(uint64(1), "kind:pod -ns:shop OR type:deleted")
	f.Add(uint64(2), "-name:~^cart.*7$ since:1s")
	f.Add(uint64(3), "path:spec.n -(uid:u1* OR gap)")
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		q, err := Parse(text)
		if err != nil || strings.Contains(text, "cel:") {
			return
		}
		r := rand.New(rand.NewPCG(seed, 4))
		l := newRandomLog(r)
		l.grow(1100 + r.IntN(1500))
		checkSearch(t, l.log, l.log.Snapshot(), q, q.Compile(l.log, Options{Now: l.now}), l.now, r)
	})
}

// checkSearch compares what a matcher finds with what reference says.
func checkSearch(tb testing.TB, l *model.Log, s model.Snapshot, q *Query, m *Matcher, now time.Time, r *rand.Rand) {
	tb.Helper()
	holds := func(e model.Event) bool { return reference(l, q, e, now) }
	want := eachRow(s, func(e model.Event) bool {
		return holds(e) || e.Type == model.GapFound && m.concerns(e.Stream)
	})
	if got := rowsOf(m, s, 1+r.IntN(200)); !slices.Equal(got, want) {
		tb.Fatalf("%s: the newest first %d rows are found, want %d%s", q, len(got), len(want), firstOther(s, got, want))
	}
	var got []model.Seq
	for next := s.First(); next < s.End(); {
		var page []model.Seq
		page, next = m.After(context.Background(), s, next, 1+r.IntN(200))
		got = append(got, page...)
	}
	if !slices.Equal(got, want) {
		tb.Fatalf("%s: the oldest first %d rows are found, want %d%s", q, len(got), len(want), firstOther(s, got, want))
	}
	if got := eachRow(s, m.Match); !slices.Equal(got, want) {
		tb.Fatalf("%s: %d rows match, want %d%s", q, len(got), len(want), firstOther(s, got, want))
	}
	if got, want := eachRow(s, m.Holds), eachRow(s, holds); !slices.Equal(got, want) {
		tb.Fatalf("%s: it holds of %d rows, want %d%s", q, len(got), len(want), firstOther(s, got, want))
	}
}

// rowsOf searches in pages of n.
func rowsOf(m *Matcher, s model.Snapshot, n int) (rows []model.Seq) {
	for next := s.End(); next > s.First(); {
		var page []model.Seq
		page, next = m.Before(context.Background(), s, next, n)
		rows = append(rows, page...)
	}
	slices.Reverse(rows)
	return rows
}

func eachRow(s model.Snapshot, f model.Filter) (rows []model.Seq) {
	for seq := s.First(); seq < s.End(); seq++ {
		if f(s.At(seq)) {
			rows = append(rows, seq)
		}
	}
	return rows
}

func firstOther(s model.Snapshot, got, want []model.Seq) string {
	for seq := s.First(); seq < s.End(); seq++ {
		if _, in := slices.BinarySearch(want, seq); in != slices.Contains(got, seq) {
			return fmt.Sprintf("; first %+v, wanted: %v", s.At(seq), in)
		}
	}
	return ""
}

// reference says whether a query holds of a row, as docs/query.md has it, with
// nothing remembered.
func reference(l *model.Log, q *Query, e model.Event, now time.Time) bool {
	if q.root == nil {
		return true
	}
	s, _ := l.Stream(e.Stream)
	id := l.Identity(e.Object)
	return q.root.judge(func(x *leaf) verdict {
		var hit bool
		switch x.field {
		case kindField:
			if hit = matchAny(x.any, kindNames(id.Kind, s.Resource, groupOf(id.APIVersion))...); e.Object == 0 {
				hit = matchAny(x.any, kindNames(s.Kind, s.Resource, s.Group)...)
			}
		case nsField:
			if hit = matchAny(x.any, id.Namespace); e.Object == 0 {
				hit = matchAny(x.any, s.Namespace)
			}
		case contextField:
			if hit = matchAny(x.any, id.Context); e.Object == 0 {
				hit = matchAny(x.any, s.Context)
			}
		case nameField:
			hit = e.Object != 0 && matchAny(x.any, id.Name)
		case uidField:
			hit = e.Object != 0 && matchAny(x.any, id.UID)
		case streamField:
			hit = matchAny(x.any, append(ShortNames(s.Resource), s.Name(), s.Resource)...)
		case typeField:
			hit = matchAny(x.any, typeWordsOf(e)...)
		case spanField:
			from, to := x.span.bounds(now)
			hit = e.Time >= from && e.Time < to
		case words:
			about := append(typeWordsOf(e), s.Name(), s.Kind, s.Context)
			if e.Object != 0 {
				about = append(about, id.Kind, id.Namespace, id.Context, id.Name)
			} else {
				about = append(about, s.Namespace)
			}
			hit = matchAny(x.any, about...)
			fallthrough
		default:
			one := newRow(l, q, nil)
			one.set(e)
			hit = hit || one.known(x) != no && one.holds(x)
		}
		if hit {
			return yes
		}
		return no
	}) == yes
}

func typeWordsOf(e model.Event) (out []string) {
	types, flags := typeWords()
	for word, t := range types {
		if t == e.Type {
			out = append(out, word)
		}
	}
	for word, f := range flags {
		if e.Has(f) {
			out = append(out, word)
		}
	}
	return out
}

// randomLog is a log of a little of everything, with so small a budget that its
// oldest rows leave. Most of its objects are of few kinds; some come late.
type randomLog struct {
	r       *rand.Rand
	log     *model.Log
	now     time.Time
	streams []model.StreamInfo
	rv      int
}

func newRandomLog(r *rand.Rand) *randomLog {
	x := &randomLog{r: r, log: model.NewLog(model.Options{Budget: 400_000}), now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)}
	x.streams = []model.StreamInfo{
		{Context: "prod", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true},
		{Context: "prod", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Namespace: "shop"},
		{Context: "test", Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true},
		{Context: "test", Version: "v1", Resource: "nodes", Kind: "Node"},
		{Context: "prod", Group: "example.com", Version: "v1", Resource: "backups", Namespaced: true}, // its kind is not known
	}
	for i := range x.streams {
		x.streams[i].ID = x.log.AddStream(x.streams[i])
	}
	return x
}

func (x *randomLog) grow(rows int) {
	r := x.r
	for range rows {
		x.now = x.now.Add(time.Duration(r.IntN(20)-2) * time.Millisecond)
		x.rv++
		s := x.streams[r.IntN(len(x.streams))]
		rec := model.Record{Time: x.now, Stream: s.ID, Type: model.Modified}
		switch n := r.IntN(100); {
		case n < 2:
			rec.Type, rec.Detail = model.GapFound, model.Gap{Text: "410 expired"}
		case n < 4:
			rec.Type, rec.Detail = model.StreamChange, model.Transition{To: model.Backoff, Cause: model.CauseRefused, Text: "connection refused"}
		case n < 6:
			rec.Type, rec.Detail = model.Noted, model.Note{Text: "a note about cart-7"}
		case n < 8:
			rec.Type, rec.Raw = model.Bookmark, fmt.Appendf(nil, `{"metadata":{"resourceVersion":"%d"}}`, x.rv)
		default:
			x.object(&rec, s)
		}
		x.log.Append(rec)
	}
}

func (x *randomLog) object(rec *model.Record, s model.StreamInfo) {
	r := x.r
	rec.Type = []model.Type{model.Added, model.Modified, model.Modified, model.Modified, model.Deleted}[r.IntN(5)]
	if r.IntN(6) == 0 {
		rec.Flags = []model.Flag{model.Initial, model.Synthetic, model.Selection | model.Initial}[r.IntN(3)]
	}
	n := r.IntN(300) + x.rv/4 // others come, and the first are gone
	kind, ns := s.Kind, []string{"shop", "team-7", "Öffentlich"}[n%3]
	if s.Namespace != "" {
		ns = s.Namespace
	}
	if kind == "" {
		kind = []string{"Backup", "Restore"}[n%2]
	}
	if !s.Namespaced && kind != "Backup" {
		ns = ""
	}
	version := s.Version
	if s.Group != "" {
		version = s.Group + "/" + version
	}
	name := fmt.Sprintf("%s-%d", []string{"cart", "Checkout", "größe"}[n%3], n)
	rec.Raw = fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"namespace":%q,"uid":"u%d","resourceVersion":"%d","managedFields":[{"manager":%q,"operation":"Update","apiVersion":"v1","time":"2026-12-01T12:30:05Z","fieldsV1":{}}]},"spec":{"n":%d},"status":{"phase":%q}}`,
		version, kind, name, ns, n, x.rv, []string{"gitops", "kubelet"}[r.IntN(2)], x.rv, []string{"Running", "Failed"}[r.IntN(2)])
}

// randomQuery is terms joined in any way, that often mean something in a random
// log.
func randomQuery(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		terms := []string{"kind:pod", "kind:po,no", "kind:~^back", "kind:deployments.apps", "kind:secret", "ns:shop", "ns:*7", "ns:none", "ns:öffentlich",
			"name:cart", "name:7", "name:=cart-300", "name:~^check.*1$", "name:nowhere", "name:GRÖßE", "uid:u31*", "uid:u300", "type:deleted", "type:gap",
			"type:initial,relist", "type:stream", "stream:pods", "stream:no", "stream:example", "context:prod", "context:none", "since:1s", "since:10s",
			"before:12:00", "between:5s..2s", "cart", "refused", "gap", "/cart-.?7/", "/größe/", "path:spec.n", "path:status", "path:~^meta", "manager:gitops",
			"failed", "nowhere-at-all", "cel: type == 'DELETED'", "cel: object.status.phase == 'Failed'"}
		if t := terms[r.IntN(len(terms))]; !strings.HasPrefix(t, "cel:") {
			return t
		} else {
			return "(" + t + ")"
		}
	}
	a, b := randomQuery(r, depth-1), randomQuery(r, depth-1)
	switch r.IntN(4) {
	case 0:
		return "-(" + a + ")"
	case 1:
		return "(" + a + " OR " + b + ")"
	}
	return a + " " + b
}
