package tape

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
)

// paths of what is recorded, by the names of the streams.
var paths = map[string]string{
	"pods":                       "/api/v1/pods",
	"nodes":                      "/api/v1/nodes",
	"events":                     "/api/v1/events",
	"deployments.apps":           "/apis/apps/v1/deployments",
	"replicasets.apps":           "/apis/apps/v1/replicasets",
	"leases.coordination.k8s.io": "/apis/coordination.k8s.io/v1/leases",
}

// recordLimit is the most memory that a recording may take.
const recordLimit = 100 << 20

func TestRecord(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{})
	r := newRig(t, c)
	nodes, err := c.Nodes(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.New(c.Config(cluster.Admin))
	if err != nil {
		t.Fatal(err)
	}
	pods := workload.BarePods{Count: 200, Namespaces: 4, Nodes: nodes}
	if err := w.CreatePods(t.Context(), pods, nil); err != nil {
		t.Fatal(err)
	}
	t.Run("under load", func(t *testing.T) { testLoad(t, r, w, pods) })
	t.Run("ends", func(t *testing.T) { testEnds(t, r, w, pods) })
}

// load keeps rolling updates and changes of pods going until ctx ends, and
// returns how many there were.
func load(t *testing.T, ctx context.Context, w *workload.Client, pods workload.BarePods, deployments int) (updates, changes int64) {
	t.Helper()
	var running sync.WaitGroup
	var done atomic.Int64
	for i := range deployments {
		name := fmt.Sprintf("web-%d", i)
		running.Go(func() {
			if err := w.Deployment(t.Context(), cluster.Shop, name, "nginx:1.0", 5); err != nil {
				t.Error(err)
				return
			}
			for n := 1; ctx.Err() == nil; n++ {
				image := fmt.Sprintf("nginx:1.%d", n)
				if err := errors.Join(w.SetImage(t.Context(), cluster.Shop, name, image), w.WaitDeployment(t.Context(), cluster.Shop, name)); err != nil {
					t.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	n, err := w.Churn(ctx, pods, 2000)
	if err != nil {
		t.Error(err)
	}
	running.Wait()
	return done.Load(), int64(n)
}

// What is recorded while the control plane does what it can for a minute is all
// that it sent, byte for byte, and the state on the tape is that of the server:
// during the load, and at the end.
func testLoad(t *testing.T, r rig, w *workload.Client, pods workload.BarePods) {
	var types []string
	s := newServer(t, r.c.Config(cluster.Admin))
	for name := range paths {
		types = append(types, name)
	}
	rec := r.record(t, "load.rwt", types...)
	var witnesses []*witness
	for name, path := range paths {
		witnesses = append(witnesses, s.witness(t, name, path))
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	lists := map[string][]list{}
	look := func() {
		for name, path := range paths {
			lists[name] = append(lists[name], s.list(t, path))
		}
	}
	looking := make(chan struct{})
	go func() {
		defer close(looking)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(10 * time.Second):
				look()
			}
		}
	}()
	updates, changes := load(t, ctx, w, pods, 6)
	<-looking
	look() // and the state at the end
	rec.reaches(t, witnesses...)
	time.Sleep(2 * time.Second)
	late := cluster.Oversleep()
	took := time.Since(began)
	peak := rec.peak(t)
	ended := time.Now()
	rec.end(t, syscall.SIGTERM)
	lateness := late()
	if text := rec.stderr.String(); !strings.Contains(text, "nothing lost") {
		t.Errorf("rewatch record says\n%.1000s", text)
	}
	x := r.info(t, rec.path)
	if x.Ended != "in order" || x.Lost != 0 || len(x.Gaps) != 0 || len(x.Damages) != 0 {
		t.Errorf("%+v", x)
	}
	r.run(t, "verify", rec.path)

	on, total, objects := streams(t, rec.path), 0, 0
	for _, w := range witnesses {
		missing, n := w.sameChanges(t, on[w.resource])
		if !missing.IsZero() && ended.Sub(missing) > time.Second && lateness < cluster.Busy {
			t.Errorf("%s: changes of %v before the end are missing", w.resource, ended.Sub(missing))
		}
		t.Logf("%s: %d changes, byte for byte what the server sent", w.resource, n)
		total += n
	}
	for name, all := range lists {
		for i, l := range all {
			got := on[name].at(l.rv)
			if len(got) != len(l.objects) {
				t.Errorf("%s, list %d: the tape has %d objects at %d, the server %d", name, i, len(got), l.rv, len(l.objects))
			}
			for id, want := range l.objects {
				objects++
				if raw, ok := got[id]; !ok {
					t.Errorf("%s %s is not on the tape at %d", name, id, l.rv)
				} else if _, have := canonical(t, []byte(raw)); have != want {
					t.Errorf("%s %s is on the tape\n%.500s\nand at the server\n%.500s", name, id, have, want)
				}
			}
		}
	}
	t.Logf("%d rolling updates of 5 pods and %d changes of pods in %v: %d frames (%.0f/s), %d objects of %d lists are equal", updates, changes,
		took.Round(time.Second), total, float64(total)/took.Seconds(), objects, len(lists["pods"]))
	t.Logf("tape of %d KiB for %d KiB of frames (%.2f %%); rewatch record took %d MB (VmHWM)", x.Size>>10, x.Plain>>10,
		100*float64(x.Size)/float64(x.Plain), peak>>20)
	if peak > recordLimit {
		t.Errorf("rewatch record took %d MB", peak>>20)
	}
	if updates < 6 || total < 500 {
		t.Error("too little happened")
	}
}

// A recording ends in order when it is asked to, and leaves at most the last
// second out when it is killed.
func testEnds(t *testing.T, r rig, w *workload.Client, pods workload.BarePods) {
	s := newServer(t, r.c.Config(cluster.Admin))
	saw := s.witness(t, "pods", paths["pods"])
	ctx, cancel := context.WithCancel(t.Context())
	churned := make(chan struct{})
	go func() {
		defer close(churned)
		if _, err := w.Churn(ctx, pods, 200); err != nil {
			t.Error(err)
		}
	}()
	defer func() { cancel(); <-churned }()
	for i, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, os.Kill, os.Kill, os.Kill} {
		t.Run(fmt.Sprint(i, " ", signal), func(t *testing.T) {
			rec := r.record(t, fmt.Sprintf("end-%d.rwt", i), "pods", "events")
			for n := len(saw.changes()) + 50; len(saw.changes()) < n; time.Sleep(10 * time.Millisecond) {
				if t.Context().Err() != nil {
					t.Fatal("nothing happens")
				}
			}
			rec.reaches(t, saw)
			late := cluster.Oversleep()
			time.Sleep(time.Second + time.Duration(i)*333*time.Millisecond)
			when := time.Now()
			took := rec.end(t, signal)
			time.Sleep(300 * time.Millisecond) // the witness too has to see the last of it
			lateness := late()
			x := r.info(t, rec.path)
			missing, n := saw.sameChanges(t, streams(t, rec.path)["pods"])
			lost := time.Duration(0)
			if !missing.IsZero() && missing.Before(when) {
				lost = when.Sub(missing)
			}
			t.Logf("ended %q after %v with %d changes; of those that came before, the last %v are missing; the machine overslept by up to %v",
				x.Ended, took.Round(time.Millisecond), n, lost.Round(time.Millisecond), lateness.Round(time.Millisecond))
			if n < 20 || lost > time.Second && lateness < cluster.Busy {
				t.Errorf("too much is missing")
			}
			switch {
			case x.Lost != 0 || len(x.Gaps) != 0:
				t.Errorf("%+v", x)
			case signal == os.Kill:
				if x.Ended == "in order" {
					t.Error("a recorder that was killed ended in order")
				}
				r.run(t, "repair", rec.path, "-o", rec.path+".repaired")
				r.runTo(t, 3, "verify", rec.path+".repaired") // whole, with a gap where it was torn
			default:
				if x.Ended != "in order" || len(x.Damages) != 0 || took > 3*time.Second && lateness < cluster.Busy {
					t.Errorf("%+v", x)
				}
				r.run(t, "verify", rec.path)
			}
		})
	}
}
