package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Nodes adds n nodes and returns their names, node-0 and so on, counted on from the last call. With kwok it waits
// until they are ready and pods can be scheduled on them; without it they only exist.
func (c *Cluster) Nodes(ctx context.Context, n int) ([]string, error) {
	client, err := kubernetes.NewForConfig(c.unthrottled())
	if err != nil {
		return nil, err
	}
	c.nodes.Lock()
	defer c.nodes.Unlock()
	var names []string
	for range n {
		name := fmt.Sprintf("node-%d", c.nodes.next)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Annotations: map[string]string{
				"kwok.x-k8s.io/node":           "fake",
				"node.alpha.kubernetes.io/ttl": "0",
			},
			Labels: map[string]string{
				"type":                         "kwok",
				corev1.LabelHostname:           name,
				corev1.LabelOSStable:           "linux",
				corev1.LabelArchStable:         "amd64",
				corev1.LabelTopologyZone:       fmt.Sprintf("zone-%c", 'a'+c.nodes.next%3),
				"node-role.kubernetes.io/fake": "",
			},
		}}
		if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return names, err
		}
		c.nodes.next++
		names = append(names, name)
	}
	if !c.has(Kwok) {
		return names, nil
	}
	for _, name := range names {
		err := c.poll(ctx, name+" to be ready", func(ctx context.Context) (bool, error) {
			node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			// Admission taints a new node; the controller manager takes that back when it is ready.
			return nodeReady(node) && (len(node.Spec.Taints) == 0 || !c.has(ControllerManager)), nil
		})
		if err != nil {
			return names, err
		}
	}
	return names, nil
}

func nodeReady(node *corev1.Node) bool {
	for _, cond := range node.Status.Conditions {
		if cond.Type == corev1.NodeReady {
			return cond.Status == corev1.ConditionTrue
		}
	}
	return false
}
