package timeserver

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
)

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
