package watch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// TestErrorFrameIsNoLife: a server that answers every watch with an ERROR
// frame is never called live.
func TestErrorFrameIsNoLife(t *testing.T) {
	s := &script{
		sync:  []http.HandlerFunc{cut(added("a", 5) + endMark("5"))},
		watch: []http.HandlerFunc{frames(frame("ERROR", statusJSON(500, "InternalError", "etcdserver: no leader")))},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(30*time.Second, "the relist", func() bool { return s.count("sync") > 1 })
		down := false
		for _, step := range r.steps(r.id) {
			if down && step.To == model.Live {
				t.Fatalf("live on an ERROR frame\n%s", r.dump())
			}
			down = step.To != model.Relisting && (down || step.Cause == model.CauseServerError)
		}
	})
}

// TestFault_02_ExpiredInStreamedList: a 410 on the very watch that streamed the
// list ends its position as any other does.
func TestFault_02_ExpiredInStreamedList(t *testing.T) {
	s := &script{sync: []http.HandlerFunc{
		frames(added("a", 5), endMark("5"), frame("ERROR", statusJSON(410, "Expired", "too old resource version"))),
		open(added("a", 5), endMark("9")),
	}}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(2*time.Second, "the relist", func() bool { return s.count("sync") == 2 && r.state(0) == model.Live })
		if n := s.count("watch"); n > 0 || r.step(model.CauseExpired).To != model.Expired || len(r.gaps()) != 1 {
			t.Errorf("%d watches from an expired position\n%s", n, r.dump())
		}
	})
}

// TestFault_02_ListsAtOnceAfterAnOutage: what failed before a 410 does not
// count against it; only 410 after 410 does.
func TestFault_02_ListsAtOnceAfterAnOutage(t *testing.T) {
	expired := frame("ERROR", statusJSON(410, "Expired", "too old resource version"))
	var gone []model.Transition
	s := &script{
		sync:  []http.HandlerFunc{cut(added("a", 5) + endMark("5")), open(added("a", 5), endMark("6"))},
		watch: []http.HandlerFunc{},
	}
	for range 9 {
		s.watch = append(s.watch, status(503, "", "down"))
	}
	s.watch = append(s.watch, frames(expired), status(503, "", "down"),
		func(w http.ResponseWriter, r *http.Request) { // healthy for a minute
			frames(modified("a", 7))(w, r)
			time.Sleep(time.Minute)
			frames(expired)(w, r)
		}, hang)
	fake(t, s, rigOptions{engine: Options{Rand: func() float64 { return 0.5 }}}, func(r *rig) {
		steps := func() []model.Transition {
			return slices.DeleteFunc(r.steps(r.id), func(t model.Transition) bool { return t.To != model.Expired })
		}
		r.until(time.Minute, "the first 410", func() bool { gone = steps(); return len(gone) == 1 })
		r.until(time.Second, "the list", func() bool { return s.count("sync") == 2 && r.state(0) == model.Live })
		r.net.cut()
		r.until(2*time.Minute, "the second 410", func() bool { gone = steps(); return len(gone) == 2 })
		r.until(time.Second, "the list", func() bool { return s.count("sync") == 3 && r.state(0) == model.Live })
		for _, g := range gone {
			if g.Attempt != 1 {
				t.Errorf("attempt %d in %+v", g.Attempt, g)
			}
		}
	})
}

// TestFault_02_ExpiryAfterExpiry: a server that expires every fresh list is not
// asked at its own pace.
func TestFault_02_ExpiryAfterExpiry(t *testing.T) {
	s := &script{sync: []http.HandlerFunc{
		frames(added("a", 5), endMark("5"), frame("ERROR", statusJSON(410, "Expired", "too old resource version"))),
	}}
	fake(t, s, rigOptions{}, func(r *rig) {
		time.Sleep(time.Minute)
		if n := s.count("sync"); n < 10 || n > 60 {
			t.Errorf("%d lists in a minute", n)
		}
	})
}

// TestGapBeginsWithTheLoss: what fails on the way to the next list is no later
// beginning of the gap.
func TestGapBeginsWithTheLoss(t *testing.T) {
	refused := status(422, "Invalid", "sendInitialEvents is forbidden")
	broken := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[` + pod("a", 5) + `,`
	s := &script{
		sync:  []http.HandlerFunc{refused},
		list:  []http.HandlerFunc{page("5", "", 0, pod("a", 5)), cut(broken), cut(broken), cut(broken), cut(broken), cut(broken), cut(broken), page("9", "", 0, pod("a", 8))},
		watch: []http.HandlerFunc{cut(modified("a", 6)), status(410, "Expired", "too old resource version"), hang},
	}
	fake(t, s, rigOptions{engine: Options{Rand: func() float64 { return 0.99 }}}, func(r *rig) {
		start := time.Now()
		r.until(time.Minute, "the gap", func() bool { return len(r.gaps()) == 1 })
		if g := r.gaps()[0]; g.Since.Sub(start) > time.Second || g.Took < 5*time.Second {
			t.Errorf("the gap began %v after the start and took %v\n%s", g.Since.Sub(start), g.Took, r.dump())
		}
	})
}

// TestFault_35_DiscoveryRefused: a resource that is not served, on a server
// that does not say what it serves, is asked for slowly.
func TestFault_35_DiscoveryRefused(t *testing.T) {
	for _, code := range []int{403, 405, 400} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			none := status(404, "NotFound", "the server could not find the requested resource")
			s := &script{sync: []http.HandlerFunc{none}, list: []http.HandlerFunc{none}, other: status(code, "", "no")}
			fake(t, s, rigOptions{}, func(r *rig) {
				time.Sleep(10 * time.Minute)
				if n := len(s.requests()); n < 10 || n > 60 {
					t.Errorf("%d requests in ten minutes\n%s", n, r.dump())
				}
			})
		})
	}
}

// TestNegativeRetryAfter: a server cannot make us hurry.
func TestNegativeRetryAfter(t *testing.T) {
	hurry := strings.TrimSuffix(statusJSON(429, "TooManyRequests", "busy"), "}") + `,"details":{"retryAfterSeconds":-1000}}`
	s := &script{sync: []http.HandlerFunc{frames(frame("ERROR", hurry))}}
	fake(t, s, rigOptions{}, func(r *rig) {
		time.Sleep(time.Minute)
		if n := len(s.requests()); n > 60 {
			t.Errorf("%d requests in a minute", n)
		}
	})
}

// TestFault_45_KilledByErrorFrames: it does not matter how a server ends a
// streamed list that it cannot finish.
func TestFault_45_KilledByErrorFrames(t *testing.T) {
	s := &script{
		sync:  []http.HandlerFunc{frames(added("a", 5), frame("ERROR", statusJSON(500, "InternalError", "out of memory")))},
		list:  []http.HandlerFunc{page("6", "", 0, pod("a", 5))},
		watch: []http.HandlerFunc{hang},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.reach(10*time.Second, model.Live)
		if step := r.step(model.CauseWatchListFailing); !strings.Contains(step.Text, "out of memory") || s.count("sync") != maxKills {
			t.Errorf("step %+v\n%s", step, r.dump())
		}
	})
}
