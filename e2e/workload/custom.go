package workload

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Widgets is the custom resource that CRD defines: namespaced, short name wd, in category all, so that every way
// to name a type can be tried on it.
var Widgets = schema.GroupVersionResource{Group: "e2e.rewatch", Version: "v1", Resource: "widgets"}

var crds = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
}

// crdName is fixed by the API: plural and group.
const crdName = "widgets.e2e.rewatch"

// CRD defines Widgets and returns when the server serves them; that they exist already is no error.
func (c *Client) CRD(ctx context.Context) error {
	open := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": crdName},
		"spec": map[string]any{
			"group": Widgets.Group,
			"scope": "Namespaced",
			"names": map[string]any{
				"plural": Widgets.Resource, "singular": "widget", "kind": "Widget", "listKind": "WidgetList",
				"shortNames": []any{"wd"}, "categories": []any{"all"},
			},
			"versions": []any{map[string]any{
				"name": Widgets.Version, "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type":       "object",
					"properties": map[string]any{"spec": open, "status": open},
				}},
			}},
		},
	}}
	_, err := c.Dynamic.Resource(crds).Create(ctx, crd, createOpts)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return poll(ctx, pollEvery, func(ctx context.Context) (bool, error) {
		_, err := c.Dynamic.Resource(Widgets).List(ctx, metav1.ListOptions{Limit: 1})
		if apierrors.IsNotFound(err) || apierrors.IsTooManyRequests(err) { // not served yet, or its storage starts
			return false, nil
		}
		return err == nil, err
	})
}

// DeleteCRD removes the definition and with it every widget.
func (c *Client) DeleteCRD(ctx context.Context) error {
	return c.Dynamic.Resource(crds).Delete(ctx, crdName, metav1.DeleteOptions{})
}

// Widget creates a widget, or changes the spec of the one that exists.
func (c *Client) Widget(ctx context.Context, namespace, name string, spec map[string]any) error {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": Widgets.GroupVersion().String(),
		"kind":       "Widget",
		"metadata":   map[string]any{"name": name},
		"spec":       spec,
	}}
	_, err := c.Dynamic.Resource(Widgets).Namespace(namespace).
		Apply(ctx, name, obj, metav1.ApplyOptions{FieldManager: manager, Force: true})
	return err
}
