package live

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/model"
	"rewatch/watch"
	"rewatch/watch/metrics"
)

// requests are those that a log tells of a stream, as far as it tells.
func requests(l *model.Log, id model.StreamID) (out []*model.Request) {
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		t, ok := e.Detail.(model.Transition)
		switch q := t.Request; {
		case !ok || e.Stream != id || q == nil:
		case int(q.Number) == len(out):
			out[len(out)-1] = q
		default:
			out = append(out, q)
		}
	}
	return out
}

// The protocol page tells of each request of a stream what a real server says
// of it, and a request that it shows can be sent again by kubectl.
func TestProtocolOfARealServer(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Without: cluster.APIOnly})
	d := start(t, c.Config(cluster.ListOnly), 120, 36, "pods") // who may list and not watch
	d.until("the list was read", patience, func() bool {
		q := requests(d.log, 0)
		return len(q) >= 2 && q[1].Ended
	})
	d.shows("POLL") // the stream is on the screen
	d.press("gs")
	d.shows("▸Streams")
	d.press("\r")
	d.until("the page of the protocol", patience, func() bool {
		s := d.term.String()
		return strings.Contains(s, "▸Protocol") && strings.Contains(s, "watch refused") && strings.Contains(s, "the whole list") && strings.Contains(s, "Audit-Id")
	})
	refused, list := requests(d.log, 0)[0], requests(d.log, 0)[1]
	if refused.Verb != model.VerbWatchList || refused.Status != 403 || refused.Cause != model.CauseForbidden || !strings.Contains(refused.Query, "sendInitialEvents=true") {
		t.Errorf("the refused watch: %v", refused)
	}
	if list.Verb != model.VerbList || list.Status != 200 || list.Proto != "HTTP/2.0" || list.Path != "/api/v1/pods" || list.Query != "limit=500" || list.Bytes == 0 || list.Wait == 0 {
		t.Errorf("the list: %v", list)
	}
	for _, q := range []*model.Request{refused, list} {
		for _, name := range []string{"Audit-Id", "X-Kubernetes-Pf-Flowschema-Uid", "X-Kubernetes-Pf-Prioritylevel-Uid", "Content-Type"} {
			if q.Get(name) == "" {
				t.Errorf("no %s in %q", name, q.Header)
			}
		}
		// An answer that took its time says nothing about clocks.
		if ahead, known := q.Skew(); q.Wait < time.Second && (!known || ahead.Abs() > 2*time.Second) {
			t.Errorf("a clock that is %v ahead, %v", ahead, known)
		}
		if token := c.Config(cluster.ListOnly).BearerToken; strings.Contains(q.String(), token) || strings.Contains(q.String(), "Bearer") {
			t.Error("a credential was kept")
		}
	}
	out, err := exec.CommandContext(t.Context(), c.Kubectl(), "--kubeconfig", c.Kubeconfig(cluster.ListOnly), "get", "--raw", list.URL()).Output()
	var again struct{ Kind string }
	if err != nil || json.Unmarshal(out, &again) != nil || again.Kind != "PodList" {
		t.Errorf("kubectl get --raw %s: %v, %.200s", list.URL(), err, out)
	}
}

// What a server says of itself is read with the permission for it; without, the
// answer names what is missing.
func TestMetricsOfARealServer(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Without: cluster.APIOnly})
	d := open(t, c.Config(cluster.Reader), 120, 36, "configmaps")
	poll := func(user string) (<-chan model.ServerStats, func()) {
		client, err := watch.NewCluster(user, c.Config(user), watch.ClusterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		out := metrics.Poll(ctx, user, client, metrics.Options{Every: 500 * time.Millisecond})
		return out, func() {
			cancel()
			for range out {
			}
			client.Close()
		}
	}
	refused, end := poll(cluster.Reader)
	s := <-refused
	if end(); !strings.Contains(s.Err, "this user may not read /metrics") || !strings.Contains(s.Err, `User "reader"`) || len(s.Advice) == 0 {
		t.Errorf("without the permission: %+v", s)
	}
	readings, end := poll(cluster.Admin)
	defer end()
	<-readings
	s = <-readings
	known := map[string]model.Figure{}
	for _, f := range s.Figures {
		if f.Known {
			known[f.Name] = f
		}
	}
	for _, name := range []string{"open watches", "watch events", "watch bytes", "cache dispatched", "cache capacity", "revisions", "etcd bookmarks", "in flight", "etcd size"} {
		if _, ok := known[name]; !ok {
			t.Errorf("%s is not known", name)
		}
	}
	if s.Err != "" || s.Restarted || known["open watches"].Value < 1 || known["etcd size"].Value < 10_000 {
		t.Errorf("%s: %+v", s.Err, s.Figures)
	}
	d.press("q")
}
