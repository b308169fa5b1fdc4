package ui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"rewatch/model"
)

// demoLog fills a log with a small cluster in which things happen: what the
// real engine would append, at the pace of a clock.
type demoLog struct {
	log     *model.Log
	r       *rand.Rand
	streams map[string]model.StreamID
	rv      int
	replica int
	pods    []string
}

func newDemoLog(contexts ...string) *demoLog {
	d := &demoLog{log: model.NewLog(model.Options{}), r: rand.New(rand.NewPCG(1, 2)), streams: map[string]model.StreamID{}, rv: 84000, replica: 8}
	for _, c := range contexts {
		for _, k := range []model.StreamInfo{
			{Resource: "pods", Kind: "Pod", Version: "v1", Namespaced: true},
			{Resource: "deployments", Kind: "Deployment", Group: "apps", Version: "v1", Namespaced: true},
			{Resource: "replicasets", Kind: "ReplicaSet", Group: "apps", Version: "v1", Namespaced: true},
			{Resource: "configmaps", Kind: "ConfigMap", Version: "v1", Namespaced: true, Namespace: "shop"},
			{Resource: "nodes", Kind: "Node", Version: "v1"},
			{Resource: "events", Kind: "Event", Version: "v1", Namespaced: true, Uncached: true},
		} {
			k.Context, k.Server = c, c+".example:6443"
			d.streams[c+"/"+k.Resource] = d.log.AddStream(k)
		}
	}
	return d
}

func (d *demoLog) step(now time.Time, stream string, to model.State, cause model.Cause, text string, until time.Time, attempt int) {
	id := d.streams[stream]
	from := d.log.Streams(now)[id].State
	d.log.Append(model.Record{Time: now, Stream: id, Type: model.StreamChange,
		Detail: model.Transition{From: from, To: to, Cause: cause, Text: text, Until: until, Attempt: attempt}})
}

func (d *demoLog) object(now time.Time, stream string, t model.Type, f model.Flag, kind, api, ns, name, rest string) {
	d.rv++
	meta := fmt.Sprintf(`"name":%q,"uid":"u-%s-%s","resourceVersion":"%d"`, name, kind, name, d.rv)
	if ns != "" {
		meta = fmt.Sprintf(`"namespace":%q,%s`, ns, meta)
	}
	raw := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{%s,"generation":%d,"managedFields":[{"manager":"kubelet","operation":"Update","time":%q}]},%s}`,
		api, kind, meta, d.replica, now.UTC().Format(time.RFC3339), rest)
	d.log.Append(model.Record{Time: now, Stream: d.streams[stream], Type: t, Flags: f, Raw: []byte(raw)})
}

func (d *demoLog) pod(now time.Time, c, name string, t model.Type, f model.Flag, phase string, restarts int) {
	d.object(now, c+"/pods", t, f, "Pod", "v1", "shop", name, fmt.Sprintf(
		`"spec":{"nodeName":"node-07","containers":[{"name":"app","image":"registry.example/shop/checkout:1.4.2"}]},"status":{"phase":%q,"containerStatuses":[{"name":"app","ready":%v,"restartCount":%d}]}`,
		phase, phase == "Running", restarts))
}

func (d *demoLog) bookmark(now time.Time, stream string) {
	d.rv++
	d.log.Append(model.Record{Time: now, Stream: d.streams[stream], Type: model.Bookmark,
		Raw: []byte(fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}`, d.rv))})
}

// start brings the streams of a context up.
func (d *demoLog) start(now time.Time, c string, pods int) {
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes", "events"} {
		d.step(now, c+"/"+s, model.Connecting, model.CauseStart, "", time.Time{}, 0)
		d.step(now, c+"/"+s, model.Syncing, model.CauseNone, "streaming list", time.Time{}, 0)
	}
	for i := range pods {
		name := fmt.Sprintf("checkout-5b6f7c9d4-%05x", 0x2a000+i*37)
		d.pods = append(d.pods, name)
		d.pod(now, c, name, model.Added, model.Initial, "Running", 0)
	}
	for _, n := range []string{"checkout", "cart", "payments"} {
		d.deployment(now, c, n, model.Added, model.Initial)
	}
	for i := range 9 {
		d.node(now, c, fmt.Sprintf("node-%02d", i), model.Added, model.Initial, "True")
	}
	d.object(now, c+"/configmaps", model.Added, model.Initial, "ConfigMap", "v1", "shop", "settings", `"data":{"app.properties":"a=1\nb=2\nc=3\n"}`)
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes"} {
		d.bookmark(now, c+"/"+s)
		d.step(now, c+"/"+s, model.Live, model.CauseNone, "initial list complete", time.Time{}, 0)
	}
	d.step(now, c+"/events", model.Quiet, model.CauseNone, "initial list complete; no heartbeats to expect", time.Time{}, 0)
}

func (d *demoLog) deployment(now time.Time, c, name string, t model.Type, f model.Flag) {
	d.object(now, c+"/deployments", t, f, "Deployment", "apps/v1", "shop", name, fmt.Sprintf(
		`"spec":{"replicas":%d,"template":{"spec":{"containers":[{"name":"app","image":"registry.example/shop/%s:1.4.%d"}]}}},"status":{"readyReplicas":%d}`,
		d.replica, name, d.replica%5, d.replica-1))
}

func (d *demoLog) node(now time.Time, c, name string, t model.Type, f model.Flag, ready string) {
	d.object(now, c+"/nodes", t, f, "Node", "v1", "", name, fmt.Sprintf(`"status":{"conditions":[{"type":"Ready","status":%q}]}`, ready))
}

// churn appends a few changes.
func (d *demoLog) churn(now time.Time, c string) {
	for range 1 + d.r.IntN(3) {
		switch n := d.r.IntN(20); {
		case n < 11:
			phase := []string{"Pending", "Running", "Running", "Failed"}[d.r.IntN(4)]
			d.pod(now, c, d.pods[d.r.IntN(len(d.pods))], model.Modified, 0, phase, d.r.IntN(9))
		case n < 14:
			d.replica = 5 + d.r.IntN(9)
			d.deployment(now, c, []string{"checkout", "cart", "payments"}[d.r.IntN(3)], model.Modified, 0)
		case n < 16:
			name := fmt.Sprintf("cart-77d8b5c6f-%05x", d.r.IntN(1<<20))
			d.pods = append(d.pods, name)
			d.pod(now, c, name, model.Added, 0, "Pending", 0)
		case n < 17 && len(d.pods) > 10:
			name := d.pods[len(d.pods)-1]
			d.pods = d.pods[:len(d.pods)-1]
			d.pod(now, c, name, model.Deleted, 0, "Running", 0)
		default:
			d.object(now, c+"/events", model.Added, 0, "Event", "v1", "shop", fmt.Sprintf("checkout.%x", d.r.IntN(1<<30)),
				`"type":"Warning","reason":"BackOff","message":"Back-off restarting failed container app in pod checkout-5b6f7c9d4-2a000","count":14,"involvedObject":{"kind":"Pod","name":"checkout-5b6f7c9d4-2a000","namespace":"shop"}`)
		}
	}
}

// demoControls records what the screen asks for.
type demoControls struct{ retried, paused []model.StreamID }

func (c *demoControls) Retry(id model.StreamID)             { c.retried = append(c.retried, id) }
func (c *demoControls) SetPaused(id model.StreamID, _ bool) { c.paused = append(c.paused, id) }

// runDemo is the program that the tests run in a real terminal:
// REWATCH_UI_DEMO is a list of words that say what happens in it.
func runDemo(what string) int {
	has := func(w string) bool { return strings.Contains(what, w) }
	contexts := []string{"prod-eu"}
	title := "prod-eu  shop,payments"
	if has("two") {
		contexts, title = append(contexts, "prod-us"), "prod-eu,prod-us  all namespaces"
	}
	d := newDemoLog(contexts...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		now := time.Now()
		for _, c := range contexts {
			d.start(now, c, 1204)
		}
		d.log.Append(model.Record{Time: now, Stream: 0, Type: model.Noted, Detail: model.Note{Text: "secrets are left out: list is forbidden"}})
		if has("trouble") {
			d.step(now, "prod-eu/nodes", model.Backoff, model.CauseRefused, "dial tcp 10.0.0.7:6443: connection refused", now.Add(90*time.Second), 3)
			d.step(now, "prod-eu/configmaps", model.Denied, model.CauseForbidden, "configmaps is forbidden: User \"dev\" cannot watch", time.Time{}, 1)
			d.step(now, "prod-eu/deployments", model.Expired, model.CauseExpired, "too old resource version: 83001 (84377)", time.Time{}, 0)
			d.log.Append(model.Record{Time: now, Stream: d.streams["prod-eu/deployments"], Type: model.GapFound, Detail: model.Gap{
				FromRV: "83001", ToRV: "84377", Since: now.Add(-12 * time.Second), Took: 12 * time.Second, Cause: model.CauseExpired, Added: 1, Modified: 2}})
			d.node(now, "prod-eu", "node-07", model.Modified, model.Synthetic, "Unknown")
		}
		for i := 0; ctx.Err() == nil; i++ {
			now := time.Now()
			for _, c := range contexts {
				d.churn(now, c)
				if i%100 == 40 {
					d.bookmark(now, c+"/pods")
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(120 * time.Millisecond):
			}
		}
	}()
	o := Options{Log: d.log, Title: title, Controls: &demoControls{}, Environ: os.Environ(), Theme: os.Getenv("REWATCH_UI_THEME")}
	if has("broken") {
		o.Files = broken{}
	}
	err := Run(ctx, o)
	cancel()
	<-done
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
