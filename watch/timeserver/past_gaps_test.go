package timeserver

import (
	"math"
	"strings"
	"testing"

	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"rewatch/model"
)

// A gap is that of the moments before it was found, too.
func TestPastInAGapFoundLater(t *testing.T) {
	r := newRecording(t)
	pods, nodes := r.stream("prod", "pods", "shop"), r.stream("prod", "nodes", "")
	r.step(pods, model.Connecting, model.Live, "")
	r.step(nodes, model.Connecting, model.Live, "")
	r.put(pods, "Pod", "shop", "a", 1, "")
	before := r.at
	r.put(nodes, "Node", "", "n", 2, "")
	since := r.at // the connection of the pods is dead from here on
	r.put(nodes, "Node", "", "n", 3, "")
	within := r.at
	r.append(model.Record{Stream: pods, Type: model.GapFound, Detail: model.Gap{FromRV: "1", ToRV: "4", Since: since, Deleted: 1}})
	found := r.at
	r.remove(pods, "Pod", "shop", "a", 4)
	tp := r.tape()
	want := "the watch of pods in namespace shop may have missed changes between " + since.Format(clockLayout) + " and " + found.Format(clockLayout)
	check := func(when string, p *Past, gap bool) {
		t.Helper()
		got, err := p.coverage(Access{Resource: "pods", Namespace: "shop"})
		if err != nil || gap != (len(got) == 1 && strings.HasPrefix(got[0], want)) || !gap && len(got) > 0 {
			t.Errorf("%s: warnings %q, %v, want %v %q", when, got, err, gap, want)
		}
		if got, err := p.coverage(Access{Resource: "nodes"}); len(got) > 0 || err != nil {
			t.Errorf("%s: nodes: %q, %v", when, got, err)
		}
	}
	check("before", loadPast(t, tp, "prod", before), false)
	check("at its beginning", loadPast(t, tp, "prod", since), true)
	check("when it was found", loadPast(t, tp, "prod", found), false)
	p := loadPast(t, tp, "prod", within)
	check("within", p, true)
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	check("moved on", p, false)
}

// The version is one that clients can parse, and says what it is of.
func TestPastVersion(t *testing.T) {
	r := newRecording(t)
	r.put(r.stream("prod", "pods", ""), "Pod", "shop", "a", 1, "")
	client, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: servePast(t, loadPast(t, r.tape(), "prod", r.at))})
	if err != nil {
		t.Fatal(err)
	}
	v, err := client.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := utilversion.ParseSemantic(v.GitVersion)
	if err != nil || parsed.BuildMetadata() != "rewatch-recording" || v.Major != "1" || v.Minor != "37" {
		t.Errorf("%+v: %v", v, err)
	}
}
