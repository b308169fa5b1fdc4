package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// An outage is as old as its first loss, however often was tried since: on each
// page that says since when, or for how long.
func TestAnOutageIsAsOldAsItsFirstLoss(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.demo.start(d.now, "prod-eu", 12)
	d.object("prod-eu/nodes", "Node", "node-05", `"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady","message":"x"}]}`)
	d.wait(time.Second)
	step := func(to model.State, cause model.Cause, text string, attempt int) {
		d.demo.step(d.now, "prod-eu/nodes", to, cause, text, d.now.Add(time.Second), attempt)
	}
	lost := d.now.UTC().Format("15:04:05")
	step(model.Backoff, model.CauseCut, "connection reset by peer", 1)
	for i := range 60 {
		d.now = d.now.Add(29 * time.Second)
		step(model.Connecting, model.CauseNone, "", 0)
		d.now = d.now.Add(time.Second)
		step(model.Backoff, model.CauseRefused, "connection refused", i+2)
	}
	d.wait(time.Second)
	d.wait(time.Second)
	d.press("F")
	d.wait(time.Second)
	d.wait(time.Second)
	has := func(want string) {
		t.Helper()
		if got := strings.Join(strings.Fields(d.screen()), " "); !strings.Contains(got, want) {
			t.Errorf("the screen does not show %q:\n%s", want, d.screen())
		}
	}
	has("RETRY 30m nodes")
	d.has("as of " + lost + ", now unknown: KubeletNotReady: x")
	d.has("nodes since " + lost)
	d.press("C")
	d.wait(time.Second)
	has(lost + " nodes RETRY")
	d.press("C")
	d.demo.step(d.now, "prod-eu/nodes", model.Denied, model.CauseForbidden, "nodes is forbidden", time.Time{}, 1)
	d.wait(0)
	d.has("DENIED nodes 30m")
	// It is current again, and then silent: the last that was heard counts.
	step(model.Connecting, model.CauseNone, "", 0)
	step(model.Live, model.CauseNone, "resumed", 0)
	heard := d.now.UTC().Format("15:04:05")
	d.now = d.now.Add(91 * time.Second)
	step(model.Overdue, model.CauseNone, "no frame for 1m31s", 0)
	d.wait(time.Second)
	d.press("F")
	d.wait(time.Second)
	d.wait(time.Second)
	d.has("as of " + heard + ", now unknown: KubeletNotReady: x")
	d.has("nodes since " + heard)
}
