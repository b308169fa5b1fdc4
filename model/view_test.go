package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestViewEqualsScan(t *testing.T) {
	w := newWorld(11, smallBudget)
	rnd := rand.New(rand.NewPCG(1, 1))
	match, ok := PlainWords("web-A  ctx1", w.log)
	if !ok {
		t.Fatal("words, but no filter")
	}
	view, slow := NewView(match), func(e Event) bool {
		id := w.log.Identity(e.Object)
		return e.Object != 0 && id.Context == "ctx1" && len(id.Name) > 5 && id.Name[:5] == "web-a"
	}
	for range 40 {
		for range rnd.IntN(700) {
			if err := w.step(); err != nil {
				t.Fatal(err)
			}
		}
		s := w.log.Snapshot()
		done := view.Advance(s, rnd.IntN(1500))
		start, end := view.Looked()
		if done != (start == s.First() && end == s.End()) {
			t.Fatalf("done is %v after %d…%d of %d…%d", done, start, end, s.First(), s.End())
		}
		var want []Seq
		for seq := start; seq < end; seq++ {
			if slow(s.At(seq)) {
				want = append(want, seq)
			}
		}
		var got []Seq
		for i := range view.Len() {
			got = append(got, view.At(i))
			if view.IndexOf(view.At(i)) != i {
				t.Fatalf("IndexOf(At(%d)) is %d", i, view.IndexOf(view.At(i)))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("rows %v, want %v", got, want)
		}
	}
}

func TestViewShowsTheNewestFirst(t *testing.T) {
	l := NewLog(Options{})
	st := l.AddStream(StreamInfo{Resource: "pods"})
	for i := range 5000 {
		l.Append(Record{Stream: st, Type: Noted, Detail: Note{Text: fmt.Sprint(i)}})
	}
	v := NewView(func(Event) bool { return true })
	if v.Advance(l.Snapshot(), 10) || v.Len() != 10 || v.At(9) != 4999 || v.At(0) != 4990 {
		t.Fatalf("%d rows after one step of ten", v.Len())
	}
	if got := v.IndexOf(3); got != 0 {
		t.Errorf("a row that was not looked at is nearest to %d", got)
	}
	l.Append(Record{Stream: st, Type: Noted, Detail: Note{}})
	if v.Advance(l.Snapshot(), 1); v.At(v.Len()-1) != 5000 {
		t.Error("a new row has to wait for old ones")
	}
	if got := v.IndexOf(1 << 40); got != v.Len()-1 {
		t.Errorf("beyond the end: %d", got)
	}
	if got := NewView(nil).IndexOf(0); got != -1 {
		t.Errorf("in an empty view: %d", got)
	}
}

func TestPlainWords(t *testing.T) {
	l := NewLog(Options{})
	pods := l.AddStream(StreamInfo{Context: "prod-eu", Version: "v1", Resource: "pods", Kind: "Pod"})
	lists := l.AddStream(StreamInfo{Context: "prod-eu", Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment"})
	raw := []byte(`{"metadata":{"name":"checkout-1","namespace":"shop","uid":"u","resourceVersion":"5"}}`)
	rows := []Event{
		l.Append(Record{Stream: pods, Type: Modified, Raw: raw}),
		l.Append(Record{Stream: lists, Type: Deleted, Raw: raw, Flags: Synthetic}),
		l.Append(Record{Stream: pods, Type: Noted, Detail: Note{Text: "No heartbeat: uncached"}}),
		l.Append(Record{Stream: pods, Type: StreamChange, Detail: Transition{To: Backoff, Cause: CauseRefused, Text: "connection refused"}}),
		l.Append(Record{Stream: pods, Type: GapFound, Detail: Gap{}}),
		l.Append(Record{Stream: lists, Type: Bookmark, Raw: []byte(`{"metadata":{"resourceVersion":"9"}}`)}),
	}
	for query, want := range map[string][]int{
		"POD shop":                            {0, 4},
		"deployments.apps":                    {1, 4, 5},
		"checkout deleted":                    {1, 4},
		"relist":                              {1, 4},
		"heartbeat pods":                      {2, 4},
		"refused":                             {3, 4},
		"retry":                               {3, 4},
		"prod-eu":                             {0, 1, 2, 3, 4, 5},
		"nothing":                             {4},
		"a b c d e f g h i j k l m n o p q r": {4},
	} {
		match, _ := PlainWords(query, l)
		var got []int
		for i, e := range rows {
			if match(e) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: rows %v, want %v", query, got, want)
		}
	}
	if _, ok := PlainWords("  ", l); ok {
		t.Error("no words, but a filter")
	}
}

// A log of many rows about few objects, quickly made.
func manyRows(n int) *Log {
	l := NewLog(Options{Budget: 1 << 40})
	st := l.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	now := time.Unix(1e9, 0)
	for i := range n {
		name := fmt.Sprint("pod-", i%5000)
		l.Append(Record{Time: now, Stream: st, Type: Modified, RV: fmt.Sprint(i/5000 + 1), Raw: []byte(name),
			Identity: Identity{Namespace: "shop", Name: name, UID: name}})
	}
	return l
}

// BenchmarkView1M fills a view of a million rows by words.
func BenchmarkView1M(b *testing.B) {
	l := manyRows(1_000_000)
	s := l.Snapshot()
	start, n := cpuTime(processClock), 0
	for b.Loop() {
		n++
		match, _ := PlainWords("shop pod-77 modified", l)
		v := NewView(match)
		for !v.Advance(s, 100_000) {
		}
		if v.Len() != 200*11 {
			b.Fatal(v.Len())
		}
	}
	b.ReportMetric(float64((cpuTime(processClock)-start).Microseconds())/1e3/float64(n), "cpu-ms/op")
}

func BenchmarkSnapshotAt(b *testing.B) {
	l := manyRows(100_000)
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			_ = l.Snapshot()
		}
	})
	b.Run("at", func(b *testing.B) {
		s := l.Snapshot()
		i := Seq(0)
		for b.Loop() {
			_ = s.At(i)
			i = (i + 7919) % s.End()
		}
	})
}
