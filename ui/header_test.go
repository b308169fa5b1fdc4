package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// A pause does not hide that streams are not well, nor does a replay.
func TestStalenessIsShownWhilePausedAndInAReplay(t *testing.T) {
	for _, size := range sizes {
		d := newDriver(t, size[0], size[1], "mono")
		d.script()
		d.press("space")
		d.wait(time.Second)
		if h := d.header(); !strings.Contains(h, "PAUSED +0") || strings.Contains(h, "STALE") {
			t.Errorf("all is well, and the header says %s", h)
		}
		if f := d.footer(); size[0] > 80 && !strings.Contains(f, "space resume") {
			t.Errorf("the footer says %s", f)
		}
		d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseRefused, "connection refused", d.now.Add(1600*time.Millisecond), 3)
		d.wait(0)
		if h := d.header(); !strings.Contains(h, "PAUSED +1 · STALE 1/6 nodes retry in 1.6 s") {
			t.Errorf("the header says %s", h)
		}
		d.press("space")
		if f := d.footer(); strings.Contains(f, "space resume") {
			t.Errorf("the footer says %s", f)
		}

		r, _ := newReplay(t, size[0], size[1], "mono")
		if h := r.header(); strings.Contains(h, "STALE") {
			t.Errorf("the header at the start says %s", h)
		}
		r.press("$")
		if h := r.header(); !strings.Contains(h, "REPLAY ") || !strings.Contains(h, " · STALE 3/6") {
			t.Errorf("the header at the end says %s", h)
		}
	}
}

// To wait does not help where the user may not watch.
func TestADenialIsNoRetry(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.step(d.now, "prod-eu/pods", model.Denied, model.CauseForbidden, "forbidden", d.now.Add(5*time.Second), 1)
	d.wait(0)
	if h := d.header(); !strings.Contains(h, "STALE 1/6 pods DENIED ") {
		t.Errorf("the header says %s", h)
	}
}

// While the user had a stream paused, nobody waited for an answer.
func TestAPauseIsNoSilenceOfTheServer(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.step(d.now, "prod-eu/nodes", model.Paused, model.CauseUser, "", time.Time{}, 0)
	d.wait(9 * time.Second)
	d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CauseNone, "", time.Time{}, 0)
	d.wait(900 * time.Millisecond)
	if h := d.header(); !strings.Contains(h, "STALE 1/6 nodes no answer for 0.9 s ") {
		t.Errorf("the header says %s", h)
	}
}

// Of what does not fit beside a trouble, the gaps are the last to go.
func TestGapsStayInTheStatus(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	gapOfPods(d)
	d.wait(0)
	if s := d.status(); !strings.Contains(s, "│ gaps 1 │") {
		t.Errorf("the status says %s", s)
	}
	d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseRefused, "connection refused: dial tcp", d.now.Add(time.Second), 3)
	d.wait(0)
	if s := d.status(); !strings.Contains(s, "│ gaps 1") {
		t.Errorf("the status says %s", s)
	}
}
