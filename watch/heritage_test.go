package watch

import (
	"net/http"
	"testing"
	"time"

	"rewatch/model"
)

// A namespace is left and watched again: scaled from 2 to 6 replicas, deleted,
// created and recreated meanwhile. The first list of the new stream is compared
// with what the log holds.
func TestWhatHappenedWhileNobodyWatchedIsFoundByTheNextStream(t *testing.T) {
	shop := pods
	shop.Namespace = "shop"
	for name, again := range map[string]http.HandlerFunc{
		"streamed": open2(added("same", 3), added("new", 14), added("web", 12), added("twice#2", 13), endMark("20")),
		"listed":   nil,
	} {
		s := &script{sync: []http.HandlerFunc{open2(added("same", 3), added("web", 5), added("gone", 6), added("twice", 7), endMark("9")), again}}
		if again == nil {
			s.list = []http.HandlerFunc{page("20", "", 0, pod("same", 3), pod("new", 14), pod("web", 12), pod("twice#2", 13))}
			s.sync[1] = status(400, "BadRequest", "sendInitialEvents is forbidden for watch")
		}
		fake(t, s, rigOptions{target: shop}, func(r *rig) {
			r.reach(time.Second, model.Live)
			r.engine.Remove(r.id)
			r.until(time.Second, "it is over", func() bool { return r.state(r.id) == model.Stopped })
			time.Sleep(time.Minute)
			second := r.engine.Add(r.cluster, shop)
			r.until(time.Minute, name+": the second is live", func() bool { return r.state(second) == model.Live })
			got := map[string]model.Event{}
			for _, e := range r.rows(model.Added, model.Modified, model.Deleted) {
				if e.Stream == second {
					id := r.log.Identity(e.Object)
					got[e.Type.String()+" "+id.Name] = e
				}
			}
			want := map[string]model.Flag{"ADDED same": model.Initial, "MODIFIED web": model.Synthetic, "DELETED gone": model.Synthetic,
				"DELETED twice": model.Synthetic, "ADDED twice": model.Synthetic | model.Recreated, "ADDED new": model.Synthetic}
			for what, flags := range want {
				if e, ok := got[what]; !ok || e.Flags != flags {
					t.Errorf("%s: %s is %+v, want the flags %b", name, what, e, flags)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: got %v", name, got)
			}
			if e := got["MODIFIED web"]; e.Version != 2 {
				t.Errorf("%s: it is version %d of the object, not the next one", name, e.Version)
			}
			if got["DELETED twice"].Seq > got["ADDED twice"].Seq {
				t.Errorf("%s: it is created before it is gone", name)
			}
			gaps := r.gaps()
			if len(gaps) != 1 {
				t.Fatalf("%s: gaps are %+v", name, gaps)
			}
			if g := gaps[0]; g.FromRV != "9" || g.ToRV != "20" || g.Cause != model.CauseUser || g.Took < time.Minute || g.Took > 2*time.Minute ||
				g.Added != 2 || g.Modified != 1 || g.Deleted != 2 {
				t.Errorf("%s: the gap is %+v", name, g)
			}
			if st := r.log.Streams(time.Now())[second]; st.Objects != 4 {
				t.Errorf("%s: %d objects exist, want 4", name, st.Objects)
			}
		})
	}
}

// A stream of something narrower does not have what it does not watch: that is
// not gone.
func TestWhatANewStreamDoesNotWatchIsNotTakenForGone(t *testing.T) {
	for _, narrow := range []func(*Target){
		func(x *Target) { x.Namespace = "other" },
		func(x *Target) { x.Label = "app=web" },
		func(x *Target) { x.Group = "metrics.k8s.io" },
	} {
		s := &script{sync: []http.HandlerFunc{open2(added("a", 5), endMark("9")), open2(endMark("12"))}}
		fake(t, s, rigOptions{}, func(r *rig) {
			r.reach(time.Second, model.Live)
			r.engine.Remove(r.id)
			r.until(time.Second, "it is over", func() bool { return r.state(r.id) == model.Stopped })
			x := pods
			narrow(&x)
			second := r.engine.Add(r.cluster, x)
			r.until(time.Minute, "the second is live", func() bool { return r.state(second) == model.Live })
			if rows := r.rows(model.Deleted, model.GapFound); len(rows) > 0 {
				t.Errorf("%s: %+v", x.Name(), rows)
			}
		})
	}
}

// The user changes what is watched: the next stream begins where the one before
// ended, and what both have is the same. That is no gap; after a longer time it is
// one, as what came and went meanwhile is not known.
func TestAChangeOfWhatIsWatchedIsNoGapIfNothingIsLost(t *testing.T) {
	for pause, want := range map[time.Duration]int{10 * time.Millisecond: 0, time.Minute: 1} {
		all, shop := pods, pods
		shop.Namespace = "shop"
		s := &script{sync: []http.HandlerFunc{open2(added("web", 5), endMark("9")), open2(added("web", 5), endMark("20"))}}
		fake(t, s, rigOptions{target: all}, func(r *rig) {
			r.reach(time.Second, model.Live)
			r.engine.Remove(r.id)
			r.until(time.Second, "it is over", func() bool { return r.state(r.id) == model.Stopped })
			time.Sleep(pause)
			second := r.engine.Add(r.cluster, shop)
			r.until(time.Minute, "the second is live", func() bool { return r.state(second) == model.Live })
			if gaps := r.gaps(); len(gaps) != want {
				t.Errorf("after %s: gaps are %+v, want %d", pause, gaps, want)
			}
		})
	}
}
