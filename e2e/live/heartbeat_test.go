package live

import (
	"os"
	"strings"
	"testing"
	"time"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/model"
)

// Twelve streams over minutes: bookmarks are shown as heartbeats, about once a
// minute on cached resources, and Events are marked as having none.
// REWATCH_E2E_LONG=10m makes it longer than the default.
func TestHeartbeats(t *testing.T) {
	long := 150 * time.Second
	if v := os.Getenv("REWATCH_E2E_LONG"); v != "" {
		var err error
		if long, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		t.Skip("takes minutes")
	}
	c := clustertest.Start(t, cluster.Options{})
	w := rollout(t, c, 3)
	d := open(t, c.Config(cluster.Reader), 120, 50, "pods", "deployments", "replicasets", "statefulsets", "daemonsets", "jobs",
		"services", "endpointslices", "configmaps", "nodes", "leases", "events")
	began := time.Now()
	for n := 3; time.Since(began) < long; n = 7 - n { // a cluster where something happens: 3, 4, 3, …
		if err := w.Scale(t.Context(), cluster.Shop, "web", n); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			time.Sleep(500 * time.Millisecond)
			if !d.allFresh() {
				t.Fatalf("a stream is not fresh, without a reason:\n%s", d.term.String())
			}
		}
	}
	beats := map[model.StreamID][]time.Time{}
	s := d.log.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		if e := s.At(seq); e.Type == model.Bookmark {
			beats[e.Stream] = append(beats[e.Stream], e.When())
		}
	}
	for _, st := range d.log.Streams(time.Now()) {
		all := beats[st.ID]
		var widest time.Duration
		for i := 1; i < len(all); i++ {
			widest = max(widest, all[i].Sub(all[i-1]))
		}
		if len(all) > 0 {
			widest = max(widest, time.Since(all[len(all)-1]))
		}
		t.Logf("%-32s %s: %d heartbeats in %v, at most %v apart; %d reconnects", st.Name(), st.State, len(all), long, widest.Round(100*time.Millisecond), st.Reconnects)
		if st.Uncached {
			if st.State != model.Quiet || len(all) > 1+int(st.Reconnects) {
				t.Errorf("%s: %s with %d heartbeats: an uncached resource has none", st.Name(), st.State, len(all))
			}
			continue
		}
		if st.State != model.Live || len(all) < int(long/time.Minute) || widest > 75*time.Second {
			t.Errorf("%s: %s with %d heartbeats, at most %v apart", st.Name(), st.State, len(all), widest)
		}
	}
	if screen := d.term.String(); !strings.Contains(screen, "uncached") || !strings.Contains(screen, "♥") {
		t.Errorf("the screen shows no heartbeats, or does not mark events:\n%s", screen)
	}
}
