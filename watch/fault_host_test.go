package watch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

// dozen are twelve streams on one host.
func dozen() []Target {
	var all []Target
	for i := range 11 {
		t := pods
		t.Namespace = fmt.Sprintf("ns%d", i)
		all = append(all, t)
	}
	return all
}

func (r *rig) all(s model.State) bool {
	return !slices.ContainsFunc(r.log.Streams(time.Now()), func(st model.StreamStatus) bool { return st.State != s })
}

func TestFault_27_AllDropTogether(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{targets: dozen()}, func(r *rig, s *timeserver.Server) {
		r.until(2*time.Second, "all live", func() bool { return r.all(model.Live) })
		r.net.down.Store(true)
		r.net.cut()
		time.Sleep(time.Minute)
		r.until(time.Second, "all waiting", func() bool {
			for _, st := range r.log.Streams(time.Now()) {
				if st.State.Fresh() {
					return false
				}
			}
			return true
		})
		probing := 0
		for _, st := range r.log.Streams(time.Now()) {
			if st.Last.Cause != model.CauseHostDown {
				probing++
			} else if st.Last.Until.IsZero() {
				t.Errorf("no time in %+v", st.Last)
			}
		}
		if probing != 1 {
			t.Errorf("%d streams probe the host\n%s", probing, r.dump())
		}
		before := r.net.dials.Load()
		time.Sleep(10 * time.Minute)
		for first := before + 1; ; first++ { // no window of a minute with more than ten dials
			a, ok1 := r.net.times.Load(first)
			b, ok2 := r.net.times.Load(first + 10)
			if !ok1 || !ok2 {
				break
			}
			if d := b.(time.Time).Sub(a.(time.Time)); d < time.Minute {
				t.Fatalf("eleven dials within %v", d)
			}
		}
		if n := r.net.dials.Load() - before; n < 20 {
			t.Errorf("%d dials in ten minutes", n)
		}
		r.net.down.Store(false)
		r.until(31*time.Second, "the prober live", func() bool {
			return slices.ContainsFunc(r.log.Streams(time.Now()), func(st model.StreamStatus) bool { return st.State == model.Live })
		})
		r.until(2*time.Second, "all live", func() bool { return r.all(model.Live) })
	})
}

func TestFault_27_ProberIsReplaced(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{targets: dozen()}, func(r *rig, s *timeserver.Server) {
		r.until(2*time.Second, "all live", func() bool { return r.all(model.Live) })
		r.net.down.Store(true)
		r.net.cut()
		time.Sleep(2 * time.Minute)
		for range 3 {
			for _, st := range r.log.Streams(time.Now()) {
				if st.State == model.Backoff && st.Last.Cause != model.CauseHostDown {
					r.engine.SetPaused(st.ID, true)
				}
			}
			before := r.net.dials.Load()
			time.Sleep(2 * time.Minute)
			if n := r.net.dials.Load() - before; n == 0 || n > 20 {
				t.Errorf("%d dials in two minutes after the prober was paused", n)
			}
		}
		r.net.down.Store(false)
		r.engine.Retry(-1)
		r.engine.SetPaused(-1, false)
		r.until(3*time.Second, "all live", func() bool { return r.all(model.Live) })
	})
}

// TestFault_27_BehindALoadBalancer is a dead host whose load balancer takes the
// connections and cuts them.
func TestFault_27_BehindALoadBalancer(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{targets: dozen()}, func(r *rig, s *timeserver.Server) {
		r.until(2*time.Second, "all live", func() bool { return r.all(model.Live) })
		lift := s.Inject(timeserver.Fault{Match: anything, Abort: true})
		s.CloseAll()
		time.Sleep(2 * time.Minute)
		before := len(s.Requests())
		time.Sleep(10 * time.Minute)
		if n := len(s.Requests()) - before; n < 20 || n > 100 {
			t.Errorf("%d requests in ten minutes", n)
		}
		lift()
		r.until(40*time.Second, "all live", func() bool { return r.all(model.Live) })
	})
}

// TestFault_27_OneBrokenRequestDoesNotCloseTheHost is a proxy that cuts the
// requests for one resource only.
func TestFault_27_OneBrokenRequestDoesNotCloseTheHost(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{targets: []Target{widgets, widgets}}, func(r *rig, s *timeserver.Server) {
		r.until(2*time.Second, "all live", func() bool { return r.all(model.Live) })
		s.Inject(timeserver.Fault{Match: func(q *http.Request) bool { return strings.HasSuffix(q.URL.Path, "/pods") }, Abort: true})
		for range 20 {
			s.CloseAll()
			r.until(time.Minute, "the others live", func() bool { return r.state(1) == model.Live && r.state(2) == model.Live })
			time.Sleep(10 * time.Second)
		}
		if r.state(0).Fresh() {
			t.Errorf("state %v", r.state(0))
		}
	})
}

// TestFault_27_HangingProbe: a probe that is taken and never answered does not
// hold up the others when the host is back.
func TestFault_27_HangingProbe(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{targets: dozen(), cluster: ClusterOptions{HTTP1: true}}, func(r *rig, s *timeserver.Server) {
		r.until(2*time.Second, "all live", func() bool { return r.all(model.Live) })
		r.net.down.Store(true)
		r.net.cut()
		time.Sleep(10 * time.Second)
		s.Inject(timeserver.Fault{Match: anything, Hang: true, Times: 1})
		r.net.down.Store(false)
		live := func() (n int) {
			for _, st := range r.log.Streams(time.Now()) {
				if st.State == model.Live {
					n++
				}
			}
			return n
		}
		r.until(time.Minute, "all but the prober live", func() bool { return live() == 11 })
	})
}

// TestContextsHaveGatesOfTheirOwn: two contexts reach one host, one of them in
// a way that never works.
func TestContextsHaveGatesOfTheirOwn(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		cfg := &rest.Config{Host: "http://cluster.test:6443", Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no credentials")
		}}
		broken, err := NewCluster("broken", cfg, ClusterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range dozen() {
			r.engine.Add(broken, target)
		}
		time.Sleep(5 * time.Minute)
		for range 5 {
			s.CloseAll()
			r.reach(2*time.Second, model.Backoff)
			r.reach(2*time.Second, model.Live)
			time.Sleep(time.Minute)
		}
	})
}

func TestFault_55_Slept(t *testing.T) {
	var extra atomic.Int64 // what the wall clock is ahead
	start := time.Now()
	clock := func() (time.Time, time.Duration) {
		return time.Now().Add(time.Duration(extra.Load())), time.Since(start)
	}
	served(t, timeserver.Options{}, rigOptions{engine: Options{Clock: clock}, targets: dozen()[:2]}, func(r *rig, s *timeserver.Server) {
		r.until(2*time.Second, "all live", func() bool { return r.all(model.Live) })
		extra.Add(int64(2 * time.Second)) // a clock that was set is no sleep
		time.Sleep(5 * time.Second)
		if !r.all(model.Live) {
			t.Fatal(r.dump())
		}
		extra.Add(int64(20 * time.Minute))
		put(s, "pods", "c")
		time.Sleep(2 * time.Second)
		step := r.step(model.CauseSlept)
		if step.To != model.Slept || !strings.Contains(step.Text, "slept 20m0s") {
			t.Errorf("step %+v", step)
		}
		r.until(5*time.Second, "all live", func() bool { return r.all(model.Live) })
		r.same(time.Second, s, "pods")
	})
}

func TestPauseAndResume(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		r.engine.SetPaused(-1, true)
		r.reach(time.Second, model.Paused)
		if n := s.OpenWatches(); n != 0 {
			t.Errorf("%d watches are open", n)
		}
		put(s, "pods", "c")
		time.Sleep(time.Hour)
		if got := r.objects(); len(got) != 2 || r.state(0) != model.Paused {
			t.Errorf("rows %q", got)
		}
		r.engine.SetPaused(-1, false)
		r.same(time.Second, s, "pods")
		if got := r.objects(); got[len(got)-1] != "+c" || len(r.gaps()) != 0 {
			t.Errorf("rows %q, gaps %v", got, r.gaps())
		}
	})
}

func TestRetryEndsEveryWait(t *testing.T) {
	for name, fault := range map[string]timeserver.Fault{
		"throttled": {Status: 429, RetryAfter: time.Hour},
		"denied":    {Status: 403, Match: anything},
		"gone":      {Status: 404, Match: anything},
		"invalid":   {Status: 400, Match: anything},
	} {
		t.Run(name, func(t *testing.T) {
			served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
				r.reach(time.Second, model.Live)
				lift := s.Inject(fault)
				s.CloseAll()
				r.until(time.Minute, "a wait", func() bool { return !r.state(0).Fresh() && r.state(0) != model.Connecting })
				time.Sleep(100 * time.Millisecond)
				lift()
				r.engine.Retry(r.id)
				r.reach(2*time.Second, model.Live)
			})
		})
	}
}

func anything(*http.Request) bool { return true }

func TestQuitFromEveryState(t *testing.T) {
	faults := map[string]timeserver.Fault{
		"connecting": {Hang: true}, "syncing": {SilentAfter: 1, Match: syncing}, "live": {Times: 1, Match: func(*http.Request) bool { return false }},
		"backoff": {Status: 503}, "denied": {Status: 403, Match: anything}, "polling": {Status: 405}, "gone": {Status: 404, Match: anything},
		"listing": {Status: 422, Match: syncing}, "slow headers": {HeaderDelay: time.Hour, Match: anything},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			served(t, timeserver.Options{}, rigOptions{faults: []timeserver.Fault{fault}}, func(r *rig, s *timeserver.Server) {
				time.Sleep(3 * time.Second)
				r.stop() // checks that it takes less than 200 ms
				steps := r.steps(0)
				if last := steps[len(steps)-1]; last.To != model.Stopped || last.Cause != model.CauseShutdown {
					t.Errorf("last step %+v", last)
				}
			})
		})
	}
}

func TestGateHandsOverAtThePaceOfTheOutage(t *testing.T) {
	timings := Timings{}.withDefaults()
	g := &hostGate{t: &timings}
	a, b := &stream{poke: make(chan struct{}, 1)}, &stream{poke: make(chan struct{}, 1)}
	now := time.Unix(1000, 0)
	if _, _, ok := g.enter(a, now); !ok {
		t.Fatal("a host that nobody missed is closed")
	}
	if next, ok := g.down(a, now, time.Second, false); !ok || !next.Equal(now.Add(time.Second)) {
		t.Fatal(next, ok)
	}
	if _, ok := g.down(b, now, 0, false); ok {
		t.Fatal("two probers")
	}
	wait, next, ok := g.enter(b, now)
	if ok || wait == nil || !next.Equal(now.Add(time.Second)) {
		t.Fatal(wait, next, ok)
	}
	now = now.Add(2 * time.Minute)
	g.enter(a, now)
	if next, _ := g.down(a, now, 0, false); next.Sub(now) != 6*time.Second {
		t.Fatalf("next dial after %v", next.Sub(now))
	}
	g.leave(a)
	if !b.turn || g.probing() != b {
		t.Fatal("nobody takes over when the prober leaves")
	}
	if _, next, ok := g.enter(b, now); ok || next.Sub(now) != 6*time.Second {
		t.Fatal("the new prober is early", next.Sub(now), ok)
	}
	if _, _, ok := g.enter(b, now.Add(6*time.Second)); !ok {
		t.Fatal("the new prober may not probe")
	}
	g.answered()
	if _, _, ok := g.enter(a, now); !ok || g.probing() != nil {
		t.Fatal("closed after an answer")
	}
}
