package timeserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"rewatch/model"
	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

// recording makes a tape record by record.
type recording struct {
	t   *testing.T
	out bytes.Buffer
	w   *tape.Writer
	at  time.Time
}

func newRecording(t *testing.T) *recording {
	r := &recording{t: t, at: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)}
	r.w = tape.NewWriter(&r.out, tape.Header{Tool: "test"}, tape.Options{})
	return r
}

// stream declares a stream of a builtin type, in one namespace or all.
func (r *recording) stream(context, resource, namespace string, change ...func(*model.StreamInfo)) model.StreamID {
	b, ok := Builtin(resource)
	if !ok {
		b = Resource{Group: "acme.example", Version: "v1", Resource: resource, Kind: "Widget", Namespaced: true}
	}
	info := model.StreamInfo{Context: context, Group: b.Group, Version: b.Version, Resource: b.Resource, Kind: b.Kind,
		Namespaced: b.Namespaced, Namespace: namespace, Uncached: b.Uncached}
	for _, c := range change {
		c(&info)
	}
	return r.w.AddStream(info)
}

// append appends a record a second after the one before.
func (r *recording) append(rec model.Record) {
	r.t.Helper()
	r.at = r.at.Add(time.Second)
	rec.Time = r.at
	if err := r.w.Append(rec); err != nil {
		r.t.Fatal(err)
	}
}

// put records an object of a resourceVersion, whose UID is "uid of" its name.
func (r *recording) put(s model.StreamID, kind, ns, name string, rv int, more string) {
	r.t.Helper()
	r.append(model.Record{Stream: s, Type: model.Modified, Raw: recordedObject(kind, ns, name, rv, more)})
}

func (r *recording) remove(s model.StreamID, kind, ns, name string, rv int) {
	r.t.Helper()
	r.append(model.Record{Stream: s, Type: model.Deleted, Raw: recordedObject(kind, ns, name, rv, "")})
}

func (r *recording) step(s model.StreamID, from, to model.State, text string) {
	r.t.Helper()
	r.append(model.Record{Stream: s, Type: model.StreamChange, Detail: model.Transition{From: from, To: to, Text: text}})
}

func recordedObject(kind, ns, name string, rv int, more string) []byte {
	version := "v1"
	if kind == "Widget" {
		version = "acme.example/v1"
	}
	return fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"name":%q,"namespace":%q,"uid":"uid of %s","resourceVersion":"%d"}%s}`,
		kind, version, name, ns, name, rv, more)
}

func (r *recording) tape() *tape.Tape {
	r.t.Helper()
	if err := r.w.Close(); err != nil {
		r.t.Fatal(err)
	}
	return openTape(r.t, r.out.Bytes())
}

func openTape(t *testing.T, b []byte) *tape.Tape {
	t.Helper()
	tp, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tp
}

// demoTape is the demo's capture as a tape.
func demoTape(t *testing.T) *tape.Tape {
	t.Helper()
	lines, err := zstd.NewReader(bytes.NewReader(demo))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	var out bytes.Buffer
	w := tape.NewWriter(&out, tape.Header{Tool: "test"}, tape.Options{})
	if _, err := capture.Import(lines, w, capture.Options{Context: "shop"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return openTape(t, out.Bytes())
}

func loadPast(t *testing.T, tp *tape.Tape, context string, at time.Time) *Past {
	t.Helper()
	p, err := LoadPast(t.Context(), tp, context, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Skipped(); n > 0 {
		t.Fatalf("%d records could not be served", n)
	}
	return p
}

// servePast serves a past and returns the address.
func servePast(t *testing.T, p *Past) string {
	t.Helper()
	e, err := NewEndpoint(NewServer(p.Store(), p.Options()), EndpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { http.DefaultClient.CloseIdleConnections(); e.Close() })
	return e.URL()
}

// replayed is the state of a tape at a moment by the plainest means: all
// records up to it, one after the other. Secrets are left out: their
// fingerprints are served encoded.
func replayed(t *testing.T, tp *tape.Tape, at time.Time) map[string]map[string][]byte {
	t.Helper()
	state := map[string]map[string][]byte{}
	for e, err := range tp.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Time.After(at) {
			break
		}
		info := tp.Info().Streams[e.Stream]
		key := Resource{Group: info.Group, Resource: info.Resource}.Key()
		if key == "secrets" || !e.Type.IsObject() {
			continue
		}
		if state[key] == nil {
			state[key] = map[string][]byte{}
		}
		if name := objectKey(e.Identity); e.Type == model.Deleted {
			delete(state[key], name)
		} else {
			state[key][name] = bytes.Clone(e.Raw)
		}
	}
	return state
}

func stateOf(s *Store) map[string]map[string][]byte {
	state := map[string]map[string][]byte{}
	for _, r := range s.Resources() {
		for _, raw := range s.State(r.Key()) {
			var o metav1.PartialObjectMetadata
			_ = json.Unmarshal(raw, &o)
			if r.Key() == "secrets" || r.Key() == newerEvents || o.Annotations[synthesised] != "" {
				continue
			}
			if state[r.Key()] == nil {
				state[r.Key()] = map[string][]byte{}
			}
			state[r.Key()][(&object{namespace: o.Namespace, name: o.Name}).key()] = raw
		}
	}
	return state
}

func compareStates(t *testing.T, what string, got, want map[string]map[string][]byte) {
	t.Helper()
	for key, objects := range want {
		if len(objects) == 0 {
			delete(want, key)
		}
	}
	for key, objects := range want {
		for name, raw := range objects {
			if !bytes.Equal(got[key][name], raw) {
				t.Fatalf("%s: %s %s is\n%s\nwant\n%s", what, key, name, got[key][name], raw)
			}
		}
		if len(got[key]) != len(objects) {
			t.Fatalf("%s: %d %s, want %d", what, len(got[key]), key, len(objects))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d types with objects, want %d", what, len(got), len(want))
	}
}

// The state that is served is that of the tape, byte for byte: loaded at any
// moment, and moved there from the start.
func TestPastIsTheTape(t *testing.T) {
	tp := demoTape(t)
	info := tp.Info()
	rng := rand.New(rand.NewPCG(1, 2))
	moments := []time.Time{info.From, info.To}
	for range 6 {
		moments = append(moments, info.From.Add(rand.N(info.To.Sub(info.From))+time.Duration(rng.IntN(2))))
	}
	for _, at := range moments {
		compareStates(t, at.String(), stateOf(loadPast(t, tp, "shop", at).Store()), replayed(t, tp, at))
	}
	p := loadPast(t, tp, "shop", info.From)
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	compareStates(t, "moved to the end", stateOf(p.Store()), replayed(t, tp, info.To))
	if !p.Now().Equal(info.To) {
		t.Errorf("the clock shows %v at the end, want %v", p.Now(), info.To)
	}
}

// An informer that watches while the past moves has the state of the end when
// the end is reached.
func TestPastInformer(t *testing.T) {
	tp := demoTape(t)
	info := tp.Info()
	p := loadPast(t, tp, "shop", info.From.Add(info.To.Sub(info.From)/3))
	client, err := dynamic.NewForConfig(&rest.Config{Host: servePast(t, p), QPS: -1, WarningHandler: rest.NoWarnings{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informers := map[string]cache.SharedIndexInformer{}
	for _, r := range p.Store().Resources() {
		informers[r.Key()] = factory.ForResource(schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource}).Informer()
	}
	factory.Start(ctx.Done())
	defer func() { cancel(); factory.Shutdown() }()
	for gvr, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			t.Fatalf("%v does not sync", gvr)
		}
	}
	check := func() error {
		for key, inf := range informers {
			if err := sameObjects(inf.GetStore().List(), p.Store().State(key)); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	}
	if err := check(); err != nil {
		t.Fatalf("after syncing: %v", err)
	}
	if err := p.Run(ctx, 200); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := check()
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the end: %v", err)
		}
	}
}

// sameObjects reports how the objects of a cache differ from a state.
func sameObjects(have []any, want [][]byte) error {
	if len(have) != len(want) {
		return fmt.Errorf("%d objects, want %d", len(have), len(want))
	}
	byName := map[string]map[string]any{}
	for _, h := range have {
		u := h.(interface {
			GetNamespace() string
			GetName() string
			UnstructuredContent() map[string]any
		})
		byName[u.GetNamespace()+"/"+u.GetName()] = u.UnstructuredContent()
	}
	for _, raw := range want {
		var o map[string]any
		if err := json.Unmarshal(raw, &o); err != nil {
			return err
		}
		meta := o["metadata"].(map[string]any)
		ns, _ := meta["namespace"].(string)
		got, err := json.Marshal(byName[ns+"/"+meta["name"].(string)])
		if err != nil {
			return err
		}
		var g map[string]any
		if err := json.Unmarshal(got, &g); err != nil {
			return err
		}
		if !reflect.DeepEqual(g, o) {
			return fmt.Errorf("%s/%s is %s, want %s", ns, meta["name"], got, raw)
		}
	}
	return nil
}

// Objects keep their resourceVersions, and positions before the moment are
// gone, as after a compaction.
func TestPastResourceVersions(t *testing.T) {
	r := newRecording(t)
	pods := r.stream("prod", "pods", "")
	r.put(pods, "Pod", "shop", "a", 1000, "")
	r.put(pods, "Pod", "shop", "a", 1010, "")
	at := r.at
	r.put(pods, "Pod", "shop", "b", 1020, "")
	r.remove(pods, "Pod", "shop", "a", 1030)
	p := loadPast(t, r.tape(), "prod", at)
	s := NewServer(p.Store(), p.Options())
	e, err := NewEndpoint(s, EndpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var list metav1.PartialObjectMetadataList
	getJSON(t, e.URL()+"/api/v1/pods", &list)
	if list.ResourceVersion != "1010" || list.Items[0].ResourceVersion != "1010" {
		t.Errorf("the list is at %s, its pod at %s, want 1010", list.ResourceVersion, list.Items[0].ResourceVersion)
	}
	old := openWatch(t, e, "/api/v1/pods", url.Values{"watch": {"1"}, "resourceVersion": {"1005"}})
	if f, err := old.next(); err != nil || f.Type != "ERROR" || f.Object.Code != http.StatusGone {
		t.Errorf("from before the moment: %s %d, want a 410", f.Type, f.Object.Code)
	}
	w := openWatch(t, e, "/api/v1/pods", url.Values{"watch": {"1"}, "resourceVersion": {"1010"}})
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ADDED b 1020", "DELETED a 1030"} {
		f, err := w.next()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s %s %s", f.Type, f.Object.Metadata.Name, f.Object.Metadata.ResourceVersion); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// What changes under the resourceVersion that it had, moves on too, and a watch
// sees that: a polled type has none, and an etcd that was restored gives the
// same ones again.
func TestPastWithoutNewResourceVersions(t *testing.T) {
	r := newRecording(t)
	metrics := r.stream("prod", "pods", "", func(s *model.StreamInfo) {
		s.Group, s.Version, s.Kind = "metrics.k8s.io", "v1beta1", "PodMetrics"
	})
	pods := r.stream("prod", "pods", "")
	polled := func(usage string) {
		r.append(model.Record{Stream: metrics, Type: model.Modified, Raw: fmt.Appendf(nil,
			`{"kind":"PodMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":"a","namespace":"shop"},"usage":%q}`, usage)})
	}
	polled("1m")
	r.put(pods, "Pod", "shop", "a", 1000, `,"status":{"phase":"Pending"}`)
	at := r.at
	polled("2m")
	polled("3m")
	polled("3m") // no change
	r.put(pods, "Pod", "shop", "a", 1000, `,"status":{"phase":"Running"}`)
	tp := r.tape()
	p := loadPast(t, tp, "prod", at)
	s := p.Store()
	type position struct {
		t   *shelf
		seq int64
	}
	before := map[string]position{}
	for _, group := range []string{"metrics.k8s.io", ""} {
		of := s.lookup(group, map[string]string{"": "v1", "metrics.k8s.io": "v1beta1"}[group], "pods")
		_, _, seq := s.snapshot(of)
		before[group] = position{of, seq}
	}
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	for group, want := range map[string][]string{"metrics.k8s.io": {`"2m"`, `"3m"`}, "": {"Running"}} {
		changes := s.since(before[group].t, before[group].seq, 10).changes
		if len(changes) != len(want) {
			t.Errorf("%q: %d changes, want %d", group, len(changes), len(want))
			continue
		}
		for i, w := range want {
			if !bytes.Contains(changes[i].now.raw, []byte(w)) {
				t.Errorf("%q: change %d is %s, want %s", group, i, changes[i].now.raw, w)
			}
		}
		if state := s.State(before[group].t.Key()); !bytes.Contains(state[0], []byte(want[len(want)-1])) {
			t.Errorf("%q: the end is %s", group, state[0])
		}
	}
}

// Two watches of one type, of which one lags: nobody who resumes misses what
// came late with a smaller resourceVersion, and an object is gone only when
// no watch has it any more.
func TestPastOfLaggingStreams(t *testing.T) {
	r := newRecording(t)
	shop, pay := r.stream("prod", "pods", "shop"), r.stream("prod", "pods", "pay")
	r.put(shop, "Pod", "shop", "a", 100, "")
	r.put(pay, "Pod", "pay", "b", 90, "")
	at := r.at
	r.put(shop, "Pod", "shop", "a", 120, "")
	r.put(pay, "Pod", "pay", "b", 110, "") // later, but older
	r.put(shop, "Pod", "shop", "a", 130, "")
	p := loadPast(t, r.tape(), "prod", at)
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	s := p.Store()
	pods := s.lookup("", "v1", "pods")
	for from, want := range map[int64]string{
		100: "a 120, b 110, a 130",
		120: "b 110, a 130", // who saw a 120 last has not seen b 110
		110: "a 120, b 110, a 130",
		130: "",
	} {
		seq, _, expired := s.position(pods, from)
		if expired {
			t.Fatalf("%d is expired", from)
		}
		var got []string
		for _, c := range s.since(pods, seq, 100).changes {
			got = append(got, fmt.Sprintf("%s %d", c.now.name, c.rv))
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("from %d: %s, want %s", from, g, want)
		}
	}
}

func TestPastOfOverlappingStreams(t *testing.T) {
	r := newRecording(t)
	all := r.stream("prod", "pods", "")
	web := r.stream("prod", "pods", "", func(s *model.StreamInfo) { s.Label = "app=web" })
	r.put(all, "Pod", "shop", "a", 100, "")
	r.put(web, "Pod", "shop", "a", 100, "")
	at := r.at
	r.put(all, "Pod", "shop", "a", 120, `,"status":{"phase":"Running"}`)
	r.put(web, "Pod", "shop", "a", 110, "") // behind: must not win
	behind := r.at
	r.append(model.Record{Stream: web, Type: model.Deleted, Flags: model.Selection, Raw: recordedObject("Pod", "shop", "a", 125, "")})
	left := r.at
	r.remove(all, "Pod", "shop", "a", 130)
	tp := r.tape()
	for when, want := range map[time.Time]string{at: "100", behind: "120", left: "120", r.at: ""} {
		loaded := rvOf(loadPast(t, tp, "prod", when).Store())
		p := loadPast(t, tp, "prod", at)
		moveTo(t, p, tp, when)
		if moved := rvOf(p.Store()); moved != want || loaded != want {
			t.Errorf("%s: loaded %q, moved %q, want %q", when.Format("05"), loaded, moved, want)
		}
	}
}

// moveTo applies the records up to a moment.
func moveTo(t *testing.T, p *Past, tp *tape.Tape, at time.Time) {
	t.Helper()
	for {
		e, err := p.reader.Next()
		if err != nil || e.Time.After(at) {
			return
		}
		p.apply(e)
	}
}

// rvOf is the resourceVersion of the only pod, "" if there is none.
func rvOf(s *Store) string {
	for _, raw := range s.State("pods") {
		var o metav1.PartialObjectMetadata
		_ = json.Unmarshal(raw, &o)
		return o.ResourceVersion
	}
	return ""
}

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

// Records that are no objects of their type are left out, and counted.
func TestPastOfStrangeObjects(t *testing.T) {
	r := newRecording(t)
	pods := r.stream("prod", "pods", "")
	r.put(pods, "Pod", "shop", "a", 5, "")
	r.put(pods, "Pod", "", "no-namespace", 6, "")
	r.append(model.Record{Stream: pods, Type: model.Added, Raw: []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"odd","namespace":"shop","uid":"u","resourceVersion":"not-a-number"}}`)})
	p, err := LoadPast(t.Context(), r.tape(), "prod", r.at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Skipped() != 1 || p.Store().count("pods") != 2 {
		t.Errorf("%d left out, %d pods", p.Skipped(), p.Store().count("pods"))
	}
}

// Where the tape is damaged, what moves says so, and is right again from the
// next checkpoint on.
func TestPastOfADamagedTape(t *testing.T) {
	var out bytes.Buffer
	w := tape.NewWriter(&out, tape.Header{Tool: "test"}, tape.Options{FrameSize: 4096, Checkpoint: 1, SegmentRecords: 100, SegmentFloor: 1})
	whole := demoTape(t)
	for _, s := range whole.Info().Streams {
		w.AddStream(s)
	}
	for e, err := range whole.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(e.Record); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := out.Bytes()
	for i := range 200 {
		b[len(b)*2/5+i] ^= 0x55
	}
	tp := openTape(t, b)
	end := loadPast(t, tp, "shop", tp.Info().To)
	p := loadPast(t, tp, "shop", tp.Info().From)
	doubted := false
	p.store.SetWindow(1 << 20)
	for {
		e, err := p.reader.Next()
		var d *tape.Damage
		if errors.As(err, &d) {
			p.setWhole(p.reader.Whole())
			doubted = doubted || !p.whole
			continue
		}
		if err != nil {
			break
		}
		if err := p.accept(e); err != nil {
			t.Fatal(err)
		}
	}
	if !doubted || !p.whole {
		t.Errorf("doubted %v, and whole at the end %v: the damage is not where this test wants it", doubted, p.whole)
	}
	compareStates(t, "behind the damage", stateOf(p.Store()), stateOf(end.Store()))
}

func TestPastStopsAtOnce(t *testing.T) {
	tp := demoTape(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadPast(ctx, tp, "shop", tp.Info().To, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("loading: %v", err)
	}
	p := loadPast(t, tp, "shop", tp.Info().From)
	if err := p.Run(ctx, 1); err != nil {
		t.Errorf("running: %v", err)
	}
}

func getJSON(t *testing.T, address string, into any) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
