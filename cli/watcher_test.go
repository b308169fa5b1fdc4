package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/ui"
	"rewatch/watch"
	"rewatch/watch/timeserver"
)

// unseen is a session without a screen, of which what is watched can be changed.
type unseen struct {
	*watcher
	t   *testing.T
	log *model.Log
}

func choosing(t *testing.T, f *flags, args ...string) *unseen {
	t.Helper()
	s, err := f.session(args, streams{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &unseen{t: t, log: model.NewLog(model.Options{})}
	engine := watch.NewEngine(c.log, watch.Options{})
	beside := &crew{end: cancel}
	j := newJoiner(engine, c.log, s, beside)
	if err := j.start(ctx, s.clusters, io.Discard); err != nil {
		t.Fatal(err)
	}
	beside.Go(func() { engine.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		if err := beside.wait(patience, io.Discard); err != nil {
			t.Error(err)
		}
	})
	c.watcher = newWatcher(ctx, j, s)
	return c
}

// watched are the streams that are not removed: "dev pods in shop".
func (c *unseen) watched() []string {
	var out []string
	for _, s := range c.log.Streams(time.Now()) {
		if !s.Removed() {
			name := s.Context + " " + streamName(s.StreamInfo)
			if s.Field != "" {
				name += " " + s.Field
			}
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// settles waits until exactly these streams are watched, and follow their
// server but for those of the context "down".
func (c *unseen) settles(want ...string) {
	c.t.Helper()
	slices.Sort(want)
	var got []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		fresh := true
		for _, s := range c.log.Streams(time.Now()) {
			fresh = fresh && (s.Removed() || s.State.Fresh() || s.Context == "down")
		}
		if got = c.watched(); fresh && slices.Equal(got, want) {
			return
		}
	}
	c.t.Fatalf("watched are %q, want %q", got, want)
}

// existing are the names of the objects that exist in any stream.
func (c *unseen) existing() []string {
	var out []string
	for _, s := range c.log.Streams(time.Now()) {
		for _, id := range c.log.Current(s.ID) {
			out = append(out, id.Namespace+"/"+id.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestTypesAreAddedWhileRunning(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	c := choosing(t, newFlags(), "pods")
	c.settles("dev pods")
	ctx := t.Context()

	got, err := c.Add(ctx, []string{"cm,no"})
	if err != nil || got.Text != "now watched too: 2 streams" || len(got.About) != 2 || got.Title != "dev  all namespaces" {
		t.Errorf("%+v %v", got, err)
	}
	c.settles("dev pods", "dev configmaps", "dev nodes")
	if got, err = c.Add(ctx, []string{"pods"}); err != nil || got.Text != "watched already" || len(got.About) != 1 {
		t.Errorf("again: %+v %v", got, err)
	}
	if _, err = c.Add(ctx, []string{"deplyoment"}); err == nil || err.Error() != `no type "deplyoment"; did you mean deployments?` {
		t.Errorf("mistyped: %v", err)
	}
	if _, err = c.Add(ctx, []string{"pods/"}); err == nil || !strings.Contains(err.Error(), "no name after the slash") {
		t.Errorf("no name: %v", err)
	}

	// A type that did not exist at the start, as of a CRD.
	server.store.AddResource(timeserver.Resource{Group: "acme.example", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true})
	server.put(t, "widgets.acme.example", "shop", "blue", `"spec":{}`)
	if _, err = c.Add(ctx, []string{"widgets.acme.example/blue"}); err != nil {
		t.Fatal(err)
	}
	c.settles("dev pods", "dev configmaps", "dev nodes", "dev widgets.acme.example metadata.name=blue")
	// One that came later, beside others: all that is not there is told, with what
	// is near, and nothing has changed.
	server.store.AddResource(timeserver.Resource{Group: "acme.example", Version: "v1", Resource: "gizmos", Kind: "Gizmo", Namespaced: true})
	if _, err = c.Add(ctx, []string{"gizmos,deplyoment,frobs"}); err == nil || err.Error() != `no type "deplyoment" (did you mean deployments?), no type "frobs"; nothing has changed` {
		t.Errorf("two are none: %v", err)
	}
	c.settles("dev pods", "dev configmaps", "dev nodes", "dev widgets.acme.example metadata.name=blue")
	if got, err = c.Add(ctx, []string{"pods,gizmos"}); err != nil || got.Text != "now watched too: 1 stream" || len(got.About) != 2 {
		t.Errorf("a list: %+v %v", got, err)
	}
	if _, err = c.Drop(ctx, []string{"gizmos"}); err != nil {
		t.Error(err)
	}
	// All of them: the one alone is a part of it.
	if got, err = c.Add(ctx, []string{"widgets"}); err != nil || got.Text != "now watched too: 1 stream" {
		t.Fatalf("all of them: %+v %v", got, err)
	}
	c.settles("dev pods", "dev configmaps", "dev nodes", "dev widgets.acme.example")
	// One of a type that is watched whole is watched already.
	if got, err = c.Add(ctx, []string{"pods/checkout"}); err != nil || got.Text != "watched already" || got.About[0].Field != "metadata.name=checkout" {
		t.Errorf("one of all: %+v %v", got, err)
	}
	c.settles("dev pods", "dev configmaps", "dev nodes", "dev widgets.acme.example")

	if got, err = c.Drop(ctx, []string{"widgets"}); err != nil || got.Text != "no longer watched: 1 stream" {
		t.Errorf("dropped: %+v %v", got, err)
	}
	if _, err = c.Drop(ctx, []string{"widgets"}); err == nil || err.Error() != "widgets: not watched" {
		t.Errorf("dropped again: %v", err)
	}
	c.settles("dev pods", "dev configmaps", "dev nodes")
	if slices.Contains(c.existing(), "shop/blue") {
		t.Error("an object of a type that is no longer watched exists")
	}
	types, err := c.Types(ctx)
	if err != nil || !slices.ContainsFunc(types, func(t ui.TypeChoice) bool { return t.Name == "widgets" && t.Kind == "Widget" }) {
		t.Errorf("types: %v %v", types, err)
	}
	onlyReads(t, server)
}

func onlyReads(t *testing.T, server *testCluster) {
	t.Helper()
	for _, q := range server.Requests() {
		review := q.Method == http.MethodPost && strings.HasSuffix(q.Path, "/selfsubjectaccessreviews")
		if q.Method != http.MethodGet && !review {
			t.Errorf("rewatch sent %s %s", q.Method, q.Path)
		}
	}
}

func TestNamespacesAreSwitchedWhileRunning(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	for _, ns := range []string{"shop", "pay"} {
		server.put(t, "namespaces", "", ns, `"spec":{}`)
	}
	kubeconfig(t, "dev="+server.url)
	f := newFlags()
	f.namespaces = []string{"shop"}
	c := choosing(t, f, "pods", "nodes", "cm")
	c.settles("dev pods in shop", "dev configmaps in shop", "dev nodes")
	ctx := t.Context()

	got, err := c.SetNamespaces(ctx, these("pay"))
	if err != nil || got.Title != "dev  pay" || got.Text != "watching pay" {
		t.Errorf("%+v %v", got, err)
	}
	c.settles("dev pods in pay", "dev configmaps in pay", "dev nodes")
	if got := c.existing(); !slices.Equal(got, []string{"/node-1", "pay/ledger"}) {
		t.Errorf("%q exist", got)
	}
	before := len(c.log.Streams(time.Now()))
	if got, err = c.SetNamespaces(ctx, these("pay", "shop")); err != nil || got.Title != "dev  pay,shop" {
		t.Errorf("%+v %v", got, err)
	}
	c.settles("dev pods in pay", "dev configmaps in pay", "dev pods in shop", "dev configmaps in shop", "dev nodes")
	if n := len(c.log.Streams(time.Now())) - before; n != 2 {
		t.Errorf("%d streams are new: those that stay should go on", n)
	}
	if got := c.existing(); !slices.Contains(got, "shop/checkout") {
		t.Errorf("watched again, %q exist", got)
	}
	// What was removed by hand stays away, also elsewhere.
	if _, err = c.Drop(ctx, []string{"cm"}); err != nil {
		t.Fatal(err)
	}
	if got, err = c.SetNamespaces(ctx, these()); err != nil || got.Title != "dev  all namespaces" {
		t.Errorf("%+v %v", got, err)
	}
	c.settles("dev pods", "dev nodes")
	if _, err = c.Add(ctx, []string{"cm"}); err != nil {
		t.Fatal(err)
	}
	c.settles("dev pods", "dev nodes", "dev configmaps")

	if got, err = c.SetNamespaces(ctx, these("shpo")); err != nil || !strings.Contains(got.Text, `did you mean "shop"?`) {
		t.Errorf("mistyped: %+v %v", got, err)
	}
	if _, err = c.SetNamespaces(ctx, these("A_b")); err == nil {
		t.Error("no name, and no error")
	}
	if names, err := c.Namespaces(ctx); err != nil || !slices.Contains(names, "shop") {
		t.Errorf("namespaces: %q %v", names, err)
	}
	// One stream alone.
	for _, s := range c.log.Streams(time.Now()) {
		if s.Resource == "nodes" {
			if got, err = c.Remove(ctx, s.ID); err != nil || got.Text != "no longer watched: nodes" {
				t.Errorf("%+v %v", got, err)
			}
			if _, err = c.Remove(ctx, s.ID); err == nil {
				t.Error("removed twice")
			}
		}
	}
	c.settles("dev pods in shpo", "dev configmaps in shpo")
	onlyReads(t, server)
}

func TestANamespaceInWhichNothingMayBeReadIsNotSwitchedTo(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{Allow: func(a timeserver.Access) bool {
		return a.Namespace == "shop" || a.Resource == "selfsubjectaccessreviews"
	}})
	kubeconfig(t, "dev="+server.url)
	f := newFlags()
	f.namespaces = []string{"shop"}
	c := choosing(t, f)
	before := c.watched()
	if _, err := c.SetNamespaces(t.Context(), these("pay")); err == nil || !strings.Contains(err.Error(), "none of the types here in pay; ns with another name") || strings.Contains(err.Error(), "-n") {
		t.Errorf("%v", err)
	}
	if got := c.watched(); !slices.Equal(got, before) {
		t.Errorf("watched are %q, before %q", got, before)
	}
	if _, err := c.Types(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestContextsAreSwitchedWhileRunning(t *testing.T) {
	dev, prod := newTestCluster(t, timeserver.Options{}), newTestCluster(t, timeserver.Options{})
	prod.put(t, "pods", "shop", "only-in-prod", `"status":{}`)
	kubeconfig(t, "dev="+dev.url, "prod="+prod.url, "down=http://127.0.0.1:1")
	f := newFlags()
	f.contexts = []string{"dev"}
	c := choosing(t, f, "pods")
	c.settles("dev pods")
	ctx := t.Context()

	got, err := c.SetContexts(ctx, []string{"dev", "prod"})
	if err != nil || got.Title != "dev,prod  all namespaces" {
		t.Errorf("%+v %v", got, err)
	}
	c.settles("dev pods", "prod pods")
	if got, err = c.SetContexts(ctx, []string{"prod"}); err != nil || got.Title != "prod  all namespaces" {
		t.Errorf("%+v %v", got, err)
	}
	c.settles("prod pods")
	if !slices.Contains(c.existing(), "shop/only-in-prod") {
		t.Errorf("%q exist", c.existing())
	}
	// What is watched now does not go for what cannot be reached.
	if _, err = c.SetContexts(ctx, []string{"down"}); err == nil || !strings.Contains(err.Error(), "refuses connections") {
		t.Errorf("down: %v", err)
	}
	if _, err = c.SetContexts(ctx, []string{"pord"}); err == nil || !strings.Contains(err.Error(), `did you mean "prod"?`) {
		t.Errorf("mistyped: %v", err)
	}
	if _, err = c.SetContexts(ctx, nil); err == nil {
		t.Error("no context at all")
	}
	c.settles("prod pods")
	// Beside another it is shown as what it is.
	if got, err = c.SetContexts(ctx, []string{"prod", "down"}); err != nil || !strings.Contains(got.Text, "refuses connections") {
		t.Errorf("%+v %v", got, err)
	}
	c.settles("down pods", "prod pods")
	// A namespace for both: also of the one that cannot be asked.
	if _, err = c.SetNamespaces(ctx, these("shop")); err != nil {
		t.Fatal(err)
	}
	c.settles("down pods in shop", "prod pods in shop")
	if _, err = c.SetContexts(ctx, []string{"dev"}); err != nil {
		t.Fatal(err)
	}
	c.settles("dev pods in shop")
	if names, err := c.Contexts(ctx); err != nil || !slices.Equal(names, []string{"dev", "down", "prod"}) {
		t.Errorf("contexts: %q %v", names, err)
	}
}

// Each context has namespaces of its own: what is added to them, or taken from
// them, levels none.
func TestEachContextKeepsItsNamespaces(t *testing.T) {
	dev, prod := newTestCluster(t, timeserver.Options{}), newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+dev.url, "prod="+prod.url)
	f := newFlags()
	f.contexts, f.namespaces = []string{"dev"}, []string{"shop"}
	c := choosing(t, f, "pods")
	ctx := t.Context()
	change := func(to func(now []string) ([]string, error), title string) {
		t.Helper()
		if got, err := c.SetNamespaces(ctx, to); err != nil || got.Title != title {
			t.Errorf("%+v %v, want %q", got, err, title)
		}
	}
	if _, err := c.SetContexts(ctx, []string{"dev", "prod"}); err != nil {
		t.Fatal(err)
	}
	c.settles("dev pods in shop", "prod pods in shop")
	// As a context of the kubeconfig that has a namespace of its own.
	c.mu.Lock()
	c.clusters[1].namespaces = nil
	c.mu.Unlock()
	change(func(now []string) ([]string, error) {
		if now == nil {
			return nil, nil
		}
		return append(slices.Clone(now), "pay"), nil
	}, "dev shop,pay, prod all namespaces")
	c.settles("dev pods in shop", "dev pods in pay", "prod pods")
	got := c.Watching()
	if len(got) != 2 || !slices.Equal(got[0].Namespaces, []string{"shop", "pay"}) || got[0].Context != "dev" || got[1].Namespaces != nil {
		t.Errorf("watched are %+v", got)
	}
	// One that cannot be changed so is named, and none is changed.
	_, err := c.SetNamespaces(ctx, func(now []string) ([]string, error) {
		if now == nil {
			return nil, errors.New("all are watched")
		}
		return now[:1], nil
	})
	if err == nil || err.Error() != "prod: all are watched" {
		t.Error(err)
	}
	c.settles("dev pods in shop", "dev pods in pay", "prod pods")
	change(these("pay"), "dev,prod  pay")
	c.settles("dev pods in pay", "prod pods in pay")
}

// these are namespaces whatever was watched before.
func these(names ...string) func([]string) ([]string, error) {
	return func([]string) ([]string, error) { return names, nil }
}
