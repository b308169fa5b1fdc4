package resolve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	authv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// server is a small API server: discovery by group and access reviews.
type server struct {
	mu     sync.Mutex
	denies func(a authv1.ResourceAttributes) bool
	broken string   // a group version whose discovery fails
	asked  []string // method and path of every request
}

func res(name, kind, short, categories string, namespaced bool, verbs ...string) metav1.APIResource {
	if verbs == nil {
		verbs = []string{"get", "list", "watch"}
	}
	return metav1.APIResource{Name: name, SingularName: strings.ToLower(kind), Kind: kind, Namespaced: namespaced,
		ShortNames: strings.Fields(short), Categories: strings.Fields(categories), Verbs: verbs}
}

// served is by group version; the first of a group is its preferred one.
var served = []metav1.APIResourceList{
	{GroupVersion: "v1", APIResources: []metav1.APIResource{
		res("pods", "Pod", "po", "all", true), res("pods/log", "Pod", "", "", true, "get"),
		res("services", "Service", "svc", "all", true), res("configmaps", "ConfigMap", "cm", "", true),
		res("nodes", "Node", "no", "", false), res("events", "Event", "ev", "", true),
		res("componentstatuses", "ComponentStatus", "cs", "", false, "get", "list"),
		res("bindings", "Binding", "", "all", true, "create")}},
	{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{
		res("deployments", "Deployment", "deploy", "all", true), res("replicasets", "ReplicaSet", "rs", "all", true),
		res("statefulsets", "StatefulSet", "sts", "all", true), res("daemonsets", "DaemonSet", "ds", "all", true)}},
	{GroupVersion: "apps/v1beta1", APIResources: []metav1.APIResource{res("deployments", "Deployment", "deploy", "all", true)}},
	{GroupVersion: "batch/v1", APIResources: []metav1.APIResource{res("jobs", "Job", "", "all", true)}},
	{GroupVersion: "discovery.k8s.io/v1", APIResources: []metav1.APIResource{res("endpointslices", "EndpointSlice", "", "", true)}},
	{GroupVersion: "events.k8s.io/v1", APIResources: []metav1.APIResource{res("events", "Event", "ev", "", true)}},
	{GroupVersion: "metrics.k8s.io/v1", APIResources: []metav1.APIResource{res("pods", "PodMetrics", "", "", true, "get", "list")}},
	{GroupVersion: "cert-manager.io/v1", APIResources: []metav1.APIResource{res("certificates", "Certificate", "cert certs", "cert-manager", true)}},
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
		var review authv1.SelfSubjectAccessReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		review.Status.Allowed = s.denies == nil || !s.denies(*review.Spec.ResourceAttributes)
		w.WriteHeader(http.StatusCreated)
		answer(review)
	case r.URL.Path == "/api":
		answer(metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case r.URL.Path == "/apis":
		answer(groupList())
	default:
		gv := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/apis/"), "/api/")
		for _, l := range served {
			if l.GroupVersion == gv && gv != s.broken {
				l.Kind = "APIResourceList"
				answer(l)
				return
			}
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		answer(metav1.Status{Status: metav1.StatusFailure, Code: 503, Reason: metav1.StatusReasonServiceUnavailable, Message: "no backend"})
	}
}

func groupList() metav1.APIGroupList {
	l := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, s := range served {
		group, version, ok := strings.Cut(s.GroupVersion, "/")
		if !ok {
			continue
		}
		v := metav1.GroupVersionForDiscovery{GroupVersion: s.GroupVersion, Version: version}
		if n := len(l.Groups); n > 0 && l.Groups[n-1].Name == group {
			l.Groups[n-1].Versions = append(l.Groups[n-1].Versions, v)
			continue
		}
		l.Groups = append(l.Groups, metav1.APIGroup{Name: group, PreferredVersion: v, Versions: []metav1.GroupVersionForDiscovery{v}})
	}
	return l
}

// resolveOn runs one request against s.
func resolveOn(t *testing.T, s *server, req Request) Result {
	t.Helper()
	hs := httptest.NewServer(s)
	t.Cleanup(hs.Close)
	r, err := Resolve(context.Background(), &rest.Config{Host: hs.URL, QPS: -1}, req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustParse(t *testing.T, args ...string) []Arg {
	t.Helper()
	out, err := Parse(args)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// names are resource.version.group[@namespace][?field] of the targets.
func names(r Result) []string {
	var out []string
	for _, t := range r.Targets {
		s := t.Resource + "." + t.Version + "." + t.Group
		if t.Namespace != "" {
			s += "@" + t.Namespace
		}
		if t.Field != "" {
			s += "?" + t.Field
		}
		out = append(out, s)
	}
	return out
}

func notes(r Result) string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString(n.Text + "\n")
	}
	return b.String()
}

func TestTypesLikeKubectl(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"pods", "pods.v1."},
		{"pod", "pods.v1."},
		{"po", "pods.v1."},
		{"Pod", "pods.v1."},
		{"PODMETRICS", "pods.v1.metrics.k8s.io"},
		{"pods.metrics.k8s.io", "pods.v1.metrics.k8s.io"},
		{"pods.v1", "pods.v1."},
		{"pods.v1.", "pods.v1."},
		{"deploy", "deployments.v1.apps"},
		{"deployments.apps", "deployments.v1.apps"},
		{"deployments.v1beta1.apps", "deployments.v1beta1.apps"},
		{"cert", "certificates.v1.cert-manager.io"},
		{"cert.cert-manager", "certificates.v1.cert-manager.io"},
		{"events", "events.v1."},
		{"events.events.k8s.io", "events.v1.events.k8s.io"},
		{"pods,svc po", "pods.v1. services.v1."},
		{"all", "pods.v1. services.v1. deployments.v1.apps replicasets.v1.apps statefulsets.v1.apps daemonsets.v1.apps jobs.v1.batch"},
		{"all po", "pods.v1. services.v1. deployments.v1.apps replicasets.v1.apps statefulsets.v1.apps daemonsets.v1.apps jobs.v1.batch"},
		{"pods/checkout", "pods.v1.?metadata.name=checkout"},
		{"po/a,po/b", "pods.v1.?metadata.name=a pods.v1.?metadata.name=b"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := resolveOn(t, &server{}, Request{Types: mustParse(t, strings.Fields(c.args)...)})
			if got := strings.Join(names(r), " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if len(r.Unknown) > 0 || len(r.Notes) > 0 {
				t.Errorf("unknown %v, notes %q", r.Unknown, notes(r))
			}
		})
	}
}

func TestNamespacesSelectorsAndVerbs(t *testing.T) {
	r := resolveOn(t, &server{}, Request{
		Types: mustParse(t, "pods", "nodes", "cs", "ev"), Namespaces: []string{"shop", "pay"},
		Label: "app=x", Field: "spec.nodeName=n1", Context: "prod", Server: "h:1",
	})
	want := []string{"pods.v1.@shop?spec.nodeName=n1", "pods.v1.@pay?spec.nodeName=n1", "nodes.v1.?spec.nodeName=n1",
		"componentstatuses.v1.?spec.nodeName=n1", "events.v1.@shop?spec.nodeName=n1", "events.v1.@pay?spec.nodeName=n1"}
	if got := names(r); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	pod, cs, ev := r.Targets[0], r.Targets[3], r.Targets[4]
	if pod.Label != "app=x" || pod.Context != "prod" || pod.Server != "h:1" || pod.Kind != "Pod" || !pod.Namespaced || pod.Uncached {
		t.Errorf("pods: %+v", pod)
	}
	if !cs.CanList || cs.CanWatch {
		t.Errorf("componentstatuses can only be listed: %+v", cs)
	}
	if !ev.Uncached {
		t.Error("events have no watch cache")
	}
	named := resolveOn(t, &server{}, Request{Types: mustParse(t, "pods/a"), Field: "spec.nodeName=n1"})
	if got := named.Targets[0].Field; got != "metadata.name=a,spec.nodeName=n1" {
		t.Errorf("field selector of a named object: %q", got)
	}
}

func TestUnknownTypeNamesTheNearest(t *testing.T) {
	for word, want := range map[string]string{
		"pds": "pods", "deplyoments": "deployments", "confgimap": "configmaps", "certifcate": "certificates",
		"pods.nowhere.io": "pods", "podmetric": "pods.metrics.k8s.io", "zzzzzzz": "", "svcs": "services",
	} {
		r := resolveOn(t, &server{}, Request{Types: mustParse(t, word)})
		if len(r.Unknown) != 1 || len(r.Targets) != 0 {
			t.Fatalf("%s: %+v", word, r)
		}
		got := r.Unknown[0].Nearest
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s: nearest %q, want %q", word, got, want)
		}
	}
	r := resolveOn(t, &server{}, Request{Types: mustParse(t, "bindings")})
	if len(r.Unknown) != 1 || !strings.Contains(r.Unknown[0].Error(), "neither listed nor watched") {
		t.Errorf("bindings can only be created: %+v", r)
	}
}

func TestBrokenGroupDoesNotBreakTheRest(t *testing.T) {
	r := resolveOn(t, &server{broken: "metrics.k8s.io/v1"}, Request{Types: mustParse(t, "pods", "deploy")})
	if got := names(r); !slices.Equal(got, []string{"pods.v1.", "deployments.v1.apps"}) {
		t.Errorf("targets %q", got)
	}
	if n := notes(r); !strings.Contains(n, "metrics.k8s.io/v1 could not be read") {
		t.Errorf("notes %q", n)
	}
}

func TestDefaultSetLeavesOutWhatIsRefused(t *testing.T) {
	s := &server{denies: func(a authv1.ResourceAttributes) bool {
		return a.Resource == "nodes" || a.Resource == "configmaps" && a.Verb == "watch"
	}}
	r := resolveOn(t, s, Request{Namespaces: []string{"shop"}})
	if len(r.Targets) != 9 || r.Denied != 2 {
		t.Errorf("%d targets, %d denied: %q", len(r.Targets), r.Denied, names(r))
	}
	n := notes(r)
	for _, want := range []string{
		"left out, this user may not list or watch nodes in the cluster\n",
		"left out, this user may not watch configmaps in namespace shop\n",
	} {
		if !strings.Contains(n, want) {
			t.Errorf("notes lack %q:\n%s", want, n)
		}
	}
	for _, asked := range s.asked {
		if !strings.HasPrefix(asked, "GET /api") && asked != "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews" {
			t.Errorf("sent %s", asked)
		}
	}
}

func TestNamedTypesAreKeptWhenRefused(t *testing.T) {
	s := &server{denies: func(a authv1.ResourceAttributes) bool { return a.Namespace == "" && a.Name != "mine" }}
	r := resolveOn(t, s, Request{Types: mustParse(t, "pods", "svc", "cm/mine", "cm/other")})
	if len(r.Targets) != 4 || r.Denied != 3 {
		t.Errorf("targets %q, denied %d", names(r), r.Denied)
	}
	want := "this user may not list or watch pods, services, configmaps/other in all namespaces; with access to one namespace only, name it: rewatch -n NAMESPACE\n"
	if n := notes(r); n != want {
		t.Errorf("notes %q\nwant %q", n, want)
	}
}

func TestObjectsOfATypeWatchedWholeAreCovered(t *testing.T) {
	r := resolveOn(t, &server{}, Request{Types: mustParse(t, "pods/a", "pods"), Field: "spec.nodeName=n1"})
	if got := names(r); !slices.Equal(got, []string{"pods.v1.?spec.nodeName=n1"}) {
		t.Errorf("targets %q", got)
	}
	if n := notes(r); !strings.Contains(n, "pods/a is among the pods") {
		t.Errorf("notes %q", n)
	}
}

func TestFallbackKnowsTheDefaultSetAsTheServerDoes(t *testing.T) {
	req := Request{Namespaces: []string{"shop"}, Context: "down"}
	fallback := Fallback(req)
	if live := resolveOn(t, &server{}, req); !slices.Equal(names(live), names(fallback)) {
		t.Errorf("live %q\nfallback %q", names(live), names(fallback))
	}
	if len(fallback.Targets) != len(Default()) {
		t.Errorf("%d targets", len(fallback.Targets))
	}
	if r := Fallback(Request{Types: mustParse(t, "widgets", "deploy")}); len(r.Unknown) != 1 || len(r.Targets) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"", "pods,", "/x", "pods/", "pods/a/b", "pods/..", "pods/a%b", "."} {
		if a, err := Parse([]string{bad}); err == nil {
			t.Errorf("%q: %v", bad, a)
		}
	}
	if got := mustParse(t, "Pods/CheckOut", "pods/CheckOut"); len(got) != 1 || got[0].String() != "pods/CheckOut" {
		t.Errorf("%v", got)
	}
}
