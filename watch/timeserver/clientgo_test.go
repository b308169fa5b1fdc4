package timeserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
)

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

func restConfig(e *Endpoint) *rest.Config {
	return &rest.Config{Host: e.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: e.CA()}, QPS: -1}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestInformer(t *testing.T) {
	for _, tls := range []bool{false, true} {
		for _, watchList := range []bool{true, false} {
			t.Run(fmt.Sprintf("tls=%v watchList=%v", tls, watchList), func(t *testing.T) { testInformer(t, tls, watchList) })
		}
	}
}

func testInformer(t *testing.T, tls, watchList bool) {
	s, _ := serve(t, Options{BookmarkEvery: 20 * time.Millisecond, NoWatchList: !watchList})
	e, err := NewEndpoint(s, EndpointOptions{TLS: tls})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for i := range 20 {
		put(t, s, "pods", pod("shop", fmt.Sprint("p", i)))
	}
	client, err := dynamic.NewForConfig(restConfig(e))
	if err != nil {
		t.Fatal(err)
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(podsResource).Informer()
	var mu sync.Mutex
	var seen []string
	note := func(what string, o any) {
		mu.Lock()
		defer mu.Unlock()
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(o) // it may be a tombstone
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, what+" "+strings.TrimPrefix(key, "shop/"))
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(o any, initial bool) { note("add", o) },
		UpdateFunc: func(_, o any) { note("update", o) },
		DeleteFunc: func(o any) { note("delete", o) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	eventually(t, "the informer syncs", informer.HasSynced)
	has := func(what string) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return slices.Contains(seen, what)
		}
	}
	eventually(t, "p19 seen", has("add p19"))
	put(t, s, "pods", pod("shop", "p3", "a=b"))
	eventually(t, "p3 updated", has("update p3"))
	// Cut, and an expired history: the informer recovers as with a real server.
	e.Down()
	if _, err := s.Store().Delete("pods", "shop", "p4"); err != nil {
		t.Fatal(err)
	}
	s.Store().Compact()
	if err := e.Up(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "p4 deleted", has("delete p4"))
	if n := len(informer.GetStore().List()); n != 19 {
		t.Errorf("%d pods, want 19", n)
	}
}

func TestClientGoDiscovery(t *testing.T) {
	_, e := serve(t, Options{})
	for _, legacy := range []bool{false, true} {
		c, err := discovery.NewDiscoveryClientForConfig(restConfig(e))
		if err != nil {
			t.Fatal(err)
		}
		c.UseLegacyDiscovery = legacy
		lists, err := c.ServerPreferredResources()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lists {
			for _, r := range l.APIResources {
				got = append(got, fmt.Sprintf("%s %s %s %s %v %v %v", l.GroupVersion, r.Name, r.SingularName, r.Kind,
					r.Namespaced, r.ShortNames, r.Categories))
			}
		}
		for _, want := range []string{"v1 pods pod Pod true [po] [all]", "v1 nodes node Node false [no] []",
			"apps/v1 deployments deployment Deployment true [deploy] [all]", "acme.example/v1 widgets widget Widget true [] []"} {
			if !slices.Contains(got, want) {
				t.Errorf("legacy %v: %q is missing in %q", legacy, want, got)
			}
		}
		if v, err := c.ServerVersion(); err != nil || v.GitVersion != "v1.37.2" || v.Minor != "37" {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

func TestClientGoPager(t *testing.T) {
	s, e := serve(t, Options{})
	for i := range 23 {
		put(t, s, "pods", pod("shop", fmt.Sprintf("p%02d", i)))
	}
	client, err := dynamic.NewForConfig(restConfig(e))
	if err != nil {
		t.Fatal(err)
	}
	p := pager.New(pager.SimplePageFunc(func(o metav1.ListOptions) (r runtime.Object, err error) {
		return client.Resource(podsResource).List(t.Context(), o)
	}))
	p.PageSize = 5
	n := 0
	err = p.EachListItem(t.Context(), metav1.ListOptions{}, func(o runtime.Object) error {
		if u := o.(*unstructured.Unstructured); u.GetName() != fmt.Sprintf("p%02d", n) {
			t.Errorf("item %d is %s", n, u.GetName())
		}
		n++
		return nil
	})
	if err != nil || n != 23 {
		t.Errorf("%d items, %v", n, err)
	}
}
