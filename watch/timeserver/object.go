package timeserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/labels"
)

// object is one state of one object. It never changes after it was made.
type object struct {
	raw             []byte // JSON, with rv as its metadata.resourceVersion
	rv              int64
	namespace, name string
	uid             string
	labels          labels.Set
}

// key orders the objects of a resource as a kube-apiserver lists them.
func (o *object) key() string {
	if o.namespace == "" {
		return o.name
	}
	return o.namespace + "/" + o.name
}

// at is the same state stamped with another resourceVersion, which is how the
// last state of a deleted object goes out.
func (o *object) at(rv int64) *object {
	raw, err := stampRV(o.raw, strconv.FormatInt(rv, 10))
	if err != nil {
		return o // cannot happen: raw was stamped before
	}
	c := *o
	c.raw, c.rv = raw, rv
	return &c
}

type objectMeta struct {
	APIVersion, Kind string
	Metadata         *struct {
		Namespace, Name, UID string
		ResourceVersion      string
		Labels               labels.Set
	}
}

// newObject reads raw, fills in the apiVersion and kind of r where they are
// missing, and stamps rv; rv 0 leaves the one that it has. uid gives the UID of
// an object that has none.
func newObject(r Resource, raw []byte, uid func(key string) string, rv int64) (*object, error) {
	raw = bytes.TrimSpace(raw)
	var m objectMeta
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Key(), err)
	}
	switch {
	case m.Metadata == nil || m.Metadata.Name == "":
		return nil, fmt.Errorf("%s: object without metadata.name", r.Key())
	case r.Namespaced != (m.Metadata.Namespace != ""):
		return nil, fmt.Errorf("%s %q: namespace %q does not fit its scope", r.Key(), m.Metadata.Name, m.Metadata.Namespace)
	}
	if m.Kind == "" {
		raw = insertFirst(raw, 0, "kind", r.Kind)
	}
	if m.APIVersion == "" {
		raw = insertFirst(raw, 0, "apiVersion", r.APIVersion())
	}
	o := &object{rv: rv, namespace: m.Metadata.Namespace, name: m.Metadata.Name, uid: m.Metadata.UID, labels: m.Metadata.Labels}
	if o.uid == "" && uid != nil {
		o.uid = uid(o.key())
		s, ok := metadataSpan(raw)
		if !ok {
			return nil, errNoMetadata
		}
		raw = insertFirst(raw, s.start, "uid", o.uid)
	}
	if rv == 0 {
		o.raw, o.rv = bytes.Clone(raw), recordedRV(m.Metadata.ResourceVersion)
		return o, nil
	}
	var err error
	o.raw, err = stampRV(raw, strconv.FormatInt(rv, 10))
	return o, err
}

var errNoMetadata = errors.New("object without metadata")

// span is a range of bytes.
type span struct{ start, end int }

// stampRV returns a copy of raw whose metadata.resourceVersion is rv. All
// other bytes stay as they are, because what a server sends is what a
// recorder has to keep.
func stampRV(raw []byte, rv string) ([]byte, error) {
	meta, ok := metadataSpan(raw)
	if !ok {
		return nil, errNoMetadata
	}
	if v, ok := member(raw, meta.start, "resourceVersion"); ok {
		out := make([]byte, 0, len(raw)+len(rv))
		out = append(out, raw[:v.start]...)
		out = append(append(append(out, '"'), rv...), '"')
		return append(out, raw[v.end:]...), nil
	}
	return insertFirst(raw, meta.start, "resourceVersion", rv), nil
}

func metadataSpan(raw []byte) (span, bool) {
	m, ok := member(raw, skipSpace(raw, 0), "metadata")
	if !ok || raw[m.start] != '{' {
		return span{}, false
	}
	return m, true
}

// insertFirst returns a copy of raw with "name":"value" as the first member
// of the object that starts at open.
func insertFirst(raw []byte, open int, name, value string) []byte {
	sep := ","
	if next := skipSpace(raw, open+1); next < len(raw) && raw[next] == '}' {
		sep = ""
	}
	out := make([]byte, 0, len(raw)+len(name)+len(value)+6)
	out = append(out, raw[:open+1]...)
	out = fmt.Appendf(out, "%q:%q%s", name, value, sep)
	return append(out, raw[open+1:]...)
}

// without returns a copy of raw, an object, without one of its members.
func without(raw []byte, name string) []byte {
	v, ok := member(raw, 0, name)
	if !ok {
		return raw
	}
	start := bytes.LastIndexByte(raw[:v.start-1], '"') // the name ends here
	start -= len(name) + 1
	end := skipSpace(raw, v.end)
	if end < len(raw) && raw[end] == ',' {
		end++
	} else if i := bytes.LastIndexByte(raw[:start], ','); i >= 0 {
		start = i // it was the last member: take the comma before it
	}
	return append(append(make([]byte, 0, len(raw)), raw[:start]...), raw[end:]...)
}

// member finds the value of a member of the object that starts at open. The
// input must be valid JSON.
func member(raw []byte, open int, name string) (span, bool) {
	if open >= len(raw) || raw[open] != '{' {
		return span{}, false
	}
	i := skipSpace(raw, open+1)
	for i < len(raw) && raw[i] == '"' {
		end := skipString(raw, i)
		key := raw[i+1 : end-1]
		i = skipSpace(raw, skipSpace(raw, end)+1) // the colon
		v := span{i, skipValue(raw, i)}
		if string(key) == name {
			return v, true
		}
		if i = skipSpace(raw, v.end); i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return span{}, false
}

func skipSpace(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that starts at i.
func skipString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// skipValue returns the index after the value that starts at i.
func skipValue(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			if i = skipString(raw, i); depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}
