package query

import (
	"slices"
	"strings"
)

// builtin is a type that clusters have of themselves: its plural, its singular
// and the short names that kubectl knows of it. A stream does not say them.
type builtin struct{ resource, singular, short string }

func builtins() []builtin {
	return []builtin{
		{"pods", "pod", "po"},
		{"deployments", "deployment", "deploy"},
		{"replicasets", "replicaset", "rs"},
		{"statefulsets", "statefulset", "sts"},
		{"daemonsets", "daemonset", "ds"},
		{"replicationcontrollers", "replicationcontroller", "rc"},
		{"cronjobs", "cronjob", "cj"},
		{"nodes", "node", "no"},
		{"namespaces", "namespace", "ns"},
		{"services", "service", "svc"},
		{"endpoints", "endpoints", "ep"},
		{"configmaps", "configmap", "cm"},
		{"serviceaccounts", "serviceaccount", "sa"},
		{"events", "event", "ev"},
		{"persistentvolumes", "persistentvolume", "pv"},
		{"persistentvolumeclaims", "persistentvolumeclaim", "pvc"},
		{"storageclasses", "storageclass", "sc"},
		{"ingresses", "ingress", "ing"},
		{"networkpolicies", "networkpolicy", "netpol"},
		{"horizontalpodautoscalers", "horizontalpodautoscaler", "hpa"},
		{"poddisruptionbudgets", "poddisruptionbudget", "pdb"},
		{"customresourcedefinitions", "customresourcedefinition", "crd crds"},
		{"priorityclasses", "priorityclass", "pc"},
		{"resourcequotas", "resourcequota", "quota"},
		{"limitranges", "limitrange", "limits"},
		{"certificatesigningrequests", "certificatesigningrequest", "csr"},
		{"componentstatuses", "componentstatus", "cs"},
		{"jobs", "job", ""},
		{"secrets", "secret", ""},
		{"leases", "lease", ""},
		{"endpointslices", "endpointslice", ""},
		{"roles", "role", ""},
		{"rolebindings", "rolebinding", ""},
		{"clusterroles", "clusterrole", ""},
		{"clusterrolebindings", "clusterrolebinding", ""},
	}
}

// ShortNames are those that kubectl knows of a built-in type, by its plural.
func ShortNames(resource string) []string {
	for _, b := range builtins() {
		if b.resource == resource {
			return strings.Fields(b.short)
		}
	}
	return nil
}

// Builtin is the plural of the built-in type that a word names, plural, singular
// or short; "" if it names none.
func Builtin(word string) string {
	word = strings.ToLower(word)
	for _, b := range builtins() {
		if word == b.resource || word == b.singular || slices.Contains(strings.Fields(b.short), word) {
			return b.resource
		}
	}
	return ""
}

// kindNames are the names that a type goes by: those that kubectl takes, with
// the group behind them or without.
func kindNames(kind, resource, group string) []string {
	names := append([]string{kind, resource}, ShortNames(resource)...)
	if group == "" {
		return names
	}
	for _, n := range names[:len(names):len(names)] {
		names = append(names, n+"."+group)
	}
	return names
}

// groupOf is the group of an apiVersion.
func groupOf(apiVersion string) string {
	if g, _, ok := strings.Cut(apiVersion, "/"); ok {
		return g
	}
	return ""
}
