// Package serve holds tests of rewatch serve and of the server behind it
// against what they stand in for.
package serve

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/watch/timeserver"
)

// controlPlane is the API server to compare with: one that the test starts, or
// that of the kubeconfig which E2E_KUBECONFIG names, to which objects are
// added.
func controlPlane(t *testing.T) *rest.Config {
	t.Helper()
	if path := os.Getenv("E2E_KUBECONFIG"); path != "" {
		cfg, err := clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	return clustertest.Start(t, cluster.Options{Without: cluster.APIOnly}).Config(cluster.Admin)
}

// tableOf is a Table, with what its rows carry as it came.
type tableOf struct {
	ColumnDefinitions []metav1.TableColumnDefinition
	Rows              []struct {
		Cells      []any
		Conditions []metav1.TableRowCondition
		Object     any
	}
}

const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"

// fetch gets a path of an API server.
func fetch(ctx context.Context, client *http.Client, host, path, accept string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, host+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", accept)
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, res.Status)
	}
	d := json.NewDecoder(res.Body)
	d.UseNumber()
	return d.Decode(into)
}

// The tables of the time server are those of a real API server: the same
// columns, and for the same objects the same cells, for each type that the API
// server has.
func TestTables(t *testing.T) {
	cfg := controlPlane(t)
	create(t, cfg, "testdata/objects.yaml")
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	types := servedTypes(t, cfg)
	store := timeserver.NewPastStore()
	now := time.Now()
	ours := httptest.NewServer(timeserver.NewServer(store, timeserver.Options{Now: func() time.Time { return now }}))
	defer ours.Close()

	for _, r := range types {
		store.AddResource(r)
		load(t, client, cfg.Host, store, r)
	}
	empty, compared := []string{}, 0
	var kept []keptTable
	defer func() { keep(t, kept) }()
	for _, r := range types {
		t.Run(r.Key(), func(t *testing.T) {
			path := listPath(r)
			// A server renews its leases: until nothing has changed meanwhile.
			var before, after time.Time
			var want tableOf
			for same := false; !same; {
				loaded := load(t, client, cfg.Host, store, r)
				before, want = time.Now(), tableOf{}
				if err := fetch(t.Context(), client, cfg.Host, path, asTable, &want); err != nil {
					t.Fatal(err)
				}
				after = time.Now()
				same = load(t, client, cfg.Host, store, r) == loaded
			}
			// An age is one of a moment between before the request and after it.
			var all []tableOf
			for at := before; ; at = at.Add(time.Second) {
				now = at
				if at.After(after) {
					now = after
				}
				var x tableOf
				if err := fetch(t.Context(), http.DefaultClient, ours.URL, path, asTable, &x); err != nil {
					t.Fatal(err)
				}
				if all = append(all, x); now.Equal(after) {
					break
				}
			}
			got := all[0]
			if g, w := len(got.ColumnDefinitions), len(want.ColumnDefinitions); g != w {
				t.Fatalf("%d columns, want %d", g, w)
			}
			for i, w := range want.ColumnDefinitions {
				if g := got.ColumnDefinitions[i]; g != w {
					t.Errorf("column %d\n got %+v\nwant %+v", i, g, w)
				}
			}
			if len(got.Rows) != len(want.Rows) {
				t.Fatalf("%d rows, want %d", len(got.Rows), len(want.Rows))
			}
			kept = append(kept, keptTable{r.Group, r.Kind, before, now, store.State(r.Key()), want})
			if len(want.Rows) == 0 {
				empty = append(empty, r.Key())
			}
			for i, w := range want.Rows {
				compared++
				g := got.Rows[i]
				if !sameCells(all, i, w.Cells) {
					t.Errorf("row %d\n got %q\nwant %q", i, g.Cells, w.Cells)
				}
				if !reflect.DeepEqual(g.Conditions, w.Conditions) {
					t.Errorf("row %d, conditions\n got %+v\nwant %+v", i, g.Conditions, w.Conditions)
				}
				// Its rows lack an annotation that its objects have.
				if !reflect.DeepEqual(g.Object, w.Object) && r.Key() != "daemonsets.apps" {
					t.Errorf("row %d, object\n got %v\nwant %v", i, g.Object, w.Object)
				}
			}
		})
	}
	t.Logf("%d rows of %d types are equal; nothing to compare of %s", compared, len(types)-len(empty), strings.Join(empty, ", "))
}

// sameCells reports whether each cell of a row is that of one of some tables.
func sameCells(tables []tableOf, row int, want []any) bool {
	for i, w := range want {
		if !slices.ContainsFunc(tables, func(x tableOf) bool {
			cells := x.Rows[row].Cells
			return len(cells) == len(want) && reflect.DeepEqual(cells[i], w)
		}) {
			return false
		}
	}
	return true
}

// keptTable is what an API server printed of some objects, between two moments.
type keptTable struct {
	Group, Kind   string
	Before, After time.Time
	Objects       [][]byte
	Table         tableOf
}

var keepIn = flag.String("keep", "", "write what the API server printed to this file, for the tests of package table")

// keep writes tables, one per line, without what no printer looks at.
func keep(t *testing.T, tables []keptTable) {
	if *keepIn == "" {
		return
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	out := json.NewEncoder(z)
	for _, k := range tables {
		objects := []any{}
		for _, raw := range k.Objects {
			var o map[string]any
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			if err := d.Decode(&o); err != nil {
				t.Fatal(err)
			}
			delete(o["metadata"].(map[string]any), "managedFields")
			objects = append(objects, o)
		}
		cells := [][]any{}
		for _, r := range k.Table.Rows {
			cells = append(cells, r.Cells)
		}
		err := out.Encode(map[string]any{"group": k.Group, "kind": k.Kind, "before": k.Before, "after": k.After, "objects": objects,
			"columns": k.Table.ColumnDefinitions, "cells": cells})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*keepIn, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// servedTypes are the types that an API server lets watch, in their preferred
// versions.
func servedTypes(t *testing.T, cfg *rest.Config) []timeserver.Resource {
	t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := discovery.ServerPreferredResources(d)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		t.Fatal(err)
	}
	var out []timeserver.Resource
	for _, l := range lists {
		gv, err := schema.ParseGroupVersion(l.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range l.APIResources {
			if slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "watch") {
				out = append(out, timeserver.Resource{Group: gv.Group, Version: gv.Version, Resource: r.Name, Singular: r.SingularName,
					Kind: r.Kind, ShortNames: r.ShortNames, Categories: r.Categories, Namespaced: r.Namespaced})
			}
		}
	}
	slices.SortFunc(out, func(a, b timeserver.Resource) int { return cmp.Compare(a.Key(), b.Key()) })
	return out
}

func listPath(r timeserver.Resource) string {
	if r.Group == "" {
		return "/api/" + r.Version + "/" + r.Resource
	}
	return "/apis/" + r.Group + "/" + r.Version + "/" + r.Resource
}

// load copies the objects of a type into a store, as they are, and returns them.
func load(t *testing.T, client *http.Client, host string, store *timeserver.Store, r timeserver.Resource) string {
	t.Helper()
	var list struct{ Items []json.RawMessage }
	if err := fetch(t.Context(), client, host, listPath(r), "application/json", &list); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, raw := range list.Items {
		if err := store.PutRecorded(r.Key(), raw); err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	return all.String()
}
