package diff

import (
	"strings"
	"testing"
	"unicode/utf8"

	"rewatch/model/jsonscan"
	"rewatch/model/jsonscan/scantest"
)

func TestSummaryOfChange(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`{"status":{"phase":"Pending"},"metadata":{"generation":1}}`, `{"status":{"phase":"Running"},"metadata":{"generation":2}}`, "status.phase Pending→Running"},
		{`{"spec":{"replicas":3},"metadata":{"labels":{"a":"1"}}}`, `{"spec":{"replicas":8},"metadata":{"labels":{"a":"2"}}}`, "spec.replicas 3→8, labels.a 1→2"},
		{`{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"nginx:1.27"}]}}}}`,
			`{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"nginx:1.28"}]}}}}`, "app image nginx:1.27→1.28"},
		{`{"status":{"conditions":[{"type":"X","status":"True"},{"type":"Ready","status":"True","reason":"A","message":"m","lastTransitionTime":"1"}]}}`,
			`{"status":{"conditions":[{"type":"X","status":"False"},{"type":"Ready","status":"False","reason":"B","message":"n","lastTransitionTime":"2"}]}}`,
			"Ready True→False (B), X True→False"},
		{`{"status":{"conditions":[]}}`, `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`, "Ready False"},
		{`{"status":{}}`, `{"status":{"conditions":[{"type":"A","status":"False"},{"type":"B","status":"True"},{"type":"C","status":"True"}]}}`, "A False B True …"},
		{`{"status":{}}`, `{"status":{"conditions":[{"type":"PodReadyToStartContainers","status":"True"},{"type":"Initialized","status":"False"},{"type":"Ready","status":"False"}]}}`,
			"Ready False Initialized False …"},
		{`{"spec":{}}`, `{"spec":{"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2026-12-01T04:00:00Z"},{"key":"a","value":"b","effect":"NoSchedule"}]}}`,
			"+spec.taints node.kubernetes.io/unreachable:NoExecute a=b:NoSchedule"},
		{`{"spec":{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}}`, `{"spec":{}}`, "-spec.taints a=b:NoSchedule"},
		{`{"spec":{"x":{}}}`, `{"spec":{"x":{},"y":[],"z":{"cpu":"1","limits":{"memory":"2Gi"},"n":[1,2],"e":{}}}}`, "+spec.y [], +spec.z cpu=1 limits={…} n=[…] e={}"},
		{`{"spec":{}}`, `{"spec":{"finalizers":["a","b"],"ports":[{"port":80},{"name":"http"}]}}`, "+spec.finalizers a b, +spec.ports {port=80} http"},
		{`{"data":{"a":"server:\n  port: 8080\n  host: x\nlog: info\n"}}`, `{"data":{"a":"server:\n  port: 9090\n  host: x\nlog: debug\n"}}`, "data.a port: 8080→9090 +1 more line"},
		{`{"data":{"a":"x\n"}}`, `{"data":{"a":"x\ny=1\nz\nw\n"}}`, "data.a +y=1 +2 more lines"},
		{`{"data":{"a":"x\ny=1\n"}}`, `{"data":{"a":"x\n"}}`, "data.a -y=1"},
		{`{"data":{"a":"x\n"}}`, `{"data":{"a":"x"}}`, "data.a x" + "\n" + "→x"},
		{`{"data":{"a":"` + strings.Repeat(`same\n`, 5000) + `k: 1\n"}}`, `{"data":{"a":"` + strings.Repeat(`same\n`, 5000) + `k: 2\n"}}`, "data.a k: 1→2 …"},
		{`{"status":{"containerStatuses":[{"name":"app","restartCount":3,"state":{"running":{"startedAt":"x"}}}]}}`,
			`{"status":{"containerStatuses":[{"name":"app","restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
			"containerStatuses[app].restartCount 3→4, app waiting CrashLoopBackOff"},
		{`{"status":{"containerStatuses":[{"name":"app","state":{"running":{}}}]}}`,
			`{"status":{"containerStatuses":[{"name":"app","state":{"terminated":{"reason":"Error","exitCode":137}}}]}}`, "app terminated Error (exit 137)"},
		{`{"metadata":{}}`, `{"metadata":{"deletionTimestamp":"x","deletionGracePeriodSeconds":30}}`, "terminating"},
		{`{"metadata":{"generation":1},"status":{"observedGeneration":1}}`, `{"metadata":{"generation":2},"status":{"observedGeneration":2}}`,
			"metadata.generation 1→2, status.observedGeneration 1→2"},
		{`{"data":{"a.properties":"x\ny","b":"1","c":"1","d":"1"}}`, `{"data":{"a.properties":"x\nz","e":"1","c":"2","d":"2"}}`,
			`data["a.properties"] y→z` + ", +data.e 1, data.c 1→2 +2 more"},
		{`{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"resourceVersion":"2"}}`, "(no change besides resourceVersion)"},
		{`{"metadata":{"managedFields":[1]}}`, `{"metadata":{"managedFields":[2]}}`, "(no change besides managedFields)"},
		{`{}`, `{}`, "(no change)"},
		{`{"spec":{"a":""}}`, `{"spec":{"b":{"x":"` + strings.Repeat("y", 100) + `"},"a":"` + strings.Repeat("ä", 100) + `"}}`, `+spec.b x=` + strings.Repeat("y", 48) + `…, spec.a ""→` + strings.Repeat("ä", 24) + "…"},
	} {
		if got := Summary("X", []byte(c.old), []byte(c.new), 0); got != c.want {
			t.Errorf("%s\n%s\n got %s\nwant %s", c.old, c.new, got, c.want)
		}
	}
	old, new := []byte(`{"spec":{"a":1,"b":1,"c":1,"d":1,"e":1}}`), []byte(`{"spec":{"a":2,"b":2,"c":2,"d":2,"e":2}}`)
	if got, want := Summary("X", old, new, 30), "spec.a 1→2, spec.b 1→2 +3 more"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSummaryOfObject(t *testing.T) {
	for _, c := range []struct{ kind, raw, want string }{
		{"Pod", `{"spec":{"nodeName":"n-1","containers":[{"image":"a:1"},{"image":"b:1"}]},"status":{"phase":"Running","containerStatuses":[{"ready":true,"restartCount":2},{"ready":false,"restartCount":1,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
			"Running 1/2 on n-1, CrashLoopBackOff, 3 restarts, a:1 +1"},
		{"Pod", `{"status":{"phase":"Failed","reason":"Evicted"}}`, "Failed, Evicted"},
		{"Deployment", `{"spec":{"replicas":3,"template":{"spec":{"containers":[{"image":"a:1"}]}}},"status":{"readyReplicas":2}}`, "3 replicas, 2 ready, a:1"},
		{"DaemonSet", `{"status":{"desiredNumberScheduled":3,"numberReady":0}}`, "0/3 ready"},
		{"Node", `{"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"}],"nodeInfo":{"kubeletVersion":"v1.37.2"}}}`,
			"NotReady (NodeStatusUnknown), unschedulable, v1.37.2"},
		{"Event", `{"reason":"BackOff","count":14,"message":"Back-off \"restarting\""}`, `BackOff ×14 Back-off "restarting"`},
		{"Event", `{"reason":"Pulled","deprecatedCount":1,"series":{"count":3},"note":"done"}`, "Pulled ×3 done"},
		{"Job", `{"spec":{"completions":5},"status":{"succeeded":2,"active":1,"failed":1}}`, "2/5 done, 1 active, 1 failed"},
		{"Job", `{"status":{"failed":6,"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]}}`, "Failed, BackoffLimitExceeded, 6 failed"},
		{"CronJob", `{"spec":{"schedule":"* * * * *","suspend":true}}`, "* * * * *, suspended"},
		{"Service", `{"spec":{"type":"ClusterIP","clusterIP":"10.0.0.1","ports":[{"port":80,"targetPort":"http"},{"port":53,"targetPort":53,"protocol":"UDP"}]}}`, "ClusterIP, 10.0.0.1, 80→http 53/UDP"},
		{"ConfigMap", `{"data":{"a":"x"},"binaryData":{"b":"x"}}`, "2 keys: a b"},
		{"Secret", `{"data":{"a":"s3cr3t"},"type":"kubernetes.io/tls"}`, "kubernetes.io/tls, 1 key: a"},
		{"EndpointSlice", `{"endpoints":[{"conditions":{"ready":true}},{"conditions":{"ready":false}},{}]}`, "3 endpoints, 2 ready"},
		{"Ingress", `{"spec":{"ingressClassName":"nginx","rules":[{"host":"shop.example","http":{"paths":[{"path":"/","backend":{"service":{"name":"web","port":{"number":80}}}},{"path":"/api","backend":{"service":{"name":"api","port":{"name":"http"}}}}]}}],"tls":[{"hosts":["shop.example"]}]},"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.9"}]}}}`,
			"nginx, shop.example/→web:80 shop.example/api→api:http, TLS, 10.0.0.9"},
		{"Ingress", `{"spec":{"defaultBackend":{"service":{"name":"web"}},"rules":[{},{"host":"a"},{"host":"b"}]}}`, "* a b +1 more"},
		{"PersistentVolumeClaim", `{"spec":{"storageClassName":"fast","resources":{"requests":{"storage":"10Gi"}}},"status":{"phase":"Pending"}}`, "Pending, 10Gi, fast"},
		{"HorizontalPodAutoscaler", `{"spec":{"minReplicas":2,"maxReplicas":9},"status":{"currentReplicas":3}}`, "3 replicas, 2 to 9"},
		{"Lease", `{"spec":{"holderIdentity":"a"}}`, "held by a"},
		{"Widget", `{"spec":{"size":3,"x":{},"colour":"blue"},"status":{"phase":"Ok","conditions":[{"type":"Ready","status":"False","reason":"R"}]}}`, "Ok, Ready False (R), size=3, colour=blue"},
		{"Pod", `<html>`, "—"}, {"Widget", ``, ""}, {"Widget", `[]`, ""},
	} {
		if got := Summary(c.kind, nil, []byte(c.raw), 0); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.raw, got, c.want)
		}
		if got := Summary(c.kind, []byte(c.raw), nil, 0); got != c.want {
			t.Errorf("deleted %s\n got %s\nwant %s", c.raw, got, c.want)
		}
	}
}

func TestSummaryOfCapture(t *testing.T) {
	for _, p := range versions(t, scantest.Shop(t)) {
		m, _ := jsonscan.Identity(p[1])
		for _, s := range []string{Summary(m.Kind, p[0], p[1], 100), Summary(m.Kind, nil, p[1], 100), Summary(m.Kind, p[0], nil, 100)} {
			if s == "" || len(s) > 220 || !utf8.ValidString(s) {
				t.Errorf("%s %s: %q", m.Kind, m.Name, s)
			}
		}
	}
}
