package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rewatch/model/cputest"
	"rewatch/watch/timeserver"
)

// cluster is an API server in this process, with a pod in each of two
// namespaces, a node and an event.
type testCluster struct {
	*timeserver.Server
	store *timeserver.Store
	url   string
}

func newTestCluster(t *testing.T, o timeserver.Options) *testCluster {
	t.Helper()
	c := unstarted(t, o)
	s := httptest.NewServer(c)
	t.Cleanup(func() { c.CloseAll(); s.Close() })
	c.url = s.URL
	return c
}

func unstarted(t *testing.T, o timeserver.Options) *testCluster {
	t.Helper()
	store := timeserver.NewStore(timeserver.Builtins())
	c := &testCluster{timeserver.NewServer(store, o), store, ""}
	c.put(t, "pods", "shop", "checkout", `"status":{"phase":"Pending"}`)
	c.put(t, "pods", "pay", "ledger", `"status":{"phase":"Running"}`)
	c.put(t, "nodes", "", "node-1", `"spec":{}`)
	c.put(t, "configmaps", "shop", "settings", `"data":{"a":"1"}`)
	return c
}

func (c *testCluster) put(t *testing.T, resource, namespace, name, rest string) {
	t.Helper()
	if namespace != "" {
		namespace = fmt.Sprintf(`"namespace":%q,`, namespace)
	}
	if _, err := c.store.Put(resource, fmt.Appendf(nil, `{"metadata":{%s"name":%q},%s}`, namespace, name, rest)); err != nil {
		t.Fatal(err)
	}
}

// running is a rewatch under way.
type running struct {
	t           *testing.T
	out, stderr buffer
	cancel      context.CancelFunc
	code        chan int
}

func background(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, cancel: cancel, code: make(chan int, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.code <- run(ctx, args, streams{strings.NewReader(""), &r.out, &r.stderr})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return r
}

// patience bounds every wait for something that comes: much more than needed, on
// a machine that has other work and with the race detector on.
const patience = 3 * time.Minute

// waitFor waits until a line of the text contains all words.
func (r *running) waitFor(b *buffer, words ...string) {
	r.t.Helper()
	if !r.tells(b, words...) {
		r.t.Fatalf("no line with %q\nstdout:\n%s\nstderr:\n%s", words, r.out.String(), r.stderr.String())
	}
}

// tells waits until a line of the text contains all words; false is that it
// ended without.
func (r *running) tells(b *buffer, words ...string) bool {
	read := 0 // whole lines, without the words
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		over := len(r.code) > 0
		text := b.String()
		for line := range strings.Lines(text[read:]) {
			if containsAll(line, words) {
				return true
			}
		}
		if over {
			return false
		}
		read = strings.LastIndex(text, "\n") + 1
	}
	return false
}

func containsAll(line string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(line, w) {
			return false
		}
	}
	return true
}

// stop ends it as a signal would.
func (r *running) stop() {
	r.t.Helper()
	r.cancel()
	if code := r.ended(); code != 0 {
		r.t.Errorf("exit code %d", code)
	}
}

// Whatever state its connections are in, quitting takes next to no time.
func TestItEndsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url, "down="+refusing(t))
	quickest := patience // of some: others may use the processor
	for range 5 {
		r := background(t, "pods", "nodes", "--context", "dev", "--context", "down")
		r.waitFor(&r.out, "Pod shop/checkout")
		r.waitFor(&r.stderr, "RETRY")
		began := time.Now()
		r.stop()
		quickest = min(quickest, time.Since(began))
	}
	if bound := cputest.Bound(300 * time.Millisecond); quickest > bound {
		t.Errorf("it took %v to end; the bound is %v on this machine", quickest, bound)
	}
}

func TestChangesArePrintedAsTheyCome(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	r := background(t)
	r.waitFor(&r.out, "ADDED", "Pod shop/checkout", "(initial)")
	r.waitFor(&r.out, "ADDED", "Pod pay/ledger", "(initial)")
	r.waitFor(&r.out, "ADDED", "Node node-1")
	c.put(t, "pods", "shop", "checkout", `"status":{"phase":"Running"}`)
	r.waitFor(&r.out, "MODIFIED", "Pod shop/checkout")
	if _, err := c.store.Delete("pods", "pay", "ledger"); err != nil {
		t.Fatal(err)
	}
	r.waitFor(&r.out, "DELETED", "Pod pay/ledger")
	r.stop()
	if got := r.stderr.String(); got != "" {
		t.Errorf("nothing went wrong, but stderr has:\n%s", got)
	}
	for _, q := range c.Requests() {
		review := q.Method == http.MethodPost && strings.HasSuffix(q.Path, "/selfsubjectaccessreviews")
		if q.Method != http.MethodGet && !review {
			t.Errorf("rewatch sent %s %s", q.Method, q.Path)
		}
		if !strings.HasPrefix(q.UserAgent, "rewatch/") {
			t.Errorf("%s %s came from %q", q.Method, q.Path, q.UserAgent)
		}
	}
}

func TestNamespacesAndNames(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	r := background(t, "pods", "no", "-n", "pay", "-n", "void")
	r.waitFor(&r.out, "Pod pay/ledger")
	r.waitFor(&r.out, "Node node-1")
	c.put(t, "pods", "void", "first", `"status":{}`)
	r.waitFor(&r.out, "Pod void/first")
	r.stop()
	if strings.Contains(r.out.String(), "shop/") {
		t.Errorf("a namespace that was not asked for:\n%s", r.out.String())
	}

	r = background(t, "cm/settings")
	r.waitFor(&r.out, "ConfigMap shop/settings")
	c.put(t, "configmaps", "shop", "other", `"data":{}`)
	c.put(t, "configmaps", "shop", "settings", `"data":{"a":"2"}`)
	r.waitFor(&r.out, "MODIFIED", "ConfigMap shop/settings")
	r.stop()
	if strings.Contains(r.out.String(), "shop/other") {
		t.Errorf("an object that was not asked for:\n%s", r.out.String())
	}
}

func TestANamespaceThatDoesNotExistIsToldAndWatched(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	c.put(t, "namespaces", "", "shop", `"spec":{}`)
	kubeconfig(t, "dev="+c.url)
	r := background(t, "pods", "-n", "shop", "-n", "shpo")
	r.waitFor(&r.stderr, "NOTE", `namespace "shpo" does not exist; did you mean "shop"? (kubectl get ns)`)
	r.waitFor(&r.out, "Pod shop/checkout")
	c.put(t, "pods", "shpo", "first", `"status":{}`)
	r.waitFor(&r.out, "Pod shpo/first")
	r.stop()
	if strings.Contains(r.stderr.String(), `namespace "shop"`) {
		t.Errorf("it exists:\n%s", r.stderr.String())
	}
}

func TestWhatIsRefusedIsSaid(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{Allow: func(a timeserver.Access) bool {
		return a.Namespace == "shop" && a.Resource != "configmaps" || a.Resource == "selfsubjectaccessreviews"
	}})
	kubeconfig(t, "dev="+c.url)
	r := background(t, "-n", "shop")
	r.waitFor(&r.out, "Pod shop/checkout")
	r.waitFor(&r.stderr, "NOTE", "left out", "may not list or watch", "configmaps in namespace shop")
	r.waitFor(&r.stderr, "NOTE", "left out", "nodes in the cluster")
	r.stop()

	got := rewatch(t)
	if got.code != 1 || got.out != "" || !containsAll(got.stderr, []string{"nothing to watch", "none of the usual types (all namespaces)", "name a namespace with -n"}) {
		t.Errorf("with access to one namespace only: %+v", got)
	}

	r = background(t, "cm", "-n", "shop") // named: it stays, and shows the refusal
	r.waitFor(&r.stderr, "NOTE", "may not list or watch configmaps")
	r.waitFor(&r.stderr, "DENIED", "configmaps in shop")
	r.stop()
}

func TestTheTitleSaysWhichContextHasWhichScope(t *testing.T) {
	us, eu, all := &cluster{name: "us", namespaces: []string{"shop"}}, &cluster{name: "eu", namespaces: []string{"shop"}}, &cluster{name: "ap"}
	for _, c := range []struct {
		clusters []*cluster
		want     string
	}{
		{[]*cluster{us}, "us  shop"},
		{[]*cluster{us, eu}, "us,eu  shop"},
		{[]*cluster{us, all}, "us shop, ap all namespaces"},
	} {
		if got := title(c.clusters); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestWarningsOfTheServerAreTold(t *testing.T) {
	c := unstarted(t, timeserver.Options{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/pods") {
			w.Header().Add("Warning", `299 - "v1 Pod is so last\x1b[2J century"`)
			w.Header().Add("Warning", `nonsense`)
		}
		c.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { c.CloseAll(); s.Close() })
	kubeconfig(t, "dev="+s.URL)
	r := background(t, "pods", "nodes")
	r.waitFor(&r.stderr, "NOTE", "the server warns: v1 Pod is so last")
	r.waitFor(&r.out, "Pod shop/checkout")
	r.stop()
	if strings.Contains(r.stderr.String(), "\x1b") {
		t.Error("an escape sequence on stderr")
	}
}

func TestUnknownTypeNamesTheNearest(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	got := rewatch(t, "pods", "deplyoment")
	want := "rewatch: the server of context \"dev\" has no type \"deplyoment\"; did you mean deployments? all types: kubectl api-resources\n"
	if got.code != 1 || got.out != "" || got.stderr != want {
		t.Errorf("%+v", got)
	}
	got = rewatch(t, "pods", "checkout")
	if !containsAll(got.stderr, []string{`no type "checkout"`, "pods/checkout"}) {
		t.Errorf("TYPE NAME, as kubectl has it: %s", got.stderr)
	}
	for _, args := range [][]string{{"pods,tokenreviews"}, {"pods", "svc,tokenreviews"}, {"pods/a", "tokenreviews"}} {
		if got = rewatch(t, args...); !strings.Contains(got.stderr, `no type "tokenreviews"`) || strings.Contains(got.stderr, "did you mean") {
			t.Errorf("%q, and nothing is near: %s", args, got.stderr)
		}
	}
}

func TestAClusterThatIsDownDoesNotHoldUpTheOther(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	late := unstarted(t, timeserver.Options{})
	address := nobodysPort(t)
	kubeconfig(t, "eu="+c.url, "us=http://"+address)
	r := background(t, "--context", "eu", "--context", "us", "pods")
	r.waitFor(&r.out, "ADDED", "eu Pod shop/checkout")
	r.waitFor(&r.stderr, "NOTE", "context us", "refuses connections")
	r.waitFor(&r.stderr, "RETRY", "us pods")

	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("the port was taken meanwhile: %v", err)
	}
	s := &http.Server{Handler: late}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { late.CloseAll(); _ = s.Close() })
	r.waitFor(&r.out, "ADDED", "us Pod shop/checkout")
	r.waitFor(&r.stderr, "NOTE", "context us answers")
	r.stop()
}

func TestTheContextsNamespaceIsTheDefault(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	path := kubeconfigPath(t)
	replaceInFile(t, path, "user: dev}", "user: dev, namespace: pay}")
	r := background(t, "pods", "nodes")
	r.waitFor(&r.out, "Pod pay/ledger")
	r.waitFor(&r.out, "Node node-1")
	r.waitFor(&r.stderr, "NOTE", "namespace pay, as context dev says; -A watches all")
	r.stop()
	if strings.Contains(r.out.String(), "shop/") {
		t.Errorf("another namespace:\n%s", r.out.String())
	}
	r = background(t, "pods", "-A")
	r.waitFor(&r.out, "Pod shop/checkout")
	r.stop()
}
