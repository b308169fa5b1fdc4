package resolve

import "strings"

// Default is the working set shown when no type is named.
func Default() []Arg {
	return []Arg{
		{Type: "pods"}, {Type: "deployments.apps"}, {Type: "replicasets.apps"}, {Type: "statefulsets.apps"},
		{Type: "daemonsets.apps"}, {Type: "jobs.batch"}, {Type: "services"},
		{Type: "endpointslices.discovery.k8s.io"}, {Type: "configmaps"}, {Type: "nodes"}, {Type: "events"},
	}
}

// Builtin is the catalog of the well-known types, for a server that cannot be
// asked yet: with it, the streams of an unreachable cluster are on screen from
// the start and recover by themselves.
func Builtin() *Catalog {
	const all = "all"
	rows := []entry{
		{resource: "pods", kind: "Pod", shortNames: []string{"po"}, categories: []string{all}, namespaced: true},
		{resource: "services", kind: "Service", shortNames: []string{"svc"}, categories: []string{all}, namespaced: true},
		{resource: "replicationcontrollers", kind: "ReplicationController", shortNames: []string{"rc"}, categories: []string{all}, namespaced: true},
		{resource: "configmaps", kind: "ConfigMap", shortNames: []string{"cm"}, namespaced: true},
		{resource: "secrets", kind: "Secret", namespaced: true},
		{resource: "events", kind: "Event", shortNames: []string{"ev"}, namespaced: true},
		{resource: "endpoints", kind: "Endpoints", shortNames: []string{"ep"}, namespaced: true},
		{resource: "serviceaccounts", kind: "ServiceAccount", shortNames: []string{"sa"}, namespaced: true},
		{resource: "persistentvolumeclaims", kind: "PersistentVolumeClaim", shortNames: []string{"pvc"}, namespaced: true},
		{resource: "persistentvolumes", kind: "PersistentVolume", shortNames: []string{"pv"}},
		{resource: "nodes", kind: "Node", shortNames: []string{"no"}},
		{resource: "namespaces", kind: "Namespace", shortNames: []string{"ns"}},
		{group: "apps", resource: "deployments", kind: "Deployment", shortNames: []string{"deploy"}, categories: []string{all}, namespaced: true},
		{group: "apps", resource: "replicasets", kind: "ReplicaSet", shortNames: []string{"rs"}, categories: []string{all}, namespaced: true},
		{group: "apps", resource: "statefulsets", kind: "StatefulSet", shortNames: []string{"sts"}, categories: []string{all}, namespaced: true},
		{group: "apps", resource: "daemonsets", kind: "DaemonSet", shortNames: []string{"ds"}, categories: []string{all}, namespaced: true},
		{group: "batch", resource: "jobs", kind: "Job", categories: []string{all}, namespaced: true},
		{group: "batch", resource: "cronjobs", kind: "CronJob", shortNames: []string{"cj"}, categories: []string{all}, namespaced: true},
		{group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler", shortNames: []string{"hpa"}, categories: []string{all}, namespaced: true},
		{group: "networking.k8s.io", resource: "ingresses", kind: "Ingress", shortNames: []string{"ing"}, namespaced: true},
		{group: "networking.k8s.io", resource: "networkpolicies", kind: "NetworkPolicy", shortNames: []string{"netpol"}, namespaced: true},
		{group: "discovery.k8s.io", resource: "endpointslices", kind: "EndpointSlice", namespaced: true},
		{group: "policy", resource: "poddisruptionbudgets", kind: "PodDisruptionBudget", shortNames: []string{"pdb"}, namespaced: true},
		{group: "coordination.k8s.io", resource: "leases", kind: "Lease", namespaced: true},
		{group: "storage.k8s.io", resource: "storageclasses", kind: "StorageClass", shortNames: []string{"sc"}},
		{group: "apiextensions.k8s.io", resource: "customresourcedefinitions", kind: "CustomResourceDefinition", shortNames: []string{"crd", "crds"}},
	}
	c := &Catalog{entries: rows}
	for i := range c.entries {
		e := &c.entries[i]
		if e.version == "" {
			e.version = "v1"
		}
		e.singular = strings.ToLower(e.kind)
		e.canList, e.canWatch = true, true
	}
	return c
}
