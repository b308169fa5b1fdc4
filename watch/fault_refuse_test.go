package watch

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

func TestFault_20_Throttled(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		s.Inject(timeserver.Fault{Status: 429, RetryAfter: 7 * time.Second, Message: "too many requests, please try again later", Times: 1})
		s.CloseAll()
		r.until(5*time.Second, "throttled", func() bool { return asked(s, resumed) == 1 })
		start := time.Now()
		r.until(15*time.Second, "the next watch", func() bool { return asked(s, resumed) == 2 })
		if waited := time.Since(start); waited < 6900*time.Millisecond {
			t.Errorf("waited %v, Retry-After was 7 s", waited)
		}
		if step := r.step(model.CauseThrottled); step.To != model.Backoff || step.Status != 429 || !strings.Contains(step.Text, "too many requests") {
			t.Errorf("step %+v", step)
		}
		r.reach(2*time.Second, model.Live)
	})
}

func TestFault_21_CacheInitialising(t *testing.T) {
	init := timeserver.Initialising(3 * time.Second)
	init.Times = 2
	served(t, timeserver.Options{}, rigOptions{faults: []timeserver.Fault{init}}, func(r *rig, s *timeserver.Server) {
		r.reach(20*time.Second, model.Live)
		if step := r.step(model.CauseInitialising); step.To != model.Backoff || step.Until.IsZero() {
			t.Errorf("step %+v", step)
		}
		r.same(time.Second, s, "pods")
	})
}

func TestFault_22_TooLargeResourceVersion(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		s.Inject(timeserver.Fault{Err: timeserver.TooLarge(900, 100), Match: resuming})
		before := asked(s, isSync)
		s.CloseAll()
		r.until(time.Minute, "a list at the empty resourceVersion", func() bool { return asked(s, isSync) > before })
		if n := asked(s, resumed); n < 3 {
			t.Errorf("%d retries before the list", n)
		}
		if step := r.step(model.CauseTooLarge); step.To != model.Backoff || step.Status != 504 || !strings.Contains(step.Text, "server lags") {
			t.Errorf("step %+v", step)
		}
		r.same(time.Second, s, "pods")
		r.reach(time.Second, model.Live)
	})
}

func TestFault_28_AccessRevoked(t *testing.T) {
	allowed := true
	so := timeserver.Options{Allow: func(timeserver.Access) bool { return allowed }}
	served(t, so, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		allowed = false
		put(s, "pods", "c")
		r.same(time.Second, s, "pods") // the open stream goes on
		s.CloseAll()
		r.reach(5*time.Second, model.Denied)
		put(s, "pods", "d")
		step := r.step(model.CauseForbidden)
		wait := time.Until(step.Until)
		if step.Status != 403 || !strings.HasPrefix(step.Text, "watch refused: 403") || wait < time.Second || wait > 2*time.Second {
			t.Errorf("step %+v, wait %v", step, wait)
		}
		before := asked(s, isWatch)
		time.Sleep(2 * time.Minute)
		if n := asked(s, isWatch) - before; n < 5 || n > 9 {
			t.Errorf("%d retries in two minutes", n)
		}
		r.until(31*time.Second, "a slow retry", func() bool { return time.Until(r.log.Streams(time.Now())[0].Last.Until) > 22*time.Second })
		if r.state(0) != model.Denied || len(r.rows(model.Deleted)) != 0 {
			t.Errorf("state %v: what is known stays, stale\n%s", r.state(0), r.dump())
		}
		allowed = true
		r.engine.Retry(r.id)
		r.reach(3*time.Second, model.Live)
		r.same(time.Second, s, "pods")
	})
}

func TestFault_29_TokenExpired(t *testing.T) {
	known := true
	so := timeserver.Options{Authenticate: func(*http.Request) bool { return known }}
	config := func(c *rest.Config) { c.BearerToken = "SENTINEL-token" }
	served(t, so, rigOptions{config: config}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		known = false
		s.CloseAll()
		r.until(20*time.Second, "backing off", func() bool {
			return slices.ContainsFunc(r.steps(0), func(t model.Transition) bool { return t.Cause == model.CauseUnauthorized && t.To == model.Backoff })
		})
		if step := r.step(model.CauseUnauthorized); step.To != model.Connecting || !strings.Contains(step.Text, "refreshing credentials") || step.Status != 401 {
			t.Errorf("first 401: %+v", step)
		}
		known = true
		put(s, "pods", "c")
		r.same(10*time.Second, s, "pods")
		if d := r.dump(); strings.Contains(d, "SENTINEL") {
			t.Error("the token is in the log")
		}
	})
}

func allowVerbs(verbs ...string) func(timeserver.Access) bool {
	return func(a timeserver.Access) bool { return slices.Contains(verbs, a.Verb) }
}

func TestFault_33_ListWithoutWatch(t *testing.T) {
	for name, target := range map[string]Target{
		"known":    {StreamInfo: pods.StreamInfo, CanList: true},
		"found":    {StreamInfo: pods.StreamInfo},
		"promised": pods,
	} {
		t.Run(name, func(t *testing.T) {
			served(t, timeserver.Options{Allow: allowVerbs("list", "get")}, rigOptions{target: target}, func(r *rig, s *timeserver.Server) {
				r.reach(2*time.Second, model.Polling)
				put(s, "pods", "a")
				del(s, "pods", "b")
				put(s, "pods", "c")
				r.same(20*time.Second, s, "pods")
				want := []string{"+a Initial", "+b Initial", "~a Synthetic", "+c Synthetic", "-b Synthetic"}
				if got := r.objects(); !slices.Equal(got, want) {
					t.Errorf("rows %q", got)
				}
				time.Sleep(time.Minute)
				if got := r.objects(); len(got) != len(want) || len(r.gaps()) != 0 {
					t.Errorf("a list that finds nothing new makes no rows: %q %v", got, r.gaps())
				}
				if name != "known" && !strings.Contains(r.step(model.CauseForbidden).Text, "watch refused") {
					t.Errorf("step %+v", r.step(model.CauseForbidden))
				}
			})
		})
	}
}

func TestFault_33_WatchWithoutList(t *testing.T) {
	target := Target{StreamInfo: pods.StreamInfo, CanWatch: true}
	served(t, timeserver.Options{Allow: allowVerbs("watch")}, rigOptions{target: target}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		put(s, "pods", "c")
		r.same(time.Second, s, "pods")
		if n := asked(s, isList); n != 0 {
			t.Errorf("%d lists", n)
		}
	})
}

func TestFault_33_NeitherListNorWatch(t *testing.T) {
	served(t, timeserver.Options{Allow: allowVerbs()}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Denied)
		if step := r.log.Streams(time.Now())[0].Last; !strings.HasPrefix(step.Text, "list and watch refused: 403") {
			t.Errorf("step %+v", step)
		}
	})
}

func TestFault_34_NotWatchable(t *testing.T) {
	faults := []timeserver.Fault{{Status: 405, Message: "the server does not allow this method on the requested resource"}}
	served(t, timeserver.Options{}, rigOptions{faults: faults}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Polling)
		put(s, "pods", "c")
		r.same(20*time.Second, s, "pods")
		step := r.step(model.CauseNotWatchable)
		if step.Status != 405 || !strings.Contains(step.Text, "no watch") {
			t.Errorf("step %+v", step)
		}
		if n := asked(s, isWatch); n != 1 {
			t.Errorf("%d watches were tried", n)
		}
	})
}

func TestFault_35_CRDDeleted(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{target: widgets}, func(r *rig, s *timeserver.Server) {
		put(s, "widgets.acme.example", "w")
		r.same(time.Second, s, "widgets.acme.example")
		r.reach(time.Second, model.Live)
		if err := s.Store().RemoveResource("widgets.acme.example"); err != nil {
			t.Fatal(err)
		}
		r.reach(10*time.Second, model.Gone)
		if got := r.objects(); !slices.Equal(got[len(got)-1:], []string{"-w"}) {
			t.Errorf("rows %q: the server said that they were deleted", got)
		}
		before := asked(s, func(q timeserver.Request) bool { return isWatch(q) || isList(q) })
		time.Sleep(2 * time.Minute)
		if n := asked(s, func(q timeserver.Request) bool { return q.Resource != "" && (isWatch(q) || isList(q)) }) - before; n > 0 {
			t.Errorf("%d lists and watches while it was gone: discovery is asked instead", n)
		}
		s.Store().AddResource(widget)
		put(s, "widgets.acme.example", "v")
		r.same(40*time.Second, s, "widgets.acme.example")
		r.reach(2*time.Second, model.Live)
	})
}

func TestFault_59_BadSelector(t *testing.T) {
	target := pods
	target.Field = "spec.nonsense=1"
	served(t, timeserver.Options{}, rigOptions{target: target}, func(r *rig, s *timeserver.Server) {
		r.reach(2*time.Second, model.Stopped)
		step := r.log.Streams(time.Now())[0].Last
		if step.Cause != model.CauseInvalid || step.Status != 400 || !strings.Contains(step.Text, "spec.nonsense") {
			t.Errorf("step %+v", step)
		}
		n := len(s.Requests())
		time.Sleep(5 * time.Minute)
		if len(s.Requests()) != n {
			t.Error("a request that can never succeed was retried")
		}
		r.engine.Retry(r.id)
		r.until(time.Second, "a retry by the user", func() bool { return len(s.Requests()) > n })
	})
}

func TestFault_59_BadResourceVersion(t *testing.T) {
	s := &script{
		sync:  []http.HandlerFunc{frames(added("a", 5), endMark("x1")), open(added("a", 5), added("b", 6), endMark("7"))},
		watch: []http.HandlerFunc{status(500, "", `Invalid value: "x1": strconv.ParseUint: parsing "x1": invalid syntax`)},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(time.Minute, "b", func() bool { return slices.Contains(r.objects(), "+b Synthetic") })
		if n := s.count("watch x1"); n != 1 {
			t.Errorf("%d attempts at a position that can never work", n)
		}
		r.step(model.CauseInvalid)
	})
}

// TestFault_28_ServerThatStarts is an apiserver that has its address before its
// roles and its custom resources.
func TestFault_28_ServerThatStarts(t *testing.T) {
	for _, code := range []int{http.StatusForbidden, http.StatusNotFound} {
		served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
			r.reach(time.Second, model.Live)
			lift := s.Inject(timeserver.Fault{Status: code, Match: anything})
			s.CloseAll()
			time.Sleep(5 * time.Second)
			lift()
			r.reach(10*time.Second, model.Live) // the wait begun last is 8 s at most
		})
	}
}
