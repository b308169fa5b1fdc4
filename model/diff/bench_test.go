package diff

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"rewatch/model/jsonscan/scantest"
)

// bigPod is a pod of about 9 KB as a kubelet reports it, with env, volumes and
// container statuses.
func bigPod(phase string, restarts int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"checkout-5b6b6bc4f9-78b64","namespace":"shop","uid":"u","resourceVersion":"%d","labels":{"app":"checkout"},"managedFields":[`, restarts)
	for i := range 3 {
		fmt.Fprintf(&b, `%s{"manager":"m%d","operation":"Update","apiVersion":"v1","time":"2026-12-01T00:54:0%dZ","fieldsType":"FieldsV1","fieldsV1":{"f:status":{%s".":{}}}}`,
			strings.Repeat(",", min(i, 1)), i, i+restarts, strings.Repeat(`"f:containerStatuses":{"k:{\"name\":\"app\"}":{"f:image":{}}},`, 10))
	}
	b.WriteString(`]},"spec":{"containers":[`)
	for i := range 3 {
		fmt.Fprintf(&b, `%s{"name":"c%d","image":"registry.example/c%d:1.4.2","env":[`, strings.Repeat(",", min(i, 1)), i, i)
		for j := range 15 {
			fmt.Fprintf(&b, `%s{"name":"ENV_%d","value":"some value of the variable %d"}`, strings.Repeat(",", min(j, 1)), j, j)
		}
		b.WriteString(`],"volumeMounts":[{"name":"a","mountPath":"/a"},{"name":"b","mountPath":"/b"}],"resources":{"limits":{"cpu":"1","memory":"1Gi"}}}`)
	}
	fmt.Fprintf(&b, `],"volumes":[{"name":"a","emptyDir":{}},{"name":"b","configMap":{"name":"x"}}],"nodeName":"node-1"},"status":{"phase":"%s","conditions":[`, phase)
	for i, c := range []string{"Ready", "Initialized", "ContainersReady", "PodScheduled"} {
		fmt.Fprintf(&b, `%s{"type":"%s","status":"%v","lastTransitionTime":"2026-12-01T00:54:%02dZ"}`, strings.Repeat(",", min(i, 1)), c, restarts == 0, restarts)
	}
	b.WriteString(`],"containerStatuses":[`)
	for i := range 3 {
		fmt.Fprintf(&b, `%s{"name":"c%d","ready":true,"restartCount":%d,"image":"registry.example/c%d:1.4.2","imageID":"sha256:%064d","state":{"running":{"startedAt":"2026-12-01T00:54:%02dZ"}}}`,
			strings.Repeat(",", min(i, 1)), i, restarts, i, i, restarts)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// bigSlice is an EndpointSlice of about 210 KB, without one endpoint.
func bigSlice(without int, ready bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":"x","namespace":"shop","uid":"u"},"addressType":"IPv4","endpoints":[`)
	comma := ""
	for i := range 800 {
		if i == without {
			continue
		}
		fmt.Fprintf(&b, `%s{"addresses":["10.0.%d.%d"],"conditions":{"ready":%v,"serving":true,"terminating":false},"targetRef":{"kind":"Pod","namespace":"shop","name":"checkout-5b6b6bc4f9-%05d","uid":"2cfada27-3e75-4cce-b05a-%012d"},"nodeName":"node-%d","zone":"zone-1"}`,
			comma, i/250, i%250, ready || i != 600, i, i, i%60)
		comma = ","
	}
	b.WriteString(`],"ports":[{"name":"http","port":8080,"protocol":"TCP"}]}`)
	return b.Bytes()
}

func benchObjects(b *testing.B, old, new []byte, want int) {
	if r := Objects(old, new); len(r.Changes) != want {
		b.Fatalf("%d changes:\n%s", len(r.Changes), show(r.Changes))
	}
	b.SetBytes(int64(len(new)))
	b.ReportAllocs()
	for b.Loop() {
		Objects(old, new)
	}
}

// Goals: a pod of 9 KB in 0.1 ms, an EndpointSlice of 210 KB with three edits
// in 2 ms.
func BenchmarkObjects(b *testing.B) {
	b.Run("pod", func(b *testing.B) { benchObjects(b, bigPod("Pending", 0), bigPod("Running", 1), 15) })
	b.Run("endpointslice", func(b *testing.B) { benchObjects(b, bigSlice(100, true), bigSlice(700, false), 3) })
}

func BenchmarkSummary(b *testing.B) {
	old, new := bigPod("Pending", 0), bigPod("Running", 1)
	b.ReportAllocs()
	for b.Loop() {
		Summary("Pod", old, new, 120)
	}
}

func BenchmarkCapture(b *testing.B) {
	pairs := versions(b, scantest.Shop(b))
	for b.Loop() {
		for _, p := range pairs {
			Objects(p[0], p[1])
		}
	}
	b.ReportMetric(float64(len(pairs)*b.N)/b.Elapsed().Seconds(), "diffs/s")
}
