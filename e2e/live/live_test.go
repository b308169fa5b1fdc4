package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/diff"
)

// rollout makes a deployment of some replicas in namespace shop.
func rollout(t *testing.T, c *cluster.Cluster, replicas int) *workload.Client {
	t.Helper()
	ctx := t.Context()
	if _, err := c.Nodes(ctx, 3); err != nil {
		t.Fatal(err)
	}
	w, err := workload.New(c.Config(cluster.Admin))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Deployment(ctx, cluster.Shop, "web", "nginx:1.27", replicas); err != nil {
		t.Fatal(err)
	}
	if err := w.WaitDeployment(ctx, cluster.Shop, "web"); err != nil {
		t.Fatal(err)
	}
	return w
}

// visible is how long an event may take from its arrival to the screen, and
// hidden what is too long for any of them. A machine that is
// [cluster.Busy] says nothing about the first.
const (
	visible = 100 * time.Millisecond
	hidden  = time.Second
)

// A rolling update is on the screen within 100 ms of each event's arrival,
// with what changed. The best of five updates counts.
func TestRollingUpdateIsVisibleAtOnce(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{})
	w := rollout(t, c, 3)
	d := open(t, c.Config(cluster.Reader), 200, 60, "pods", "deployments", "replicasets")
	d.press("z") // the timeline alone, so that a burst does not scroll away unseen
	d.until("the zoomed timeline follows", patience, func() bool { return strings.Contains(d.term.String(), "follow") })

	quiet := false
	for i := range 5 {
		late := cluster.Oversleep()
		took := d.timeRollout(w, fmt.Sprintf("nginx:1.%d", 28+i))
		lateness := late()
		if len(took) < 20 {
			t.Fatalf("a rolling update of 3 replicas is more than %d events", len(took))
		}
		worst := took[len(took)-1]
		t.Logf("%d events, from arrival to screen: p50 %v, p99 %v, max %v; the machine overslept by up to %v", len(took),
			took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond), worst.Round(time.Millisecond),
			lateness.Round(time.Millisecond))
		switch {
		case worst <= visible:
			return
		case worst > hidden && lateness < cluster.Busy:
			t.Fatalf("an event took %v to the screen", worst)
		}
		quiet = quiet || lateness < cluster.Busy
	}
	if quiet {
		t.Errorf("in no update did every event reach the screen within %v", visible)
	} else {
		t.Log("the machine was too busy all the time to tell")
	}
}

// timeRollout sets an image, and returns how long each event of the update
// took from its arrival until its row with what changed was on the screen,
// sorted.
func (d *desk) timeRollout(w *workload.Client, image string) []time.Duration {
	t := d.t
	t.Helper()
	next := d.log.Snapshot().End()
	if err := w.SetImage(t.Context(), cluster.Shop, "web", image); err != nil {
		t.Fatal(err)
	}
	updated := make(chan error, 1)
	go func() { updated <- w.WaitDeployment(t.Context(), cluster.Shop, "web") }()

	type pending struct {
		model.Event
		want []string // what the row has to show
	}
	var waiting []pending
	var took []time.Duration
	over := time.Time{} // when the update is done and its last events are there
	for over.IsZero() || time.Now().Before(over) || len(waiting) > 0 {
		s := d.log.Snapshot()
		for ; next < s.End(); next++ {
			e := s.At(next)
			if e.Type.IsObject() && d.log.Identity(e.Object).Namespace == cluster.Shop {
				waiting = append(waiting, pending{e, want(d.log, e)})
			}
		}
		var screen []string
		if len(waiting) > 0 {
			screen = d.lines() // takes milliseconds, and the terminal stands still meanwhile
		}
		now := time.Now()
		waiting = slices.DeleteFunc(waiting, func(p pending) bool {
			for _, line := range screen {
				if !slices.ContainsFunc(p.want, func(w string) bool { return !strings.Contains(line, w) }) {
					took = append(took, now.Sub(p.When()))
					return true
				}
			}
			if now.Sub(p.When()) > patience {
				t.Fatalf("not on the screen after %v: %q\n%s", patience, p.want, d.term.String())
			}
			return false
		})
		select {
		case err := <-updated:
			if err != nil {
				t.Fatal(err)
			}
			over = time.Now().Add(2 * time.Second)
		default:
		}
		time.Sleep(5 * time.Millisecond) // who looks more often holds up what it measures
	}
	slices.Sort(took)
	return took
}

// want is what the row of an event must contain: its time, its object and the
// beginning of what changed.
func want(log *model.Log, e model.Event) []string {
	id := log.Identity(e.Object)
	out := []string{e.When().Local().Format("15:04:05.000"), id.Namespace + "/" + id.Name[:min(len(id.Name), 12)]}
	if e.Type == model.Modified {
		before, _ := log.Bytes(e.Object, e.Version-1)
		now, _ := log.Bytes(e.Object, e.Version)
		summary := clean.Line(diff.Summary(id.Kind, before, now, 200))
		if len(diff.Objects(before, now).Changes) > 0 && summary == "" {
			summary = "(a change without a summary)" // found nowhere: fails
		}
		out = append(out, summary[:min(len(summary), 12)])
	}
	return out
}

// held is the state that the log holds of a stream, as namespace/name@uid:rv.
func held(log *model.Log, s model.StreamID) []string {
	var out []string
	for k, id := range log.Current(s) {
		out = append(out, fmt.Sprintf("%s/%s@%s:%d", id.Namespace, id.Name, id.UID, k.RV))
	}
	slices.Sort(out)
	return out
}

// listed is the same, of a fresh list.
func listed(t *testing.T, cfg *rest.Config, info model.StreamInfo) []string {
	t.Helper()
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	gvr := schema.GroupVersionResource{Group: info.Group, Version: info.Version, Resource: info.Resource}
	list, err := client.Resource(gvr).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, 0, len(list.Items))
	for _, o := range list.Items {
		out = append(out, fmt.Sprintf("%s/%s@%s:%s", o.GetNamespace(), o.GetName(), o.GetUID(), o.GetResourceVersion()))
	}
	slices.Sort(out)
	return out
}

// agree waits until the log holds just what the server lists, for every stream
// of the desk: the cluster goes on living, so they may differ for a moment.
func (d *desk) agree(cfg *rest.Config) {
	d.t.Helper()
	for _, s := range d.log.Streams(time.Now()) {
		var have, want []string
		ok := false
		for deadline := time.Now().Add(patience); !ok && time.Now().Before(deadline); time.Sleep(250 * time.Millisecond) {
			have, want = held(d.log, s.ID), listed(d.t, cfg, s.StreamInfo)
			ok = slices.Equal(have, want)
		}
		if !ok {
			d.t.Errorf("%s: rewatch holds %d objects\n%s\nthe server lists %d\n%s", s.Name(), len(have), strings.Join(have, "\n"), len(want), strings.Join(want, "\n"))
		}
		d.t.Logf("%s: %d objects, identical", s.Name(), len(have))
	}
}

func (d *desk) allFresh() bool {
	for _, s := range d.log.Streams(time.Now()) {
		if !s.State.Fresh() {
			return false
		}
	}
	return true
}

// The API server is killed with -9 and started again 20 s later: the screen
// never says LIVE meanwhile, counts down, and recovers by itself.
func TestAPIServerKilledAndBack(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{})
	w := rollout(t, c, 3)
	d := open(t, c.Config(cluster.Reader), 120, 36, "pods", "deployments", "replicasets", "nodes", "events", "configmaps")
	d.until("the header says LIVE", patience, d.headerSaysLive)

	late := cluster.Oversleep()
	if err := c.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	down := time.Now()
	d.until("LIVE is gone", patience, func() bool { return !d.headerSaysLive() })
	gone := time.Since(down)
	// One tick of the screen is what the word may take to go.
	if lateness := late(); gone > time.Second && lateness < cluster.Busy {
		t.Errorf("LIVE was there for %v", gone)
	}
	countdowns := map[string]bool{}
	for time.Since(down) < 20*time.Second {
		if d.headerSaysLive() {
			t.Fatalf("the screen says LIVE %v after the server was killed:\n%s", time.Since(down), d.term.String())
		}
		status := d.lines()[34]
		if strings.Contains(status, "next") || strings.Contains(status, " s") {
			countdowns[status] = true
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("LIVE gone %v after the kill; %d different status lines while down; at the end:\n%s", gone.Round(time.Millisecond), len(countdowns), d.term.String())
	if len(countdowns) < 10 {
		t.Errorf("no countdown: the status line showed only %d different texts in 20 s", len(countdowns))
	}
	var attempts int64
	for _, s := range d.log.Streams(time.Now()) {
		if s.State.Fresh() {
			t.Errorf("%s is called %s while the server is dead", s.Name(), s.State)
		}
		attempts += s.Reconnects
	}
	t.Logf("%d connection attempts by 6 streams in 20 s", attempts)

	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	up := time.Now()
	d.until("every stream is fresh again", patience, d.allFresh)
	t.Logf("recovered %v after the server was ready", time.Since(up).Round(10*time.Millisecond))
	d.until("the header says LIVE again", patience, d.headerSaysLive)
	if err := w.Scale(t.Context(), cluster.Shop, "web", 4); err != nil {
		t.Fatal(err)
	}
	if err := w.WaitDeployment(t.Context(), cluster.Shop, "web"); err != nil {
		t.Fatal(err)
	}
	d.agree(c.Config(cluster.Admin))
}

// etcd is compacted and the watch cache lost while the streams are cut: a gap
// row, synthetic events, and the state of the server.
func TestCompactedWhileCut(t *testing.T) {
	// A small cache, so that it has rolled on after the restart.
	c := clustertest.Start(t, cluster.Options{})
	w := rollout(t, c, 3)
	cfg := c.Config(cluster.Reader)
	link := cutter(t, cfg)
	d := open(t, link.cfg, 120, 36, "pods", "deployments", "replicasets", "configmaps")

	link.down()
	d.until("the streams are cut", patience, func() bool { return !d.headerSaysLive() })
	ctx := t.Context()
	if err := w.SetImage(ctx, cluster.Shop, "web", "nginx:1.28"); err != nil {
		t.Fatal(err)
	}
	if err := w.ConfigMap(ctx, cluster.Shop, "settings", map[string]string{"level": "debug"}); err != nil {
		t.Fatal(err)
	}
	if err := w.WaitDeployment(ctx, cluster.Shop, "web"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CompactEtcd(ctx); err != nil {
		t.Fatal(err)
	}
	// A restarted server fills its cache anew, and knows nothing older than that.
	if err := c.StopAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	before := d.log.Snapshot().End()
	link.up()
	d.until("every stream is fresh again", patience, d.allFresh)
	d.agree(c.Config(cluster.Admin))

	gaps, synthetic := map[string]model.Gap{}, map[model.Type]int{}
	streams := d.log.Streams(time.Now())
	s := d.log.Snapshot()
	for seq := before; seq < s.End(); seq++ {
		e := s.At(seq)
		if e.Type == model.GapFound {
			gaps[streams[e.Stream].Resource] = e.Detail.(model.Gap)
		}
		if e.Has(model.Synthetic) {
			synthetic[e.Type]++
		}
	}
	t.Logf("gaps: %+v; synthetic: %v", gaps, synthetic)
	for _, r := range []string{"pods", "deployments", "replicasets", "configmaps"} {
		g, ok := gaps[r]
		if !ok {
			t.Errorf("no gap row for %s", r)
		} else if g.FromRV == "" || g.ToRV == "" || g.Since.IsZero() {
			t.Errorf("the gap of %s says too little: %+v", r, g)
		}
	}
	// The old pods are gone, the new ones there, and the deployment changed.
	if synthetic[model.Deleted] < 3 || synthetic[model.Added] < 4 || synthetic[model.Modified] < 1 {
		t.Errorf("synthetic events: %v; want 3 pods deleted, 3 pods and a config map added, a deployment modified", synthetic)
	}
	d.press("z")
	d.until("a gap row is on the screen", patience, func() bool { return strings.Contains(d.term.String(), "gap") })
}

// Quitting takes at most 200 ms, also while the server is dead.
func TestQuitWhileDown(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Without: cluster.APIOnly})
	d := open(t, c.Config(cluster.Reader), 80, 24, "pods", "nodes")
	if err := c.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	d.until("LIVE is gone", patience, func() bool { return !d.headerSaysLive() })
	late := cluster.Oversleep()
	began := time.Now()
	d.press("q")
	select {
	case <-d.done:
		took, lateness := time.Since(began), late()
		t.Logf("quitting took %v; the machine overslept by up to %v", took, lateness)
		if took > 200*time.Millisecond && lateness < cluster.Busy {
			t.Errorf("quitting took %v", took)
		}
	case <-time.After(patience):
		t.Fatal("q does not quit")
	}
}
