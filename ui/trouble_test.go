package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// hostDown takes a context down: its pods probe the host, the others wait.
func (d *driver) hostDown(context string, attempt int, until time.Duration) {
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes", "events"} {
		d.demo.step(d.now, context+"/"+s, model.Backoff, model.CauseCut, "connection reset by peer", d.now.Add(10*time.Millisecond), 1)
		if s != "pods" {
			d.demo.step(d.now, context+"/"+s, model.Backoff, model.CauseHostDown, "another stream probes", d.now.Add(10*time.Millisecond), 1)
		}
	}
	d.probe(context, attempt, until)
}

// probe fails once more.
func (d *driver) probe(context string, attempt int, until time.Duration) {
	d.demo.step(d.now, context+"/pods", model.Connecting, model.CauseNone, "", time.Time{}, 0)
	d.demo.step(d.now, context+"/pods", model.Backoff, model.CauseRefused, "connection refused", d.now.Add(until), attempt)
	d.wait(0)
}

func TestOneEntryForAHostThatIsDown(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.hostDown("prod-eu", 15, 2700*time.Millisecond)
	want := " RETRY in 2.7 s · api prod-eu.example:6443: connection refused · 5 streams wait"
	if got := d.status(); !strings.HasPrefix(got, want) {
		t.Errorf("the status says %q, want %q", got, want)
	}
	d.has("STALE 6/6 api prod-eu.example:6443 retry in 2.7 s")
	d.hasNot("1st try")
	if n := strings.Count(d.screen(), "waits for pods' try in 2.7 s"); n != 5 {
		t.Errorf("%d streams show whom they wait for, want 5:\n%s", n, d.screen())
	}
	// While the prober dials, nothing blinks.
	d.demo.step(d.now, "prod-eu/pods", model.Connecting, model.CauseNone, "", time.Time{}, 0)
	d.wait(0)
	d.has("STALE 6/6 api prod-eu.example:6443 retry now")
	d.has("RETRY now · api prod-eu.example:6443: connection refused · 5 streams wait")
	d.has("waits for pods' try now")
	// The host answers: the others follow within moments.
	d.demo.step(d.now, "prod-eu/pods", model.Live, model.CauseNone, "resumed", time.Time{}, 0)
	d.wait(0)
	d.has("RETRY api prod-eu.example:6443: 5 streams about to try again")
	d.has("STALE 5/6 api prod-eu.example:6443 RETRY")
	for _, s := range []string{"deployments", "replicasets", "configmaps", "nodes", "events"} {
		d.demo.step(d.now, "prod-eu/"+s, model.Live, model.CauseNone, "resumed", time.Time{}, 0)
	}
	d.wait(0)
	if !says(d.header(), "LIVE") {
		t.Errorf("all is well, and the header says %s", d.header())
	}
}

func TestOneOfTwoHostsIsDown(t *testing.T) {
	d := newDriver(t, 120, 36, "mono", "prod-eu", "prod-us")
	d.script()
	d.demo.start(d.now, "prod-us", 3)
	d.demo.step(d.now, "prod-us/nodes", model.Backoff, model.CauseThrottled, "429", d.now.Add(5*time.Second), 2)
	d.hostDown("prod-eu", 3, 1600*time.Millisecond)
	d.has("STALE 7/12")
	d.has("waits for pods' try in 1.6 s")
	status := ""
	for range 2 { // in turns, where they do not fit
		status += d.status()
		d.wait(turn)
	}
	for _, want := range []string{" · api prod-eu.example:6443: connection refused · 5 streams wait", " · prod-us/nodes"} {
		if !strings.Contains(status, want) {
			t.Errorf("the status never says %q: %s", want, status)
		}
	}
}

// What may be lost is not called lost, and what is lost comes first.
func TestSuspicionIsNoLoss(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	last := d.app.all.streams[4].LastFrame
	d.wait(last.Add(105 * time.Second).Sub(d.now))
	d.demo.step(d.now, "prod-eu/nodes", model.Overdue, model.CauseNone, "no frame for 90s", time.Time{}, 0)
	d.wait(0)
	d.has("SUSPECT 1/6 nodes: no frame for 1m45s")
	d.hasNot("STALE")
	if !strings.HasPrefix(d.status(), " OVERDUE nodes: no frame for 1m45s") {
		t.Errorf("the status says %s", d.status())
	}
	d.demo.step(d.now, "prod-eu/pods", model.Backoff, model.CauseCut, "connection reset by peer", d.now.Add(time.Second), 1)
	d.wait(0)
	d.has("STALE 1/6 pods retry in 1.0 s")
	d.has("OVERDUE nodes")
}

// A stream that dials again is still lost.
func TestTroubleDoesNotBlink(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseRefused, "connection refused", d.now.Add(time.Second), 3)
	d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CauseNone, "", time.Time{}, 0)
	d.wait(0)
	d.has("STALE 1/6 nodes retry now")
	d.has("RETRY now · nodes: connection refused")
	d.has("CONNECT nodes")
}

// Streams of a host that suffer the same are one entry, with their number.
func TestTheSameTroubleIsOneEntry(t *testing.T) {
	d := newDriver(t, 120, 36, "mono", "prod-eu", "prod-us")
	d.script()
	d.demo.start(d.now, "prod-us", 3)
	for _, s := range []string{"prod-eu/pods", "prod-eu/nodes", "prod-eu/configmaps", "prod-us/pods"} {
		d.demo.step(d.now, s, model.Denied, model.CauseForbidden, "forbidden", time.Time{}, 1)
	}
	d.wait(0)
	d.has(" DENIED prod-eu/pods and 2 more 0s: forbidden │ DENIED prod-us/pods 0s: forbidden │")
	d.has("STALE 4/12")
}

// A watch that was lost is stale from then on, though no try of it has failed
// yet, and though what its first sync had said is on the screen.
func TestALostLinkIsNoFirstSync(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CausePing, "link dead: HTTP/2 ping not answered", time.Time{}, 0)
	d.wait(8 * time.Second)
	d.has("STALE 1/6 nodes no answer for 13 s: link dead (prod-eu.example:6443)")
	if got, want := d.status(), " CONNECT nodes: link dead: HTTP/2 ping not answered, waiting for the answer 8.0 s"; !strings.HasPrefix(got, want) {
		t.Errorf("the status says %q, want %q", got, want)
	}
	d.hasNot("SYNC")
	d.demo.step(d.now, "prod-eu/nodes", model.Live, model.CauseNone, "resumed", time.Time{}, 0)
	d.wait(0)
	d.hasNot("STALE")
}

// A rotation whose successor hangs has no cause, and is stale all the same.
func TestARotationThatHangsIsStale(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.bookmark(d.now, "prod-eu/nodes")
	d.demo.step(d.now, "prod-eu/nodes", model.Rotating, model.CauseTimeout, "", time.Time{}, 0)
	d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CauseNone, "awaiting headers", time.Time{}, 0)
	d.wait(12 * time.Second)
	d.has("STALE 1/6 nodes no answer for 12 s: awaiting headers")
	d.has(" CONNECT nodes: awaiting headers, waiting for the answer 12 s")
}

// While a try waits for its answer, what the one before failed of is not what
// it fails of.
func TestATryThatWaitsForItsAnswer(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseCut, "connection cut", d.now.Add(time.Second), 2)
	d.demo.step(d.now, "prod-eu/nodes", model.Connecting, model.CauseNone, "", time.Time{}, 0)
	d.wait(0)
	d.has("RETRY now · nodes: connection cut")
	d.wait(8 * time.Second)
	d.has("RETRY waiting 8.0 s for the answer · nodes (before: connection cut)")
	d.has("STALE 1/6 nodes no answer for 13 s: connection cut (prod-eu.example:6443)")
	d.hasNot("RETRY now")
}

func TestAHostThatDoesNotAnswer(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.hostDown("prod-eu", 15, 2700*time.Millisecond)
	d.demo.step(d.now, "prod-eu/pods", model.Connecting, model.CauseNone, "", time.Time{}, 0)
	d.wait(8 * time.Second)
	d.has("RETRY waiting 8.0 s for the answer · api prod-eu.example:6443 (before: connection refused) · 5 streams wait")
	if n := strings.Count(d.screen(), "waits for pods' answer, 8.0 s"); n != 5 {
		t.Errorf("%d streams show whom they wait for, want 5:\n%s", n, d.screen())
	}
}
