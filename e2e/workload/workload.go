// Package workload makes things happen in a cluster: the few kinds of change that tests of a watch need, each in
// one call, and pods by the thousand. It uses plain client-go, so that what rewatch shows is checked against
// changes made by code that shares nothing with it.
package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Client changes things in one cluster.
type Client struct {
	// Kube and Dynamic are for whatever the methods below do not cover.
	Kube    kubernetes.Interface
	Dynamic dynamic.Interface
}

// manager is the field manager of the changes made here, so that a test can ask rewatch who made them.
const manager = "e2e-workload"

// New makes a client that is not throttled on its own side.
func New(cfg *rest.Config) (*Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS = -1
	cfg.UserAgent = manager
	kube, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	return &Client{Kube: kube, Dynamic: dyn}, nil
}

var (
	createOpts = metav1.CreateOptions{FieldManager: manager}
	patchOpts  = metav1.PatchOptions{FieldManager: manager}
)

// Namespace creates a namespace; that it exists already is no error.
func (c *Client) Namespace(ctx context.Context, name string) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := c.Kube.CoreV1().Namespaces().Create(ctx, ns, createOpts)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// Deployment creates a deployment of one container called app, with as many replicas as told. Its pods carry the
// label app=name, and a rolling update replaces one at a time, so that it can be watched.
func (c *Client) Deployment(ctx context.Context, namespace, name, image string, replicas int) error {
	labels := map[string]string{"app": name}
	one := intstr.FromInt32(1)
	_, err := c.Kube.AppsV1().Deployments(namespace).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr(int32(replicas)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &one, MaxSurge: &one},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       podSpec(image),
			},
		},
	}, createOpts)
	return err
}

// SetImage starts a rolling update of a deployment made by Deployment.
func (c *Client) SetImage(ctx context.Context, namespace, name, image string) error {
	return c.patchDeployment(ctx, namespace, name, map[string]any{"spec": map[string]any{"template": map[string]any{
		"spec": map[string]any{"containers": []any{map[string]any{"name": "app", "image": image}}},
	}}})
}

// Scale sets the number of replicas through the deployment itself, as kubectl edit would.
func (c *Client) Scale(ctx context.Context, namespace, name string, replicas int) error {
	return c.patchDeployment(ctx, namespace, name, map[string]any{"spec": map[string]any{"replicas": replicas}})
}

func (c *Client) patchDeployment(ctx context.Context, namespace, name string, patch any) error {
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = c.Kube.AppsV1().Deployments(namespace).
		Patch(ctx, name, types.StrategicMergePatchType, body, patchOpts)
	return err
}

// WaitDeployment waits until the last change of a deployment has been rolled out: all its replicas are of the
// newest template and ready, and no older ones are left.
func (c *Client) WaitDeployment(ctx context.Context, namespace, name string) error {
	var last *appsv1.Deployment
	err := poll(ctx, pollEvery, func(ctx context.Context) (done bool, err error) {
		d, err := c.Kube.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = d
		want := *d.Spec.Replicas
		return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == want &&
			d.Status.ReadyReplicas == want && d.Status.Replicas == want, nil
	})
	if err != nil && last != nil {
		return fmt.Errorf("deployment %s/%s: %w; status: %+v", namespace, name, err, last.Status)
	}
	return err
}

// ConfigMap creates a config map, or replaces the data of the one that exists.
func (c *Client) ConfigMap(ctx context.Context, namespace, name string, data map[string]string) error {
	api := c.Kube.CoreV1().ConfigMaps(namespace)
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
	_, err := api.Create(ctx, obj, createOpts)
	if apierrors.IsAlreadyExists(err) {
		_, err = api.Update(ctx, obj, metav1.UpdateOptions{FieldManager: manager})
	}
	return err
}

// Secret creates an opaque secret, or replaces the data of the one that exists.
func (c *Client) Secret(ctx context.Context, namespace, name string, data map[string]string) error {
	api := c.Kube.CoreV1().Secrets(namespace)
	obj := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: data}
	_, err := api.Create(ctx, obj, createOpts)
	if apierrors.IsAlreadyExists(err) {
		_, err = api.Update(ctx, obj, metav1.UpdateOptions{FieldManager: manager})
	}
	return err
}

// Job creates a job of so many pods; kwok lets each of them succeed at once.
func (c *Client) Job(ctx context.Context, namespace, name string, completions int) error {
	spec := podSpec("busybox:1.37")
	spec.RestartPolicy = corev1.RestartPolicyNever
	_, err := c.Kube.BatchV1().Jobs(namespace).Create(ctx, &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: batchv1.JobSpec{
			Completions: ptr(int32(completions)), Parallelism: ptr(int32(completions)),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
				Spec:       spec,
			},
		},
	}, createOpts)
	return err
}

// CrashingPod creates a pod that kwok lets crash: it ends in CrashLoopBackOff, with a Warning event.
func (c *Client) CrashingPod(ctx context.Context, namespace, name string) error {
	_, err := c.Kube.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name, "e2e.rewatch/fate": "crash"}},
		Spec:       podSpec("registry.example/shop/" + name + ":broken"),
	}, createOpts)
	return err
}

// podSpec is of the size and shape that real ones have: a test of memory on bare minimum pods would flatter.
func podSpec(image string) corev1.PodSpec {
	probe := func(path string) *corev1.Probe {
		return &corev1.Probe{PeriodSeconds: 10, ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http")},
		}}
	}
	return corev1.PodSpec{
		Containers: []corev1.Container{{
			Name: "app", Image: image,
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}, {Name: "metrics", ContainerPort: 9090}},
			Env: []corev1.EnvVar{
				{Name: "LOG_LEVEL", Value: "info"},
				{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{
					FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"},
				}},
			},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("64Mi"),
				},
				Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
			},
			LivenessProbe: probe("/healthz"), ReadinessProbe: probe("/readyz"),
			VolumeMounts: []corev1.VolumeMount{{Name: "cache", MountPath: "/var/cache/app"}},
		}},
		Volumes: []corev1.Volume{
			{Name: "cache", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		},
		TerminationGracePeriodSeconds: ptr(int64(5)),
	}
}

// pollEvery is short, since one object is all that is asked for.
const pollEvery = 100 * time.Millisecond

// poll calls done until it is true or ctx ends. The caller's context is the only limit on the time.
func poll(ctx context.Context, every time.Duration, done func(context.Context) (bool, error)) error {
	for {
		ok, err := done(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

func ptr[T any](v T) *T { return &v }
