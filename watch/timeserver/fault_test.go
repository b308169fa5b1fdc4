package timeserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// ended reads a watch to its end; it returns the frames and how it ended.
func ended(w *wire) (types []string, err error) {
	for {
		f, err := w.next()
		if err != nil {
			return types, err
		}
		types = append(types, strings.TrimSpace(f.Type+" "+f.Object.Metadata.Name))
	}
}

// TestStreamFaults has two pods in the store and asks for the initial state,
// with bookmarks: ADDED a, ADDED b, BOOKMARK.
func TestStreamFaults(t *testing.T) {
	zero := "0"
	for name, c := range map[string]struct {
		fault Fault
		want  string // frames
		clean bool   // how it ends
	}{
		"close at once":        {Fault{CloseAfter: -1}, "", true},
		"close after one":      {Fault{CloseAfter: 1}, "ADDED a", true},
		"close after a time":   {Fault{CloseAfterTime: time.Millisecond}, "ADDED a, ADDED b, BOOKMARK", true},
		"cut at once":          {Fault{CutAfter: -1}, "", false},
		"cut after two":        {Fault{CutAfter: 2}, "ADDED a, ADDED b", false},
		"cut in mid-frame":     {Fault{CutAfter: 1, CutMidFrame: true}, "ADDED a", false},
		"cut in the first":     {Fault{CutAfter: -1, CutMidFrame: true}, "", false},
		"cut after a time":     {Fault{CutAfterTime: time.Millisecond}, "ADDED a, ADDED b, BOOKMARK", false},
		"error at once":        {Fault{ErrorFrame: ExpiredStatus(1, 2)}, "ERROR", true},
		"error after one":      {Fault{ErrorFrame: ErrorStatus(500, "", "no"), ErrorAfter: 1}, "ADDED a, ERROR", true},
		"no end bookmark":      {Fault{NoEndBookmark: true, CloseAfterTime: time.Millisecond}, "ADDED a, ADDED b", true},
		"no bookmarks":         {Fault{NoBookmarks: true, CloseAfterTime: time.Millisecond}, "ADDED a, ADDED b", true},
		"RV zero":              {Fault{RV: &zero, CloseAfter: 3}, "ADDED a, ADDED b, BOOKMARK", true},
		"frames of our own":    {Fault{CloseAfter: 3, Frame: twice}, "ADDED a, ADDED a, ADDED b, ADDED b, BOOKMARK, BOOKMARK", true},
		"an unknown type":      {Fault{CloseAfter: 1, Frame: renamed}, "SPLENDID a", true},
		"slow, frame by frame": {Fault{CloseAfter: 2, FrameDelay: time.Millisecond}, "ADDED a, ADDED b", true},
	} {
		t.Run(name, func(t *testing.T) {
			s, e := serve(t, Options{})
			put(t, s, "pods", pod("shop", "a"))
			put(t, s, "pods", pod("shop", "b"))
			c.fault.Times = 1
			s.Inject(c.fault)
			q := url.Values{"allowWatchBookmarks": {"true"}}
			got, err := ended(watchPods(t, e, q))
			if s := strings.Join(got, ", "); s != c.want || (err == io.EOF) != c.clean {
				t.Errorf("got %s, %v; want %s, clean: %v", s, err, c.want, c.clean)
			}
			if mid := strings.Contains(fmt.Sprint(err), "of a frame"); mid != c.fault.CutMidFrame {
				t.Errorf("ended with %v", err)
			}
			watchPods(t, e, q).want("ADDED a", "ADDED b", "BOOKMARK") // once only
		})
	}
}

func twice(typ watch.EventType, object []byte) []byte {
	f := EncodeFrame(typ, object)
	return append(f, f...)
}

func renamed(_ watch.EventType, object []byte) []byte { return EncodeFrame("SPLENDID", object) }

func TestRVFaultReachesObjectsAndLists(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a"))
	none := ""
	defer s.Inject(Fault{RV: &none, Match: func(*http.Request) bool { return true }})()
	if f := watchPods(t, e, nil).want("ADDED a"); f.Object.Metadata.ResourceVersion != "" {
		t.Errorf("%+v", f)
	}
	if l, _ := listPods(t, e, ""); l.Metadata.ResourceVersion != "" || l.Items[0].Metadata.ResourceVersion != "" {
		t.Errorf("%+v", l)
	}
	if s.store.get(s.store.lookup("", "v1", "pods"), "shop", "a").rv == 0 {
		t.Error("the store itself was changed")
	}
}

func TestAnswerFaults(t *testing.T) {
	s, e := serve(t, Options{})
	for _, c := range []struct {
		fault  Fault
		code   int32
		reason metav1.StatusReason
		after  string
	}{
		{Fault{Status: 429, RetryAfter: 1500 * time.Millisecond}, 429, "TooManyRequests", "2"},
		{Initialising(time.Second), 429, "TooManyRequests", "1"},
		{Fault{Status: 429}, 429, "TooManyRequests", ""},
		{Fault{Err: TooLarge(9, 5)}, 504, "Timeout", "1"},
		{Fault{Status: 401}, 401, "Unauthorized", ""},
		{Fault{Status: 403, Message: "pods is forbidden"}, 403, "Forbidden", ""},
		{Fault{Status: 404}, 404, "NotFound", ""},
		{Fault{Status: 405}, 405, "MethodNotAllowed", ""},
		{Fault{Status: 410}, 410, "Expired", ""},
		{Fault{Status: 422}, 422, "Invalid", ""},
		{Fault{Status: 500, Reason: "Weird"}, 500, "Weird", ""},
		{Fault{Status: 503}, 503, "ServiceUnavailable", ""},
	} {
		c.fault.Times, c.fault.Match = 1, Watches("pods")
		s.Inject(c.fault)
		st, res := status(t, e, "/api/v1/pods?watch=true")
		if st.Code != c.code || st.Reason != c.reason || res.Header.Get("Retry-After") != c.after || st.Message == "" {
			t.Errorf("%+v: %+v, Retry-After %q", c.fault, st, res.Header.Get("Retry-After"))
		}
	}
	s.Inject(Fault{Body: []byte("<html>"), ContentType: "text/html", Times: 1})
	res := get(t, e, "/api/v1/pods", url.Values{"watch": {"true"}})
	if b, _ := io.ReadAll(res.Body); string(b) != "<html>" || res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/html" {
		t.Errorf("%d %s", res.StatusCode, b)
	}
}

func TestSilence(t *testing.T) {
	s, e := serve(t, Options{BookmarkEvery: time.Millisecond})
	put(t, s, "pods", pod("shop", "a"))
	frames := func(w *wire) chan string {
		c := make(chan string, 100)
		go func() {
			defer close(c)
			for {
				f, err := w.next()
				if err != nil {
					return
				}
				c <- f.Type + " " + f.Object.Metadata.Name
			}
		}()
		return c
	}
	remove := s.Inject(Fault{SilentAfter: 1})
	born := frames(watchPods(t, e, nil)) // silent from its second frame
	remove()
	later := frames(watchPods(t, e, nil)) // silenced in the middle
	if a, b := <-born, <-later; a != "ADDED a" || b != "ADDED a" {
		t.Fatal(a, b)
	}
	if n := s.Silence(Watches("pods")); n != 2 {
		t.Fatalf("%d silenced", n)
	}
	put(t, s, "pods", pod("shop", "b"))
	select {
	case f := <-born:
		t.Errorf("heard %s", f)
	case f := <-later:
		t.Errorf("heard %s", f)
	case <-time.After(50 * time.Millisecond):
	}
	s.CloseAll()
	if _, open := <-born; open {
		t.Error("heard something after the end")
	}
	<-later
}

func TestHeaderDelayAndHang(t *testing.T) {
	s, e := serve(t, Options{})
	s.Inject(Fault{HeaderDelay: 40 * time.Millisecond, Times: 1})
	s.Inject(Fault{Hang: true, Times: 1})
	s.Inject(Fault{Abort: true, Times: 1})
	begun := time.Now()
	watchPods(t, e, nil)
	if d := time.Since(begun); d < 40*time.Millisecond {
		t.Errorf("headers after %v", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", e.URL()+"/api/v1/pods?watch=1", nil)
	ended := make(chan error, 1)
	go func() { _, err := http.DefaultClient.Do(req); ended <- err }()
	eventually(t, "the request is there", func() bool { return len(s.Requests()) == 2 })
	select {
	case err := <-ended:
		t.Errorf("it does not hang: %v", err)
	case <-time.After(40 * time.Millisecond):
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("hang: %v", err)
		}
	}
	if _, err := http.Get(e.URL() + "/api/v1/pods?watch=1"); !errors.Is(err, io.EOF) {
		t.Errorf("abort: %v", err)
	}
}

func TestRequestsAreRemembered(t *testing.T) {
	s, e := serve(t, Options{})
	s.Inject(Fault{Status: 503, Times: 1, Match: Lists("pods")})
	get(t, e, "/api/v1/namespaces/shop/pods", url.Values{"limit": {"5"}})
	get(t, e, "/apis/apps/v1/deployments", url.Values{"watch": {"1"}})
	rs := s.Requests()
	if len(rs) != 2 || rs[0].Verb != "list" || rs[0].Status != 503 || !rs[0].Faulty || rs[0].Query.Get("limit") != "5" ||
		rs[1].Verb != "watch" || rs[1].Group != "apps" || rs[1].Status != 200 || rs[1].Faulty {
		t.Errorf("%+v", rs)
	}
	for range keptRequests + 10 {
		s.begin(&exchange{r: &http.Request{Method: "GET", URL: &url.URL{Path: "/version"}}})
	}
	if n := len(s.Requests()); n > keptRequests || n < keptRequests/2 {
		t.Errorf("%d requests kept", n)
	}
}

// h2 is a client that speaks HTTP/2 with prior knowledge.
func h2(t *testing.T) *http.Client {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: &p}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func TestHTTP2ResetAndGoAway(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a"))
	c := h2(t)
	s.Inject(Fault{CutAfter: 1, Times: 1})
	open := func() *http.Response {
		res, err := c.Get(e.URL() + "/api/v1/pods?watch=true")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	res := open()
	if _, err := io.ReadAll(res.Body); res.Proto != "HTTP/2.0" || err == nil || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
		t.Errorf("%s: %v, want RST_STREAM", res.Proto, err)
	}
	open()
	if n := e.Conns(); n != 1 {
		t.Errorf("%d connections: a reset stream must not cost the others theirs", n)
	}
	s.Inject(Fault{GoAway: true, Times: 1})
	open()
	for e.Conns() < 2 { // the next requests go elsewhere, once GOAWAY has arrived
		open()
	}
}

func TestEndpointDownAndUp(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a"))
	w := watchPods(t, e, nil)
	w.want("ADDED a")
	addr := e.URL()
	e.Down()
	if _, err := w.next(); err == nil || err == io.EOF {
		t.Errorf("the open watch ended with %v", err)
	}
	if _, err := http.Get(addr + "/version"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("down: %v, want refused", err)
	}
	if err := e.Up(); err != nil {
		t.Fatal(err)
	}
	w = watchPods(t, e, nil)
	w.want("ADDED a")
	e.CutAll()
	if _, err := w.next(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("cut: %v, want a reset", err)
	}
	e.Close()
	if err := e.Up(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("up after close: %v", err)
	}
}

func TestCloseAllReachesAReaderThatDoesNotRead(t *testing.T) {
	s, e := serve(t, Options{WatchBuffer: 1 << 20})
	watchPods(t, e, nil)
	for i := range 20 {
		put(t, s, "pods", bigPod(i, 1<<20))
	}
	time.Sleep(50 * time.Millisecond) // the write is stuck by now
	s.CloseAll()
	for s.OpenWatches() > 0 {
		time.Sleep(time.Millisecond)
	}
}
