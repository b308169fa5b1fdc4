package workload

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// BarePods describes many pods without an owner.
type BarePods struct {
	Count      int
	Namespaces int      // spread over load-0, load-1, …; 0 means 1
	Nodes      []string // bound to these in turn, which spares the scheduler; nil leaves them unscheduled
	Parallel   int      // requests under way at once; 0 means 32
}

// PodNamespace is the namespace of pod number i; its name is PodName(i).
func (b BarePods) PodNamespace(i int) string { return fmt.Sprintf("load-%d", i%max(b.Namespaces, 1)) }

// PodName is the name of pod number i.
func (b BarePods) PodName(i int) string { return fmt.Sprintf("pod-%05d", i) }

// CreatePods creates pods as fast as the server takes them. Pods that exist already are left as they are, so an
// interrupted run can be repeated. Progress, if given, is called now and then with the number done.
func (c *Client) CreatePods(ctx context.Context, b BarePods, progress func(done int)) error {
	for i := range max(b.Namespaces, 1) {
		if err := c.Namespace(ctx, b.PodNamespace(i)); err != nil {
			return err
		}
	}
	return parallel(ctx, b.Count, b.Parallel, progress, func(ctx context.Context, i int) error {
		app := fmt.Sprintf("app-%d", i%50)
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name:   b.PodName(i),
				Labels: map[string]string{"app": app, "tier": "backend", "load": "true"},
				Annotations: map[string]string{
					"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "checksum/config": fmt.Sprintf("%064x", i),
				},
			},
			Spec: podSpec("registry.example/shop/" + app + ":1.0"),
		}
		if len(b.Nodes) > 0 {
			pod.Spec.NodeName = b.Nodes[i%len(b.Nodes)]
		}
		_, err := c.Kube.CoreV1().Pods(b.PodNamespace(i)).Create(ctx, pod, createOpts)
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

// WaitRunning waits until so many pods of the load are running.
func (c *Client) WaitRunning(ctx context.Context, count int) error {
	return poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
		// From the watch cache, and only to be counted: this must not be the load.
		list, err := c.Kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{
			LabelSelector: "load=true", FieldSelector: "status.phase=Running", ResourceVersion: "0",
		})
		return err == nil && len(list.Items) >= count, err
	})
}

// Churn changes an annotation of the pods in turn, rate times a second, until ctx ends. It returns how many
// changes were made; falling short of the rate means that the server or this machine could not follow.
func (c *Client) Churn(ctx context.Context, b BarePods, rate float64) (changes int, err error) {
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer ticker.Stop()
	work := make(chan int)
	var done atomic.Int64
	var once sync.Once
	var workers sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range max(b.Parallel, 16) {
		workers.Go(func() {
			for i := range work {
				patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"e2e.rewatch/churn":"%d"}}}`, i)
				// Not cut off by the end of ctx: what the server may have done must be counted.
				patching, stop := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
				_, patchErr := c.Kube.CoreV1().Pods(b.PodNamespace(i%b.Count)).
					Patch(patching, b.PodName(i%b.Count), types.MergePatchType, patch, patchOpts)
				stop()
				if patchErr == nil {
					done.Add(1)
				} else {
					once.Do(func() { err = patchErr })
					cancel()
				}
			}
		})
	}
	for i := 0; ctx.Err() == nil; i++ {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			select {
			case work <- i:
			case <-ctx.Done():
			}
		}
	}
	close(work)
	workers.Wait()
	return int(done.Load()), err
}

// parallel runs do for 0 to n-1, and stops at the first error.
func parallel(ctx context.Context, n, workers int, progress func(int), do func(context.Context, int) error) error {
	if workers == 0 {
		workers = 32
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					cancel(fmt.Errorf("number %d of %d: %w", i, n, err))
					return
				}
				if d := int(done.Add(1)); progress != nil && (d%500 == 0 || d == n) {
					progress(d)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
