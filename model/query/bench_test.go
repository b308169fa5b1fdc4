package query

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/logtest"
)

// BenchmarkFields searches a million rows by terms that look at no bytes: until a
// first page is full, and all of them. Of each field there is a value that most
// rows have, one that only the oldest have, and one that none has: these two are
// the longest a page can take. Times are processor time, the median of the rounds.
func BenchmarkFields(b *testing.B) {
	l := farLog(1_000_000, 116_000)
	s := l.Snapshot()
	for _, text := range []string{
		"kind:pod", "kind:secret", "kind:node", "ns:team-7", "ns:far", "ns:none", "name:checkout", "name:far", "name:nowhere",
		"uid:0*", "uid:far*", "uid:none", "stream:secrets", "type:modified", "type:added", "type:deleted", "since:5m", "before:2020-01-01",
		"kind:pod ns:team-7 name:checkout -context:test", "name:~^checkout-39.*a$", "kind:pod OR (kind:lease since:5m)", "-kind:pod,event,lease"} {
		q := parse(b, text)
		b.Run(text, func(b *testing.B) {
			var all, first []time.Duration
			for b.Loop() {
				m := q.Compile(l, Options{})
				start := cputest.Process()
				_, next := m.Before(context.Background(), s, s.End(), 60)
				first = append(first, cputest.Process()-start)
				for next > s.First() {
					_, next = m.Before(context.Background(), s, next, 60)
				}
				all = append(all, cputest.Process()-start)
			}
			slices.Sort(first)
			slices.Sort(all)
			b.ReportMetric(first[len(first)/2].Seconds()*1e3, "cpu-ms/page")
			b.ReportMetric(all[len(all)/2].Seconds()*1e3, "cpu-ms/all")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// farLog is a log like [logtest.Many] of which the 20 oldest rows alone are of
// Secrets, in the namespace far.
func farLog(n, objects int) *model.Log {
	l := model.NewLog(model.Options{Budget: 1 << 40})
	kinds := []string{"Pod", "Event", "Lease", "Secret"}
	for i, resource := range []string{"pods", "events", "leases", "secrets"} {
		l.AddStream(model.StreamInfo{Context: "prod", Version: "v1", Resource: resource, Kind: kinds[i], Namespaced: true})
	}
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		o := i * 7919 % objects
		r := model.Record{Time: now.Add(time.Duration(i) * time.Millisecond), Stream: model.StreamID(o % 3), Type: model.Modified, RV: fmt.Sprint(i + 1),
			Raw: fmt.Appendf(nil, `{"spec":{"n":%d}}`, i), Identity: model.Identity{APIVersion: "v1", Kind: kinds[o%3], Namespace: fmt.Sprint("team-", o%20),
				Name: fmt.Sprintf("checkout-%d-%05x", o%400, o), UID: fmt.Sprintf("%08x-0000-4000-8000-%012x", o, o)}}
		if i < 20 {
			r.Type, r.Stream = model.Added, 3
			r.Identity = model.Identity{APIVersion: "v1", Kind: "Secret", Namespace: "far", Name: fmt.Sprint("far-", i), UID: fmt.Sprint("far-", i)}
		}
		l.Append(r)
	}
	return l
}

// BenchmarkDeep evaluates deep terms over the large capture.
func BenchmarkDeep(b *testing.B) {
	l := logtest.Load(b)
	s := l.Snapshot()
	for _, text := range []string{
		"cel: object.status.phase == 'Failed' && old.status.phase == 'Running'",
		"cel: kind == 'Pod' && object.status.phase == 'Failed'",
		"cel: has(object.status) && has(object.status.containerStatuses) && object.status.containerStatuses.exists(c, c.restartCount > 3)",
		"cel: object.status.phase != old.status.phase",
		"cel: 'spec.replicas' in paths",
		"path:spec.replicas", "manager:gitops", "oomkilled", "/back-?off/",
	} {
		q := parse(b, text)
		b.Run(text, func(b *testing.B) {
			var used time.Duration
			rows := 0
			for b.Loop() {
				m := q.Compile(l, Options{})
				start := cputest.Process()
				for seq := s.First(); seq < s.End(); seq++ {
					m.Match(s.At(seq))
					rows++
				}
				used += cputest.Process() - start
			}
			b.ReportMetric(float64(rows)/used.Seconds(), "events/cpu-s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkRunaway is the longest that one row may hold up whoever filters.
func BenchmarkRunaway(b *testing.B) {
	l, rows := shopLog()
	const ten = "[1,2,3,4,5,6,7,8,9,10]"
	for name, text := range map[string]string{
		"loops": "cel: " + ten + ".all(a, " + ten + ".all(b, " + ten + ".all(c, " + ten + ".all(d, " + ten + ".all(e, " + ten + ".all(f, a+b+c+d+e+f < 100))))))",
		"lists": "cel: size(" + ten + ".map(a, " + ten + ".map(b, " + ten + ".map(c, " + ten + ".map(d, " + ten + ".map(e, " + ten + ".map(f, 'x'))))))) == 3",
		"text":  "cel: " + ten + ".all(a, " + ten + ".all(b, " + ten + ".all(c, " + ten + ".all(d, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('(a*)*(a|b|ab)*$') || a > 0))))",
	} {
		q := parse(b, text)
		b.Run(name, func(b *testing.B) {
			m := q.Compile(l, Options{})
			start := cputest.Process()
			for b.Loop() {
				m.Match(rows[podRuns])
			}
			b.ReportMetric((cputest.Process()-start).Seconds()*1e3/float64(b.N), "cpu-ms/row")
		})
	}
}

func parse(tb testing.TB, text string) *Query {
	tb.Helper()
	q, err := Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return q
}

var _ model.Filter = (*Matcher)(nil).Match
