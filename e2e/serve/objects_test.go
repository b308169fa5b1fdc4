package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// create makes the objects of a YAML file, with their statuses.
func create(t *testing.T, cfg *rest.Config, path string) {
	t.Helper()
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1
	cfg.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	types, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := maker{client, restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(types))}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		o := &unstructured.Unstructured{}
		err := d.Decode(&o.Object)
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if o.Object == nil {
			continue
		}
		if err := m.make(t.Context(), o); err != nil {
			t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
}

type maker struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func (m maker) make(ctx context.Context, o *unstructured.Unstructured) error {
	api, err := m.api(ctx, o)
	if err != nil {
		return err
	}
	status := o.Object["status"]
	delete(o.Object, "status")
	if _, err := api.Create(ctx, o, metav1.CreateOptions{}); err != nil {
		return err
	}
	if status != nil {
		patch, err := json.Marshal(map[string]any{"status": status})
		if err != nil {
			return err
		}
		if _, err := api.Patch(ctx, o.GetName(), types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
			return err
		}
	}
	if o.GetAnnotations()["e2e.rewatch/delete"] != "" {
		return api.Delete(ctx, o.GetName(), metav1.DeleteOptions{})
	}
	return nil
}

// api waits until the type is served: its definition may have come just
// before.
func (m maker) api(ctx context.Context, o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	gvk := o.GroupVersionKind()
	for {
		mapping, err := m.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err == nil {
			api := m.client.Resource(mapping.Resource)
			var in dynamic.ResourceInterface = api
			if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
				in = api.Namespace(o.GetNamespace())
			}
			if _, err = in.List(ctx, metav1.ListOptions{Limit: 1}); err == nil {
				return in, nil
			}
		}
		m.mapper.Reset()
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
