package timeserver

import (
	"encoding/json"
	"net/http"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

var readVerbs = []string{"get", "list", "watch"} // never changed

// serveOther answers what is not about a resource: discovery, the version and
// the health of the server.
func (s *Server) serveOther(x *exchange) error {
	if x.r.Method != http.MethodGet {
		return statusError(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
			s.o.ReadOnly()+": "+x.r.Method+" is not supported")
	}
	parts := strings.Split(strings.Trim(x.r.URL.Path, "/"), "/")
	aggregated := strings.Contains(x.r.Header.Get("Accept"), "as=APIGroupDiscoveryList") &&
		strings.Contains(x.r.Header.Get("Accept"), "v=v2")
	x.w.Header().Add("Vary", "Accept")
	switch {
	case parts[0] == "version":
		return x.object(http.StatusOK, s.version())
	case parts[0] == "healthz" || parts[0] == "readyz" || parts[0] == "livez":
		_, err := x.w.Write([]byte("ok"))
		return err
	case (parts[0] == "api" || parts[0] == "apis") && len(parts) == 1 && aggregated:
		b, err := json.Marshal(s.aggregated(parts[0] == "api"))
		if err != nil {
			return err
		}
		x.w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		_, _ = x.w.Write(b)
		return nil
	case parts[0] == "api" && len(parts) == 1:
		return x.object(http.StatusOK, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"},
			Versions: []string{"v1"}, ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{}})
	case parts[0] == "apis" && len(parts) == 1:
		return x.object(http.StatusOK, metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: s.groups()})
	case parts[0] == "apis" && len(parts) == 2:
		for _, g := range s.groups() {
			if g.Name == parts[1] {
				g.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
				return x.object(http.StatusOK, g)
			}
		}
	case parts[0] == "openapi":
		return s.openAPI(x, parts[1:])
	case x.req.isResource():
		if l := s.resourceList(schema.GroupVersion{Group: x.req.group, Version: x.req.version}); l != nil {
			return x.object(http.StatusOK, l)
		}
	}
	return x.notServed()
}

func (s *Server) version() version.Info {
	major, rest, _ := strings.Cut(strings.TrimPrefix(s.o.Version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return version.Info{Major: major, Minor: minor, GitVersion: s.o.Version, Platform: "linux/amd64"}
}

// byGroupVersion groups the served resources, core first, in the order that
// they were added.
func (s *Server) byGroupVersion() (order []schema.GroupVersion, m map[schema.GroupVersion][]Resource) {
	m = map[schema.GroupVersion][]Resource{}
	core := schema.GroupVersion{Version: "v1"}
	order = []schema.GroupVersion{core}
	m[core] = nil
	for _, r := range s.store.Resources() {
		gv := schema.GroupVersion{Group: r.Group, Version: r.Version}
		if _, ok := m[gv]; !ok {
			order = append(order, gv)
		}
		m[gv] = append(m[gv], r)
	}
	for _, group := range []string{"authentication.k8s.io", "authorization.k8s.io"} {
		review := schema.GroupVersion{Group: group, Version: "v1"}
		if _, ok := m[review]; !ok {
			order, m[review] = append(order, review), nil
		}
	}
	return order, m
}

func (s *Server) groups() []metav1.APIGroup {
	order, _ := s.byGroupVersion()
	var out []metav1.APIGroup
	for _, gv := range order {
		if gv.Group == "" {
			continue
		}
		v := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		if n := len(out); n > 0 && out[n-1].Name == gv.Group {
			out[n-1].Versions = append(out[n-1].Versions, v)
			continue
		}
		out = append(out, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
	}
	return out
}

func (s *Server) resourceList(gv schema.GroupVersion) *metav1.APIResourceList {
	order, m := s.byGroupVersion()
	l := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(), APIResources: []metav1.APIResource{}}
	found := false
	for _, g := range order {
		found = found || g == gv
	}
	if !found {
		return nil
	}
	for _, r := range m[gv] {
		r = s.named(r)
		l.APIResources = append(l.APIResources, metav1.APIResource{Name: r.Resource, SingularName: r.singular(),
			Namespaced: r.Namespaced, Kind: r.Kind, Verbs: readVerbs, ShortNames: r.ShortNames, Categories: r.Categories})
	}
	for _, kind := range reviewKinds[gv.Group] {
		singular := strings.ToLower(kind)
		l.APIResources = append(l.APIResources, metav1.APIResource{Name: singular + "s", SingularName: singular, Kind: kind,
			Verbs: []string{"create"}})
	}
	return l
}

// aggregated is the one-request discovery of Kubernetes 1.30 and later.
func (s *Server) aggregated(core bool) *apidiscoveryv2.APIGroupDiscoveryList {
	out := &apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"}}
	order, _ := s.byGroupVersion()
	for _, gv := range order {
		if (gv.Group == "") != core {
			continue
		}
		v := apidiscoveryv2.APIVersionDiscovery{Version: gv.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
		for _, r := range s.resourceList(gv).APIResources {
			scope := apidiscoveryv2.ScopeCluster
			if r.Namespaced {
				scope = apidiscoveryv2.ScopeNamespace
			}
			v.Resources = append(v.Resources, apidiscoveryv2.APIResourceDiscovery{
				Resource:     r.Name,
				ResponseKind: &metav1.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: r.Kind},
				Scope:        scope, SingularResource: r.SingularName, Verbs: r.Verbs,
				ShortNames: r.ShortNames, Categories: r.Categories})
		}
		if n := len(out.Items); n > 0 && out.Items[n-1].Name == gv.Group {
			out.Items[n-1].Versions = append(out.Items[n-1].Versions, v)
			continue
		}
		g := apidiscoveryv2.APIGroupDiscovery{Versions: []apidiscoveryv2.APIVersionDiscovery{v}}
		g.Name = gv.Group
		out.Items = append(out.Items, g)
	}
	return out
}
