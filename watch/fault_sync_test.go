package watch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	k8swatch "k8s.io/apimachinery/pkg/watch"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

func TestFault_39_OneGroupDown(t *testing.T) {
	down := timeserver.Fault{Match: timeserver.Watches("widgets"), Status: 503, Message: "the server is currently unable to handle the request"}
	served(t, timeserver.Options{}, rigOptions{faults: []timeserver.Fault{down}, targets: []Target{widgets}}, func(r *rig, s *timeserver.Server) {
		r.until(30*time.Second, "some retries", func() bool { return r.log.Streams(time.Now())[1].Last.Attempt > 4 })
		if r.state(0) != model.Live {
			t.Errorf("the other group is %v", r.state(0))
		}
		if last := r.steps(1)[1]; last.Cause != model.CauseServerError || last.Status != 503 {
			t.Errorf("step %+v", last)
		}
	})
}

func TestFault_40_NoEndBookmark(t *testing.T) {
	faults := []timeserver.Fault{{NoEndBookmark: true, Match: syncing}}
	namespaced := pods
	namespaced.Namespace = "shop"
	served(t, timeserver.Options{}, rigOptions{faults: faults}, func(r *rig, s *timeserver.Server) {
		r.until(time.Second, "first rows", func() bool { return len(r.objects()) == 2 })
		r.reach(15*time.Second, model.Live)
		if step := r.step(model.CauseNoEndMark); !strings.Contains(step.Text, "end of list unmarked") || step.Took < 10*time.Second {
			t.Errorf("step %+v", step)
		}
		r.same(time.Second, s, "pods")
		if got := r.objects(); len(got) != 2 || len(r.gaps()) != 0 {
			t.Errorf("rows %q, gaps %v", got, r.gaps())
		}
		// It is remembered for the resource: another stream lists at once.
		before := asked(s, isSync)
		id := r.engine.Add(r.cluster, namespaced)
		r.until(2*time.Second, "the second stream live", func() bool { return r.state(id) == model.Live })
		if asked(s, isSync) != before {
			t.Error("the second stream tried to stream its list again")
		}
	})
}

func syncing(r *http.Request) bool { return r.URL.Query().Get("sendInitialEvents") == "true" }

func TestFault_40_BusyResourceDoesNotHoldTheDeadlineOff(t *testing.T) {
	faults := []timeserver.Fault{{NoEndBookmark: true, Match: syncing}}
	served(t, timeserver.Options{}, rigOptions{faults: faults}, func(r *rig, s *timeserver.Server) {
		for range 15 {
			time.Sleep(time.Second)
			put(s, "pods", "a")
		}
		r.reach(2*time.Second, model.Live)
		r.same(time.Second, s, "pods")
	})
}

func TestFault_41_NotResumable(t *testing.T) {
	for _, rv := range []string{"", "0"} {
		t.Run("rv="+rv, func(t *testing.T) {
			s := &script{
				sync:  []http.HandlerFunc{open(added("a", 5), added("b", 6), endMark(rv), modified("a", 8)), open(added("a", 9), endMark(rv))},
				watch: []http.HandlerFunc{hang},
			}
			fake(t, s, rigOptions{}, func(r *rig) {
				r.reach(time.Second, model.Live)
				r.net.cut()
				r.until(5*time.Second, "the second sync", func() bool { return s.count("sync") == 2 && r.state(0) == model.Live })
				if got, want := r.objects()[2:], []string{"~a", "~a Synthetic", "-b Synthetic"}; !slices.Equal(got, want) {
					t.Errorf("rows %q", got)
				}
				if n := s.count("watch"); n > 0 {
					t.Errorf("%d watches resumed from %q", n, rv)
				}
				if notes := r.notes(model.CauseNotResumable); len(notes) != 1 || !strings.Contains(notes[0], "not resumable") {
					t.Errorf("notes %q", notes)
				}
				if g := r.gaps(); len(g) != 1 || g[0].Cause != model.CauseNotResumable || g[0].Modified != 1 || g[0].Deleted != 1 {
					t.Errorf("gaps %+v", g)
				}
			})
		})
	}
}

func TestFault_42_InitialEventsRefused(t *testing.T) {
	served(t, timeserver.Options{NoWatchList: true}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(2*time.Second, model.Live)
		if step := r.step(model.CauseNoInitialEvents); step.Status != 422 || !strings.Contains(step.Text, "fallback to paged lists") {
			t.Errorf("step %+v", step)
		}
		put(s, "pods", "c")
		r.same(time.Second, s, "pods")
		if got, want := r.objects(), []string{"+a Initial", "+b Initial", "+c"}; !slices.Equal(got, want) {
			t.Errorf("rows %q", got)
		}
		raw, _ := r.log.Bytes(r.rows(model.Added)[0].Object, 1)
		if !strings.Contains(string(raw), `"kind":"Pod"`) || !strings.Contains(string(raw), `"apiVersion":"v1"`) {
			t.Errorf("an item of a list has no type: %s", raw)
		}
		r.step(model.CauseNone)
		before := asked(s, isSync)
		expireAll(r, s)
		r.reach(time.Minute, model.Live)
		if asked(s, isSync) != before {
			t.Error("the refusal was not remembered")
		}
	})
}

// expireAll makes the open streams lose their history.
func expireAll(r *rig, s *timeserver.Server) {
	lift := s.Inject(timeserver.Fault{Status: 503})
	s.CloseAll()
	r.reach(time.Second, model.Backoff)
	put(s, "pods", "a")
	s.Store().Compact()
	lift()
	r.until(time.Minute, "a gap", func() bool { return len(r.gaps()) > 0 })
}

func TestFault_43_PageExpired(t *testing.T) {
	served(t, timeserver.Options{NoWatchList: true}, rigOptions{engine: Options{PageSize: 2}}, func(r *rig, s *timeserver.Server) {
		// The store moves on and forgets between the first page and the second.
		for _, name := range []string{"c", "d", "e"} {
			put(s, "pods", name)
		}
		paged := 0
		s.Inject(timeserver.Fault{Times: 1, Match: func(q *http.Request) bool {
			if q.URL.Query().Get("continue") == "" || paged > 0 {
				return false
			}
			paged++
			del(s, "pods", "a")
			put(s, "pods", "f")
			s.Store().Compact()
			return true
		}})
		r.reach(5*time.Second, model.Live)
		r.same(time.Second, s, "pods")
		step := r.step(model.CausePageExpired)
		if step.From != model.Syncing || step.To != model.Syncing || step.Status != 410 || !strings.Contains(step.Text, "page expired") {
			t.Errorf("step %+v", step)
		}
		if len(r.gaps()) != 0 {
			t.Errorf("gaps %+v", r.gaps())
		}
	})
}

func TestFault_45_StreamedListKilled(t *testing.T) {
	faults := []timeserver.Fault{{CutAfter: 1, Match: syncing}}
	served(t, timeserver.Options{}, rigOptions{faults: faults}, func(r *rig, s *timeserver.Server) {
		r.reach(10*time.Second, model.Live)
		step := r.step(model.CauseWatchListFailing)
		if !strings.Contains(step.Text, "too large to stream") || asked(s, isSync) != 3 {
			t.Errorf("after %d: %+v", asked(s, isSync), step)
		}
		r.same(time.Second, s, "pods")
		if got := r.objects(); !slices.Equal(got, []string{"+a Initial", "+a Replayed", "+a Replayed", "+b Initial"}) {
			t.Errorf("rows %q", got)
		}
	})
}

func TestFault_47_FrameOverTheCap(t *testing.T) {
	big := strings.Replace(pod("big", 11), `"metadata":{`, `"metadata":{"annotations":{"x":"`+strings.Repeat("y", 9000)+`"},`, 1)
	first := strings.Replace(pod("big", 11), `}}`, `},"spec":"`+strings.Repeat("y", 9000)+`"}`, 1)
	s := &script{sync: []http.HandlerFunc{open(added("a", 5), endMark("9"), frame("MODIFIED", first), frame("MODIFIED", big), added("b", 12))}}
	fake(t, s, rigOptions{engine: Options{MaxFrame: 8000}}, func(r *rig) {
		r.until(time.Second, "the frame after it", func() bool { return slices.Contains(r.objects(), "+b") })
		notes := r.notes(model.CauseFrameTooLarge)
		if len(notes) != 2 || !strings.Contains(notes[0], "over the limit of 8000") || !strings.Contains(notes[0], "MODIFIED shop/big") {
			t.Errorf("notes %q", notes)
		}
		if g := r.gaps(); len(g) != 2 || g[0].Cause != model.CauseFrameTooLarge || g[0].FromRV != "9" {
			t.Errorf("gaps %+v", g)
		}
		if r.state(0) != model.Live || s.count("watch") != 0 {
			t.Errorf("one large frame ended the stream: %v", r.state(0))
		}
	})
}

func TestFault_47_ItemOverTheCap(t *testing.T) {
	big := strings.Replace(pod("big", 4), `}}`, `},"spec":"`+strings.Repeat("y", 9000)+`"}`, 1)
	s := &script{sync: []http.HandlerFunc{status(422, "Invalid", "sendInitialEvents is forbidden")},
		list: []http.HandlerFunc{page("9", "", 0, pod("a", 3), big, pod("b", 5))}}
	fake(t, s, rigOptions{engine: Options{MaxFrame: 8000}}, func(r *rig) {
		r.reach(2*time.Second, model.Live)
		if notes := r.notes(model.CauseFrameTooLarge); len(notes) != 1 || !strings.Contains(notes[0], "shop/big") {
			t.Errorf("notes %q", notes)
		}
		if got := r.objects(); !slices.Equal(got, []string{"+a Initial", "+b Initial"}) {
			t.Errorf("rows %q", got)
		}
	})
}

func TestFault_48_StoreReadError(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		broken := timeserver.ErrorStatus(500, "StoreReadError", "failed to read one or more objects")
		s.Inject(timeserver.Fault{Match: resuming, ErrorFrame: broken})
		before := asked(s, isSync)
		s.CloseAll()
		r.until(time.Minute, "a list", func() bool { return asked(s, isSync) > before })
		if step := r.step(model.CauseServerError); step.Status != 500 || !strings.Contains(step.Text, "failed to read") {
			t.Errorf("step %+v", step)
		}
	})
}

func TestFault_49_UnknownType(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		s.Inject(timeserver.Fault{Match: resuming, Frame: func(typ k8swatch.EventType, object []byte) []byte {
			return append(timeserver.EncodeFrame("SURPRISE", object), timeserver.EncodeFrame(typ, object)...)
		}})
		r.reach(time.Second, model.Live)
		s.CloseAll()
		r.until(5*time.Second, "resumed", func() bool { return asked(s, resumed) == 1 })
		put(s, "pods", "c")
		r.same(5*time.Second, s, "pods")
		if notes := r.notes(model.CauseUnknownType); len(notes) != 1 || !strings.Contains(notes[0], "SURPRISE") {
			t.Errorf("notes %q", notes)
		}
		if p := r.taken.passed; len(p) != 1 || !strings.HasPrefix(p[0], `{"type":"SURPRISE"`) {
			t.Errorf("passed on to who records: %q", p)
		}
	})
}

func TestFault_52_Selection(t *testing.T) {
	target := pods
	target.Label = "app=web"
	served(t, timeserver.Options{}, rigOptions{target: target}, func(r *rig, s *timeserver.Server) {
		put(s, "pods", "w", "app=web")
		r.reach(time.Second, model.Live)
		r.until(time.Second, "w", func() bool { return len(r.objects()) == 1 })
		put(s, "pods", "w", "app=db")
		put(s, "pods", "w", "app=web", "x=1")
		put(s, "pods", "w", "app=web", "x=2")
		r.until(time.Second, "the last change", func() bool { return len(r.objects()) == 4 })
		if got := r.objects()[1:]; !slices.Equal(got, []string{"-w Selection", "+w Selection", "~w"}) {
			t.Errorf("rows %q", got)
		}
	})
}

func TestFault_52_NoSelectionByName(t *testing.T) {
	target := pods
	target.Field = "metadata.name=w"
	served(t, timeserver.Options{}, rigOptions{target: target}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		put(s, "pods", "w")
		del(s, "pods", "w")
		r.until(time.Second, "both", func() bool { return len(r.objects()) == 2 })
		if got := r.objects(); !slices.Equal(got, []string{"+w", "-w"}) {
			t.Errorf("rows %q: a name is never left while the object exists", got)
		}
	})
}

func TestFault_53_Replayed(t *testing.T) {
	// An API without resourceVersions on its lists begins each watch anew.
	s := &script{
		sync:  []http.HandlerFunc{status(422, "Invalid", "sendInitialEvents is forbidden")},
		list:  []http.HandlerFunc{page("", "", 0, pod("a", 3), pod("b", 5))},
		watch: []http.HandlerFunc{open(added("a", 3), added("b", 5), modified("b", 6))},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(5*time.Second, "the change", func() bool { return slices.Contains(r.objects(), "~b") })
		want := []string{"+a Initial", "+b Initial", "+a Replayed", "+b Replayed", "~b"}
		if got := r.objects(); !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q", got, want)
		}
		if n := r.log.Streams(time.Now())[0].Replayed; n != 2 {
			t.Logf("the log counts %d replayed", n)
		}
	})
}

func TestFault_54_InitialEventsNotInOrder(t *testing.T) {
	s := &script{
		sync:  []http.HandlerFunc{cut(added("z", 90) + added("a", 5)), open(added("z", 90), added("a", 5), modified("a", 95), endMark("95"))},
		watch: []http.HandlerFunc{hang},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.reach(3*time.Second, model.Live)
		for _, step := range r.steps(0) {
			if step.To == model.Backoff && step.RV != "" {
				t.Errorf("a position was taken from an initial event: %+v", step)
			}
		}
		if got := s.requests(); !slices.Equal(got, []string{"sync", "sync"}) {
			t.Errorf("requests %q", got)
		}
		r.net.cut()
		r.until(3*time.Second, "the resume", func() bool { return s.count("watch 95") == 1 })
	})
}

func TestFault_57_QueuedLocally(t *testing.T) {
	s := &script{sync: []http.HandlerFunc{status(422, "Invalid", "sendInitialEvents is forbidden")},
		list: []http.HandlerFunc{page("9", "next", 1, pod("a", 3)), page("9", "next", 1, pod("b", 3)), page("9", "", 0, pod("c", 3))}}
	fake(t, s, rigOptions{cluster: ClusterOptions{QPS: 0.5, Burst: 1}}, func(r *rig) {
		r.reach(10*time.Second, model.Live)
		if notes := r.notes(model.CauseQueued); len(notes) != 2 || !strings.Contains(notes[0], "queued locally") {
			t.Errorf("notes %q", notes)
		}
		if d := s.gotAt[3].Sub(s.gotAt[2]); d < 1900*time.Millisecond {
			t.Errorf("the pages came %v apart at --qps 0.5", d)
		}
	})
}

func TestFirstRowsBeforeTheListIsComplete(t *testing.T) {
	s := &script{sync: []http.HandlerFunc{status(422, "Invalid", "sendInitialEvents is forbidden")},
		list: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9","remainingItemCount":700,"continue":"x"},"items":[%s,`, pod("a", 3))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}}}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.until(time.Second, "the first row", func() bool { return len(r.objects()) == 1 })
		if st := r.log.Streams(time.Now())[0]; st.State != model.Syncing || st.Last.Total != 1200 {
			t.Errorf("state %v, total %d", st.State, st.Last.Total)
		}
		r.until(2*time.Minute, "a stalled list is given up", func() bool { return s.count("list") > 1 })
	})
}
