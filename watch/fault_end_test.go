package watch

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

func TestFault_06_EmptyAndClosed(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		before := asked(s, isSync)
		lift := s.Inject(timeserver.Fault{CloseAfter: -1, Match: resuming})
		s.CloseAll()
		r.until(30*time.Second, "a list", func() bool { return asked(s, isSync) > before })
		if step := r.step(model.CauseEmpty); step.To != model.Backoff || step.Until.IsZero() || !strings.Contains(step.Text, "no reason") {
			t.Errorf("step %+v", step)
		}
		live := slices.IndexFunc(r.steps(r.id), func(t model.Transition) bool { return t.From == model.Connecting && t.To == model.Live })
		if live >= 0 {
			t.Errorf("a watch that closed at once was called live\n%s", r.dump())
		}
		lift()
		put(s, "pods", "a")
		r.same(time.Minute, s, "pods")
	})
}

// resuming matches watches that resume, not those that sync.
func resuming(r *http.Request) bool {
	q := r.URL.Query()
	return q.Get("watch") != "" && q.Get("sendInitialEvents") == ""
}

func TestFault_07_ClosesAfterEachEvent(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		s.Inject(timeserver.Fault{CloseAfter: 1, Match: resuming})
		s.CloseAll()
		before := asked(s, isWatch)
		for range 600 { // a minute of ten events a second
			put(s, "pods", "a")
			time.Sleep(100 * time.Millisecond)
		}
		if n := asked(s, isWatch) - before; n > 60 || n < 5 {
			t.Errorf("%d watches in a minute: a server that answers and closes must not be hammered", n)
		}
		if step := r.step(model.CauseFlapping); step.To != model.Backoff || !strings.Contains(step.Text, "flapping") {
			t.Errorf("step %+v", step)
		}
	})
}

func TestFault_07_ClosesEarlyAgainAndAgain(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		s.Inject(timeserver.Fault{CloseAfterTime: 1500 * time.Millisecond})
		s.CloseAll()
		r.until(time.Minute, "flapping", func() bool {
			return slices.ContainsFunc(r.steps(r.id), func(t model.Transition) bool { return t.Cause == model.CauseFlapping })
		})
	})
}

func TestFault_08_Refused(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		r.net.down.Store(true)
		r.net.cut()
		r.until(20*time.Second, "the third attempt", func() bool { return r.log.Streams(time.Now())[0].Last.Attempt >= 3 })
		last := r.log.Streams(time.Now())[0].Last
		if last.To == model.Backoff && (last.Until.Before(time.Now()) || last.Text != "connection refused") {
			t.Errorf("step %+v", last)
		}
		put(s, "pods", "c")
		r.net.down.Store(false)
		r.same(6*time.Second, s, "pods")
		if len(r.gaps()) != 0 {
			t.Errorf("gaps %+v: the position was still good", r.gaps())
		}
		r.step(model.CauseRefused)
	})
}

func TestFault_08_BackoffGrowsAndHasACeiling(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{engine: Options{Rand: func() float64 { return 0.999 }}}, func(r *rig, _ *timeserver.Server) {
		r.reach(time.Second, model.Live)
		r.net.down.Store(true)
		r.net.cut()
		time.Sleep(5 * time.Minute)
		var waits []time.Duration
		var times []time.Time
		for _, e := range r.rows(model.StreamChange) {
			if step := e.Detail.(model.Transition); step.To == model.Backoff {
				waits, times = append(waits, step.Until.Sub(e.When())), append(times, e.When())
			}
		}
		for i, d := range waits {
			limit := 5 * time.Second
			if times[i].Sub(times[0]) >= time.Minute {
				limit = 30 * time.Second
			}
			if d > limit {
				t.Errorf("wait %d is %v, over %v", i, d, limit)
			}
		}
		if waits[0] > 100*time.Millisecond || waits[len(waits)-1] < 20*time.Second || !slices.IsSorted(waits) {
			t.Errorf("waits %v", waits)
		}
	})
}

func TestFault_09_CutInAFrame(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		s.Inject(timeserver.Fault{CutAfter: 1, CutMidFrame: true, Times: 1})
		s.CloseAll()
		r.until(10*time.Second, "the next watch", func() bool { return asked(s, resumed) == 1 })
		put(s, "pods", "c")
		put(s, "pods", "d")
		r.same(time.Minute, s, "pods")
		steps := r.steps(r.id)
		i := slices.IndexFunc(steps, func(t model.Transition) bool {
			return t.Cause == model.CauseCut && strings.Contains(t.Text, "bytes of an unfinished frame dropped")
		})
		if i < 0 || steps[i].To != model.Backoff || steps[i].Frames != 1 {
			t.Errorf("no step says what was dropped\n%s", r.dump())
		}
		if got := r.objects()[2:]; !slices.Equal(got, []string{"+c", "+d"}) {
			t.Errorf("rows %q", got)
		}
	})
}

func resumed(q timeserver.Request) bool { return isWatch(q) && !isSync(q) }

// silent makes the open watches send nothing more, for good.
func silent(r *rig, s *timeserver.Server) {
	r.Helper()
	r.reach(time.Second, model.Live)
	if n := s.Silence(timeserver.Watches("")); n == 0 {
		r.Fatal("no watch is open")
	}
	put(s, "pods", "c")
	start := time.Now()
	r.reach(2*time.Minute, model.Overdue)
	if took := time.Since(start); took < 89*time.Second || took > 92*time.Second {
		r.Errorf("overdue after %v", took)
	}
	r.until(5*time.Minute, "our deadline", func() bool {
		return slices.ContainsFunc(r.steps(r.id), func(t model.Transition) bool { return t.Cause == model.CauseDeadline })
	})
	step := r.step(model.CauseDeadline)
	if step.From != model.Overdue || step.Took < 250*time.Second || step.Took > 311*time.Second {
		r.Errorf("step %+v", step)
	}
	r.same(time.Second, s, "pods")
	if len(r.gaps()) != 0 {
		r.Errorf("gaps %+v", r.gaps())
	}
}

func TestFault_13_HalfOpenConnection(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{cluster: ClusterOptions{HTTP1: true}}, silent)
}

func TestFault_14_OneStreamStuck(t *testing.T) {
	configmaps := Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}}
	served(t, timeserver.Options{}, rigOptions{targets: []Target{configmaps}}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		r.until(time.Second, "both live", func() bool { return r.state(1) == model.Live })
		s.Silence(timeserver.Watches("pods"))
		for range 9 {
			time.Sleep(10 * time.Second)
			put(s, "configmaps", "tick")
		}
		time.Sleep(time.Second)
		if r.state(0) != model.Overdue || r.state(1) != model.Live {
			t.Errorf("states %v and %v", r.state(0), r.state(1))
		}
	})
}

func TestOverdueStreamIsLiveAgainWithTheNextFrame(t *testing.T) {
	served(t, timeserver.Options{BookmarkEvery: 100 * time.Second}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		put(s, "configmaps", "tick")
		r.reach(95*time.Second, model.Overdue)
		r.reach(11*time.Second, model.Live)
		step := r.log.Streams(time.Now())[0].Last
		if step.From != model.Overdue {
			t.Errorf("step %+v", step)
		}
	})
}

func TestUncachedStreamIsQuietNotOverdue(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{target: events}, func(r *rig, s *timeserver.Server) {
		r.reach(2*time.Second, model.Quiet)
		time.Sleep(200 * time.Second)
		if r.state(0) != model.Quiet {
			t.Errorf("state %v", r.state(0))
		}
		put(s, "events", "x")
		r.same(time.Second, s, "events")
	})
}

func TestFault_17_HeadersHeldBack(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		s.Inject(timeserver.Fault{Match: resuming, HeaderDelay: 20 * time.Second})
		r.reach(5*time.Minute, model.Rotating)
		r.reach(2*time.Second, model.Connecting)
		if step := r.log.Streams(time.Now())[0].Last; step.Text != "awaiting headers" {
			t.Errorf("step %+v", step)
		}
		r.reach(25*time.Second, model.Live)
	})
}

func TestFault_44_WeWereSlow(t *testing.T) {
	var fast atomic.Bool
	n := 0
	slow := func() {
		if n++; n%40 == 0 && !fast.Load() {
			time.Sleep(3 * time.Second)
		}
	}
	served(t, timeserver.Options{WatchBuffer: 5, SlowGrace: time.Second}, rigOptions{engine: Options{afterFrame: slow}}, func(r *rig, s *timeserver.Server) {
		r.reach(10*time.Second, model.Live)
		for i := range 2000 {
			put(s, "pods", "p"+string(rune('a'+i%20)))
		}
		r.until(3*time.Minute, "the cause", func() bool {
			return slices.ContainsFunc(r.steps(r.id), func(t model.Transition) bool { return t.Cause == model.CauseSlowReader })
		})
		fast.Store(true)
		if step := r.step(model.CauseSlowReader); !strings.Contains(step.Text, "we were slow") || step.To == model.Backoff {
			t.Errorf("step %+v", step)
		}
		r.same(time.Minute, s, "pods")
	})
}
