// Mkdemo records the tape that rewatch demo replays: the recorded cluster of
// the demo's server, watched by the engine while the server has its troubles.
// It takes as long as the tape, about three minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch"
	"rewatch/watch/recorder"
	"rewatch/watch/resolve"
	"rewatch/watch/timeserver"
)

func main() {
	out := flag.String("o", "demo.rwt", "the tape to write")
	flag.Parse()
	if err := record(context.Background(), *out); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "mkdemo:", err)
		os.Exit(1)
	}
}

// act is something that happens on the tape at a time after its beginning: a
// mark, or a trouble of the server.
type act struct {
	at   time.Duration
	mark string
	do   func(*stage)
}

var script = []act{ // never changed
	{at: 5 * time.Second, mark: "checkout 1.5.0 goes out"},
	{at: 21 * time.Second, do: func(s *stage) { s.server.Cut(timeserver.Watches("pods")) }},
	{at: 30 * time.Second, mark: "checkout is scaled to 10"},
	{at: 46 * time.Second, mark: "two managers fight over spec.replicas"},
	{at: 66 * time.Second, mark: "the nodes do not answer"},
	{at: 90 * time.Second, mark: "the apiserver restarts, and has forgotten what was before", do: func(s *stage) { s.endpoint.Down() }},
	{at: 97 * time.Second, do: func(s *stage) { s.player.Store.Compact() }},
	{at: 97500 * time.Millisecond, do: func(s *stage) { _ = s.endpoint.Up() }},
}

// stage is what takes part.
type stage struct {
	player   *timeserver.Player
	server   *timeserver.Server
	endpoint *timeserver.Endpoint
	log      *model.Log
}

func record(ctx context.Context, path string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	history, err := timeserver.Demo(ctx)
	if err != nil {
		return err
	}
	s := &stage{player: timeserver.NewPlayer(history), log: model.NewLog(model.Options{})}
	if err := s.player.Load(); err != nil {
		return err
	}
	s.server = timeserver.NewServer(s.player.Store, timeserver.Options{BookmarkEvery: 10 * time.Second})
	if s.endpoint, err = timeserver.NewEndpoint(s.server, timeserver.EndpointOptions{}); err != nil {
		return err
	}
	defer s.endpoint.Close()
	engine, err := s.engine(history)
	if err != nil {
		return err
	}
	r, err := recorder.Start(s.log, recorder.Options{Path: path, Force: true, Tool: "rewatch demo", Flush: time.Hour})
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() { defer close(ended); engine.Run(ctx) }()
	begin := time.Now()
	go s.perform(ctx, begin)
	if err := s.player.Run(ctx); err != nil {
		return err
	}
	time.Sleep(time.Second) // for what is on the way
	r.Stop()
	<-r.Done()
	cancel()
	<-ended
	fmt.Printf("%+v\n", r.Status())
	return nil
}

// engine watches everything that the server has.
func (s *stage) engine(h *timeserver.History) (*watch.Engine, error) {
	cluster, err := watch.NewCluster("demo", &rest.Config{Host: s.endpoint.URL(), QPS: -1, UserAgent: "rewatch"}, watch.ClusterOptions{})
	if err != nil {
		return nil, err
	}
	e := watch.NewEngine(s.log, watch.Options{})
	for _, r := range usualFirst(h.Resources()) {
		e.Add(cluster, watch.Target{CanList: true, CanWatch: true, StreamInfo: model.StreamInfo{Group: r.Group, Version: r.Version,
			Resource: r.Resource, Kind: r.Kind, Namespaced: r.Namespaced, Uncached: r.Uncached}})
	}
	return e, nil
}

// usualFirst puts the types in the order in which rewatch shows them.
func usualFirst(all []timeserver.Resource) []timeserver.Resource {
	usual := resolve.Default()
	rank := func(r timeserver.Resource) int {
		if i := slices.Index(usual, resolve.Arg{Type: r.Key()}); i >= 0 {
			return i
		}
		return len(usual)
	}
	slices.SortStableFunc(all, func(a, b timeserver.Resource) int { return rank(a) - rank(b) })
	return all
}

func (s *stage) perform(ctx context.Context, begin time.Time) {
	for _, a := range slices.SortedStableFunc(slices.Values(append(crashing(begin), script...)), func(a, b act) int { return int(a.at - b.at) }) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(begin.Add(a.at))):
		}
		if a.mark != "" {
			s.log.Append(model.Record{Time: time.Now(), Type: model.Noted, Detail: model.Note{Cause: model.CauseMark, Text: a.mark}})
		}
		if a.do != nil {
			a.do(s)
		}
	}
}
