package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// Another namespace is watched instead: the types keep their places, and the
// streams of the one that was left are told apart by its name.
func TestStreamsOfTwoNamespacesAreToldApart(t *testing.T) {
	of := func(ns, resource string, st model.State) model.StreamStatus {
		s := model.StreamStatus{State: st}
		s.Context, s.Namespace, s.Resource, s.Namespaced = "c", ns, resource, resource != "nodes"
		if st == model.Stopped {
			s.Last = model.Transition{To: st, Cause: model.CauseUser}
		}
		return s
	}
	all := newOverall([]model.StreamStatus{of("shop", "pods", model.Stopped), of("", "nodes", model.Live), of("other", "pods", model.Live)}, time.Time{})
	p := streamsPane{all: &all}
	p.arrange()
	var got []string
	for _, i := range p.order {
		got = append(got, all.name(all.streams[i].StreamInfo))
	}
	if s := strings.Join(got, ", "); s != "pods in other, nodes" {
		t.Errorf("the streams are %s", s)
	}
	if s := all.name(all.streams[0].StreamInfo); s != "pods in shop" {
		t.Errorf("the one that was left is %s", s)
	}
}
