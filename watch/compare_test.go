package watch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

// colored is a pod whose content is more than its resourceVersion.
func colored(name string, rv int, color string) string {
	return strings.TrimSuffix(pod(name, rv), "}") + fmt.Sprintf(`,"spec":{"color":%q}}`, color)
}

// newest is the content that the log shows of the object of a name.
func (r *rig) newest(name string) string {
	id := r.log.Named(model.Identity{Context: "test", APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: name})
	_, v := r.log.Versions(id)
	raw, _ := r.log.Bytes(id, v)
	return string(raw)
}

// TestFault_23_RestoredDataIsNoReplay is a server that was restored from a
// backup: it gives resourceVersions anew that it gave to other content before.
func TestFault_23_RestoredDataIsNoReplay(t *testing.T) {
	expired := frames(frame("ERROR", statusJSON(410, "Expired", "too old resource version")))
	s := &script{
		sync: []http.HandlerFunc{
			open(added("b", 7), frame("ADDED", colored("a", 10, "red")), endMark("10"),
				frame("MODIFIED", colored("a", 20, "green")), frame("MODIFIED", colored("a", 30, "blue"))),
			open(added("b", 7), frame("ADDED", colored("a", 10, "red")), endMark("15"),
				frame("MODIFIED", colored("a", 20, "white"))),
			open(added("b", 7), frame("ADDED", colored("a", 20, "black")), endMark("21")),
		},
		watch: []http.HandlerFunc{expired},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(time.Second, "three versions", func() bool { return strings.Contains(r.newest("a"), "blue") })
		for _, want := range []string{"white", "black"} {
			r.net.cut()
			r.until(20*time.Second, want, func() bool { return strings.Contains(r.newest("a"), want) })
		}
		want := []string{"+b Initial", "+a Initial", "~a", "~a", "+b Replayed", "~a Synthetic", "~a", "+b Replayed", "~a Synthetic"}
		if got := r.objects(); !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q", got, want)
		}
		if g := r.gaps(); len(g) != 2 || g[0].Modified != 1 || g[1].Modified != 1 {
			t.Errorf("gaps %+v", g)
		}
	})
}

// TestFault_23_UncachedResourceWentBack is the same without heartbeats: the
// server takes the position for the future and is silent for ever.
func TestFault_23_UncachedResourceWentBack(t *testing.T) {
	target := pods
	target.Uncached = true
	served(t, timeserver.Options{}, rigOptions{target: target}, func(r *rig, s *timeserver.Server) {
		for range 20 {
			put(s, "pods", "a")
		}
		r.reach(time.Second, model.Quiet)
		r.same(time.Second, s, "pods")
		s.Store().Restore(105)
		s.CloseAll() // first: a deletion that still arrives gives a position that is good
		del(s, "pods", "b")
		r.until(12*time.Minute, "the gap", func() bool { return len(r.gaps()) > 0 })
		r.same(time.Second, s, "pods")
	})
}

// TestQuietIsNoReason: an uncached resource on which nothing happens is
// neither listed again nor called anything but QUIET.
func TestQuietIsNoReason(t *testing.T) {
	target := pods
	target.Uncached = true
	served(t, timeserver.Options{}, rigOptions{target: target}, func(r *rig, s *timeserver.Server) {
		time.Sleep(time.Hour)
		for _, step := range r.steps(r.id)[3:] {
			if !step.To.Fresh() {
				t.Errorf("step %+v", step)
			}
		}
		if len(r.gaps()) != 0 || len(r.objects()) != 2 {
			t.Errorf("gaps %v rows %q", r.gaps(), r.objects())
		}
	})
}

// TestGapCountsWhatEveryTryFound: a relist that is cut has appended what it
// found; the gap that the next try ends has to count it.
func TestGapCountsWhatEveryTryFound(t *testing.T) {
	s := &script{
		sync: []http.HandlerFunc{
			cut(added("a", 5) + added("b", 6) + endMark("6")),
			cut(added("a", 8) + added("c", 9)),
			open(added("a", 8), added("c", 9), endMark("10")),
		},
		watch: []http.HandlerFunc{status(410, "Expired", "too old resource version")},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(10*time.Second, "the gap", func() bool { return len(r.gaps()) == 1 })
		if g := r.gaps()[0]; g.Added != 1 || g.Modified != 1 || g.Deleted != 1 {
			t.Errorf("gap %+v\n%s", g, r.dump())
		}
	})
}

// TestWhatCannotBeReadIsNotGone: an item whose name is unknown may be any of
// the objects that are missed.
func TestWhatCannotBeReadIsNotGone(t *testing.T) {
	huge := `{"metadata":{"annotations":{"x":"` + strings.Repeat("x", 9000) + `"},"name":"b","namespace":"shop","uid":"uid-b","resourceVersion":"6"}}`
	for name, item := range map[string]string{"huge": huge, "unreadable": `{"metadata":{"name":7}}`} {
		t.Run(name, func(t *testing.T) {
			s := &script{
				sync: []http.HandlerFunc{status(422, "Invalid", "sendInitialEvents is forbidden")},
				list: []http.HandlerFunc{page("6", "", 0, pod("a", 5), pod("b", 6)), page("9", "", 0, pod("a", 5), item), page("9", "", 0, pod("a", 5))},
				watch: []http.HandlerFunc{status(410, "Expired", "too old resource version"), hang,
					status(410, "Expired", "too old resource version"), hang},
			}
			fake(t, s, rigOptions{engine: Options{MaxFrame: 8000}}, func(r *rig) {
				r.until(10*time.Second, "the gap", func() bool { return len(r.gaps()) == 1 })
				if got, want := r.objects(), []string{"+a Initial", "+b Initial"}; !slices.Equal(got, want) {
					t.Errorf("rows %q, want %q", got, want)
				}
				r.net.cut()
				r.until(10*time.Second, "the second gap", func() bool { return len(r.gaps()) == 2 })
				if got := r.objects(); got[len(got)-1] != "-b Synthetic" {
					t.Errorf("rows %q: a whole list tells what is gone", got)
				}
			})
		})
	}
}

// TestUnreadableChangeIsAGap: the position moves past it.
func TestUnreadableChangeIsAGap(t *testing.T) {
	s := &script{sync: []http.HandlerFunc{open(added("a", 5), endMark("5"), frame("MODIFIED", `{"metadata":{"name":7}}`), modified("a", 8))}}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(time.Second, "the change", func() bool { return len(r.objects()) == 2 })
		if g := r.gaps(); len(g) != 1 || g[0].Cause != model.CauseGarbage || g[0].FromRV != "5" {
			t.Errorf("gaps %+v", g)
		}
	})
}

// TestADeletionDoesNotChangeTheSecret: the last known state of a Secret that a
// list finds gone was redacted when it came; its values did not change.
func TestADeletionDoesNotChangeTheSecret(t *testing.T) {
	target := Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}, CanList: true}
	secret := `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db","namespace":"shop","uid":"1"},"data":{"p":"U0VOVElORUw="}}`
	s := &script{list: []http.HandlerFunc{page("5", "", 0, secret), page("6", "", 0, secret), page("7", "", 0)}}
	fake(t, s, rigOptions{target: target}, func(r *rig) {
		r.until(2*time.Minute, "the deletion", func() bool { return s.count("list") > 3 })
		if got, want := r.objects(), []string{"+db Initial", "-db Synthetic"}; !slices.Equal(got, want) {
			t.Fatalf("rows %q, want %q: the second list is the first again", got, want)
		}
		rows := r.rows(model.Added, model.Deleted)
		if rows[1].Version != rows[0].Version {
			t.Errorf("the deletion brought version %d after %d", rows[1].Version, rows[0].Version)
		}
	})
}

// TestGapBeginsBeforeTheSleep: what the machine slept through is in the gap.
func TestGapBeginsBeforeTheSleep(t *testing.T) {
	var extra atomic.Int64
	start := time.Now()
	clock := func() (time.Time, time.Duration) {
		return time.Now().Add(time.Duration(extra.Load())), time.Since(start)
	}
	s := &script{
		sync:  []http.HandlerFunc{open(added("a", 5), endMark("5")), open(added("a", 8), endMark("8"))},
		watch: []http.HandlerFunc{status(410, "Expired", "too old resource version")},
	}
	fake(t, s, rigOptions{engine: Options{Clock: clock}}, func(r *rig) {
		time.Sleep(time.Minute)
		extra.Add(int64(20 * time.Minute))
		r.until(10*time.Second, "the gap", func() bool { return len(r.gaps()) == 1 })
		if g := r.gaps()[0]; g.Took < 20*time.Minute || g.Took > 21*time.Minute {
			t.Errorf("gap %+v\n%s", g, r.dump())
		}
	})
}

// TestEndlessList: a server that knows limit but not continue gives its first
// page for ever.
func TestEndlessList(t *testing.T) {
	s := &script{
		sync: []http.HandlerFunc{status(422, "Invalid", "sendInitialEvents is forbidden")},
		list: []http.HandlerFunc{page("6", "more", 1, pod("a", 5))},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		time.Sleep(time.Minute)
		if n := s.count("list"); n > 120 || r.step(model.CauseGarbage).To != model.Backoff {
			t.Errorf("%d lists in a minute\n%s", n, r.dump())
		}
	})
}
