package timeserver

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type list struct {
	Kind, APIVersion string
	Metadata         metav1.ListMeta
	Items            []struct {
		Kind, APIVersion string
		Metadata         metav1.ObjectMeta
	}
}

func (l list) names() string {
	var n []string
	for _, i := range l.Items {
		n = append(n, i.Metadata.Name)
	}
	return strings.Join(n, " ")
}

// listPods lists with a query such as "limit=2&resourceVersion=0".
func listPods(t *testing.T, e *Endpoint, query string) (l list, code int) {
	t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	res := get(t, e, "/api/v1/namespaces/shop/pods", q)
	body(t, res, &l)
	return l, res.StatusCode
}

// status fetches what must be a Status.
func status(t *testing.T, e *Endpoint, pathAndQuery string) (metav1.Status, *http.Response) {
	t.Helper()
	res, err := http.Get(e.URL() + pathAndQuery)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var st metav1.Status
	body(t, res, &st)
	if st.Kind != "Status" || int(st.Code) != res.StatusCode {
		t.Errorf("%s: %d, not a Status: %+v", pathAndQuery, res.StatusCode, st)
	}
	return st, res
}

func TestListPages(t *testing.T) {
	s, e := serve(t, Options{})
	for _, n := range []string{"e", "d", "c", "b", "a"} {
		put(t, s, "pods", pod("shop", n))
	}
	put(t, s, "pods", pod("pay", "other"))
	l, _ := listPods(t, e, "limit=2")
	if l.names() != "a b" || l.Kind != "PodList" || *l.Metadata.RemainingItemCount != 3 || l.Items[0].Kind != "" {
		t.Fatalf("page 1: %+v", l)
	}
	rv := l.Metadata.ResourceVersion
	// What happens between the pages does not show: the list is of one moment.
	put(t, s, "pods", pod("shop", "bb"))
	if _, err := s.Store().Delete("pods", "shop", "d"); err != nil {
		t.Fatal(err)
	}
	l, _ = listPods(t, e, "limit=2&continue="+l.Metadata.Continue)
	if l.names() != "c d" || l.Metadata.ResourceVersion != rv || *l.Metadata.RemainingItemCount != 1 {
		t.Fatalf("page 2: %+v", l)
	}
	again := l.Metadata.Continue
	if l, _ = listPods(t, e, "limit=2&continue="+again); l.names() != "e" || l.Metadata.Continue != "" {
		t.Fatalf("page 3: %+v", l)
	}
	s.Store().Compact()
	st, _ := status(t, e, "/api/v1/namespaces/shop/pods?limit=2&continue="+again)
	if st.Code != 410 || st.Reason != metav1.StatusReasonExpired || st.Continue == "" {
		t.Fatalf("expired page: %+v", st)
	}
	if l, _ = listPods(t, e, "limit=2&continue="+st.Continue); l.names() != "e" {
		t.Errorf("the inconsistent rest: %+v", l)
	}
	if l, _ = listPods(t, e, "limit=2&resourceVersion=0"); len(l.Items) != 5 {
		t.Errorf("limit at 0 must be ignored: %+v", l)
	}
	if l, _ = listPods(t, e, "limit=2&labelSelector=!x"); l.Metadata.RemainingItemCount != nil || l.Metadata.Continue == "" {
		t.Errorf("remainingItemCount with a selector: %+v", l.Metadata)
	}
}

func TestCustomResourceItemsNameTheirKind(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "widgets", pod("shop", "gear"))
	var l list
	body(t, get(t, e, "/apis/acme.example/v1/widgets", nil), &l)
	if l.Items[0].Kind != "Widget" || l.Items[0].APIVersion != "acme.example/v1" {
		t.Errorf("%+v", l)
	}
}

func TestListAtResourceVersions(t *testing.T) {
	s, e := serve(t, Options{TooLargeWait: 20 * time.Millisecond})
	rv1 := put(t, s, "pods", pod("shop", "a"))
	rv2 := put(t, s, "pods", pod("shop", "b"))
	for query, want := range map[string]string{
		fmt.Sprintf("resourceVersion=%d&resourceVersionMatch=Exact", rv1):        "a",
		fmt.Sprintf("resourceVersion=%d&resourceVersionMatch=NotOlderThan", rv1): "a b",
		fmt.Sprintf("resourceVersion=%d", rv2):                                   "a b",
	} {
		if l, code := listPods(t, e, query); code != 200 || l.names() != want {
			t.Errorf("%s: %d %s, want %s", query, code, l.names(), want)
		}
	}
	st, res := status(t, e, fmt.Sprintf("/api/v1/pods?resourceVersion=%d", rv2+1))
	if st.Code != 504 || st.Reason != metav1.StatusReasonTimeout || st.Details.RetryAfterSeconds != 1 ||
		st.Details.Causes[0].Type != metav1.CauseTypeResourceVersionTooLarge || res.Header.Get("Retry-After") != "1" {
		t.Errorf("too large: %+v", st)
	}
	s.Store().Compact()
	if st, _ = status(t, e, fmt.Sprintf("/api/v1/pods?resourceVersion=%d&resourceVersionMatch=Exact", rv1)); st.Code != 410 {
		t.Errorf("exact and compacted: %+v", st)
	}
}

func TestListWaitsForAVersionThatComes(t *testing.T) {
	s, e := serve(t, Options{})
	next := s.Store().RV() + 1
	got := make(chan int)
	go func() {
		res, err := http.Get(e.URL() + fmt.Sprintf("/api/v1/pods?resourceVersion=%d", next))
		if err != nil {
			got <- 0
			return
		}
		res.Body.Close()
		got <- res.StatusCode
	}()
	for len(s.Requests()) == 0 {
		time.Sleep(time.Millisecond)
	}
	put(t, s, "pods", pod("shop", "a"))
	if code := <-got; code != 200 {
		t.Errorf("status %d", code)
	}
}

func TestRefusals(t *testing.T) {
	s, e := serve(t, Options{Allow: func(a Access) bool { return a.Resource != "nodes" }})
	put(t, s, "pods", pod("shop", "a"))
	for _, c := range []struct {
		path   string
		code   int32
		reason metav1.StatusReason
		text   string
	}{
		{"/api/v1/namespaces/shop/pods/b", 404, metav1.StatusReasonNotFound, `pods "b" not found`},
		{"/api/v1/nodes", 403, metav1.StatusReasonForbidden, `cannot list resource "nodes" in API group "" at the cluster scope`},
		{"/api/v1/pods?resourceVersion=x", 500, "", "invalid syntax"},
		{"/api/v1/pods?watch=1&resourceVersion=x", 500, "", "invalid syntax"},
		{"/api/v1/pods?labelSelector=a==b==c", 400, metav1.StatusReasonBadRequest, "found '=='"},
		{"/api/v1/pods?fieldSelector=spec.x=1", 400, metav1.StatusReasonBadRequest, "field label not supported: spec.x"},
		{"/api/v1/pods?watch=true&sendInitialEvents=true", 422, metav1.StatusReasonInvalid, "NotOlderThan"},
		{"/api/v1/pods?resourceVersionMatch=Exact", 422, metav1.StatusReasonInvalid, "forbidden unless resourceVersion"},
		{"/api/v1/pods?continue=rubbish", 400, metav1.StatusReasonBadRequest, "continue"},
	} {
		if st, _ := status(t, e, c.path); st.Code != c.code || st.Reason != c.reason || !strings.Contains(st.Message, c.text) {
			t.Errorf("%s: %+v", c.path, st)
		}
	}
	for _, path := range []string{"/api/v1/gizmos", "/apis/none/v1/pods", "/api/v1/pods/a", "/api/v1/namespaces/shop/nodes", "/openapi/v4"} {
		if res := get(t, e, path, nil); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	// What kubectl shows of this is the text, and only with this code.
	if res, body := answer(t, e.URL()+"/openapi/v2", nil); res.StatusCode != 406 || !strings.Contains(string(body), "read-only") ||
		!strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("/openapi/v2: %d %q", res.StatusCode, body)
	}
}

func TestWritesAreRefused(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a"))
	before := s.Store().RV()
	for _, m := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		for _, path := range []string{"/api/v1/namespaces/shop/pods", "/api/v1/namespaces/shop/pods/a", "/api"} {
			req, _ := http.NewRequest(m, e.URL()+path, strings.NewReader(`{}`))
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != 405 || !strings.Contains(string(b), "rewatch serves the past read-only") {
				t.Errorf("%s %s: %d %s", m, path, res.StatusCode, b)
			}
		}
	}
	if s.Store().RV() != before {
		t.Error("something was written")
	}
}

func TestAuthenticate(t *testing.T) {
	_, e := serve(t, Options{Authenticate: func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer ok" }})
	if st, _ := status(t, e, "/api/v1/pods"); st.Code != 401 || st.Reason != metav1.StatusReasonUnauthorized {
		t.Errorf("%+v", st)
	}
}

func TestEveryAnswerHasDateAndAuditID(t *testing.T) {
	_, e := serve(t, Options{})
	for _, path := range []string{"/version", "/api/v1/pods", "/api/v1/pods/x", "/nothing"} {
		if h := get(t, e, path, nil).Header; h.Get("Date") == "" || len(h.Get("Audit-Id")) != 36 {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestWatchFromAVersion(t *testing.T) {
	s, e := serve(t, Options{})
	rv := put(t, s, "pods", pod("shop", "a"))
	put(t, s, "pods", pod("shop", "b"))
	put(t, s, "pods", pod("shop", "a"))
	watchPods(t, e, url.Values{"resourceVersion": {fmt.Sprint(rv)}}).want("ADDED b", "MODIFIED a")
	for _, v := range []string{"", "0"} {
		w := watchPods(t, e, url.Values{"resourceVersion": {v}, "timeoutSeconds": {"1"}})
		w.want("ADDED a", "ADDED b")
		if _, err := w.next(); err != io.EOF { // no bookmarks, as none were asked for
			t.Errorf("at %q: %v", v, err)
		}
	}
}

func TestExpiredWatch(t *testing.T) {
	for _, asStatus := range []bool{false, true} {
		s, e := serve(t, Options{ExpiredStatus: asStatus})
		rv := put(t, s, "pods", pod("shop", "a"))
		put(t, s, "pods", pod("shop", "a"))
		s.Store().Compact()
		text := fmt.Sprintf("too old resource version: %d (%d)", rv, s.Store().RV())
		path := fmt.Sprintf("/api/v1/pods?watch=true&resourceVersion=%d", rv)
		if asStatus {
			if st, _ := status(t, e, path); st.Code != 410 || st.Reason != "Expired" || st.Message != text {
				t.Errorf("%+v", st)
			}
			continue
		}
		w := watchPods(t, e, url.Values{"resourceVersion": {fmt.Sprint(rv)}})
		f := w.want("ERROR")
		if o := f.Object; w.res.StatusCode != 200 || o.Code != 410 || o.Reason != "Expired" || o.Message != text || o.Kind != "Status" {
			t.Errorf("%+v", f)
		}
		if _, err := w.next(); err != io.EOF {
			t.Errorf("after the error: %v", err)
		}
	}
}

func TestCompactionSparesRunningWatches(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a"))
	w := watchPods(t, e, nil)
	w.want("ADDED a")
	put(t, s, "nodes", []byte(`{"metadata":{"name":"n"}}`))
	s.Store().Compact()
	put(t, s, "pods", pod("shop", "b"))
	w.want("ADDED b")
}

func TestBookmarks(t *testing.T) {
	s, e := serve(t, Options{BookmarkEvery: 10 * time.Millisecond})
	rv := put(t, s, "pods", pod("shop", "a"))
	q := url.Values{"resourceVersion": {fmt.Sprint(rv)}, "allowWatchBookmarks": {"true"}}
	w := watchPods(t, e, q)
	time.Sleep(50 * time.Millisecond) // nothing moved past the start: no bookmark
	now := put(t, s, "nodes", []byte(`{"metadata":{"name":"n"}}`))
	for range 2 {
		if f := w.want("BOOKMARK"); f.Object.Metadata.ResourceVersion != fmt.Sprint(now) || f.Object.Kind != "Pod" ||
			len(f.Object.Metadata.Annotations) != 0 {
			t.Errorf("bookmark %+v, want RV %d", f, now)
		}
	}
	// Where all stands still by intent, watches are heard of all the same.
	still, e2 := serve(t, Options{BookmarkEvery: 10 * time.Millisecond, Still: true})
	rv = put(t, still, "pods", pod("shop", "a"))
	w = watchPods(t, e2, url.Values{"resourceVersion": {fmt.Sprint(rv)}, "allowWatchBookmarks": {"true"}})
	for range 2 {
		if f := w.want("BOOKMARK"); f.Object.Metadata.ResourceVersion != fmt.Sprint(rv) {
			t.Errorf("bookmark %+v, want RV %d", f, rv)
		}
	}
	// Events are not cached: the mark of the end, and none after it.
	put(t, s, "events", pod("shop", "ev"))
	q = url.Values{"sendInitialEvents": {"true"}, "resourceVersionMatch": {"NotOlderThan"}, "allowWatchBookmarks": {"true"}}
	ev := openWatch(t, e, "/api/v1/events", q)
	ev.want("ADDED ev", "BOOKMARK")
	put(t, s, "nodes", []byte(`{"metadata":{"name":"n"}}`))
	time.Sleep(50 * time.Millisecond)
	put(t, s, "events", pod("shop", "ev2"))
	ev.want("ADDED ev2")
}

func TestBookmarksBeforeTheDeadline(t *testing.T) {
	s, e := serve(t, Options{})
	rv := s.Store().RV()
	put(t, s, "nodes", []byte(`{"metadata":{"name":"n"}}`))
	w := watchPods(t, e, url.Values{"resourceVersion": {fmt.Sprint(rv)}, "allowWatchBookmarks": {"true"}, "timeoutSeconds": {"2"}})
	w.want("BOOKMARK")
	for {
		if f, err := w.next(); err == io.EOF {
			return
		} else if err != nil || f.Type != "BOOKMARK" {
			t.Fatalf("%+v, %v", f, err)
		}
	}
}

func TestWatchFromTheFutureIsSilent(t *testing.T) {
	s, e := serve(t, Options{})
	next := s.Store().RV() + 1
	w := watchPods(t, e, url.Values{"resourceVersion": {fmt.Sprint(next)}})
	put(t, s, "pods", pod("shop", "a")) // this is next: not after it
	put(t, s, "pods", pod("shop", "b"))
	w.want("ADDED b")
}

func TestSelectorsMakeComingsAndGoings(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a", "app=web"))
	rv := put(t, s, "pods", pod("shop", "b", "app=api"))
	from := fmt.Sprint(rv)
	web := watchPods(t, e, url.Values{"resourceVersion": {from}, "labelSelector": {"app in (web)"}})
	one := watchPods(t, e, url.Values{"resourceVersion": {from}, "fieldSelector": {"metadata.name=b,metadata.namespace=shop"}})
	ns := openWatch(t, e, "/api/v1/namespaces/pay/pods", url.Values{"resourceVersion": {from}})
	put(t, s, "pods", pod("shop", "b", "app=web"))
	put(t, s, "pods", pod("shop", "b", "app=web", "x=y"))
	put(t, s, "pods", pod("pay", "c", "app=none"))
	left := put(t, s, "pods", pod("shop", "a", "app=api"))
	web.want("ADDED b", "MODIFIED b")
	gone := web.want("DELETED a")
	if gone.Object.Metadata.ResourceVersion != fmt.Sprint(left) {
		t.Errorf("DELETED carries RV %s, want %d, that of the change", gone.Object.Metadata.ResourceVersion, left)
	}
	one.want("MODIFIED b", "MODIFIED b")
	ns.want("ADDED c")
}

func TestRecreatedObjectsGoAndCome(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", []byte(`{"metadata":{"name":"a","namespace":"shop","uid":"one"}}`))
	w := watchPods(t, e, nil)
	w.want("ADDED a")
	put(t, s, "pods", []byte(`{"metadata":{"name":"a","namespace":"shop","uid":"two"}}`))
	gone, come := w.want("DELETED a"), w.want("ADDED a")
	if gone.Object.Metadata.UID != "one" || come.Object.Metadata.UID != "two" ||
		gone.Object.Metadata.ResourceVersion >= come.Object.Metadata.ResourceVersion {
		t.Errorf("%+v, %+v", gone, come)
	}
}

func TestRemovedResource(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "widgets", pod("shop", "gear"))
	w := openWatch(t, e, "/apis/acme.example/v1/widgets", nil)
	w.want("ADDED gear")
	if err := s.Store().RemoveResource("widgets"); err != nil {
		t.Fatal(err)
	}
	w.want("DELETED gear")
	if _, err := w.next(); err != io.EOF {
		t.Errorf("the watch goes on: %v", err)
	}
	if res := get(t, e, "/apis/acme.example/v1/widgets", nil); res.StatusCode != 404 {
		t.Errorf("status %d", res.StatusCode)
	}
	s.Store().AddResource(Resource{Group: "acme.example", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true})
	if res := get(t, e, "/apis/acme.example/v1/widgets", nil); res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestSlowReaderIsCutOff(t *testing.T) {
	s, e := serve(t, Options{WatchBuffer: 10, SlowGrace: time.Millisecond})
	w := watchPods(t, e, url.Values{"resourceVersion": {fmt.Sprint(s.Store().RV())}})
	n, got := 400, 0 // more than the buffers of the sockets hold
	for i := range n {
		put(t, s, "pods", bigPod(i, 64<<10))
		if i > 0 {
			continue
		}
		if _, err := w.next(); err != nil { // it reads, and then no more
			t.Fatal(err)
		}
		got++
	}
	for {
		_, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got++
	}
	if got >= n {
		t.Errorf("%d of %d changes before the end", got, n)
	}
}
