package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// rowsWith are the rows of the timeline that have a text.
func (d *driver) rowsWith(text string) []string {
	var out []string
	for _, l := range d.lines() {
		if _, row, ok := strings.Cut(l, "│"); ok && strings.Contains(row, text) {
			out = append(out, row)
		}
	}
	return out
}

// A host that is down for long takes few rows.
func TestRepeatedFailuresAreOneRow(t *testing.T) {
	d := newDriver(t, 160, 50, "mono")
	d.script()
	d.hostDown("prod-eu", 2, time.Second)
	for n := 3; n <= 16; n++ {
		d.wait(time.Second)
		d.probe("prod-eu", n, time.Second)
	}
	cut := d.rowsWith("connection reset by peer")
	if len(cut) != 1 || !strings.Contains(cut[0], " 6 streams ") {
		t.Errorf("six streams that were cut at once are\n%s", strings.Join(cut, "\n"))
	}
	refused := d.rowsWith("connection refused")
	if len(refused) != 1 || !strings.Contains(refused[0], "CONNECT → RETRY  connection refused · 15 tries, last 12:03:59") {
		t.Errorf("15 failed tries are\n%s", strings.Join(refused, "\n"))
	}
	d.hasNot("another stream probes")
	// Another cause is another row; then all are well.
	d.demo.step(d.now, "prod-eu/pods", model.Connecting, model.CauseNone, "", time.Time{}, 0)
	d.demo.step(d.now, "prod-eu/pods", model.Backoff, model.CauseServerError, "503", d.now.Add(time.Second), 17)
	d.wait(3 * time.Second)
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes"} {
		d.demo.step(d.now, "prod-eu/"+s, model.Connecting, model.CauseNone, "", time.Time{}, 0)
		d.demo.step(d.now, "prod-eu/"+s, model.Live, model.CauseNone, "resumed", time.Time{}, 0)
	}
	d.demo.step(d.now, "prod-eu/events", model.Quiet, model.CauseNone, "resumed", time.Time{}, 0)
	d.wait(0)
	if n := len(d.rowsWith("503")); n != 1 {
		t.Errorf("a failure of another cause has %d rows", n)
	}
	if rows := d.rowsWith("resumed"); len(rows) != 1 || !strings.Contains(rows[0], " 6 streams ") {
		t.Errorf("six streams that are well again are\n%s", strings.Join(rows, "\n"))
	}
	// The row tells all that is folded into it, and n shows the steps.
	d.seek("15 tries")
	d.has("tries         15, the last of them at 2026-12-01 12:03:59")
	d.press("down", "down")
	d.has("6 streams     pods, deployments, replicasets, configmaps, nodes, events")
	d.press("G", "a", "z")
	if n := strings.Count(d.screen(), "connection refused, next in"); n != 15 {
		t.Errorf("with all rows shown, %d of 15 failures are", n)
	}
}

// Streams that fail one after the other, or of different hosts, stay apart.
func TestDifferentFailuresAreRows(t *testing.T) {
	d := newDriver(t, 160, 50, "mono", "prod-eu", "prod-us")
	d.script()
	d.demo.start(d.now, "prod-us", 3)
	fail := func(stream string) {
		d.demo.step(d.now, stream, model.Backoff, model.CauseCut, "connection reset by peer", d.now.Add(time.Second), 1)
		d.wait(0)
	}
	fail("prod-eu/pods")
	fail("prod-us/pods")
	d.wait(2 * time.Second)
	fail("prod-eu/nodes")
	// A stream that was well in between has failed anew.
	d.demo.step(d.now, "prod-eu/nodes", model.Live, model.CauseNone, "resumed", time.Time{}, 0)
	fail("prod-eu/nodes")
	if rows := d.rowsWith("LIVE → RETRY  connection reset"); len(rows) != 4 {
		t.Errorf("four failures are\n%s", strings.Join(rows, "\n"))
	}
}

// A step that only tells of a request is folded, and does not part an initial
// list in two.
func TestStepsOfRequestsAreFolded(t *testing.T) {
	d := newDriver(t, 160, 50, "mono")
	l := d.demo
	l.step(d.now, "prod-eu/pods", model.Syncing, "", "", time.Time{}, 0)
	for page := range 4 {
		for range 3 {
			l.pod(d.now, "prod-eu", strings.Repeat("x", page+1), model.Added, model.Initial, "Running", 0)
		}
		l.log.Append(model.Record{Time: d.now, Stream: l.streams["prod-eu/pods"], Type: model.StreamChange, Detail: model.Transition{From: model.Syncing, To: model.Syncing,
			Request: &model.Request{Number: int64(page + 1), Verb: model.VerbList, Ended: true, Text: "one page, more follow"}}})
	}
	d.wait(0)
	if rows := d.rowsWith("initial list of pods: 12 objects"); len(rows) != 1 {
		t.Errorf("%q\n%s", rows, d.screen())
	}
	d.hasNot("one page")
	d.press("a")
	if rows := d.rowsWith("list request: one page, more follow"); len(rows) != 4 {
		t.Errorf("%d rows of requests among all rows\n%s", len(rows), d.screen())
	}
}
