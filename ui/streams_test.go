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
		d.press("g", "s", "z")
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
	d.press("g", "s", "z")
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
	d.has("list 12s old, every 30 s")
	d.press("g", "s", "z")
	d.has(" 12s old ")
	d.has(" every 30 s")
	d.press("z")
	d.wait(20 * time.Second)
	d.has("list 32s old, next now")
}

// The details have room in a small terminal, too.
func TestDetailsInASmallTerminal(t *testing.T) {
	for _, w := range []int{minWidth, 60, 80, 99} {
		d := newDriver(t, w, 24, "mono")
		d.script()
		d.trouble()
		d.press("g", "s")
		d.press("z")
		d.has("state    resource ")
		d.has("DENIED   configmaps ")
		d.press("z")
		if w < tableWidth {
			d.hasNot("state    resource ")
		}
	}
	d := newDriver(t, 80, 24, "mono")
	d.script()
	d.press("g", "s", "z")
	d.has(" added ")
}

// Where not all streams fit, those in trouble are in sight, and the cursor
// stays on its stream when they come and go.
func TestTheWorstStreamsAreInSight(t *testing.T) {
	d := newDriver(t, 100, 16, "mono", "prod-eu", "prod-us")
	d.script()
	d.demo.start(d.now, "prod-us", 3)
	d.wait(0)
	d.hasNot("events prod-us")
	d.demo.step(d.now, "prod-us/events", model.Denied, model.CauseForbidden, "forbidden", time.Time{}, 1)
	d.wait(0)
	d.has("DENIED  events prod-us")
	d.demo.step(d.now, "prod-us/events", model.Quiet, model.CauseNone, "", time.Time{}, 0)
	d.wait(0)
	d.hasNot("events prod-us")

	d.press("g", "s", "j", "j")
	before, _ := d.app.streams.selected()
	d.demo.step(d.now, "prod-us/pods", model.Denied, model.CauseForbidden, "forbidden", time.Time{}, 1)
	d.wait(0)
	if after, _ := d.app.streams.selected(); after.ID != before.ID || d.app.streams.cursor != 3 {
		t.Errorf("the cursor went from stream %d to %d, in place %d", before.ID, after.ID, d.app.streams.cursor)
	}
}
