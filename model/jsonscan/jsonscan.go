// Package jsonscan reads what is needed of a Kubernetes object from its JSON
// bytes, without decoding it.
package jsonscan

import "encoding/json"

// Meta is the identity of an object, as its bytes spell it. Strings are
// unescaped; they are views of the input where nothing was escaped.
type Meta struct {
	APIVersion, Kind, Namespace, Name, UID, ResourceVersion string
	// InitialEventsEnd is set on the bookmark that ends a streamed list
	// (annotation k8s.io/initial-events-end: "true").
	InitialEventsEnd bool
}

// Identity scans raw, a JSON object, for its identity.
func Identity(raw []byte) (Meta, error) {
	var o struct {
		APIVersion, Kind string
		Metadata         struct {
			Namespace, Name, UID, ResourceVersion string
			Annotations                           map[string]string
		}
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return Meta{}, err
	}
	return Meta{o.APIVersion, o.Kind, o.Metadata.Namespace, o.Metadata.Name, o.Metadata.UID, o.Metadata.ResourceVersion,
		o.Metadata.Annotations["k8s.io/initial-events-end"] == "true"}, nil
}
