package player

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch"
	"rewatch/watch/tape"
	"rewatch/watch/timeserver"
)

// moment is what live showed when the log had so many rows.
type moment struct {
	rows    model.Seq
	at      time.Time
	streams []model.StreamStatus
}

// live watches a server with troubles through the engine, and records it.
func live(t *testing.T, lasts time.Duration) (l *model.Log, recorded []byte, moments []moment) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	history, err := timeserver.Demo(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := timeserver.NewPlayer(history)
	p.Speed = 40
	if err := p.Load(); err != nil {
		t.Fatal(err)
	}
	server := timeserver.NewServer(p.Store, timeserver.Options{BookmarkEvery: 200 * time.Millisecond})
	endpoint, err := timeserver.NewEndpoint(server, timeserver.EndpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer endpoint.Close()
	l = model.NewLog(model.Options{})
	var out bytes.Buffer
	w := tape.NewWriter(&out, tape.Header{Tool: "test", Created: time.Now()}, tape.Options{Redactor: l.Redactor(), FrameSize: 32 << 10})
	var failed error
	_, untap := l.Tap(model.Tap{
		Stream: func(i model.StreamInfo) { w.AddStream(i) },
		Record: func(_ model.Event, r model.Record) {
			if err := w.AppendFrame(r, r.Frame); err != nil {
				failed = err
			}
		},
	})
	defer untap()
	cluster, err := watch.NewCluster("demo", &rest.Config{Host: endpoint.URL(), QPS: -1}, watch.ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	engine := watch.NewEngine(l, watch.Options{})
	for _, r := range history.Resources() {
		engine.Add(cluster, watch.Target{CanList: true, CanWatch: true, StreamInfo: model.StreamInfo{Group: r.Group, Version: r.Version,
			Resource: r.Resource, Kind: r.Kind, Namespaced: r.Namespaced, Uncached: r.Uncached}})
	}
	done := make(chan struct{}, 2)
	go func() { engine.Run(ctx); done <- struct{}{} }()
	go func() { _ = p.Run(ctx); done <- struct{}{} }()
	begin := time.Now()
	go func() {
		time.Sleep(lasts / 4)
		server.Cut(timeserver.Watches("pods"))
		time.Sleep(lasts / 4)
		endpoint.Down()
		time.Sleep(lasts / 8)
		p.Store.Compact()
		_ = endpoint.Up()
	}()
	for time.Since(begin) < lasts || len(typesOf(l)) < 6 && time.Since(begin) < 3*time.Minute { // a busy machine has less in it
		time.Sleep(20 * time.Millisecond)
		now := time.Now()
		before, streams, after := l.Snapshot().End(), l.Streams(now), l.Snapshot().End()
		if before == after {
			moments = append(moments, moment{before, now, streams})
		}
	}
	cancel()
	<-done
	<-done
	if err := w.Close(); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return l, out.Bytes(), moments
}

// typesOf counts the rows of each type.
func typesOf(l *model.Log) map[model.Type]int {
	types, s := map[model.Type]int{}, l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		types[s.At(seq).Type]++
	}
	return types
}

// TestAReplayShowsWhatLiveShowed: rows, objects, and at many moments the states
// of the streams.
func TestAReplayShowsWhatLiveShowed(t *testing.T) {
	l, recorded, moments := live(t, 2*time.Second)
	src := source(t, "live", recorded)
	p := New([]Source{src}, Options{Speed: math.Inf(1)})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	for deadline := time.Now().Add(3 * time.Minute); !p.Playback().AtEnd; <-p.Changed() {
		if time.Now().After(deadline) {
			t.Fatal("it does not reach the end")
		}
	}
	if d := differ(rows(p.Log()), rows(l)); d != "" {
		t.Error(d)
	}
	now := time.Now()
	if d := differ(lines(p.Log().Streams(now)), lines(l.Streams(now))); d != "" {
		t.Error(d)
	}
	if d := differ(state(p.Log()), state(l)); d != "" {
		t.Error(d)
	}
	s, types := l.Snapshot(), typesOf(l)
	if len(types) < 6 || types[model.GapFound] == 0 || len(moments) < 10 {
		t.Errorf("too little happened: %v, %d moments", types, len(moments))
	}
	// The states of the streams, as they were known at each moment.
	r := newReel([]Source{src})
	again := straight(t, r, 0)
	for _, m := range moments {
		for model.Seq(again.rows) < m.rows && again.step(t.Context()) {
		}
		if d := differ(lines(again.log.Streams(m.at)), lines(m.streams)); d != "" {
			t.Fatalf("at row %d: %s", m.rows, d)
		}
	}
	// And after a jump to each, as far as they do not count from the beginning.
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		m := moments[rnd.IntN(len(moments))]
		if m.rows < s.End() && s.At(m.rows).Time <= m.at.UnixNano() {
			continue // it was received before, and appended after
		}
		p.Play(false)
		p.Seek(m.at)
		for p.Playback().Seeking {
			<-p.Changed()
		}
		if got := p.Log().Snapshot().End(); got != m.rows {
			t.Errorf("a jump to %v shows %d rows, not %d", m.at, got, m.rows)
		} else if d := differ(lines(p.Log().Streams(p.Playback().Now)), lines(m.streams)); d != "" {
			t.Errorf("after a jump: %s", d)
		}
	}
	cancel()
	<-done
}
