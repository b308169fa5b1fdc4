package timeserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"rewatch/watch/timeserver/openapi"
)

// openAPI answers /openapi/v3 and the documents below it, which kubectl
// explain reads. There is no v2: who asks for it wants to write an object of a
// type that is not in v3, and check it before (kubectl create and apply), and
// is told here what the answer to that would be.
func (s *Server) openAPI(x *exchange, path []string) error {
	if len(path) == 1 && path[0] == "v2" {
		// As text: of a Status kubectl would not show the message, nor of a 405.
		http.Error(x.w, s.o.ReadOnly()+", and objects of that type are not on it", http.StatusNotAcceptable)
		return nil
	}
	if len(path) == 0 || path[0] != "v3" {
		return x.notServed()
	}
	order, served := s.byGroupVersion()
	if len(path) == 1 {
		return x.object(http.StatusOK, map[string]any{"paths": s.openAPIPaths(order, served)})
	}
	name := strings.Join(path[1:], "/")
	for _, gv := range order {
		if len(served[gv]) > 0 && apiPath(gv) == name {
			return x.object(http.StatusOK, openapi.Document(apiPath(gv), s.described(served[gv])))
		}
	}
	return x.notServed()
}

// openAPIPaths are the documents that there are. Clients keep a document as
// long as its hash is the same.
func (s *Server) openAPIPaths(order []schema.GroupVersion, served map[schema.GroupVersion][]Resource) map[string]any {
	paths := map[string]any{}
	for _, gv := range order {
		if len(served[gv]) == 0 {
			continue
		}
		h := sha256.New()
		for _, r := range s.described(served[gv]) {
			_, _ = h.Write([]byte(r.Resource + " " + r.Kind + " "))
			_, _ = h.Write(r.Schema)
		}
		paths[apiPath(gv)] = map[string]string{
			"serverRelativeURL": "/openapi/v3/" + apiPath(gv) + "?hash=" + hex.EncodeToString(h.Sum(nil)[:16])}
	}
	return paths
}

// described are the types with what their definitions say of their fields.
func (s *Server) described(resources []Resource) []openapi.Type {
	var out []openapi.Type
	for _, r := range resources {
		t := openapi.Type{GroupVersionKind: schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}, Resource: r.Resource,
			Namespaced: r.Namespaced}
		if _, ok := builtin(r); !ok {
			if d := s.definition(r); d != nil && json.Valid(d.schema) {
				t.Schema = d.schema
			}
		}
		out = append(out, t)
	}
	return out
}

// apiPath is where a group and version are served.
func apiPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.Group + "/" + gv.Version
}
