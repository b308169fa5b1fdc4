package model

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"rewatch/model/cputest"
	"rewatch/model/jsonscan"
)

// BenchmarkPipeline frames, scans, appends and keeps the large capture; that
// it is read and unpacked is not counted. One frame is one event.
func BenchmarkPipeline(b *testing.B) {
	frames := load(b)
	var body []byte
	for _, x := range frames {
		body = append(body, x.line...)
	}
	b.ReportAllocs()
	start, rounds := cputest.Process(), 0
	for b.Loop() {
		rounds++
		fill := newFiller(NewLog(Options{}))
		r := jsonscan.NewFrameReader(bytes.NewReader(body), 16<<20)
		for _, x := range frames {
			f, err := r.Next()
			if err != nil {
				b.Fatal(err)
			}
			typ, object, err := jsonscan.SplitFrame(f)
			if err != nil {
				b.Fatal(err)
			}
			fill.add(frame{when: x.when, stream: x.stream, typ: wireTypes[typ], object: object, line: f})
		}
	}
	events := float64(len(frames) * rounds)
	b.ReportMetric(events/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(events/(cputest.Process()-start).Seconds(), "events/cpu-s")
	b.ReportMetric(0, "ns/op")
}

// heap returns the bytes of live objects after a collection, and those of the
// pages that they lie in.
func heap() (live, inUse int64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.HeapInuse)
}

// measureHistory reports what a filled log takes, all in: the growth of the
// heap after a collection, by events.
func measureHistory(b *testing.B, fill func(*Log) (events int)) *Log {
	b.Helper()
	live, inUse := heap()
	l := NewLog(Options{Budget: 8 << 30})
	events := fill(l)
	liveAfter, inUseAfter := heap()
	b.ReportMetric(float64(inUseAfter-inUse)/float64(events), "B/event")
	b.ReportMetric(float64(liveAfter-live)/float64(events), "live-B/event")
	b.ReportMetric(float64(l.Stats().Bytes)/float64(events), "counted-B/event")
	b.ReportMetric(0, "ns/op")
	return l
}

func BenchmarkHistoryBytes(b *testing.B) {
	b.Run("capture", func(b *testing.B) {
		frames := load(b)
		for b.Loop() {
			l := measureHistory(b, func(l *Log) int {
				fill := newFiller(l)
				for _, x := range frames {
					fill.add(x)
				}
				return len(frames)
			})
			runtime.KeepAlive(l)
		}
		runtime.KeepAlive(frames)
	})
	b.Run("generated", func(b *testing.B) {
		for b.Loop() {
			start := cputest.Process()
			l := measureHistory(b, func(l *Log) int { return generate(l, 1_000_000) })
			b.ReportMetric((cputest.Process() - start).Seconds(), "cpu-s")
			runtime.KeepAlive(l)
		}
	})
}

// generate fills a log with the events of a generator.
func generate(l *Log, n int) (events int) {
	fill := newFiller(l)
	var g *generator
	g = newGenerator(1, func(stream string, typ Type, raw []byte) {
		events++
		fill.add(frame{when: g.now, stream: stream, typ: typ, object: raw})
	})
	g.run(n)
	return events
}

// BenchmarkAnyVersion asks for versions at random; times are processor time.
func BenchmarkAnyVersion(b *testing.B) {
	b.Run("capture", func(b *testing.B) {
		l := NewLog(Options{})
		fill := newFiller(l)
		for _, x := range load(b) {
			fill.add(x)
		}
		measureAnyVersion(b, l)
	})
	b.Run("generated", func(b *testing.B) {
		l := NewLog(Options{Budget: 8 << 30})
		generate(l, 200_000)
		measureAnyVersion(b, l)
	})
}

func measureAnyVersion(b *testing.B, l *Log) {
	s := l.Snapshot()
	rnd := rand.New(rand.NewPCG(1, 2))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took []time.Duration
	var buf []byte
	for b.Loop() {
		e := s.At(s.First() + Seq(rnd.IntN(s.Len())))
		if e.Object == 0 {
			continue
		}
		start := cputest.Thread()
		var ok bool
		if buf, ok = l.AppendBytes(buf[:0], e.Object, e.Version); !ok {
			b.Fatal("no such version")
		}
		took = append(took, cputest.Thread()-start)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e3, "p50-cpu-µs")
	b.ReportMetric(float64(took[len(took)*99/100])/1e3, "p99-cpu-µs")
	b.ReportMetric(float64(took[len(took)-1])/1e3, "max-cpu-µs")
}
