package watch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

// requests are those of a stream that the log tells of, as far as it tells.
func (r *rig) requests(id model.StreamID) (out []model.Request) {
	for _, t := range r.steps(id) {
		q := t.Request
		switch {
		case q == nil:
		case int(q.Number) == len(out)+1:
			out = append(out, *q)
		case int(q.Number) == len(out):
			out[len(out)-1] = *q
		default:
			r.Errorf("stream %d tells of request %d after %d\n%s", id, q.Number, len(out), r.dump())
		}
	}
	return out
}

// checkRequests finds that the log tells of each request how it ended.
func (r *rig) checkRequests() {
	r.Helper()
	for i := range r.log.Streams(time.Now()) {
		for _, q := range r.requests(model.StreamID(i)) {
			if !q.Ended || q.Text == "" && q.Cause == model.CauseNone || q.Path == "" || q.Sent.IsZero() {
				r.Errorf("stream %d: how did this request end? %v", i, &q)
			}
		}
	}
}

func TestRequestsAreTold(t *testing.T) {
	s := &script{
		list: []http.HandlerFunc{page("7", "a-token-that-holds-names", 2, pod("a", 3), pod("b", 4)), page("7", "", 0, pod("c", 5))},
		watch: []http.HandlerFunc{func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Audit-Id", "audit-1")
			w.Header().Set("Set-Cookie", "session=hush")
			w.Header().Set("X-Kubernetes-Pf-Flowschema-Uid", "flow-1")
			for range 20 {
				w.Header().Add("Warning", "299 - \"old\x9b31m"+strings.Repeat("!", 2000)+"\"")
			}
			open(modified("a", 9))(w, q)
		}, hang},
	}
	target := pods
	target.CanWatch, target.Label, target.Namespace = true, "app in (a,b)", "shop"
	fake(t, s, rigOptions{target: target, engine: Options{PageSize: 2}}, func(r *rig) {
		r.cluster.avoidWatchList(target.resourceKey(), model.CauseNoEndMark)
		r.reach(time.Second, model.Live)
		time.Sleep(500 * time.Millisecond)
		open := r.requests(r.id)[2]
		if open.Ended || open.Status != 200 || open.Verb != model.VerbWatch || open.Frames != 1 {
			t.Errorf("the open watch: %v", &open)
		}
		r.net.cut()
		r.until(5*time.Second, "the next watch", func() bool { return s.count("watch") == 2 && r.state(r.id) == model.Live })
		r.engine.SetPaused(r.id, true)
		r.reach(time.Second, model.Paused)

		got := r.requests(r.id)
		for i, want := range []struct {
			verb, query, text string
			frames            int64
			cause             model.Cause
		}{
			{model.VerbList, "labelSelector=app+in+%28a%2Cb%29&limit=2", "one page, 2 objects more", 2, ""},
			{model.VerbList, "continue=a-token-that%E2%80%A6&labelSelector=app+in+%28a%2Cb%29&limit=2", "the whole list", 1, ""},
			{model.VerbWatch, "allowWatchBookmarks=true&labelSelector=app+in+%28a%2Cb%29&resourceVersion=7&timeoutSeconds=", "connection cut", 1, model.CauseCut},
			{model.VerbWatch, "allowWatchBookmarks=true&labelSelector=app+in+%28a%2Cb%29&resourceVersion=9&timeoutSeconds=", "paused", 0, model.CauseUser},
		} {
			q := &got[i]
			if q.Verb != want.verb || q.Path != "/api/v1/namespaces/shop/pods" || !strings.HasPrefix(q.Query, want.query) || !strings.Contains(q.Text, want.text) ||
				q.Frames != want.frames || q.Cause != want.cause || q.Status != 200 || q.Proto != "HTTP/1.1" || q.Bytes == 0 && want.frames > 0 {
				t.Errorf("request %d is %v", i+1, q)
			}
		}
		if len(got) != 4 {
			t.Errorf("%d requests", len(got))
		}
		q := &got[2]
		if q.Get("audit-id") != "audit-1" || q.Get("X-Kubernetes-Pf-Flowschema-Uid") != "flow-1" || q.Get("Content-Type") != "application/json" {
			t.Errorf("headers %q", q.Header)
		}
		if all := fmt.Sprint(q.Header); strings.Contains(all, "hush") || strings.Contains(all, "\x9b") || len(all) > 9*textLimit {
			t.Errorf("headers %.300q, %d bytes", all, len(all))
		}
		if ahead, known := q.Skew(); !known || ahead.Abs() > time.Second {
			t.Errorf("the server's clock is %v ahead, %v", ahead, known)
		}
		for _, e := range r.log.Streams(time.Now()) {
			if e.Reconnects != 1 {
				t.Errorf("%d reconnects", e.Reconnects)
			}
		}
	})
}

// A step that only tells of a request leaves the state as it was.
func TestARequestWithoutAStepChangesNothing(t *testing.T) {
	served(t, timeserver.Options{NoWatchList: true}, rigOptions{engine: Options{PageSize: 1}}, func(r *rig, s *timeserver.Server) {
		r.reach(2*time.Second, model.Live)
		bare, since := 0, time.Time{}
		for _, e := range r.rows(model.StreamChange) {
			step := e.Detail.(model.Transition)
			if step.Bare() {
				bare++
			} else if step.To == model.Live {
				since = e.When()
			}
		}
		if st := r.log.Streams(time.Now())[0]; bare == 0 || st.Last.Bare() || !st.Since.Equal(since) {
			t.Errorf("%d bare steps, live since %v, not %v: %+v", bare, st.Since, since, st.Last)
		}
	})
}

// What is refused before it is answered, and what no answer comes to.
func TestRequestsThatFail(t *testing.T) {
	faults := []timeserver.Fault{{Times: 1, Abort: true}, {Times: 1, Status: 503, Message: "no etcd leader"}}
	served(t, timeserver.Options{}, rigOptions{faults: faults}, func(r *rig, s *timeserver.Server) {
		r.reach(5*time.Minute, model.Live)
		got := r.requests(r.id)
		if q := got[0]; q.Status != 0 || q.Wait != 0 || q.Cause != model.CauseCut || q.Header != nil {
			t.Errorf("aborted: %v", &q)
		}
		if q := got[1]; q.Status != 503 || q.Cause != model.CauseServerError || !strings.Contains(q.Text, "no etcd leader") || q.Bytes == 0 {
			t.Errorf("refused: %v", &q)
		}
	})
}
