package timeserver

import (
	"encoding/json"
	"fmt"
	"slices"
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
}

// fieldLabels are the field selectors of builtin types, beside metadata.name
// and metadata.namespace that all types have. Those that are not simply a path
// into the object are mapped to one.
func fieldLabels(r Resource) map[string]string {
	var paths, more []string
	switch r.Key() {
	case "pods":
		paths = []string{"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
			"spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"}
	case "events":
		for _, f := range []string{"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"} {
			paths = append(paths, "involvedObject."+f)
		}
		paths = append(paths, "reason", "reportingComponent", "type")
		more = []string{"source", "source.component"}
	case "secrets":
		paths = []string{"type"}
	case "nodes":
		paths = []string{"spec.unschedulable"}
	case "namespaces":
		paths = []string{"status.phase"}
	case "replicasets.apps":
		paths = []string{"status.replicas"}
	case "jobs.batch":
		more = []string{"status.successful", "status.succeeded"}
	}
	m := map[string]string{}
	for _, p := range paths {
		m[p] = p
	}
	for i := 0; i < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

func newSelection(namespace string, o internalversion.ListOptions, r Resource) (selection, error) {
	s := selection{namespace, labels.Everything(), fields.Everything()}
	if o.LabelSelector != nil {
		s.labels = o.LabelSelector
	}
	if o.FieldSelector == nil {
		return s, nil
	}
	known := fieldLabels(r)
	var err error
	s.fields, err = o.FieldSelector.Transform(func(field, value string) (string, string, error) {
		if field == "metadata.name" || field == "metadata.namespace" {
			return field, value, nil
		}
		if path, ok := known[field]; ok {
			return path, value, nil
		}
		return "", "", fmt.Errorf("%q is not a known field selector: only %q, %q", field, "metadata.name", "metadata.namespace")
	})
	if err != nil {
		return s, apierrors.NewBadRequest(err.Error())
	}
	return s, nil
}

func (s selection) everything() bool { return s.labels.Empty() && s.fields.Empty() }

func (s selection) matches(o *object) bool {
	return o != nil && (s.namespace == "" || s.namespace == o.namespace) &&
		s.labels.Matches(o.labels) && (s.fields.Empty() || s.fields.Matches(objectFields{o}))
}

// objectFields looks the fields of a field selector up in an object.
type objectFields struct{ *object }

func (o objectFields) Has(field string) bool { return true }

func (o objectFields) Get(field string) string {
	switch field {
	case "metadata.name":
		return o.name
	case "metadata.namespace":
		return o.namespace
	}
	at := span{0, len(o.raw)}
	for name := range strings.SplitSeq(field, ".") {
		var ok bool
		if at, ok = member(o.raw, at.start, name); !ok {
			return zeroOf(field)
		}
	}
	value := o.raw[at.start:at.end]
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// zeroOf is what a field that an object leaves out has as its value.
func zeroOf(field string) string {
	switch {
	case slices.Contains([]string{"spec.unschedulable", "spec.hostNetwork"}, field):
		return "false"
	case strings.HasPrefix(field, "status.replicas"), field == "status.succeeded":
		return "0"
	}
	return ""
}
