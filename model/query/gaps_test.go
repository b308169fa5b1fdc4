package query

import (
	"testing"
	"time"

	"rewatch/model"
)

// A gap is left out only where nothing that its stream brings can match.
func TestGapsThatCannotMatterAreLeftOut(t *testing.T) {
	l := model.NewLog(model.Options{})
	gap := func(s model.StreamInfo) model.Event {
		return l.Append(model.Record{Time: time.Unix(1e9, 0), Stream: l.AddStream(s), Type: model.GapFound, Detail: model.Gap{FromRV: "1", ToRV: "2"}})
	}
	gaps := map[string]model.Event{
		"pods":   gap(model.StreamInfo{Context: "prod-eu", Resource: "pods", Kind: "Pod", Namespaced: true}),
		"shop":   gap(model.StreamInfo{Context: "prod-eu", Resource: "pods", Kind: "Pod", Namespaced: true, Namespace: "shop"}),
		"deploy": gap(model.StreamInfo{Context: "prod-us", Group: "apps", Resource: "deployments", Kind: "Deployment", Namespaced: true}),
		"nodes":  gap(model.StreamInfo{Context: "prod-us", Resource: "nodes", Kind: "Node"}),
		"odd":    gap(model.StreamInfo{Context: "prod-eu", Resource: "oddities", Namespaced: true}),
	}
	for text, want := range map[string]string{
		"":                             "pods shop deploy nodes odd",
		"kind:pod":                     "pods shop odd", // of odd nobody knows the kind
		"kind:po,node":                 "pods shop nodes odd",
		"-kind:pod":                    "deploy nodes odd",
		"kind:pod path:image":          "pods shop odd",
		"kind:pod OR name:x":           "pods shop deploy nodes odd",
		"kind:pod OR kind:deploy":      "pods shop deploy odd",
		"-(kind:pod name:x)":           "pods shop deploy nodes odd",
		"ns:shop":                      "pods shop deploy odd",
		"-ns:shop":                     "pods deploy nodes odd",
		"ns:kube-*":                    "pods deploy odd",
		"context:prod-eu":              "pods shop odd",
		"-context:prod-eu kind:deploy": "deploy",
		"stream:nodes":                 "nodes",
		"-stream:deploy":               "pods shop nodes odd",
		"checkout":                     "pods shop deploy nodes odd",
		"type:deleted":                 "pods shop deploy nodes odd",
		"type:gap kind:pod":            "pods shop odd",
		"manager:kubelet since:5m":     "pods shop deploy nodes odd",
		"kind:no cel: kind == 'Pod'":   "nodes odd",
	} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		m := q.Compile(l, Options{Now: time.Unix(1e9, 0)})
		got := ""
		for _, name := range []string{"pods", "shop", "deploy", "nodes", "odd"} {
			if m.Match(gaps[name]) {
				got += " " + name
			}
		}
		if len(got) > 0 {
			got = got[1:]
		}
		if got != want {
			t.Errorf("%q shows the gaps of %q, want %q", text, got, want)
		}
	}
}
