package ui

import (
	"fmt"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/logtest"
	"rewatch/model/noise"
	"rewatch/model/query"
)

// millionRows is a log with a million rows of 5,000 pods.
func millionRows(b *testing.B) *demoLog { return millionRowsOf(b, 5000) }

func millionRowsOf(b *testing.B, pods int) *demoLog {
	b.Helper()
	d := newDemoLog("prod-eu")
	for i := range pods {
		d.pods = append(d.pods, fmt.Sprintf("checkout-5b6f7c9d4-%05x", i*37))
	}
	raw := make([][]byte, len(d.pods))
	for i, name := range d.pods {
		raw[i] = fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":"u-Pod-%s","resourceVersion":"%09d"},"status":{"phase":"Running"}}`, name, name, 0)
	}
	for i := range 1_000_000 {
		p := i % len(d.pods)
		rv := fmt.Sprintf("%09d", i+1)
		at := len(raw[p]) - len(`000000000"},"status":{"phase":"Running"}}`)
		copy(raw[p][at:], rv)
		d.log.Append(model.Record{Time: epoch.Add(time.Duration(i) * time.Millisecond), Stream: 0, Type: model.Modified, Raw: raw[p], RV: rv,
			Identity: model.Identity{Context: "prod-eu", APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: d.pods[p], UID: "u-Pod-" + d.pods[p]}})
	}
	return d
}

// BenchmarkFrame1M is one frame of 200×50 over a million rows.
//
//   - still: nothing has changed since the last frame;
//   - follow: 40 new rows in each frame, so that every row shown is new: taking
//     them in, drawing them twice (without and with what changed), and the frame;
//   - page: a page up, so that every row is drawn anew.
//
// Working out what changed is done outside of the event loop and not counted.
func BenchmarkFrame1M(b *testing.B) {
	demo := millionRows(b)
	now := epoch
	a := NewApp(b.Context(), Options{Log: demo.log, Title: "prod-eu  shop", Now: func() time.Time { return now }, Location: time.UTC, Theme: "dark"})
	defer a.Close()
	d := &driver{t: b, app: a, now: now, demo: demo}
	a.reading = true // what the rows mean is not read
	d.resize(200, 50)
	d.press("a") // all of them are shown
	if n := a.timeline.index.end(); n != 1_000_000 {
		b.Fatalf("the timeline has %d rows", n)
	}
	frame := func(b *testing.B, prepare func(), f func()) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			prepare()
			b.StartTimer()
			f()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e6/float64(b.N), "ms/frame")
	}
	nothing := func() {}
	b.Run("still", func(b *testing.B) { frame(b, nothing, func() { a.View() }) })
	b.Run("follow", func(b *testing.B) {
		frame(b, func() {
			for i := range 40 {
				demo.pod(now, "prod-eu", demo.pods[i], model.Modified, 0, "Failed", i)
			}
			now = now.Add(33 * time.Millisecond)
		}, func() {
			a.refresh()
			a.View()
			b.StopTimer()
			msg := loadInfos(b.Context(), a.log, a.timeline.know, a.infoRequest, a.timeline.missing())().(infosMsg)
			b.StartTimer()
			a.takeInfos(msg)
			a.View()
		})
	})
	b.Run("page", func(b *testing.B) {
		a.timeline.edge(1)
		a.timeline.follow = false
		frame(b, func() {
			a.half(-2)
			msg := loadInfos(b.Context(), a.log, a.timeline.know, a.infoRequest, a.timeline.missing())().(infosMsg)
			a.takeInfos(msg)
		}, func() { a.View() })
	})
	b.Run("filter", func(b *testing.B) { // the whole log looked through, in steps of scanBudget
		frame(b, nothing, func() {
			q, _ := query.Parse("name:2a000")
			a.timeline.reindex(b.Context(), q, now, false)
			for a.timeline.due() {
				a.timeline.take(a.timeline.goOn()().(searchMsg))
			}
		})
	})
}

// BenchmarkRead is what it takes to understand the rows of the large capture,
// in processor time of another goroutine than the one that draws.
func BenchmarkRead(b *testing.B) {
	log := logtest.Load(b)
	s := log.Snapshot()
	var used time.Duration
	rows := 0
	for b.Loop() {
		u := newUnderstanding(log, noise.Default())
		start := cputest.Process()
		for u.read(b.Context(), s).to < s.End() {
		}
		used += cputest.Process() - start
		rows += s.Len()
	}
	b.ReportMetric(float64(used.Microseconds())/float64(rows), "cpu-µs/row")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkReplay is what a replay adds, over a million rows.
//
//   - frame: a frame of 200×50 with the scrubber of a tape of which a thousand
//     parts, gaps and marks are known;
//   - jump: going over to another log, in the event loop;
//   - prepare: making that log ready, outside of it.
func BenchmarkReplay(b *testing.B) {
	demo := millionRows(b)
	deck := &memoryDeck{changed: make(chan struct{}, 1), log: demo.log}
	to := epoch.Add(1_000_000 * time.Millisecond)
	deck.play = Playback{From: epoch, To: to, Now: to, Speed: 1, Event: 1_000_000, Events: 2_000_000, Held: epoch.Add(time.Second), Earlier: 1_000_000}
	deck.over = Overview{From: epoch, To: to, Density: make([]uint32, 1000)}
	for i := range deck.over.Density {
		deck.over.Density[i] = uint32(i * i % 977)
		at := epoch.Add(time.Duration(i) * time.Second)
		deck.over.Gaps = append(deck.over.Gaps, Span{From: at, To: at.Add(300 * time.Millisecond)})
		deck.over.Marks = append(deck.over.Marks, Span{From: at, To: at})
	}
	a := NewApp(b.Context(), Options{Transport: deck, Title: "x.tape", Now: func() time.Time { return to }, Location: time.UTC, Theme: "dark"})
	defer func() { a.Close() }()
	d := &driver{t: b, app: a, now: to, demo: demo}
	d.resize(200, 50)
	o := outlook{height: a.timeline.height}
	b.Run("frame", func(b *testing.B) {
		for b.Loop() {
			a.View()
		}
	})
	b.Run("jump", func(b *testing.B) {
		b.ReportAllocs()
		s := a.wake.prepare(b.Context(), o)
		for b.Loop() {
			x := *s
			a.takeSwap(&x)
			a.View()
		}
	})
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			a.wake.prepare(b.Context(), o)
		}
	})
}
