package timeserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
)

// What was not watched does not look empty.
func TestPastCoverage(t *testing.T) {
	r := newRecording(t)
	shop, pay := r.stream("prod", "pods", "shop"), r.stream("prod", "pods", "pay")
	web := r.stream("prod", "configmaps", "", func(s *model.StreamInfo) { s.Label, s.Field = "app=web", "metadata.name=x" })
	nodes := r.stream("prod", "nodes", "")
	secrets := r.stream("prod", "secrets", "")
	other := r.stream("other", "services", "")
	for _, s := range []model.StreamID{shop, pay, web, nodes, other} {
		r.step(s, model.Idle, model.Connecting, "")
		r.step(s, model.Connecting, model.Live, "")
	}
	r.put(shop, "Pod", "shop", "a", 1, "")
	r.put(nodes, "Node", "", "n1", 2, "")
	r.step(secrets, model.Idle, model.Connecting, "")
	r.step(secrets, model.Connecting, model.Denied, "no rights")
	r.step(nodes, model.Live, model.Backoff, "connection refused\x1b[31m")
	tp := r.tape()
	p := loadPast(t, tp, "prod", r.at)
	for _, c := range []struct {
		what     Access
		warnings []string // parts of them
		err      string
	}{
		{what: Access{Resource: "pods", Namespace: "shop"}},
		{what: Access{Resource: "pods"}, warnings: []string{"pods were recorded only in namespaces pay, shop"}},
		{what: Access{Resource: "pods", Namespace: "web"}, err: "pods were recorded only in namespaces pay, shop, so nothing is known"},
		{what: Access{Resource: "configmaps", Namespace: "web"}, warnings: []string{"configmaps were recorded only where they match app=web metadata.name=x"}},
		{what: Access{Resource: "nodes"}, warnings: []string{"the watch of nodes was in state RETRY (connection refused"}},
		{what: Access{Resource: "secrets"}, err: "whoever recorded was not allowed to watch secrets"},
		{what: Access{Resource: "services"}, err: "services were not recorded"}, // only in the other context
		{what: Access{Resource: "namespaces"}, warnings: []string{"namespaces were not recorded"}},
	} {
		got, err := p.coverage(c.what)
		if c.err == "" && err != nil || c.err != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%+v: error %v, want %q", c.what, err, c.err)
		}
		if len(got) != len(c.warnings) {
			t.Errorf("%+v: warnings %q, want %q", c.what, got, c.warnings)
			continue
		}
		for i, w := range c.warnings {
			if !strings.Contains(got[i], w) {
				t.Errorf("%+v: warning %q, want %q", c.what, got[i], w)
			}
		}
	}
	address := servePast(t, p)
	res, err := http.Get(address + "/api/v1/nodes")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if w := res.Header.Get("Warning"); !strings.HasPrefix(w, `299 - "the watch of nodes`) || strings.ContainsAny(w, "\x1b") {
		t.Errorf("the header says %q", w)
	}
	for path, want := range map[string]int{"/api/v1/services": 404, "/api/v1/namespaces/web/pods": 403, "/api/v1/namespaces/shop/pods": 200} {
		res, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
		}
	}
	if got := Contexts(tp); !slices.Equal(got, []string{"other", "prod"}) {
		t.Errorf("contexts %q", got)
	}
}

// A stream that begins after the moment has said nothing yet.
func TestPastBeforeAStreamBegan(t *testing.T) {
	r := newRecording(t)
	pods := r.stream("prod", "pods", "")
	r.step(pods, model.Connecting, model.Live, "")
	r.put(pods, "Pod", "shop", "a", 1, "")
	at := r.at
	widgets := r.stream("prod", "widgets", "")
	r.step(widgets, model.Connecting, model.Live, "")
	r.put(widgets, "Widget", "shop", "w", 2, "")
	p := loadPast(t, r.tape(), "prod", at)
	what := Access{Group: "acme.example", Resource: "widgets"}
	if _, err := p.coverage(what); err == nil || !strings.Contains(err.Error(), "begins later") {
		t.Errorf("before: %v", err)
	}
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.coverage(what); err != nil || p.Store().count("widgets.acme.example") != 1 {
		t.Errorf("after: %v, %d widgets", err, p.Store().count("widgets.acme.example"))
	}
}

// A type whose stream began empty turns out to have namespaces while it is
// being served.
func TestPastCorrectsAScope(t *testing.T) {
	r := newRecording(t)
	pods := r.stream("prod", "pods", "")
	widgets := r.stream("prod", "widgets", "", func(s *model.StreamInfo) { s.Namespaced = false })
	r.put(pods, "Pod", "shop", "a", 5, "")
	at := r.at
	r.put(widgets, "Widget", "shop", "w", 6, "")
	p := loadPast(t, r.tape(), "prod", at)
	s := NewServer(p.Store(), p.Options())
	e, err := NewEndpoint(s, EndpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { http.DefaultClient.CloseIdleConnections(); e.Close() }()
	w := openWatch(t, e, "/apis/acme.example/v1/widgets", url.Values{"watch": {"1"}})
	var asking sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	asking.Go(func() {
		for ctx.Err() == nil {
			res, err := http.Get(e.URL() + "/apis/acme.example/v1/widgets")
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	})
	if err := p.Run(t.Context(), 20); err != nil {
		t.Fatal(err)
	}
	stop()
	asking.Wait()
	if f, err := w.next(); err != nil || f.Type != "ADDED" || f.Object.Metadata.Name != "w" {
		t.Errorf("the watch that was open: %s %s, %v", f.Type, f.Object.Metadata.Name, err)
	}
	var o metav1.PartialObjectMetadata
	if getJSON(t, e.URL()+"/apis/acme.example/v1/namespaces/shop/widgets/w", &o); o.Name != "w" {
		t.Errorf("got %q", o.Name)
	}
}

// Namespaces that were not recorded are made up, marked, and follow what
// moves; recorded ones are left alone.
func TestPastNamespaces(t *testing.T) {
	r := newRecording(t)
	pods := r.stream("prod", "pods", "")
	r.put(pods, "Pod", "shop", "a", 5, "")
	at := r.at
	r.put(pods, "Pod", "pay", "b", 6, "")
	p := loadPast(t, r.tape(), "prod", at)
	names := func() (out []string) {
		for _, raw := range p.Store().State("namespaces") {
			var o metav1.PartialObjectMetadata
			if err := json.Unmarshal(raw, &o); err != nil || o.Annotations[synthesised] == "" || !o.CreationTimestamp.IsZero() {
				t.Errorf("%v: %s", err, raw)
			}
			out = append(out, o.Name)
		}
		return out
	}
	if got := names(); !slices.Equal(got, []string{"shop"}) {
		t.Errorf("at first %q", got)
	}
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, []string{"pay", "shop"}) {
		t.Errorf("later %q", got)
	}

	r = newRecording(t)
	spaces := r.stream("prod", "namespaces", "")
	r.put(r.stream("prod", "pods", ""), "Pod", "shop", "a", 5, "")
	r.put(spaces, "Namespace", "", "pay", 6, "")
	if got := loadPast(t, r.tape(), "prod", r.at).Store().State("namespaces"); len(got) != 1 || !bytes.Contains(got[0], []byte("pay")) {
		t.Errorf("recorded: %q", got)
	}
}

// The fingerprints that stand for the values of Secrets can be decoded.
func TestPastSecrets(t *testing.T) {
	r := newRecording(t)
	secrets := r.stream("prod", "secrets", "")
	r.put(secrets, "Secret", "shop", "db", 5, `,"data":{"password":"aHVudGVyMg==","user":"YWRtaW4="},"type":"Opaque"`)
	address := servePast(t, loadPast(t, r.tape(), "prod", r.at))
	var s struct{ Data map[string][]byte }
	getJSON(t, address+"/api/v1/namespaces/shop/secrets/db", &s)
	for k, v := range s.Data {
		if !strings.HasPrefix(string(v), "fp:") {
			t.Errorf("%s is %q", k, v)
		}
	}
	if len(s.Data) != 2 {
		t.Errorf("%d values", len(s.Data))
	}
}

// Events are served under both groups, whichever was recorded.
func TestPastEvents(t *testing.T) {
	r := newRecording(t)
	events := r.stream("prod", "events", "")
	r.put(events, "Event", "shop", "a", 5, `,"involvedObject":{"kind":"Pod","name":"web"},"reason":"Killing","message":"stopping","count":3`)
	r.put(events, "Event", "shop", "b", 6, `,"involvedObject":{"kind":"Pod","name":"db"}`)
	r.remove(events, "Event", "shop", "b", 7)
	address := servePast(t, loadPast(t, r.tape(), "prod", r.at))
	var list struct {
		Items []struct {
			Regarding       struct{ Name string }
			Note, Reason    string
			DeprecatedCount int
		}
	}
	getJSON(t, address+"/apis/events.k8s.io/v1/namespaces/shop/events?fieldSelector=regarding.name=web", &list)
	if len(list.Items) != 1 || list.Items[0].Note != "stopping" || list.Items[0].DeprecatedCount != 3 || list.Items[0].Regarding.Name != "web" {
		t.Errorf("%+v", list.Items)
	}
	core := []byte(`{"apiVersion":"v1","involvedObject":{"name":"web"},"message":"m","metadata":{"name":"a"}}`)
	if back := otherEvent(otherEvent(core, newerEvents), coreEvents); !bytes.Equal(back, core) {
		t.Errorf("there and back: %s", back)
	}
}
