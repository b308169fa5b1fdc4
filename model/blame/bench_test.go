package blame

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"rewatch/model/cputest"
	"rewatch/model/diff"
)

// pod is a pod of about 9 KB as kubelets keep them, in one of two states.
func pod(ready bool) []byte {
	var b bytes.Buffer
	since, version := "2026-12-01T00:00:00Z", 1
	if ready {
		since, version = "2026-12-01T00:00:05Z", 2
	}
	fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"checkout-5b6d-x7k2p","namespace":"shop","uid":"u","resourceVersion":"%d","managedFields":[`, version)
	b.WriteString(`{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-11-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{`)
	for c := range 3 {
		fmt.Fprintf(&b, `%s"k:{\"name\":\"c%d\"}":{".":{},"f:args":{},"f:env":{".":{}`, strings.Repeat(",", min(c, 1)), c)
		for e := range 10 {
			fmt.Fprintf(&b, `,"k:{\"name\":\"SETTING_%d\"}":{".":{},"f:name":{},"f:value":{}}`, e)
		}
		b.WriteString(`},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}}}`)
	}
	fmt.Fprintf(&b, `}}}},{"manager":"kubelet","operation":"Update","apiVersion":"v1","subresource":"status","time":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{`, since)
	conditions := []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}
	for i, c := range conditions {
		fmt.Fprintf(&b, `%s"k:{\"type\":%q}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}`, strings.Repeat(",", min(i, 1)), c)
	}
	b.WriteString(`},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}}}]},"spec":{"containers":[`)
	for c := range 3 {
		fmt.Fprintf(&b, `%s{"name":"c%d","image":"registry.example/checkout:1.0","args":["--listen=:8080"],"imagePullPolicy":"IfNotPresent","resources":{"limits":{"cpu":"1","memory":"512Mi"}},"env":[`, strings.Repeat(",", min(c, 1)), c)
		for e := range 10 {
			fmt.Fprintf(&b, `%s{"name":"SETTING_%d","value":"%s"}`, strings.Repeat(",", min(e, 1)), e, strings.Repeat("v", 110))
		}
		b.WriteString(`]}`)
	}
	b.WriteString(`]},"status":{"phase":"Running","conditions":[`)
	for i, c := range conditions {
		fmt.Fprintf(&b, `%s{"type":%q,"status":"%v","lastProbeTime":null,"lastTransitionTime":%q}`, strings.Repeat(",", min(i, 1)), c, ready, since)
	}
	b.WriteString(`],"containerStatuses":[`)
	for c := range 3 {
		fmt.Fprintf(&b, `%s{"name":"c%d","ready":%v,"restartCount":0,"state":{"running":{"startedAt":"2026-12-01T00:00:00Z"}},"image":"registry.example/checkout:1.0"}`, strings.Repeat(",", min(c, 1)), c, ready)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// slice is an EndpointSlice of about 210 KB with three edits between its states.
func slice(edited bool) []byte {
	var b bytes.Buffer
	b.WriteString(`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"x","managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"discovery.k8s.io/v1","time":"2026-12-01T00:00:0`)
	fmt.Fprintf(&b, `%d`, map[bool]int{true: 1}[edited])
	b.WriteString(`Z","fieldsType":"FieldsV1","fieldsV1":{"f:addressType":{},"f:endpoints":{},"f:ports":{}}}]},"endpoints":[`)
	for i := range 1000 {
		ready := !edited || i%400 != 0
		fmt.Fprintf(&b, `%s{"addresses":["10.0.%d.%d"],"conditions":{"ready":%v,"serving":true,"terminating":false},"targetRef":{"kind":"Pod","namespace":"shop","name":"checkout-%05d","uid":"0b31c7b6-0000-4000-8000-%012d"},"nodeName":"node-%d.eu-1.example","zone":"eu-1a"}`,
			strings.Repeat(",", min(i, 1)), i/250, i%250, ready, i, i, i%100)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkDiffWithOwners compares two versions and puts the changes down to
// their owners. Times are processor time.
func BenchmarkDiffWithOwners(b *testing.B) {
	for _, c := range []struct {
		name     string
		old, new []byte
	}{{"pod", pod(false), pod(true)}, {"slice", slice(false), slice(true)}} {
		b.Run(fmt.Sprintf("%s/%dKB", c.name, len(c.new)>>10), func(b *testing.B) {
			b.ReportAllocs()
			start := cputest.Process()
			n := 0
			for b.Loop() {
				r := diff.Objects(c.old, c.new)
				n = len(Changes(r, c.old, c.new))
			}
			b.ReportMetric((cputest.Process()-start).Seconds()*1e6/float64(b.N), "cpu-µs")
			b.ReportMetric(float64(n), "changes")
		})
		b.Run(c.name+"/whole", func(b *testing.B) {
			start := cputest.Process()
			for b.Loop() {
				Object(c.new)
			}
			b.ReportMetric((cputest.Process()-start).Seconds()*1e6/float64(b.N), "cpu-µs")
		})
	}
}
