package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/logtest"
)

// told lists a report in lines.
func told(b *Book, now time.Time) (out []string) {
	for _, p := range b.Report(now) {
		for _, x := range p.Problems {
			id := b.log.Identity(x.Object)
			if x.About.Name != "" {
				id = x.About
			}
			line := fmt.Sprintf("%s: %s %s %s", p.Section, x.Reason, id.Name, x.Text)
			if x.Count > 0 {
				line += fmt.Sprintf(" ×%d", x.Count)
			}
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// The capture of a real cluster: a node that is cordoned, Pods that the node
// controller takes out of service, a Deployment that is down at the end.
func TestTheShopCapture(t *testing.T) {
	log := logtest.Shop(t)
	b, s := New(log), log.Snapshot()
	var end time.Time
	evicted := false
	for q := s.First(); q < s.End(); q++ {
		b.Add(s.At(q), nil)
		end = s.At(q).When()
		evicted = evicted || slices.ContainsFunc(b.objects[s.At(q).Object], func(p Problem) bool {
			return p.Section == Pods && p.Reason == "Evicted" && strings.Contains(p.Text, "low on resource")
		})
	}
	if !evicted {
		t.Error("the Pod that is evicted is never told of")
	}
	got := told(b, end)
	for _, want := range []string{
		"Nodes: Cordoned node-08 no Pod is scheduled to it",
		"Workloads: Unavailable checkout 0 of 2 ready: Deployment does not have minimum availability.",
		"Warning Events: NodeNotReady checkout-65d44f9694-xnfhd Node is not ready ×1",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing of\n%s", want, strings.Join(got, "\n"))
		}
	}
	if slices.ContainsFunc(told(b, end.Add(lately)), func(l string) bool { return strings.HasPrefix(l, "Warning") }) {
		t.Error("Warnings count for ever")
	}
	for _, x := range b.Report(end) {
		if n := map[Section]int{Warnings: 23, Gaps: 13}[x.Section]; n > 0 && (x.Total != n || len(x.Problems) != n) {
			t.Errorf("%d of %d are listed below %s, want %d", len(x.Problems), x.Total, x.Section, n)
		}
	}
}

// cluster appends what it is told to a log and to its book.
type cluster struct {
	log *model.Log
	b   *Book
	now time.Time
	rv  int
}

var epoch = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func newCluster() *cluster {
	c := &cluster{log: model.NewLog(model.Options{}), now: epoch}
	c.log.AddStream(model.StreamInfo{Context: "prod", Version: "v1", Resource: "things", Kind: "Thing", Namespaced: true})
	c.b = New(c.log)
	return c
}

func (c *cluster) add(typ model.Type, kind, name, meta, rest string) {
	c.rv++
	raw := fmt.Sprintf(`{"apiVersion":"v1","kind":%q,"metadata":{"namespace":"shop","name":%q,"uid":"u-%s-%s","resourceVersion":"%d"%s},%s}`, kind, name, kind, name, c.rv, meta, rest)
	c.b.Add(c.log.Append(model.Record{Time: c.now, Type: typ, Raw: []byte(raw)}), nil)
}

func (c *cluster) want(t *testing.T, want ...string) {
	t.Helper()
	if got := told(c.b, c.now); !slices.Equal(got, want) {
		t.Errorf("at %s:\n%s\nwant:\n%s", c.now.Format("15:04:05"), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhyAPodRestarts(t *testing.T) {
	c := newCluster()
	c.add(model.Added, "Pod", "cart", "", `"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-12-01T11:59:00Z"}],`+
		`"containerStatuses":[{"name":"app","restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container"}},`+
		`"lastState":{"terminated":{"reason":"OOMKilled","exitCode":137,"finishedAt":"2026-12-01T11:59:30Z"}}}]}`)
	c.want(t,
		"Restarts: OOMKilled cart container app: OOMKilled exit 137 ×7",
		"Pods: CrashLoopBackOff cart container app: back-off 5m0s restarting failed container; ended before: OOMKilled exit 137")
	c.now = c.now.Add(2 * time.Minute)
	c.add(model.Modified, "Pod", "cart", "", `"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],`+
		`"containerStatuses":[{"name":"app","restartCount":8,"state":{"running":{}},"lastState":{"terminated":{"reason":"Error","exitCode":1,"message":"no route to db","finishedAt":"2026-12-01T12:01:30Z"}}}]}`)
	c.want(t, "Restarts: Error cart container app: Error exit 1: no route to db ×8")
	c.now = c.now.Add(2 * time.Hour)
	c.want(t)
	c.add(model.Deleted, "Pod", "cart", "", `"status":{}`)
	if len(c.b.objects) != 0 {
		t.Error("a deleted object is kept")
	}
}

func TestWhatLastsIsAProblem(t *testing.T) {
	c := newCluster()
	c.add(model.Added, "Pod", "a", `,"creationTimestamp":"2026-12-01T12:00:00Z"`, `"status":{"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ContainerCreating"}}}]}`)
	c.add(model.Added, "Pod", "b", "", `"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes","lastTransitionTime":"2026-12-01T12:00:00Z"}]}`)
	c.add(model.Added, "PersistentVolumeClaim", "v", `,"creationTimestamp":"2026-12-01T12:00:00Z"`, `"status":{"phase":"Pending"}`)
	c.add(model.Added, "StatefulSet", "db", "", `"spec":{"replicas":3},"status":{"readyReplicas":2}`)
	c.add(model.Added, "Pod", "g", `,"deletionTimestamp":"2026-12-01T12:00:00Z","finalizers":["x/y"]`, `"status":{"phase":"Running"}`)
	c.want(t)
	c.now = epoch.Add(10 * time.Second)
	c.want(t, "Pods: Unschedulable b 0/3 nodes")
	// The wait begins when it was seen first, however often it changes.
	c.add(model.Modified, "StatefulSet", "db", "", `"spec":{"replicas":3},"status":{"readyReplicas":1}`)
	c.now = epoch.Add(61 * time.Second)
	c.want(t, "Workloads: NotReady db 1 of 3 ready",
		"Pods: Pending a container app: ContainerCreating", "Pods: Unschedulable b 0/3 nodes", "Pods: Terminating g its grace period is over; finalizers: x/y",
		"Volumes: Pending v it is not bound")
}

func TestWhatElseIsWrong(t *testing.T) {
	c := newCluster()
	c.add(model.Added, "Pod", "image", "", `"status":{"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"x:y\""}}}]}`)
	c.add(model.Added, "Pod", "evicted", "", `"status":{"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory."}`)
	c.add(model.Added, "Pod", "done", "", `"status":{"phase":"Succeeded","containerStatuses":[{"name":"app","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}`)
	c.add(model.Added, "Deployment", "web", "", `"spec":{"replicas":4},"status":{"readyReplicas":3,"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"timed out"}]}`)
	c.add(model.Added, "Node", "n1", "", `"spec":{"unschedulable":true},"status":{"conditions":[{"type":"MemoryPressure","status":"True","message":"low"},{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown","message":"Kubelet stopped posting"}]}`)
	c.add(model.Added, "Job", "migrate", "", `"status":{"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded","message":"Job has reached the specified backoff limit"}]}`)
	c.want(t,
		"Nodes: Cordoned n1 no Pod is scheduled to it", "Nodes: MemoryPressure n1 low", "Nodes: NotReady n1 NodeStatusUnknown: Kubelet stopped posting",
		"Workloads: ProgressDeadlineExceeded web 3 of 4 ready: timed out",
		`Pods: ImagePullBackOff image container app: Back-off pulling image "x:y"`, "Pods: Evicted evicted The node was low on resource: memory.",
		"Jobs: BackoffLimitExceeded migrate Job has reached the specified backoff limit")
}

func TestWarningsAreCountedByObject(t *testing.T) {
	c := newCluster()
	ev := func(typ model.Type, name string, count int, at string) {
		c.add(typ, "Event", name, "", fmt.Sprintf(`"type":"Warning","reason":"BackOff","message":"restarting","count":%d,"lastTimestamp":%q,"involvedObject":{"kind":"Pod","namespace":"shop","name":"cart"}`, count, at))
	}
	ev(model.Added, "e1", 3, "2026-12-01T11:59:00Z")
	ev(model.Modified, "e1", 5, "2026-12-01T11:59:30Z")
	ev(model.Added, "e2", 2, "2026-12-01T11:58:00Z") // older
	c.add(model.Added, "Event", "fine", "", `"type":"Normal","reason":"Pulled","involvedObject":{"kind":"Pod","name":"cart"}`)
	c.want(t, "Warning Events: BackOff cart restarting ×7")
	c.now = epoch.Add(10 * time.Minute)
	c.want(t)
	for i := range 2 * maxWarnings {
		c.add(model.Added, "Event", fmt.Sprint("m", i), "", fmt.Sprintf(`"type":"Warning","reason":"R","involvedObject":{"kind":"Pod","name":"p%d"}`, i))
	}
	if n := len(c.b.warnings); n > maxWarnings {
		t.Errorf("%d Warnings are kept", n)
	}
	if p := c.b.Report(c.now); len(p) != 1 || p[0].Total != 2*maxWarnings {
		t.Errorf("%d of %d Warnings are counted", p[0].Total, 2*maxWarnings)
	}
	// Those that were not kept stop to count with the others.
	c.now = c.now.Add(lately)
	if p := c.b.Report(c.now); len(p) != 0 {
		t.Errorf("after %s %d Warnings count", lately, p[0].Total)
	}
	c.b.Add(c.log.Append(model.Record{Time: c.now, Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Stopped, Cause: model.CauseUser}}), nil)
	if n := len(c.b.counted); n != 0 {
		t.Errorf("%d Events of a removed stream are kept", n)
	}
}

func TestGapsRefusalsAndStreamsThatGo(t *testing.T) {
	c := newCluster()
	add := func(typ model.Type, detail any) {
		c.b.Add(c.log.Append(model.Record{Time: c.now, Type: typ, Detail: detail}), nil)
	}
	add(model.GapFound, model.Gap{FromRV: "5", ToRV: "9", Took: 12 * time.Second, Cause: model.CauseExpired, Text: "too old", Modified: 2})
	add(model.Noted, model.Note{Cause: model.CauseForbidden, Text: "secrets: list is forbidden"})
	c.add(model.Added, "Job", "j", "", `"status":{"conditions":[{"type":"Failed","status":"True","message":"m"}]}`)
	c.want(t, "Jobs: Failed j m", // what is wrong now comes first
		"May not be read: refused  secrets: list is forbidden",
		"Gaps: expired  resourceVersions 5 to 9, 12s: too old; the list after it found 0 added, 2 modified, 0 deleted")
	add(model.StreamChange, model.Transition{From: model.Live, To: model.Stopped, Cause: model.CauseUser})
	if got := told(c.b, c.now); len(got) != 2 {
		t.Errorf("of a removed stream is told %v", got)
	}
}

// Objects that nobody judges cost next to nothing, Pods little.
func BenchmarkAdd(b *testing.B) {
	log := logtest.Shop(b)
	s := log.Snapshot()
	for b.Loop() {
		book := New(log)
		for q := s.First(); q < s.End(); q++ {
			book.Add(s.At(q), nil)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Len()), "ns/row")
}
