package diff

import "testing"

// TestSummaryOfChangesByKind: what an operator would have written of the usual
// changes, for each kind.
func TestSummaryOfChangesByKind(t *testing.T) {
	for _, c := range []struct{ kind, old, new, want string }{
		{"Pod", `{"status":{"phase":"Pending","conditions":[{"type":"Ready","status":"False"}],"containerStatuses":[{"name":"app","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ContainerCreating"}}}]}}`,
			`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"app","ready":true,"restartCount":0,"state":{"running":{"startedAt":"2026-12-01T00:00:00Z"}}}]}}`,
			`status.phase Pending→Running, Ready False→True, app running +1 more`},
		{"Pod", `{"spec":{"containers":[{"name":"app","resources":{"limits":{"memory":"256Mi","cpu":"500m"}}}]}}`,
			`{"spec":{"containers":[{"name":"app","resources":{"limits":{"memory":"512Mi","cpu":"1"}}}]}}`,
			`app memory limit 256Mi→512Mi (doubled), app cpu limit 500m→1 (doubled)`},
		{"Pod", `{"spec":{}}`, `{"spec":{"nodeName":"node-3"}}`,
			`scheduled to node-3`},
		{"Pod", `{"status":{"phase":"Running"}}`, `{"status":{"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory."}}`,
			`status.phase Running→Failed, Evicted, +status.message The node was low on resource: memory.`},
		{"Deployment", `{"spec":{"replicas":3},"status":{"replicas":3,"readyReplicas":3}}`, `{"spec":{"replicas":6},"status":{"replicas":6,"readyReplicas":3,"unavailableReplicas":3}}`,
			`spec.replicas 3→6, status.replicas 3→6, +status.unavailableReplicas 3`},
		{"Deployment", `{"status":{"conditions":[{"type":"Progressing","status":"True","reason":"ReplicaSetUpdated"}]}}`, `{"status":{"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"x"}]}}`,
			`Progressing True→False (ProgressDeadlineExceeded)`},
		{"Node", `{"spec":{},"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`,
			`{"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]},"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`,
			`cordoned, +spec.taints node.kubernetes.io/unschedulable:NoSchedule`},
		{"Node", `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}]}}`, `{"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"}]}}`,
			`Ready True→Unknown (NodeStatusUnknown)`},
		{"Node", `{"status":{"allocatable":{"memory":"16Gi"}}}`, `{"status":{"allocatable":{"memory":"12Gi"}}}`,
			`status.allocatable.memory 16Gi→12Gi (−25%)`},
		{"Job", `{"status":{"active":1}}`, `{"status":{"succeeded":1,"completionTime":"2026-12-01T00:01:00Z","conditions":[{"type":"Complete","status":"True"}]}}`,
			`Complete True, +status.succeeded 1, -status.active 1`},
		{"Job", `{"status":{"active":1,"failed":1}}`, `{"status":{"active":1,"failed":2}}`,
			`status.failed 1→2`},
		{"PersistentVolumeClaim", `{"spec":{"resources":{"requests":{"storage":"10Gi"}}},"status":{"phase":"Pending"}}`, `{"spec":{"resources":{"requests":{"storage":"10Gi"}},"volumeName":"pv-1"},"status":{"phase":"Bound","capacity":{"storage":"10Gi"}}}`,
			`status.phase Pending→Bound, +spec.volumeName pv-1, +status.capacity storage=10Gi`},
		{"PersistentVolumeClaim", `{"spec":{"resources":{"requests":{"storage":"10Gi"}}}}`, `{"spec":{"resources":{"requests":{"storage":"30Gi"}}}}`,
			`storage request 10Gi→30Gi (tripled)`},
		{"Ingress", `{"spec":{"rules":[{"host":"a.example","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"web","port":{"number":80}}}}]}}]}}`,
			`{"spec":{"rules":[{"host":"a.example","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"web2","port":{"number":80}}}}]}}]}}`,
			`spec.rules[0].paths[0].service web→web2`},
		{"Ingress", `{"status":{"loadBalancer":{}}}`, `{"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.9"}]}}}`,
			`+status.loadBalancer.ingress 10.0.0.9`},
		{"HorizontalPodAutoscaler", `{"spec":{"maxReplicas":5},"status":{"currentReplicas":3,"desiredReplicas":3,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":40,"averageValue":"100m"}}}]}}`,
			`{"spec":{"maxReplicas":5},"status":{"currentReplicas":3,"desiredReplicas":5,"lastScaleTime":"2026-12-01T00:00:00Z","currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":90,"averageValue":"225m"}}}]}}`,
			`status.desiredReplicas 3→5, utilization 40→90 +1 more`},
		{"Event", `{"reason":"BackOff","count":3,"message":"m"}`, `{"reason":"BackOff","count":4,"message":"m"}`,
			`BackOff ×4 m`},
		{"Event", `{"reason":"BackOff","series":{"count":3},"note":"m"}`, `{"reason":"BackOff","series":{"count":4},"note":"m"}`,
			`BackOff ×4 m`},
		{"CronJob", `{"spec":{"suspend":false}}`, `{"spec":{"suspend":true}}`,
			`suspended`},
		{"Certificate", `{"spec":{"duration":"24h"},"status":{"notAfter":"2026-12-01T00:00:00Z"}}`, `{"spec":{"duration":"48h"},"status":{"notAfter":"2026-12-31T00:00:00Z"}}`,
			`spec.duration 24h→48h (doubled), status.notAfter 2026-12-01T00:00:00Z→2026-12-31T00:00:00Z (30 d later)`},
	} {
		if got := Summary(c.kind, []byte(c.old), []byte(c.new), 120); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.kind, got, c.want)
		}
	}
}
