package timeserver

import (
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selection says which objects of a resource a request is about.
type selection struct {
	namespace string // "" is all
	labels    labels.Selector
	fields    fields.Selector
	places    map[string]place // of the fields
}

// selectable says where the fields of a field selector lie in the objects of a
// type.
type selectable struct {
	labels map[string]place
	// refuse is the error for others.
	refuse func(label string) error
}

// place is where a field lies: the first of some paths that has a value, or
// else zero, which is how what objects leave out is selected.
type place struct {
	paths []string
	zero  string
}

func notSupported(label string) error { return fmt.Errorf("field label not supported: %s", label) }

// selectableFields are the field selectors that k8s.io/kubernetes and
// CustomResourceDefinitions allow, beside metadata.name and
// metadata.namespace that all types have.
func selectableFields(r Resource, custom []string) selectable {
	s := selectable{map[string]place{}, notSupported}
	paths := func(labels ...string) {
		for _, l := range labels {
			s.labels[l] = place{paths: []string{l}}
		}
	}
	switch r.Key() {
	case "pods":
		paths("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.nominatedNodeName")
		s.labels["spec.host"] = s.labels["spec.nodeName"]
		s.labels["spec.hostNetwork"] = place{[]string{"spec.hostNetwork"}, "false"}
		s.labels["status.podIP"] = place{paths: []string{"status.podIP"}}
		s.labels["status.podIPs"] = place{} // allowed, and matches nothing but ""
	case "events":
		for _, f := range []string{"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"} {
			paths("involvedObject." + f)
		}
		paths("reason", "reportingComponent", "type")
		s.labels["source"] = place{paths: []string{"source.component", "reportingComponent"}}
	case "events.events.k8s.io":
		for _, f := range []string{"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"} {
			paths("regarding." + f)
		}
		paths("reason", "reportingController", "type")
	case "secrets":
		paths("type")
	case "services":
		paths("spec.clusterIP", "spec.type")
	case "nodes":
		s.labels["spec.unschedulable"] = place{[]string{"spec.unschedulable"}, "false"}
	case "namespaces":
		paths("status.phase")
	case "replicationcontrollers":
		s.labels["status.replicas"] = place{[]string{"status.replicas"}, "0"}
	case "jobs.batch":
		s.labels["status.successful"] = place{[]string{"status.succeeded"}, "0"}
		s.refuse = func(label string) error { return fmt.Errorf("field label %q not supported for Job", label) }
	case "certificatesigningrequests.certificates.k8s.io":
		paths("spec.signerName")
	default:
		paths(custom...)
		if custom == nil {
			s.refuse = func(label string) error {
				return fmt.Errorf("%q is not a known field selector: only %q, %q", label, "metadata.name", "metadata.namespace")
			}
		}
	}
	paths("metadata.name", "metadata.namespace")
	return s
}

func newSelection(namespace string, o internalversion.ListOptions, allowed func() selectable) (selection, error) {
	s := selection{namespace: namespace, labels: labels.Everything(), fields: fields.Everything()}
	if o.LabelSelector != nil {
		s.labels = o.LabelSelector
	}
	if o.FieldSelector == nil {
		return s, nil
	}
	known := allowed()
	s.places = known.labels
	for _, r := range o.FieldSelector.Requirements() {
		if _, ok := known.labels[r.Field]; !ok {
			return s, apierrors.NewBadRequest(known.refuse(r.Field).Error())
		}
	}
	s.fields = o.FieldSelector
	return s, nil
}

func (s selection) everything() bool { return s.labels.Empty() && s.fields.Empty() }

func (s selection) matches(o *object) bool {
	return o != nil && (s.namespace == "" || s.namespace == o.namespace) &&
		s.labels.Matches(o.labels) && (s.fields.Empty() || s.fields.Matches(objectFields{o, s.places}))
}

// objectFields looks the fields of a field selector up in an object.
type objectFields struct {
	*object
	places map[string]place
}

func (o objectFields) Has(field string) bool { return true }

func (o objectFields) Get(field string) string {
	switch field {
	case "metadata.name":
		return o.name
	case "metadata.namespace":
		return o.namespace
	}
	p := o.places[field]
	for _, path := range p.paths {
		if v := o.at(path); v != "" {
			return v
		}
	}
	return p.zero
}

// at is the value at a path, "" where there is none.
func (o objectFields) at(path string) string {
	at := span{0, len(o.raw)}
	for name := range strings.SplitSeq(path, ".") {
		if at.start >= len(o.raw) || o.raw[at.start] != '{' {
			return ""
		}
		var ok bool
		if at, ok = member(o.raw, at.start, name); !ok {
			return ""
		}
	}
	value := o.raw[at.start:at.end]
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
