package ui

import (
	"testing"
	"time"

	"rewatch/model"
)

// selection adds a stream with a selector to the log.
func (d *driver) selection(label, field string) string {
	d.demo.streams["selected"] = d.demo.log.AddStream(model.StreamInfo{Context: "prod-eu", Server: "prod-eu.example:6443",
		Resource: "deployments", Group: "apps", Version: "v1", Kind: "Deployment", Namespaced: true, Label: label, Field: field})
	d.demo.step(d.now, "selected", model.Live, model.CauseNone, "", time.Time{}, 0)
	d.wait(0)
	return "selected"
}

// A stream with a selector is not called by its resource alone: 0 of a
// selection is not 0 of all.
func TestSelectorsAreShown(t *testing.T) {
	for _, c := range []struct{ label, field, name, second string }{
		{"", "metadata.name=cart", "deployments/cart", "♥ none yet"},
		{"tier=backend,stage=canary", "", "deployments -l tier=backend,stage=canary", "-l tier=backend,s"},
		{"", "status.phase=Running", "deployments status.phase=Running", "status.phase=Runn"},
		{"a=b", "metadata.name=x,status.phase=Running", "deployments/x -l a=b status.phase=Running", "/x -l a=b"},
	} {
		d := newDriver(t, 120, 36, "mono")
		d.script()
		d.selection(c.label, c.field)
		d.has("LIVE    " + c.name[:12])
		d.has(c.second)
		d.demo.step(d.now, "selected", model.Backoff, model.CauseCut, "cut", time.Time{}, 1)
		d.wait(0)
		d.has("RETRY " + c.name)
		d.press("1", "z")
		d.has("RETRY    " + c.name)
	}
}

func TestASharedSelectorIsInTheHeader(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	for i := range d.app.all.streams {
		d.app.all.streams[i].Label = "tier=x"
	}
	d.has("prod-eu  shop  -l tier=x")
}

// A heartbeat of the watch before is none of the one that is open.
func TestTheHeartbeatIsThatOfTheOpenWatch(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.wait(2 * time.Minute)
	d.has("♥ 2m")
	d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CauseCut, "cut", time.Time{}, 0)
	d.demo.step(d.now, "prod-eu/nodes", model.Live, model.CauseNone, "resumed", time.Time{}, 0)
	d.wait(12 * time.Second)
	d.has("♥ none yet, open 12s")
	d.press("1", "z")
	d.has("♥ none yet ")
	d.demo.bookmark(d.now, "prod-eu/nodes")
	d.wait(0)
	d.has("♥ 0s")
	d.hasNot("none yet")
}

// What is polled is as old as its list.
func TestPollingSaysHowOldItsListIs(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.step(d.now, "prod-eu/nodes", model.Polling, model.CauseNotWatchable, "cannot be watched", d.now.Add(30*time.Second), 0)
	d.wait(12 * time.Second)
	d.has("list 12s old, next in 18s")
	d.press("1", "z")
	d.has(" 12s old ")
	d.press("z")
	d.wait(20 * time.Second)
	d.has("list 32s old, next now")
}
