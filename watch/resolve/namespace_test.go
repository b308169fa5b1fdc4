package resolve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"rewatch/watch/timeserver"
)

func TestNamespacesThatDoNotExistAreNoted(t *testing.T) {
	store := timeserver.NewStore(timeserver.Builtins())
	for _, ns := range []string{"shop", "pay", "default"} {
		if _, err := store.Put("namespaces", []byte(`{"metadata":{"name":"`+ns+`"}}`)); err != nil {
			t.Fatal(err)
		}
	}
	allow := func(verbs string) func(timeserver.Access) bool {
		return func(a timeserver.Access) bool { return a.Resource != "namespaces" || strings.Contains(verbs, a.Verb) }
	}
	for _, c := range []struct {
		name, asked, want string
		handler           http.Handler
	}{
		{"there", "shop pay", "", serving(store, allow("get list"))},
		{"mistyped", "shpo nonsense pay", `namespace "shpo" does not exist; did you mean "shop"? (kubectl get ns)` + "\n" +
			`namespace "nonsense" does not exist (kubectl get ns)` + "\n", serving(store, allow("get list"))},
		{"no list", "shpo", `namespace "shpo" does not exist (kubectl get ns)` + "\n", serving(store, allow("get"))},
		{"no get", "shpo", "", serving(store, allow("list"))},
		{"a proxy's 404", "shpo", "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/api/v1/namespaces") {
				http.NotFound(w, r)
				return
			}
			serving(store, nil).ServeHTTP(w, r)
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			hs := httptest.NewServer(c.handler)
			defer hs.Close()
			r, err := Resolve(context.Background(), &rest.Config{Host: hs.URL, QPS: -1},
				Request{Types: mustParse(t, "pods"), Namespaces: strings.Fields(c.asked)})
			if err != nil {
				t.Fatal(err)
			}
			if got := notes(r); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if len(r.Targets) != len(strings.Fields(c.asked)) {
				t.Errorf("a missing namespace is watched like the others: %q", names(r))
			}
		})
	}
}

// A screen asks a running server: 200, 404, 403, and one that is not there.
func TestHasNamespace(t *testing.T) {
	store := timeserver.NewStore(timeserver.Builtins())
	if _, err := store.Put("namespaces", []byte(`{"metadata":{"name":"shop"}}`)); err != nil {
		t.Fatal(err)
	}
	may := func(timeserver.Access) bool { return true }
	for _, c := range []struct {
		name   string
		allow  func(timeserver.Access) bool
		exists bool
		err    func(error) bool
	}{
		{"shop", may, true, func(err error) bool { return err == nil }},
		{"shpo", may, false, func(err error) bool { return err == nil }},
		{"shop", func(timeserver.Access) bool { return false }, false, apierrors.IsForbidden},
		{"shpo", func(timeserver.Access) bool { return false }, false, apierrors.IsForbidden},
	} {
		var asked []string
		h := serving(store, c.allow)
		hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.URL.Path)
			h.ServeHTTP(w, r)
		}))
		exists, err := HasNamespace(context.Background(), &rest.Config{Host: hs.URL, QPS: -1}, c.name)
		hs.Close()
		if exists != c.exists || !c.err(err) || !slices.Equal(asked, []string{"GET /api/v1/namespaces/" + c.name}) {
			t.Errorf("%s: %v, %v; asked %q", c.name, exists, err, asked)
		}
		if exists, err := HasNamespace(context.Background(), &rest.Config{Host: hs.URL}, c.name); exists || err == nil {
			t.Errorf("%s of a server that is gone: %v, %v", c.name, exists, err)
		}
	}
}

func serving(store *timeserver.Store, allow func(timeserver.Access) bool) http.Handler {
	return timeserver.NewServer(store, timeserver.Options{Allow: allow})
}
