package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// firstMinute is a start of which not all goes well.
func (d *driver) firstMinute() {
	l, t := d.demo, d.now
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "events"} {
		l.step(t, "prod-eu/"+s, model.Connecting, model.CauseStart, "", time.Time{}, 0)
	}
	id := l.streams["prod-eu/pods"]
	list := &model.Request{Number: 1, Verb: model.VerbList, Path: "/api/v1/pods", Query: "limit=10"}
	l.log.Append(model.Record{Time: t, Stream: id, Type: model.StreamChange,
		Detail: model.Transition{From: model.Connecting, To: model.Syncing, Total: 40, Request: list}})
	for i := range 12 {
		l.pod(t, "prod-eu", "checkout-"+string(rune('a'+i)), model.Added, model.Initial, "Running", 0)
	}
	l.step(t, "prod-eu/deployments", model.Denied, model.CauseForbidden,
		`403 Forbidden: deployments.apps is forbidden: User "dev" cannot list resource "deployments" in API group "apps" at the cluster scope`, t.Add(28*time.Second), 1)
	l.step(t, "prod-eu/configmaps", model.Backoff, model.CauseRefused, "connection refused", t.Add(4*time.Second), 2)
	l.step(t, "prod-eu/events", model.Paused, model.CauseUser, "paused", time.Time{}, 0)
	d.wait(2 * time.Second)
}

func TestScreensOfTheFirstMinutes(t *testing.T) {
	open := func(size [2]int, theme string) *driver { return newDriver(t, size[0], size[1], theme) }
	for _, s := range []struct {
		name string
		do   func(*driver)
	}{
		{"empty", func(*driver) {}},
		{"first-minute", func(d *driver) { d.firstMinute() }},
		{"denied", func(d *driver) {
			d.firstMinute()
			d.press("/")
			d.typeText("type:stream kind:deploy")
			d.press("enter", "up")
			d.wait(time.Second)
		}},
	} {
		sameInAllThemes(t, s.name, open, s.do)
	}
}

// A key copies what has to be run so that it is allowed; it is off where nothing
// is refused.
func TestTheCommandsThatGrantAreCopied(t *testing.T) {
	d := newDriver(t, 80, 24, "dark")
	d.demo.start(d.now, "prod-eu", 1)
	d.wait(time.Second)
	if ok, why := d.app.hasDenial(); ok || why == "" {
		t.Error("something is denied: ", why)
	}
	d = newDriver(t, 80, 24, "dark")
	d.firstMinute()
	d.press("y", "g")
	if got := d.clipboard(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "kubectl create clusterrole watch-deployments --verb=list,watch --resource=deployments.apps") || !strings.Contains(got, "\nkubectl create clusterrolebinding watch-deployments --clusterrole=watch-deployments") {
		t.Errorf("copied %q", got)
	}
}

func TestWhatIsMissingIsNamedExactly(t *testing.T) {
	for _, c := range []struct {
		stream             model.StreamInfo
		text               string
		request            *model.Request
		told, check, grant string
	}{
		{model.StreamInfo{Resource: "pods", Namespaced: true, Namespace: "shop", Context: "prod"},
			`403 pods is forbidden: User "jane" cannot watch resource "pods" in API group "" in the namespace "shop"`, nil,
			"may not watch pods in namespace shop", "kubectl auth can-i watch pods -n shop --context prod",
			"kubectl create role watch-pods --verb=list,watch --resource=pods -n shop --context prod && " +
				"kubectl create rolebinding watch-pods --role=watch-pods --user=jane -n shop --context prod"},
		{model.StreamInfo{Resource: "deployments", Group: "apps", Namespaced: true},
			"403 Forbidden", &model.Request{Verb: model.VerbWatchList},
			"may not watch deployments.apps in all namespaces", "kubectl auth can-i watch deployments.apps -A",
			"kubectl create clusterrole watch-deployments --verb=list,watch --resource=deployments.apps && " +
				"kubectl create clusterrolebinding watch-deployments --clusterrole=watch-deployments --user=USER"},
		{model.StreamInfo{Resource: "nodes"}, `403 nodes is forbidden: User "system:serviceaccount:ci:bot" cannot list resource "nodes"`, nil,
			"may not list nodes in the cluster", "kubectl auth can-i list nodes",
			"kubectl create clusterrole watch-nodes --verb=list,watch --resource=nodes && " +
				"kubectl create clusterrolebinding watch-nodes --clusterrole=watch-nodes --serviceaccount=ci:bot"},
		{model.StreamInfo{Resource: "nodes", Field: "metadata.name=n1,spec.unschedulable=true"}, "no", nil,
			"may not list and watch nodes/n1 in the cluster", "kubectl auth can-i list nodes/n1",
			"kubectl create clusterrole watch-nodes --verb=list,watch --resource=nodes --resource-name=n1 && " +
				"kubectl create clusterrolebinding watch-nodes --clusterrole=watch-nodes --user=USER"},
	} {
		d, ok := denied(c.stream, model.Transition{To: model.Denied, Cause: model.CauseForbidden, Text: c.text, Request: c.request})
		role, binding := d.grant()
		if grant := role + " && " + binding; !ok || d.String() != c.told || d.check() != c.check || grant != c.grant {
			t.Errorf("%v: %q\n%q\n%q", ok, d, d.check(), grant)
		}
	}
	for _, other := range []model.Transition{{To: model.Denied, Cause: model.CauseUnauthorized}, {To: model.Backoff, Cause: model.CauseForbidden}} {
		if _, ok := denied(model.StreamInfo{}, other); ok {
			t.Errorf("%+v is no missing permission", other)
		}
	}
}

func TestTheEmptyTimelineSaysWhy(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.has("nothing yet; waiting for")
	d.has("has not begun")
	d.press("space")
	d.has("paused before the first row; space goes on")
	d.press("space")
	d.firstMinute()
	d.has("12 of 40 objects, page 2 of 4")
	d.press("/")
	d.typeText("nothing-has-this")
	d.press("enter")
	d.has("no row matches /nothing-has-this")
	d.has("esc shows all again")
	d.press("esc")

	// Once all is there, nothing is waited for.
	d = newDriver(t, 120, 36, "mono")
	d.script()
	d.hasNot("waiting for")
	for _, s := range d.lines() {
		if strings.Contains(s, "the first") {
			t.Errorf("%q", s)
		}
	}
	// A type that is added later shows how far it is.
	d.resize(200, 60)
	id := d.demo.log.AddStream(model.StreamInfo{Context: "prod-eu", Server: "prod-eu.example:6443", Resource: "secrets", Kind: "Secret", Version: "v1", Namespaced: true})
	d.demo.log.Append(model.Record{Time: d.now, Stream: id, Type: model.StreamChange, Detail: model.Transition{To: model.Connecting}})
	d.wait(3 * time.Second)
	d.has("an answer of prod-eu.example:6443, for 3s")
}

func TestTheEmptyScreenWithoutStreams(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	w := d.watcher()
	for i := range d.app.all.streams {
		_, _ = w.Remove(t.Context(), model.StreamID(i))
	}
	d.wait(time.Second)
	d.press("g", "s")
	d.has("no streams")
	if s := d.header(); !strings.Contains(s, "NO STREAMS") {
		t.Errorf("the header is %q", s)
	}
}

// A cluster where nothing happens does not look like a screen that does not work.
func TestQuietClusterSaysSo(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	l, now := d.demo, d.now
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes", "events"} {
		l.step(now, "prod-eu/"+s, model.Connecting, model.CauseStart, "", time.Time{}, 0)
		l.step(now, "prod-eu/"+s, model.Syncing, model.CauseNone, "", time.Time{}, 0)
	}
	l.pod(now, "prod-eu", "checkout-a", model.Added, model.Initial, "Running", 0)
	d.wait(time.Second)
	d.hasNot("no change yet")
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes"} {
		l.step(now, "prod-eu/"+s, model.Live, model.CauseNone, "", time.Time{}, 0)
	}
	l.step(now, "prod-eu/events", model.Quiet, model.CauseNone, "", time.Time{}, 0)
	d.wait(time.Second)
	d.has("no change yet: all 6 watches are current, and what changes appears here")
	l.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseRefused, "connection refused", d.now.Add(time.Second), 1)
	d.wait(0)
	d.hasNot("no change yet") // it is not known any more
	l.step(d.now, "prod-eu/nodes", model.Live, model.CauseNone, "resumed", time.Time{}, 0)
	d.wait(0)
	d.has("no change yet")
	l.pod(d.now, "prod-eu", "checkout-a", model.Modified, 0, "Failed", 0)
	d.wait(time.Second)
	d.hasNot("no change yet")
}
