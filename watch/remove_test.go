package watch

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"rewatch/model"
)

func TestARemovedStreamIsOverAndItsObjectsAreNoLongerCurrent(t *testing.T) {
	s := &script{sync: []http.HandlerFunc{open2(added("b", 7), added("a", 5), endMark("9"))}}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.reach(time.Second, model.Live)
		// A second stream of the same objects: they exist as long as either has them.
		second := r.engine.Add(r.cluster, pods)
		r.until(time.Second, "the second is live", func() bool { return r.state(second) == model.Live })
		id := model.Identity{Context: "test", APIVersion: "v1", Kind: "Pod", Namespace: "default", Name: "a", UID: "uid-a"}
		for _, e := range r.rows(model.Added) {
			if x := r.log.Identity(e.Object); x.Name == "a" {
				id = x
			}
		}
		r.engine.Remove(r.id)
		r.until(time.Second, "the first is over", func() bool { return r.state(r.id) == model.Stopped })
		st := r.log.Streams(time.Now())
		if !st[r.id].Removed() || st[r.id].Objects != 0 || st[second].Removed() || st[second].Objects != 2 {
			t.Errorf("the streams are %+v", st)
		}
		if _, exists, ok := r.log.Lookup(id); !exists || !ok {
			t.Errorf("another stream has it: exists %v, known %v", exists, ok)
		}
		r.engine.Remove(second)
		r.engine.Remove(second) // again is nothing
		r.until(time.Second, "the second is over", func() bool { return r.state(second) == model.Stopped })
		known, exists, ok := r.log.Lookup(id)
		if exists || !ok {
			t.Errorf("nobody watches it: exists %v, known %v", exists, ok)
		}
		if raw, ok := r.log.Bytes(known.Object, known.Version); !ok || len(raw) == 0 {
			t.Error("its history should stay")
		}
		for range r.log.Current(second) {
			t.Error("something is current in a removed stream")
		}
		// Nothing revives it.
		rows := len(r.rows())
		r.engine.Retry(-1)
		r.engine.SetPaused(-1, true)
		r.engine.SetPaused(-1, false)
		time.Sleep(10 * time.Minute)
		if got := len(r.rows()); got != rows {
			t.Errorf("%d rows after the end\n%s", got-rows, r.dump())
		}
		if open, _ := r.cluster.Connections(); open != 0 {
			t.Errorf("%d connections are open to a cluster that nobody watches", open)
		}
		// The same may be watched again, as another stream.
		third := r.engine.Add(r.cluster, pods)
		r.until(time.Second, "the third is live", func() bool { return r.state(third) == model.Live })
		if third == r.id || third == second {
			t.Errorf("the number %d is used twice", third)
		}
	})
}

func TestAStreamIsRemovedInAnyState(t *testing.T) {
	forbidden := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, h := range map[string]http.HandlerFunc{"denied": forbidden, "connecting": silent} {
		fake(t, &script{sync: []http.HandlerFunc{h, h, h, h, h, h}}, rigOptions{}, func(r *rig) {
			time.Sleep(time.Second)
			from := r.state(r.id)
			r.engine.Remove(r.id)
			r.until(100*time.Millisecond, name, func() bool { return r.state(r.id) == model.Stopped })
			steps := r.steps(r.id)
			if last := steps[len(steps)-1]; last.From != from || !last.Removes() {
				t.Errorf("%s: the last step is %+v", name, last)
			}
		})
	}
	fake(t, &script{}, rigOptions{down: true}, func(r *rig) {
		time.Sleep(3 * time.Second)
		if !slices.Contains([]model.State{model.Backoff, model.Connecting}, r.state(r.id)) {
			t.Fatalf("the state is %v", r.state(r.id))
		}
		other := r.engine.Add(r.cluster, Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "nodes", Kind: "Node"}})
		time.Sleep(3 * time.Second)
		r.engine.Remove(r.id) // perhaps the one that probes the host for the other
		r.net.down.Store(false)
		r.until(time.Minute, "the other goes on", func() bool { return r.state(other) != model.Backoff })
	})
}

func TestAStreamIsRemovedBeforeItBegins(t *testing.T) {
	log := model.NewLog(model.Options{})
	e := NewEngine(log, Options{})
	id := e.Add(&Cluster{name: "c", host: "h"}, pods)
	e.Remove(id)
	if s := log.Streams(time.Now())[id]; !s.Removed() {
		t.Errorf("it is %v", s.State)
	}
}
