package timeserver

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is one type of objects that a [Store] serves, as discovery
// describes it.
type Resource struct {
	Group, Version string // "" and "v1", "apps" and "v1"
	Resource       string // plural, lower case: "pods"
	Singular       string // "" means Kind in lower case
	Kind           string
	ShortNames     []string
	Categories     []string
	Namespaced     bool
	// Uncached marks resources that a kube-apiserver keeps no watch cache for
	// (Events): their watches get no periodic bookmarks.
	Uncached bool
}

// Key names the resource within a store: "pods", "deployments.apps".
func (r Resource) Key() string { return r.groupResource().String() }

// APIVersion is what the objects of the resource carry: "v1", "apps/v1".
func (r Resource) APIVersion() string {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}.String()
}

func (r Resource) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.Group, Resource: r.Resource}
}

func (r Resource) singular() string {
	if r.Singular != "" {
		return r.Singular
	}
	return strings.ToLower(r.Kind)
}

// Builtins are the common types of Kubernetes 1.37 with the short names,
// categories and scopes that its discovery gives them.
func Builtins() []Resource {
	all := []string{"all"}
	ns := func(group, version, resource, kind, short string, categories []string) Resource {
		return Resource{Group: group, Version: version, Resource: resource, Kind: kind, Namespaced: true,
			ShortNames: strings.Fields(short), Categories: categories}
	}
	cluster := func(group, version, resource, kind, short string) Resource {
		return Resource{Group: group, Version: version, Resource: resource, Kind: kind, ShortNames: strings.Fields(short)}
	}
	events := ns("", "v1", "events", "Event", "ev", nil)
	events.Uncached = true
	return []Resource{
		ns("", "v1", "configmaps", "ConfigMap", "cm", nil),
		ns("", "v1", "endpoints", "Endpoints", "ep", nil),
		events,
		ns("", "v1", "limitranges", "LimitRange", "limits", nil),
		cluster("", "v1", "namespaces", "Namespace", "ns"),
		cluster("", "v1", "nodes", "Node", "no"),
		ns("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", "pvc", nil),
		cluster("", "v1", "persistentvolumes", "PersistentVolume", "pv"),
		ns("", "v1", "pods", "Pod", "po", all),
		ns("", "v1", "replicationcontrollers", "ReplicationController", "rc", all),
		ns("", "v1", "resourcequotas", "ResourceQuota", "quota", nil),
		ns("", "v1", "secrets", "Secret", "", nil),
		ns("", "v1", "serviceaccounts", "ServiceAccount", "sa", nil),
		ns("", "v1", "services", "Service", "svc", all),
		ns("apps", "v1", "controllerrevisions", "ControllerRevision", "", nil),
		ns("apps", "v1", "daemonsets", "DaemonSet", "ds", all),
		ns("apps", "v1", "deployments", "Deployment", "deploy", all),
		ns("apps", "v1", "replicasets", "ReplicaSet", "rs", all),
		ns("apps", "v1", "statefulsets", "StatefulSet", "sts", all),
		ns("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", "hpa", all),
		ns("batch", "v1", "cronjobs", "CronJob", "cj", all),
		ns("batch", "v1", "jobs", "Job", "", all),
		ns("coordination.k8s.io", "v1", "leases", "Lease", "", nil),
		ns("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", "", nil),
		ns("networking.k8s.io", "v1", "ingresses", "Ingress", "ing", nil),
		ns("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", "netpol", nil),
		ns("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", "pdb", nil),
		ns("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", "", nil),
		ns("rbac.authorization.k8s.io", "v1", "roles", "Role", "", nil),
		cluster("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", ""),
		cluster("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", ""),
		cluster("storage.k8s.io", "v1", "storageclasses", "StorageClass", "sc"),
	}
}

// rarer are builtin types that one seldom watches, but that a recording may
// have.
func rarer() []Resource {
	ns := func(group, version, resource, kind, short string) Resource {
		return Resource{Group: group, Version: version, Resource: resource, Kind: kind, Namespaced: true, ShortNames: strings.Fields(short)}
	}
	cluster := func(group, version, resource, kind, short string) Resource {
		return Resource{Group: group, Version: version, Resource: resource, Kind: kind, ShortNames: strings.Fields(short)}
	}
	crds := cluster("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", "crd crds")
	crds.Categories = []string{"api-extensions"}
	apiServices := cluster("apiregistration.k8s.io", "v1", "apiservices", "APIService", "")
	apiServices.Categories = []string{"api-extensions"}
	events := ns("events.k8s.io", "v1", "events", "Event", "ev")
	events.Uncached = true
	const admission, flow = "admissionregistration.k8s.io", "flowcontrol.apiserver.k8s.io"
	admissions := []Resource{
		cluster(admission, "v1", "mutatingadmissionpolicies", "MutatingAdmissionPolicy", ""),
		cluster(admission, "v1", "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", ""),
		cluster(admission, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", ""),
		cluster(admission, "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", ""),
		cluster(admission, "v1", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", ""),
		cluster(admission, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", ""),
	}
	for i := range admissions {
		admissions[i].Categories = []string{"api-extensions"}
	}
	return append(admissions, crds, apiServices, events,
		ns("", "v1", "podtemplates", "PodTemplate", ""),
		cluster("", "v1", "componentstatuses", "ComponentStatus", "cs"),
		cluster("certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest", "csr"),
		cluster(flow, "v1", "flowschemas", "FlowSchema", ""),
		cluster(flow, "v1", "prioritylevelconfigurations", "PriorityLevelConfiguration", ""),
		cluster("networking.k8s.io", "v1", "ingressclasses", "IngressClass", ""),
		cluster("networking.k8s.io", "v1", "ipaddresses", "IPAddress", "ip"),
		cluster("networking.k8s.io", "v1", "servicecidrs", "ServiceCIDR", ""),
		cluster("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", ""),
		cluster("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", "pc"),
		cluster("storage.k8s.io", "v1", "csidrivers", "CSIDriver", ""),
		cluster("storage.k8s.io", "v1", "csinodes", "CSINode", ""),
		ns("storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", ""),
		cluster("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", ""),
		cluster("storage.k8s.io", "v1", "volumeattributesclasses", "VolumeAttributesClass", "vac"),
	)
}

// Builtin is the builtin type of that plural or key, such as "pods" or
// "deployments.apps".
func Builtin(name string) (Resource, bool) {
	for _, r := range Builtins() {
		if name == r.Resource || name == r.Key() {
			return r, true
		}
	}
	return Resource{}, false
}

// builtin is the builtin type of the same group, plural and kind.
func builtin(r Resource) (Resource, bool) {
	for _, b := range append(Builtins(), rarer()...) {
		if b.Key() == r.Key() && b.Kind == r.Kind {
			return b, true
		}
	}
	return Resource{}, false
}
