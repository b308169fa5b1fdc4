package workload_test

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
)

// The load is what it says: so many pods, where they should be, and so many changes as were counted.
func TestLoad(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Without: cluster.APIOnly})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	client, err := workload.New(c.Config(cluster.Admin))
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := c.Nodes(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := workload.BarePods{Count: 60, Namespaces: 3, Nodes: nodes}
	var last int
	for range 2 { // the second run finds them all
		if err := client.CreatePods(ctx, b, func(done int) { last = max(last, done) }); err != nil {
			t.Fatal(err)
		}
	}
	pods, err := client.Kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{LabelSelector: "load=true"})
	if err != nil {
		t.Fatal(err)
	}
	perNamespace, perNode := map[string]int{}, map[string]int{}
	for _, pod := range pods.Items {
		perNamespace[pod.Namespace]++
		perNode[pod.Spec.NodeName]++
	}
	if len(pods.Items) != 60 || last != 60 || perNamespace["load-2"] != 20 || perNode["node-1"] != 30 {
		t.Errorf("%d pods, progress to %d, by namespace %v, by node %v", len(pods.Items), last, perNamespace, perNode)
	}

	before, err := c.EtcdRevision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	churning, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	changes, err := client.Churn(churning, b, 100)
	if err != nil {
		t.Fatal(err)
	}
	after, err := c.EtcdRevision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// The server writes a little of its own (leases); each change counted must be in the store.
	if changes == 0 || changes > 101 || after-before < int64(changes) {
		t.Errorf("%d changes at 100/s for 1 s, and the store moved by %d", changes, after-before)
	}

	b.Count = 61 // one that does not exist
	churning, stop = context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if _, err := client.Churn(churning, b, 1000); err == nil {
		t.Error("changing a pod that does not exist is no error")
	}
}
