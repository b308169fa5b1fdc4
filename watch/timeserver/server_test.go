package timeserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pod is a small pod; labels are "k=v" pairs.
func pod(ns, name string, labels ...string) []byte {
	l := map[string]string{}
	for _, kv := range labels {
		k, v, _ := strings.Cut(kv, "=")
		l[k] = v
	}
	b, _ := json.Marshal(map[string]any{"metadata": map[string]any{"namespace": ns, "name": name, "labels": l}})
	return b
}

// bigPod is a pod of about n bytes.
func bigPod(i, n int) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":"p%d","namespace":"shop","annotations":{"a":"%s"}}}`, i, strings.Repeat("x", n))
}

// serve starts a server over a store of pods, deployments, nodes, events and
// a custom resource.
func serve(t *testing.T, o Options) (*Server, *Endpoint) {
	t.Helper()
	var rs []Resource
	for _, n := range []string{"pods", "deployments", "nodes", "events", "namespaces"} {
		r, _ := Builtin(n)
		rs = append(rs, r)
	}
	rs = append(rs, Resource{Group: "acme.example", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true})
	s := NewServer(NewStore(rs), o)
	e, err := NewEndpoint(s, EndpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		e.Close()
	})
	return s, e
}

func put(t *testing.T, s *Server, resource string, obj []byte) int64 {
	t.Helper()
	rv, err := s.Store().Put(resource, obj)
	if err != nil {
		t.Fatal(err)
	}
	return rv
}

// wire is a watch as a client sees it.
type wire struct {
	t   *testing.T
	res *http.Response
	br  *bufio.Reader
}

type frame struct {
	Type   string
	Object struct {
		Kind, Message, Reason string
		Code                  int
		Metadata              struct {
			Name, Namespace, ResourceVersion, UID string
			Annotations                           map[string]string
		}
	}
}

func get(t *testing.T, e *Endpoint, path string, q url.Values) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // no test is to hang
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", e.URL()+path+"?"+q.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func watchPods(t *testing.T, e *Endpoint, q url.Values) *wire {
	t.Helper()
	return openWatch(t, e, "/api/v1/pods", q)
}

func openWatch(t *testing.T, e *Endpoint, path string, q url.Values) *wire {
	t.Helper()
	if q == nil {
		q = url.Values{}
	}
	q.Set("watch", "true")
	res := get(t, e, path, q)
	return &wire{t, res, bufio.NewReader(res.Body)}
}

// next is the next frame, or the error that the stream ended with.
func (w *wire) next() (frame, error) {
	w.t.Helper()
	line, err := w.br.ReadBytes('\n')
	if err != nil {
		if len(line) > 0 {
			err = fmt.Errorf("after %d bytes of a frame: %w", len(line), err)
		}
		return frame{}, err
	}
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		w.t.Fatalf("%q: %v", line, err)
	}
	return f, nil
}

// want fails unless the next frames are these, each "TYPE name".
func (w *wire) want(frames ...string) (last frame) {
	w.t.Helper()
	for _, s := range frames {
		f, err := w.next()
		if err != nil {
			w.t.Fatalf("want %s: %v", s, err)
		}
		if got := strings.TrimSpace(f.Type + " " + f.Object.Metadata.Name); got != s {
			w.t.Fatalf("got %s, want %s", got, s)
		}
		last = f
	}
	return last
}

func body(t *testing.T, res *http.Response, into any) {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
}

func TestWatchListThenChanges(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "b"))
	put(t, s, "pods", pod("shop", "a"))
	w := watchPods(t, e, url.Values{"sendInitialEvents": {"true"}, "resourceVersionMatch": {"NotOlderThan"},
		"allowWatchBookmarks": {"true"}})
	end := w.want("ADDED a", "ADDED b", "BOOKMARK")
	if end.Object.Metadata.Annotations["k8s.io/initial-events-end"] != "true" ||
		end.Object.Metadata.ResourceVersion != fmt.Sprint(s.Store().RV()) {
		t.Errorf("end bookmark: %+v", end)
	}
	put(t, s, "pods", pod("shop", "a"))
	if _, err := s.Store().Delete("pods", "shop", "b"); err != nil {
		t.Fatal(err)
	}
	put(t, s, "nodes", []byte(`{"metadata":{"name":"n"}}`))
	put(t, s, "pods", pod("shop", "c"))
	w.want("MODIFIED a", "DELETED b", "ADDED c")
}

func TestStartStops(t *testing.T) {
	s, _ := serve(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	u, stop, err := Start(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(u + "/api/v1/pods?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	cancel()
	stop()
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the watch ended in order; want it cut")
	}
	if n := s.OpenWatches(); n != 0 {
		t.Errorf("%d watches still served", n)
	}
}
