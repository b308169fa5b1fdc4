// Package openapi describes types to kubectl explain, as OpenAPI v3 documents:
// builtin types from the API's Go types and the documentation that these carry,
// custom resources from their definitions. Types of which neither is known are
// described as objects of which no more is known.
package openapi

import (
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// Type is one type of objects that a server has.
type Type struct {
	schema.GroupVersionKind
	Resource   string // plural
	Namespaced bool
	// Schema is the openAPIV3Schema of a custom resource, in valid JSON, or
	// empty.
	Schema json.RawMessage
}

// Document describes the types of one group and version, which is served at a
// path such as "apis/apps/v1". It can be written as JSON.
func Document(path string, types []Type) map[string]any {
	d := document{schemas: map[string]any{}}
	paths := map[string]any{}
	for _, t := range types {
		at := "/" + path + "/"
		if t.Namespaced {
			at += "namespaces/{namespace}/"
		}
		paths[at+t.Resource] = map[string]any{"get": map[string]any{
			"x-kubernetes-action":             "list",
			"x-kubernetes-group-version-kind": gvk(t.GroupVersionKind),
			"responses":                       map[string]any{},
		}}
		paths[at+t.Resource+"/{name}"] = map[string]any{"patch": refused(t.GroupVersionKind)}
		d.add(t)
	}
	return map[string]any{
		"openapi":    "3.0.0",
		"info":       map[string]any{"title": "rewatch", "version": "unversioned"},
		"paths":      paths,
		"components": map[string]any{"schemas": d.schemas},
	}
}

// refused describes the patch of an object, which is answered with a refusal.
// kubectl apply, create and replace look here for whether the server checks
// fields; without, they want to check these themselves, by an OpenAPI v2
// document, and fail for want of it before they are told that nothing is
// written.
func refused(k schema.GroupVersionKind) map[string]any {
	return map[string]any{
		"x-kubernetes-action":             "patch",
		"x-kubernetes-group-version-kind": gvk(k),
		"parameters": []any{map[string]any{"name": "fieldValidation", "in": "query",
			"schema": map[string]any{"type": "string"}}},
		"responses": map[string]any{"405": map[string]any{"description": "A recording can only be read."}},
	}
}

func gvk(k schema.GroupVersionKind) map[string]any {
	return map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind}
}

type document struct{ schemas map[string]any }

// add describes a type and all that it is made of.
func (d document) add(t Type) {
	var described map[string]any
	name := ""
	if o, err := scheme.Scheme.New(t.GroupVersionKind); err == nil {
		typ := reflect.TypeOf(o).Elem()
		name = d.define(typ)
		described, _ = d.schemas[name].(map[string]any)
	} else {
		name = strings.Join(append(reversed(t.Group), t.Version, t.Kind), ".")
		if json.Unmarshal(t.Schema, &described) != nil || described == nil {
			described = map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true,
				"description": "The definition of this type is not on the tape."}
		}
		d.schemas[name] = described
	}
	described["x-kubernetes-group-version-kind"] = []any{gvk(t.GroupVersionKind)}
}

// reversed are the parts of a DNS name from the last to the first.
func reversed(name string) []string {
	parts := strings.Split(name, ".")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

// define describes a Go struct, once, and returns the name of its schema:
// "io.k8s.api.apps.v1.Deployment".
func (d document) define(t reflect.Type) string {
	host, rest, _ := strings.Cut(t.PkgPath(), "/")
	name := strings.Join(append(reversed(host), strings.Split(rest, "/")...), ".") + "." + t.Name()
	if _, ok := d.schemas[name]; ok {
		return name
	}
	properties, required := map[string]any{}, []string{}
	s := map[string]any{"type": "object", "properties": properties}
	d.schemas[name] = s // before its fields, which may lead back here
	docs := docsOf(t)
	if docs[""] != "" {
		s["description"] = docs[""]
	}
	d.fields(t, docs, properties, &required)
	if len(required) > 0 {
		s["required"] = required
	}
	return name
}

// fields describes the fields of a struct, and of those that are inlined into
// it.
func (d document) fields(t reflect.Type, docs map[string]string, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case name == "" && f.Anonymous:
			d.fields(f.Type, docsOf(f.Type), properties, required)
			continue
		case name == "":
			continue
		}
		s := d.value(f.Type)
		if docs[name] != "" {
			s["description"] = docs[name]
		}
		properties[name] = s
		// By the conventions of the API, a field that must be there has neither.
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

// docsOf is the documentation that a type carries.
func docsOf(t reflect.Type) map[string]string {
	if o, ok := reflect.Zero(t).Interface().(interface{ SwaggerDoc() map[string]string }); ok {
		return o.SwaggerDoc()
	}
	return nil
}

// value describes what a field holds.
func (d document) value(t reflect.Type) map[string]any {
	if t.Kind() == reflect.Pointer {
		return d.value(t.Elem())
	}
	// Types that are written otherwise than they are made.
	if o, ok := reflect.Zero(t).Interface().(interface {
		OpenAPISchemaType() []string
		OpenAPISchemaFormat() string
	}); ok && len(o.OpenAPISchemaType()) > 0 {
		s := map[string]any{"type": o.OpenAPISchemaType()[0]}
		if format := o.OpenAPISchemaFormat(); format != "" {
			s["format"] = format
		}
		return s
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "format": "byte"}
		}
		return map[string]any{"type": "array", "items": d.value(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": d.value(t.Elem())}
	case reflect.Struct:
		return map[string]any{"allOf": []any{map[string]any{"$ref": "#/components/schemas/" + d.define(t)}}}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int32:
		return map[string]any{"type": "integer", "format": "int32"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return map[string]any{"type": "number", "format": "double"}
	}
	return map[string]any{"type": "object"}
}
