package watch

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/timeserver"
)

var (
	events  = Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true, Uncached: true}}
	widgets = Target{StreamInfo: model.StreamInfo{Group: "acme.example", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}}
	widget  = timeserver.Resource{Group: "acme.example", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
)

// newServer serves pods, secrets, events and a custom resource.
func newServer(o timeserver.Options) *timeserver.Server {
	rs := []timeserver.Resource{widget}
	for _, name := range []string{"pods", "configmaps", "secrets", "events"} {
		r, _ := timeserver.Builtin(name)
		rs = append(rs, r)
	}
	return timeserver.NewServer(timeserver.NewStore(rs), o)
}

// served runs f with an engine that watches a proper server, which has the
// pods a and b, in fake time.
func served(t *testing.T, so timeserver.Options, o rigOptions, f func(r *rig, s *timeserver.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { // its channels belong into the bubble
		s := newServer(so)
		put(s, "pods", "a")
		put(s, "pods", "b")
		for _, fault := range o.faults {
			s.Inject(fault)
		}
		newRig(t, s, o).do(func(r *rig) { f(r, s) })
	})
}

var edits int

// put creates or changes an object; labels are "k=v".
func put(s *timeserver.Server, resource, name string, labels ...string) {
	edits++
	l := make([]string, len(labels))
	for i, kv := range labels {
		k, v, _ := strings.Cut(kv, "=")
		l[i] = fmt.Sprintf("%q:%q", k, v)
	}
	_, err := s.Store().Put(resource, fmt.Appendf(nil,
		`{"metadata":{"namespace":"shop","name":%q,"labels":{%s},"annotations":{"edit":"%d"}}}`, name, strings.Join(l, ","), edits))
	if err != nil {
		panic(err)
	}
}

func del(s *timeserver.Server, resource, name string) {
	if _, err := s.Store().Delete(resource, "shop", name); err != nil {
		panic(err)
	}
}

// same waits until what the log adds up to is what the server has.
func (r *rig) same(limit time.Duration, s *timeserver.Server, resource string) {
	r.Helper()
	var want map[string]uint64
	r.until(limit, "the state of the server", func() bool {
		want = map[string]uint64{}
		for _, raw := range s.Store().State(resource) {
			m, _ := jsonscan.Identity(raw)
			want[m.Namespace+"/"+m.Name], _ = strconv.ParseUint(m.ResourceVersion, 10, 64)
		}
		return maps.Equal(r.held(), want)
	})
}

// asked counts the requests so far that match.
func asked(s *timeserver.Server, match func(timeserver.Request) bool) int {
	n := 0
	for _, q := range s.Requests() {
		if match(q) {
			n++
		}
	}
	return n
}

func isWatch(q timeserver.Request) bool { return q.Verb == "watch" }
func isList(q timeserver.Request) bool  { return q.Verb == "list" }
func isSync(q timeserver.Request) bool  { return q.Query.Get("sendInitialEvents") == "true" }
