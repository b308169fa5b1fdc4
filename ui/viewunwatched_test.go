package ui

import (
	"testing"
	"time"

	"rewatch/model"
)

// Rows of objects that nobody watches any more say so, and so does the pane, at
// all sizes and in all themes.
func TestUnwatchedScreens(t *testing.T) {
	goldenScreens(t, "unwatched", func(t *testing.T, w, h int, theme string) *driver {
		d := newDriver(t, w, h, theme)
		d.script()
		d.openDeployment()
		d.demo.step(d.now, "prod-eu/deployments", model.Stopped, model.CauseUser, "removed", time.Time{}, 0)
		d.wait(5 * time.Second)
		return d
	})
}

func TestRowsOfUnwatchedObjectsAreMarked(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.hasNot(glyphUnfollowed)
	d.demo.step(d.now, "prod-eu/pods", model.Stopped, model.CauseUser, "removed", time.Time{}, 0)
	d.wait(time.Second)
	d.has(glyphUnfollowed)
}

func TestViewsSayWhatIsNotWatched(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.openPod("g", "e")
	d.hasNot("Events are not")
	d.demo.step(d.now, "prod-eu/events", model.Stopped, model.CauseUser, "removed", time.Time{}, 0)
	since := d.now.Format("15:04:05")
	d.wait(5 * time.Second)
	d.press("g", "d", "g", "e")
	d.has("Events are not watched since " + since)
	d.press("g", "h")
	d.has("Events are not watched since " + since)
}

// What is not watched is said with what would add it; what is denied, with what
// is missing.
func TestWhatAViewLacks(t *testing.T) {
	log := model.NewLog(model.Options{})
	add := func(resource, kind, namespace string) model.StreamID {
		return log.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: resource, Kind: kind, Namespaced: true, Namespace: namespace})
	}
	step := func(s model.StreamID, to model.State, cause model.Cause, text string) {
		log.Append(model.Record{Time: epoch, Stream: s, Type: model.StreamChange, Detail: model.Transition{From: model.Connecting, To: to, Cause: cause, Text: text}})
	}
	step(add("pods", "Pod", "shop"), model.Live, "", "")
	step(add("jobs", "Job", "pay"), model.Live, "", "")
	step(add("secrets", "Secret", "shop"), model.Denied, model.CauseForbidden, `secrets is forbidden: User "dev" cannot list resource "secrets"`)
	step(add("networkpolicies", "NetworkPolicy", "shop"), model.Stopped, model.CauseUser, "removed")
	r := &reading{log: log, now: epoch.Add(time.Minute), loc: time.UTC, adds: true, data: &objectData{identity: model.Identity{Context: "c", Namespace: "shop", Kind: "Pod", Name: "a"}}}
	for kind, want := range map[string]string{
		"Pod": "", "Event": "Events are not watched (: events adds them)", "Job": "Jobs are not watched in shop (: jobs adds them)",
		"Secret":        "Secrets cannot be read: this user may not list secrets in namespace shop",
		"NetworkPolicy": "NetworkPolicies are not watched since 12:03:40 (: networkpolicies adds them)", "Ingress": "Ingresses are not watched (: ingresses adds them)",
	} {
		if got := r.lack(kind); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	if r.adds = false; r.lack("Event") != "Events are not watched" {
		t.Error(r.lack("Event"))
	}
}
