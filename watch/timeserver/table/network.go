package table

import (
	"fmt"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func (b Builtins) addNetwork() {
	const group = "networking.k8s.io"
	b.add(group, "Ingress", printer(func(o *networkingv1.Ingress, now clock) []any {
		var addresses []string
		for _, in := range o.Status.LoadBalancer.Ingress {
			addresses = append(addresses, or(in.IP, in.Hostname))
		}
		ports := "80"
		if len(o.Spec.TLS) > 0 {
			ports = "80, 443"
		}
		return []any{o.Name, deref(o.Spec.IngressClassName, "<none>"), hosts(o.Spec.Rules), joined(addresses, ""), ports,
			now.since(o.CreationTimestamp)}
	}, name(), text("Class", "The name of the IngressClass resource that should be used for additional configuration"),
		text("Hosts", "Hosts that incoming requests are matched against before the ingress rule"),
		text("Address", "Address is a list containing ingress points for the load-balancer"),
		text("Ports", "Ports of TLS configurations that open"), age()))

	b.add(group, "IngressClass", printer(func(o *networkingv1.IngressClass, now clock) []any {
		n, parameters := o.Name, "<none>"
		if o.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" {
			n += " (default)"
		}
		if p := o.Spec.Parameters; p != nil {
			parameters = p.Kind
			if p.APIGroup != nil {
				parameters += "." + *p.APIGroup
			}
			parameters += "/" + p.Name
		}
		return []any{n, o.Spec.Controller, parameters, now.since(o.CreationTimestamp)}
	}, name(), text("Controller", "Controller that is responsible for handling this class"),
		text("Parameters", "A reference to a resource with additional parameters"), age()))

	b.add(group, "NetworkPolicy", printer(func(o *networkingv1.NetworkPolicy, now clock) []any {
		return []any{o.Name, metav1.FormatLabelSelector(&o.Spec.PodSelector), now.since(o.CreationTimestamp)}
	}, name(), text("Pod-Selector", doc(networkingv1.NetworkPolicySpec{}, "podSelector")), age()))

	b.add(group, "ServiceCIDR", printer(func(o *networkingv1.ServiceCIDR, now clock) []any {
		return []any{o.Name, strings.Join(o.Spec.CIDRs, ","), now.since(o.CreationTimestamp)}
	}, name(), text("CIDRs", doc(networkingv1.ServiceCIDRSpec{}, "cidrs")), age()))

	b.add(group, "IPAddress", printer(func(o *networkingv1.IPAddress, now clock) []any {
		parent := "<none>"
		if r := o.Spec.ParentRef; r != nil {
			parent = strings.ToLower(schema.GroupResource{Group: r.Group, Resource: r.Resource}.String())
			if r.Namespace != "" {
				parent += "/" + r.Namespace
			}
			parent += "/" + r.Name
		}
		// A kube-apiserver gives a third cell, the age, without a column.
		return []any{o.Name, parent, now.since(o.CreationTimestamp)}
	}, name(), text("ParentRef", doc(networkingv1.IPAddressSpec{}, "parentRef"))))

	b.add("policy", "PodDisruptionBudget", printer(func(o *policyv1.PodDisruptionBudget, now clock) []any {
		least, most := "N/A", "N/A"
		if o.Spec.MinAvailable != nil {
			least = o.Spec.MinAvailable.String()
		}
		if o.Spec.MaxUnavailable != nil {
			most = o.Spec.MaxUnavailable.String()
		}
		return []any{o.Name, least, most, int64(o.Status.DisruptionsAllowed), now.since(o.CreationTimestamp)}
	}, name(), text("Min Available", "The minimum number of pods that must be available."),
		text("Max Unavailable", "The maximum number of pods that may be unavailable."),
		number("Allowed Disruptions", "Calculated number of pods that may be disrupted at this time."), age()))
}

func hosts(rules []networkingv1.IngressRule) string {
	const most = 3
	var list []string
	more := false
	for _, r := range rules {
		if more = more || len(list) == most; !more && r.Host != "" {
			list = append(list, r.Host)
		}
	}
	all := or(strings.Join(list, ","), "*")
	if more {
		return fmt.Sprintf("%s + %d more...", all, len(rules)-most)
	}
	return all
}
