package query

import (
	"context"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/logtest"
)

// BenchmarkFields filters a million rows by terms that look at no bytes: all of
// them, and until a first page is full. Times are processor time.
func BenchmarkFields(b *testing.B) {
	l := logtest.Many(1_000_000, 116_000)
	s := l.Snapshot()
	for _, text := range []string{"kind:pod", "kind:pod ns:team-7 name:checkout -context:test", "name:~^checkout-39.*a$",
		"kind:pod OR (kind:lease since:5m)", "type:deleted", "name:nowhere"} {
		q := parse(b, text)
		b.Run(text, func(b *testing.B) {
			var all, first time.Duration
			rounds := 0
			for b.Loop() {
				rounds++
				m := q.Compile(l, Options{})
				start := cputest.Process()
				m.Before(context.Background(), s, s.End(), 60)
				first += cputest.Process() - start
				m = q.Compile(l, Options{})
				start = cputest.Process()
				n := 0
				for seq := s.First(); seq < s.End(); seq++ {
					if m.Match(s.At(seq)) {
						n++
					}
				}
				all += cputest.Process() - start
			}
			b.ReportMetric(float64(all.Milliseconds())/float64(rounds), "cpu-ms/all")
			b.ReportMetric(first.Seconds()*1e3/float64(rounds), "cpu-ms/page")
			b.ReportMetric(0, "ns/op")
		})
	}
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
