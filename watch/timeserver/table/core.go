package table

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func (b Builtins) addCore() {
	b.add("", "Namespace", printer(func(o *corev1.Namespace, now clock) []any {
		return []any{o.Name, string(o.Status.Phase), now.since(o.CreationTimestamp)}
	}, name(), text("Status", "The status of the namespace"), age()))

	b.add("", "ConfigMap", printer(func(o *struct {
		metav1.ObjectMeta `json:"metadata"`
		Data, BinaryData  counted
	}, now clock) []any {
		return []any{o.Name, int64(len(o.Data) + len(o.BinaryData)), now.since(o.CreationTimestamp)}
	}, name(), text("Data", doc(corev1.ConfigMap{}, "data")), age()))

	b.add("", "Secret", printer(func(o *struct {
		metav1.ObjectMeta `json:"metadata"`
		Type              string
		Data              counted
	}, now clock) []any {
		return []any{o.Name, o.Type, int64(len(o.Data)), now.since(o.CreationTimestamp)}
	}, name(), text("Type", doc(corev1.Secret{}, "type")), text("Data", doc(corev1.Secret{}, "data")), age()))

	b.add("", "ServiceAccount", printer(func(o *corev1.ServiceAccount, now clock) []any {
		return []any{o.Name, now.since(o.CreationTimestamp)}
	}, name(), age()))

	b.add("", "Service", printer(serviceCells, name(), text("Type", doc(corev1.ServiceSpec{}, "type")),
		text("Cluster-IP", doc(corev1.ServiceSpec{}, "clusterIP")), text("External-IP", doc(corev1.ServiceSpec{}, "externalIPs")),
		text("Port(s)", doc(corev1.ServiceSpec{}, "ports")), age(), wide(text("Selector", doc(corev1.ServiceSpec{}, "selector")))))

	//lint:ignore SA1019 servers still serve them, and recordings hold them
	b.add("", "Endpoints", printer(func(o *corev1.Endpoints, now clock) []any {
		return []any{o.Name, endpoints(o.Subsets), now.since(o.CreationTimestamp)}
		//lint:ignore SA1019 as above
	}, name(), text("Endpoints", doc(corev1.Endpoints{}, "subsets")), age()))

	b.add("discovery.k8s.io", "EndpointSlice", printer(func(o *discoveryv1.EndpointSlice, now clock) []any {
		return []any{o.Name, string(o.AddressType), slicePorts(o.Ports), sliceAddresses(o.Endpoints), now.since(o.CreationTimestamp)}
	}, name(), text("AddressType", doc(discoveryv1.EndpointSlice{}, "addressType")), text("Ports", doc(discoveryv1.EndpointSlice{}, "ports")),
		text("Endpoints", doc(discoveryv1.EndpointSlice{}, "endpoints")), age()))

	b.add("", "ReplicationController", printer(func(o *corev1.ReplicationController, now clock) []any {
		var containers []corev1.Container
		if o.Spec.Template != nil {
			containers = o.Spec.Template.Spec.Containers
		}
		names, images := containerCells(containers)
		return []any{o.Name, int64(deref(o.Spec.Replicas, 0)), int64(o.Status.Replicas), int64(o.Status.ReadyReplicas),
			now.since(o.CreationTimestamp), names, images, labels.FormatLabels(o.Spec.Selector)}
	}, append(replicas(corev1.ReplicationControllerSpec{}, corev1.ReplicationControllerStatus{}),
		containersOf(), imagesOf(), wide(text("Selector", doc(corev1.ReplicationControllerSpec{}, "selector"))))...))

	b.add("", "PodTemplate", printer(func(o *corev1.PodTemplate, _ clock) []any {
		names, images := containerCells(o.Template.Spec.Containers)
		return []any{o.Name, names, images, labels.FormatLabels(o.Template.Labels)}
	}, name(), text("Containers", "Names of each container in the template."),
		text("Images", "Images referenced by each container in the template."), text("Pod Labels", "The labels for the pod template.")))

	b.add("", "ResourceQuota", printer(quotaCells, name(),
		text("Request", "Request represents a minimum amount of cpu/memory that a container may consume."),
		text("Limit", "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node."), age()))

	b.add("", "ComponentStatus", printer(func(o *corev1.ComponentStatus, _ clock) []any {
		for _, c := range o.Conditions {
			if c.Type == corev1.ComponentHealthy {
				status := "Unhealthy"
				if c.Status == corev1.ConditionTrue {
					status = "Healthy"
				}
				return []any{o.Name, status, c.Message, c.Error}
			}
		}
		return []any{o.Name, "Unknown", "", ""}
	}, name(), text("Status", "Status of the component conditions"), text("Message", "Message of the component conditions"),
		text("Error", "Error of the component conditions")))
	b.addNodes()
	b.addEvents()
}

// counted is a map whose values do not matter: those of Secrets are
// fingerprints, which are no base64.
type counted map[string]json.RawMessage

func (b Builtins) addNodes() {
	b.add("", "Node", printer(func(o *corev1.Node, now clock) []any {
		info := o.Status.NodeInfo
		kernel := or(info.KernelVersion, "<unknown>")
		if info.Architecture != "" {
			kernel += " (" + info.Architecture + ")"
		}
		return []any{o.Name, nodeStatus(o), or(strings.Join(nodeRoles(o.Labels), ","), "<none>"), now.since(o.CreationTimestamp),
			info.KubeletVersion, address(o, corev1.NodeInternalIP), address(o, corev1.NodeExternalIP), or(info.OSImage, "<unknown>"),
			kernel, or(info.ContainerRuntimeVersion, "<unknown>")}
	}, name(), text("Status", "The status of the node"), text("Roles", "The roles of the node"), age(),
		text("Version", doc(corev1.NodeSystemInfo{}, "kubeletVersion")),
		wide(text("Internal-IP", doc(corev1.NodeStatus{}, "addresses"))), wide(text("External-IP", doc(corev1.NodeStatus{}, "addresses"))),
		wide(text("OS-Image", doc(corev1.NodeSystemInfo{}, "osImage"))), wide(text("Kernel-Version", doc(corev1.NodeSystemInfo{}, "kernelVersion"))),
		wide(text("Container-Runtime", doc(corev1.NodeSystemInfo{}, "containerRuntimeVersion")))))
}

func nodeStatus(o *corev1.Node) string {
	status := "Unknown"
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.NodeReady {
			if status = "NotReady"; c.Status == corev1.ConditionTrue {
				status = "Ready"
			}
		}
	}
	if o.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

func nodeRoles(l map[string]string) []string {
	var roles []string
	for k, v := range l {
		if role, ok := strings.CutPrefix(k, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		} else if k == "kubernetes.io/role" && v != "" {
			roles = append(roles, v)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

func address(o *corev1.Node, typ corev1.NodeAddressType) string {
	for _, a := range o.Status.Addresses {
		if a.Type == typ {
			return a.Address
		}
	}
	return "<none>"
}

func (b Builtins) addEvents() {
	columns := []metav1.TableColumnDefinition{text("Last Seen", doc(corev1.Event{}, "lastTimestamp")), text("Type", doc(corev1.Event{}, "type")),
		text("Reason", doc(corev1.Event{}, "reason")), text("Object", doc(corev1.Event{}, "involvedObject")),
		wide(text("Subobject", doc(corev1.ObjectReference{}, "fieldPath"))), wide(text("Source", doc(corev1.Event{}, "source"))),
		text("Message", doc(corev1.Event{}, "message")), wide(text("First Seen", doc(corev1.Event{}, "firstTimestamp"))),
		wide(text("Count", doc(corev1.Event{}, "count"))), wide(name())}
	b.add("", "Event", printer(eventCells, columns...))
	b.add("events.k8s.io", "Event", printer(func(o *eventsv1.Event, now clock) []any {
		e := corev1.Event{ObjectMeta: o.ObjectMeta, InvolvedObject: o.Regarding, Reason: o.Reason, Message: o.Note, Type: o.Type,
			Source: o.DeprecatedSource, FirstTimestamp: o.DeprecatedFirstTimestamp, LastTimestamp: o.DeprecatedLastTimestamp,
			Count: o.DeprecatedCount, EventTime: o.EventTime, ReportingController: o.ReportingController, ReportingInstance: o.ReportingInstance}
		if o.Series != nil {
			e.Series = &corev1.EventSeries{Count: o.Series.Count, LastObservedTime: o.Series.LastObservedTime}
		}
		return eventCells(&e, now)
	}, columns...))
}

func eventCells(o *corev1.Event, now clock) []any {
	first := now.since(o.FirstTimestamp)
	if o.FirstTimestamp.IsZero() {
		first = now.sinceMicro(o.EventTime)
	}
	last := now.since(o.LastTimestamp)
	if o.LastTimestamp.IsZero() {
		last = first
	}
	count := o.Count
	if o.Series != nil {
		last, count = now.sinceMicro(o.Series.LastObservedTime), o.Series.Count
	} else if count == 0 {
		count = 1 // events of the newer API are not counted
	}
	target := strings.ToLower(o.InvolvedObject.Kind)
	if o.InvolvedObject.Name != "" {
		target += "/" + o.InvolvedObject.Name
	}
	source := or(o.Source.Component, o.ReportingController)
	if instance := or(o.Source.Host, o.ReportingInstance); instance != "" {
		source += ", " + instance
	}
	return []any{last, o.Type, o.Reason, target, o.InvolvedObject.FieldPath, source, strings.TrimSpace(o.Message), first, int64(count), o.Name}
}

func serviceCells(o *corev1.Service, now clock) []any {
	internal := "<none>"
	if len(o.Spec.ClusterIPs) > 0 {
		internal = o.Spec.ClusterIPs[0]
	}
	ports := make([]string, len(o.Spec.Ports))
	for i, p := range o.Spec.Ports {
		ports[i] = fmt.Sprintf("%d/%s", p.Port, p.Protocol)
		if p.NodePort > 0 {
			ports[i] = fmt.Sprintf("%d:%d/%s", p.Port, p.NodePort, p.Protocol)
		}
	}
	return []any{o.Name, string(o.Spec.Type), internal, externalIP(o), or(strings.Join(ports, ","), "<none>"),
		now.since(o.CreationTimestamp), labels.FormatLabels(o.Spec.Selector)}
}

func externalIP(o *corev1.Service) string {
	own := strings.Join(o.Spec.ExternalIPs, ",")
	switch o.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return or(own, "<none>")
	case corev1.ServiceTypeLoadBalancer:
		var ips []string
		for _, in := range o.Status.LoadBalancer.Ingress {
			ips = append(ips, or(in.IP, in.Hostname))
		}
		return or(joined(ips, own), "<pending>")
	case corev1.ServiceTypeExternalName:
		return o.Spec.ExternalName
	}
	return "<unknown>"
}

// joined is a set of texts, sorted, and others behind them.
func joined(set []string, others string) string {
	set = slices.DeleteFunc(set, func(s string) bool { return s == "" })
	slices.Sort(set)
	set = slices.Compact(set)
	if others != "" {
		set = append(set, others)
	}
	return strings.Join(set, ",")
}

//lint:ignore SA1019 as above
func endpoints(subsets []corev1.EndpointSubset) string {
	if len(subsets) == 0 {
		return "<none>"
	}
	var all []string
	for _, s := range subsets {
		for _, a := range s.Addresses {
			if len(s.Ports) == 0 { // of a headless service
				all = append(all, a.IP)
			}
		}
		for _, p := range s.Ports {
			for _, a := range s.Addresses {
				all = append(all, net.JoinHostPort(a.IP, strconv.Itoa(int(p.Port))))
			}
		}
	}
	return first(all, 3)
}

func slicePorts(ports []discoveryv1.EndpointPort) string {
	var all []string
	for _, p := range ports {
		switch {
		case p.Port != nil:
			all = append(all, strconv.Itoa(int(*p.Port)))
		case p.Name != nil:
			all = append(all, *p.Name)
		default:
			all = append(all, "*")
		}
	}
	return or(first(all, 3), "<unset>")
}

func sliceAddresses(endpoints []discoveryv1.Endpoint) string {
	var all []string
	for _, e := range endpoints {
		all = append(all, e.Addresses...)
	}
	return or(first(all, 3), "<unset>")
}

// first joins the first n of some texts, and tells how many more there are.
func first(all []string, n int) string {
	if len(all) <= n {
		return strings.Join(all, ",")
	}
	return fmt.Sprintf("%s + %d more...", strings.Join(all[:n], ","), len(all)-n)
}

func quotaCells(o *corev1.ResourceQuota, now clock) []any {
	var names []string
	for n := range o.Status.Hard {
		names = append(names, string(n))
	}
	slices.Sort(names)
	var requests, limits []string
	for _, n := range names {
		used, hard := o.Status.Used[corev1.ResourceName(n)], o.Status.Hard[corev1.ResourceName(n)]
		cell := fmt.Sprintf("%s: %s/%s", n, used.String(), hard.String())
		if strings.HasPrefix(n, "limits.") {
			limits = append(limits, cell)
		} else {
			requests = append(requests, cell)
		}
	}
	return []any{o.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), now.since(o.CreationTimestamp)}
}
