package timeserver

import (
	"encoding/json"
	"strings"

	"rewatch/watch/timeserver/table"
)

// definition is what a CustomResourceDefinition says of one version of a type.
type definition struct {
	singular               string
	shortNames, categories []string
	printer                *table.Printer
	schema                 json.RawMessage // openAPIV3Schema, may be missing
	selectable             []string        // fields that may be selected; not nil
}

// definition finds the CustomResourceDefinition of a type among the objects
// that are served; nil where it is not.
func (s *Server) definition(r Resource) *definition {
	t := s.store.lookup("apiextensions.k8s.io", "v1", "customresourcedefinitions")
	if t == nil {
		return nil
	}
	o := s.store.get(t, "", r.Resource+"."+r.Group)
	if o == nil {
		return nil
	}
	key := definitionOf{o, r.Version}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.definitions[key]; ok {
		return d
	}
	if len(s.definitions) > 4096 { // definitions that changed, of a past that moves
		clear(s.definitions)
	}
	d := parseDefinition(o.raw, r)
	s.definitions[key] = d
	return d
}

// definitionOf is one version in one state of a CustomResourceDefinition.
type definitionOf struct {
	*object
	version string
}

func parseDefinition(raw []byte, r Resource) *definition {
	var crd struct {
		Spec struct {
			Names struct {
				Singular               string
				ShortNames, Categories []string
			}
			Versions []struct {
				Name                     string
				AdditionalPrinterColumns []table.CustomColumn
				Schema                   struct{ OpenAPIV3Schema json.RawMessage }
				SelectableFields         []struct{ JSONPath string }
			}
		}
	}
	if json.Unmarshal(raw, &crd) != nil {
		return nil
	}
	d := &definition{singular: crd.Spec.Names.Singular, shortNames: crd.Spec.Names.ShortNames, categories: crd.Spec.Names.Categories}
	d.selectable = []string{}
	for _, v := range crd.Spec.Versions {
		if v.Name != r.Version {
			continue
		}
		d.printer, d.schema = table.Custom(v.AdditionalPrinterColumns), v.Schema.OpenAPIV3Schema
		for _, f := range v.SelectableFields {
			d.selectable = append(d.selectable, strings.TrimPrefix(f.JSONPath, "."))
		}
	}
	return d
}

// named fills in the names that a CustomResourceDefinition gives a type.
func (s *Server) named(r Resource) Resource {
	if _, ok := builtin(r); ok {
		return r
	}
	if d := s.definition(r); d != nil {
		r.Singular, r.ShortNames, r.Categories = d.singular, d.shortNames, d.categories
	}
	return r
}

// selectable are the fields that the objects of a type can be selected by.
func (s *Server) selectable(r Resource) selectable {
	var custom []string
	if _, ok := builtin(r); !ok {
		if d := s.definition(r); d != nil {
			custom = d.selectable
		}
	}
	return selectableFields(r, custom)
}

// printer is what prints the objects of a type: for a custom resource whose
// definition is not there, the name and the age, as for one that names no
// columns.
func (s *Server) printer(t *shelf) *table.Printer {
	if _, ok := builtin(t.Resource); ok {
		return s.printers.For(t.Group, t.Kind)
	}
	if p, ok := s.printers.Known(t.Group, t.Kind); ok {
		return p // a builtin type of another version of Kubernetes
	}
	if d := s.definition(t.Resource); d != nil && d.printer != nil {
		return d.printer
	}
	return table.Custom(nil)
}
