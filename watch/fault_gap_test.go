package watch

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/timeserver"
)

func TestFault_01_ServerTimeout(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		for range 6 { // something moves, so that there are bookmarks
			time.Sleep(time.Minute)
			put(s, "configmaps", "tick")
		}
		step := r.step(model.CauseTimeout)
		if step.To != model.Rotating || step.Took < 240*time.Second || step.Took > 301*time.Second || step.Attempt != 0 {
			t.Errorf("rotation %+v", step)
		}
		if n := len(r.rows(model.Bookmark)); n < 5 {
			t.Errorf("%d heartbeats in six minutes", n)
		}
		put(s, "pods", "a")
		r.same(time.Second, s, "pods")
		if got, want := r.objects(), []string{"+a Initial", "+b Initial", "~a"}; !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q: a rotation loses and repeats nothing", got, want)
		}
		if r.state(r.id) != model.Live || len(r.gaps()) != 0 || asked(s, isSync) != 1 {
			t.Errorf("after the rotation: %v, gaps %v\n%s", r.state(r.id), r.gaps(), r.dump())
		}
	})
}

// expire makes a live stream lose its history, with c deleted and d changed
// meanwhile and b deleted and created again.
func expire(r *rig, s *timeserver.Server) {
	put(s, "pods", "c")
	put(s, "pods", "d")
	r.same(time.Second, s, "pods")
	lift := s.Inject(timeserver.Fault{Status: 503})
	s.CloseAll()
	r.reach(time.Second, model.Backoff)
	del(s, "pods", "c")
	put(s, "pods", "d")
	del(s, "pods", "b")
	put(s, "pods", "b")
	put(s, "pods", "e")
	s.Store().Compact()
	lift()
	r.reach(10*time.Second, model.Live)
}

// checkExpiry holds the rows after expire against what happened.
func checkExpiry(r *rig, s *timeserver.Server) {
	r.Helper()
	r.same(time.Second, s, "pods")
	rows := r.objects()
	after := rows[slices.Index(rows, "+d")+1:]
	for _, want := range []string{"-c Synthetic", "~d Synthetic", "-b Synthetic", "+b Synthetic Recreated", "+e Synthetic", "+a Replayed"} {
		if !slices.Contains(after, want) {
			r.Errorf("no row %q in %q", want, after)
		}
	}
	if len(after) != 6 || slices.Index(after, "-b Synthetic") > slices.Index(after, "+b Synthetic Recreated") {
		r.Errorf("rows %q", after)
	}
	gaps := r.gaps()
	if len(gaps) != 1 {
		r.Fatalf("gaps %+v", gaps)
	}
	if g := gaps[0]; g.Added != 2 || g.Modified != 1 || g.Deleted != 2 || g.Cause != model.CauseExpired || g.FromRV == "" ||
		g.ToRV <= g.FromRV || g.Since.IsZero() || g.Took <= 0 {
		r.Errorf("gap %+v", g)
	}
	step := r.step(model.CauseExpired)
	if step.To != model.Expired || step.Status != 410 || !strings.Contains(step.Text, "too old resource version") {
		r.Errorf("step %+v", step)
	}
	if !slices.ContainsFunc(r.steps(r.id), func(t model.Transition) bool { return t.From == model.Relisting && t.To == model.Live }) {
		r.Errorf("no relist\n%s", r.dump())
	}
}

func TestFault_02_ExpiredInStream(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		expire(r, s)
		checkExpiry(r, s)
	})
}

func TestFault_03_ExpiredAsStatus(t *testing.T) {
	served(t, timeserver.Options{ExpiredStatus: true}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		expire(r, s)
		checkExpiry(r, s)
	})
}

func TestFault_04_GoneDuringTheGap(t *testing.T) {
	served(t, timeserver.Options{NoWatchList: true}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(10*time.Second, model.Live)
		last := s.Store().State("pods")[1] // b
		lift := s.Inject(timeserver.Fault{Status: 503})
		s.CloseAll()
		r.reach(time.Second, model.Backoff)
		del(s, "pods", "b")
		s.Store().Compact()
		lift()
		r.until(10*time.Second, "the gap", func() bool { return len(r.gaps()) == 1 })
		gone := r.rows(model.Deleted)
		if len(gone) != 1 || !gone[0].Has(model.Synthetic) {
			t.Fatalf("deletions %+v\n%s", gone, r.dump())
		}
		raw, ok := r.log.Bytes(gone[0].Object, gone[0].Version)
		m, _ := jsonscan.Identity(last)
		if !ok || !strings.Contains(string(raw), m.UID) || !strings.Contains(string(raw), `"edit"`) {
			t.Errorf("the deletion carries %s, last known was %s", raw, last)
		}
		r.same(time.Second, s, "pods")
		if got := r.objects(); len(got) != 3 {
			t.Errorf("rows %q: what a list finds unchanged is no row", got)
		}
	})
}

func TestFault_05_RecreatedInTheGap(t *testing.T) {
	served(t, timeserver.Options{NoWatchList: true}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(10*time.Second, model.Live)
		lift := s.Inject(timeserver.Fault{Status: 503})
		s.CloseAll()
		r.reach(time.Second, model.Backoff)
		del(s, "pods", "b")
		put(s, "pods", "b")
		s.Store().Compact()
		lift()
		r.until(10*time.Second, "the gap", func() bool { return len(r.gaps()) == 1 })
		if got, want := r.objects()[2:], []string{"-b Synthetic", "+b Synthetic Recreated"}; !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q", got, want)
		}
		rows := r.rows(model.Added, model.Deleted)
		if a, b := rows[len(rows)-2], rows[len(rows)-1]; a.Object == b.Object {
			t.Error("both incarnations are one object")
		}
		r.same(time.Second, s, "pods")
	})
}

func TestFault_19_HTMLInstead(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		r.reach(time.Second, model.Live)
		lift := s.Inject(timeserver.Fault{Body: []byte("<html>\x1b[31m<title>Sign in</title>"), ContentType: "text/html"})
		s.CloseAll()
		r.until(10*time.Second, "garbage", func() bool {
			return slices.ContainsFunc(r.steps(r.id), func(t model.Transition) bool { return t.Cause == model.CauseGarbage })
		})
		step := r.step(model.CauseGarbage)
		if step.To != model.Backoff || !strings.Contains(step.Text, "Sign in") || strings.Contains(step.Text, "\x1b") || step.Status != 200 {
			t.Errorf("step %+v", step)
		}
		lift()
		put(s, "pods", "a")
		r.same(time.Minute, s, "pods")
		if len(r.gaps()) != 0 {
			t.Errorf("gaps %+v: the position was still good", r.gaps())
		}
	})
}

func TestFault_19_NeverQuotesSecrets(t *testing.T) {
	target := Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}}
	secret := `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db","uid":"1","resourceVersion":"3"},"data":{"p":"U0VOVElORUw="}}`
	s := &script{
		sync: []http.HandlerFunc{
			frames(`{"type":"ADDED","object":` + secret + `,}`),
			frames(`"U0VOVElORUw="` + secret),
			frames(frame("ERROR", secret)),
			frames(frame("WEIRD", secret), frame("ADDED", `["U0VOVElORUw="]`)),
			cut(frame("ADDED", secret)[:140]),
		},
		list: []http.HandlerFunc{
			page("5", "", 0, secret+secret),
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusInternalServerError) },
			func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusForbidden) },
			page("5", "", 0, `"U0VOVElORUw="`, secret[:len(secret)-1]+`,,}`),
		},
	}
	fake(t, s, rigOptions{target: target}, func(r *rig) {
		r.until(2*time.Minute, "all answers", func() bool { return s.count("list") >= 4 })
		if d := r.dump(); strings.Contains(d, "U0VOV") || strings.Contains(d, "SENTINEL") {
			t.Error(d)
		}
	})
}
