package model

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

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
