package query

import "strings"

// shortNames are those that kubectl knows of the built-in types, by plural. A
// stream does not say them.
func shortNames(resource string) []string {
	switch resource {
	case "pods":
		return []string{"po"}
	case "deployments":
		return []string{"deploy"}
	case "replicasets":
		return []string{"rs"}
	case "statefulsets":
		return []string{"sts"}
	case "daemonsets":
		return []string{"ds"}
	case "replicationcontrollers":
		return []string{"rc"}
	case "cronjobs":
		return []string{"cj"}
	case "nodes":
		return []string{"no"}
	case "namespaces":
		return []string{"ns"}
	case "services":
		return []string{"svc"}
	case "endpoints":
		return []string{"ep"}
	case "configmaps":
		return []string{"cm"}
	case "serviceaccounts":
		return []string{"sa"}
	case "events":
		return []string{"ev"}
	case "persistentvolumes":
		return []string{"pv"}
	case "persistentvolumeclaims":
		return []string{"pvc"}
	case "storageclasses":
		return []string{"sc"}
	case "ingresses":
		return []string{"ing"}
	case "networkpolicies":
		return []string{"netpol"}
	case "horizontalpodautoscalers":
		return []string{"hpa"}
	case "poddisruptionbudgets":
		return []string{"pdb"}
	case "customresourcedefinitions":
		return []string{"crd", "crds"}
	case "priorityclasses":
		return []string{"pc"}
	case "resourcequotas":
		return []string{"quota"}
	case "limitranges":
		return []string{"limits"}
	case "certificatesigningrequests":
		return []string{"csr"}
	case "componentstatuses":
		return []string{"cs"}
	}
	return nil
}

// kindNames are the names that a type goes by: those that kubectl takes, with
// the group behind them or without.
func kindNames(kind, resource, group string) []string {
	names := append([]string{kind, resource}, shortNames(resource)...)
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
