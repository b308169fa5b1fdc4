package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// What is wrong with a connection, a permission, a watch, as it is told.
func TestScreensOfPlights(t *testing.T) {
	open := func(size [2]int, theme string) *driver {
		d := newDriver(t, size[0], size[1], theme)
		d.script()
		return d
	}
	for _, s := range []struct {
		name string
		do   func(*driver)
	}{
		{"no-answer", func(d *driver) {
			d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseTLS, "certificate not trusted: it is signed by an unknown authority", d.now.Add(time.Second), 2)
			d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CauseNone, "", time.Time{}, 0)
			d.wait(8 * time.Second)
		}},
		{"polled", func(d *driver) {
			d.demo.step(d.now, "prod-eu/nodes", model.Polling, model.CauseNotWatchable, "cannot be watched", d.now.Add(15*time.Second), 0)
			d.wait(6 * time.Second)
			d.press("g", "s")
		}},
		{"polled-table", func(d *driver) {
			d.demo.step(d.now, "prod-eu/nodes", model.Polling, model.CauseNotWatchable, "cannot be watched", d.now.Add(15*time.Second), 0)
			d.wait(6 * time.Second)
			d.press("g", "s", "z")
		}},
		{"server-refused", func(d *driver) {
			m := &memoryServer{readings: map[string][]model.ServerStats{"prod-eu": {refused(d.now)}}}
			d.app.o.Server = m
			d.press("S")
		}},
	} {
		sameInAllThemes(t, s.name, open, s.do)
	}
}

// However often it is asked anew, a server has not answered since its last answer.
func TestNoAnswerCountsFromTheLastOne(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.bookmark(d.now, "prod-eu/nodes")
	for try := range 3 {
		d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseNetwork, "timeout after 6s", d.now.Add(time.Second), try+1)
		d.wait(time.Second)
		d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CauseNone, "", time.Time{}, 0)
		d.wait(6 * time.Second)
	}
	d.has("nodes no answer for 21 s: timeout after 6s (prod-eu.example:6443)")
}

// The error of a server that will not tell stands there once.
func TestTheServerPageSaysItOnce(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.app.o.Server = &memoryServer{readings: map[string][]model.ServerStats{"prod-eu": {refused(d.now)}}}
	d.press("S")
	if n := strings.Count(d.screen(), "may not read /metrics"); n != 1 {
		t.Errorf("%d times:\n%s", n, d.screen())
	}
}

// A narrow screen says where it leaves something out.
func TestNarrowProblemsEndWithDots(t *testing.T) {
	d := newDriver(t, 40, 24, "mono")
	d.script()
	d.badDay()
	d.trouble()
	d.press("F", "j")
	for _, line := range d.lines() {
		if strings.Contains(line, "NotReady") && !strings.Contains(line, "node-0") || strings.Contains(line, "CrashLoop") && !strings.Contains(line, "…") {
			t.Errorf("%q of\n%s", line, d.screen())
		}
	}
}

// The bytes of a request that goes on are those of its frames.
func TestProtocolCountsTheBytesOfAnOpenRequest(t *testing.T) {
	d := newDriver(t, 160, 40, "mono")
	d.script()
	id := d.demo.streams["prod-eu/pods"]
	q := &model.Request{Number: 1, Verb: model.VerbWatch, Path: "/api/v1/pods", Sent: d.now, Status: 200, Proto: "HTTP/2.0"}
	d.demo.log.Append(model.Record{Time: d.now, Stream: id, Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Live, Request: q}})
	d.demo.log.Append(model.Record{Time: d.now, Stream: id, Type: model.Bookmark, RV: "84100", Bytes: 3_000_000, Raw: []byte(`{"metadata":{"resourceVersion":"84100"}}`)})
	d.wait(time.Second)
	d.press("P")
	d.has("3.0 MB so far")
	if line := d.cursorLine(); !strings.Contains(line, "3.0 MB") || !strings.Contains(line, "open") {
		t.Errorf("%q", line)
	}
}
