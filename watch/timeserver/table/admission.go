package table

import (
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (b Builtins) addAdmission() {
	const group = "admissionregistration.k8s.io"
	webhooks := number("Webhooks", "Webhooks indicates the number of webhooks registered in this configuration")
	b.add(group, "MutatingWebhookConfiguration", printer(func(o *admissionv1.MutatingWebhookConfiguration, now clock) []any {
		return []any{o.Name, int64(len(o.Webhooks)), now.since(o.CreationTimestamp)}
	}, name(), webhooks, age()))
	b.add(group, "ValidatingWebhookConfiguration", printer(func(o *admissionv1.ValidatingWebhookConfiguration, now clock) []any {
		return []any{o.Name, int64(len(o.Webhooks)), now.since(o.CreationTimestamp)}
	}, name(), webhooks, age()))

	paramKind := text("ParamKind", "ParamKind specifies the kind of resources used to parameterize this policy")
	b.add(group, "ValidatingAdmissionPolicy", printer(func(o *admissionv1.ValidatingAdmissionPolicy, now clock) []any {
		return []any{o.Name, int64(len(o.Spec.Validations)), paramKindOf(o.Spec.ParamKind), now.since(o.CreationTimestamp)}
	}, name(), number("Validations", "Validations indicates the number of validation rules defined in this configuration"), paramKind, age()))
	b.add(group, "MutatingAdmissionPolicy", printer(func(o *struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Mutations []any
			ParamKind *admissionv1.ParamKind
		}
	}, now clock) []any {
		return []any{o.Name, int64(len(o.Spec.Mutations)), paramKindOf(o.Spec.ParamKind), now.since(o.CreationTimestamp)}
	}, name(), number("Mutations", "Mutation indicates the number of mutations rules defined in this configuration"), paramKind, age()))

	// The two kinds of bindings have the same columns and, as far as these
	// go, the same fields.
	binding := printer(func(o *admissionv1.ValidatingAdmissionPolicyBinding, now clock) []any {
		return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef), now.since(o.CreationTimestamp)}
	}, name(), text("PolicyName", "PolicyName indicates the policy definition which the policy binding binded to"),
		text("ParamRef", "ParamRef indicates the param resource which sets the configuration param"), age())
	b.add(group, "ValidatingAdmissionPolicyBinding", binding)
	b.add(group, "MutatingAdmissionPolicyBinding", binding)
}

func (b Builtins) addDefinitions() {
	b.add("apiextensions.k8s.io", "CustomResourceDefinition", printer(definitionCells, name(), text("Scope", "Cluster/Namespaced"),
		text("Versions", "Served versions"), column("Created At", "date", metaDoc("creationTimestamp")), wide(text("Group", "API group")),
		wide(text("Kind", "CustomResource kind")), wide(text("ShortNames", "Short names")), wide(flag("Established", "Established status"))))
}

// definition is what is needed of apiextensions-apiserver's type, which is not
// in k8s.io/api.
type definition struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group, Scope string
		Names        struct {
			Kind       string
			ShortNames []string
		}
		Versions []struct {
			Name            string
			Served, Storage bool
		}
	}
	Status struct {
		Conditions []struct{ Type, Status string }
	}
}

func definitionCells(o *definition, _ clock) []any {
	var versions []string
	for _, v := range o.Spec.Versions {
		switch {
		case v.Served && v.Storage:
			versions = append(versions, v.Name+"(storage)")
		case v.Served:
			versions = append(versions, v.Name)
		}
	}
	slices.Sort(versions)
	established := false
	for _, c := range o.Status.Conditions {
		established = established || c.Type == "Established" && c.Status == "True"
	}
	return []any{o.Name, o.Spec.Scope, strings.Join(versions, ","), o.CreationTimestamp.UTC().Format(time.RFC3339), o.Spec.Group,
		o.Spec.Names.Kind, strings.Join(o.Spec.Names.ShortNames, ","), established}
}

func paramKindOf(k *admissionv1.ParamKind) string {
	if k == nil {
		return "<unset>"
	}
	return k.APIVersion + "/" + k.Kind
}

func paramRef(r *admissionv1.ParamRef) string {
	switch {
	case r == nil:
		return "<unset>"
	case r.Name != "":
		return or(r.Namespace, "*") + "/" + r.Name
	case r.Selector != nil:
		return r.Selector.String()
	}
	return "<unset>"
}
