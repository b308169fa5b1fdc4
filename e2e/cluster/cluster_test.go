package cluster_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
)

// patience bounds every wait of these tests. It is long because a shared machine may be compiling meanwhile.
const patience = 10 * time.Minute

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func client(t *testing.T, c *cluster.Cluster, user string) *workload.Client {
	t.Helper()
	client, err := workload.New(c.Config(user))
	must(t, err)
	return client
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Controllers, scheduler and kwok together: what is declared comes about.
func TestWorkloadsRun(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{})
	admin, ctx := client(t, c, cluster.Admin), within(t)
	nodes, err := c.Nodes(ctx, 3)
	must(t, err)
	if got := strings.Join(nodes, " "); got != "node-0 node-1 node-2" {
		t.Errorf("nodes: %s", got)
	}

	t.Run("deployment", func(t *testing.T) {
		must(t, admin.Deployment(ctx, cluster.Shop, "web", "nginx:1.27", 3))
		must(t, admin.WaitDeployment(ctx, cluster.Shop, "web"))
		pods := podsOf(t, admin, "web")
		if len(pods) != 3 {
			t.Fatalf("%d pods, want 3", len(pods))
		}
		for _, pod := range pods {
			ready := pod.Status.ContainerStatuses[0]
			if pod.Status.Phase != corev1.PodRunning || pod.Status.PodIP == "" || pod.Spec.NodeName == "" ||
				!ready.Ready || ready.State.Running == nil || ready.State.Waiting != nil {
				t.Errorf("%s is not as a running pod is: %+v", pod.Name, pod.Status)
			}
		}
	})

	t.Run("rolling update and scale", func(t *testing.T) {
		must(t, admin.SetImage(ctx, cluster.Shop, "web", "nginx:1.28"))
		must(t, admin.Scale(ctx, cluster.Shop, "web", 4))
		must(t, admin.WaitDeployment(ctx, cluster.Shop, "web"))
		pods := podsOf(t, admin, "web")
		if len(pods) != 4 {
			t.Errorf("%d pods, want 4", len(pods))
		}
		for _, pod := range pods {
			if image := pod.Spec.Containers[0].Image; image != "nginx:1.28" {
				t.Errorf("%s runs %s", pod.Name, image)
			}
		}
	})

	t.Run("job", func(t *testing.T) {
		must(t, admin.Job(ctx, cluster.Shop, "migrate", 2))
		eventually(t, "the job completes", func() bool {
			job, err := admin.Kube.BatchV1().Jobs(cluster.Shop).Get(ctx, "migrate", metav1.GetOptions{})
			must(t, err)
			return job.Status.Succeeded == 2 && job.Status.CompletionTime != nil
		})
		for _, pod := range podsOf(t, admin, "migrate") {
			state := pod.Status.ContainerStatuses[0].State
			if state.Terminated == nil || state.Running != nil || state.Waiting != nil {
				t.Errorf("%s is not as a completed pod is: %+v", pod.Name, state)
			}
		}
	})

	t.Run("crashing pod", func(t *testing.T) {
		must(t, admin.CrashingPod(ctx, cluster.Shop, "broken"))
		eventually(t, "the pod is in CrashLoopBackOff and an event says so", func() bool {
			pod := podsOf(t, admin, "broken")[0]
			events, err := admin.Kube.CoreV1().Events(cluster.Shop).
				List(ctx, metav1.ListOptions{FieldSelector: "type=Warning,involvedObject.name=broken"})
			must(t, err)
			for _, status := range pod.Status.ContainerStatuses {
				if status.State.Waiting != nil && status.State.Waiting.Reason == "CrashLoopBackOff" {
					return len(events.Items) > 0
				}
			}
			return false
		})
	})

	t.Run("config map, secret and custom resource", func(t *testing.T) {
		for _, v := range []string{"1", "2"} { // created, then changed
			must(t, admin.ConfigMap(ctx, cluster.Shop, "settings", map[string]string{"v": v}))
			must(t, admin.Secret(ctx, cluster.Shop, "key", map[string]string{"v": v}))
			must(t, admin.CRD(ctx))
			must(t, admin.Widget(ctx, cluster.Shop, "knob", map[string]any{"v": v}))
		}
		cm, err := admin.Kube.CoreV1().ConfigMaps(cluster.Shop).Get(ctx, "settings", metav1.GetOptions{})
		must(t, err)
		widget, err := admin.Dynamic.Resource(workload.Widgets).Namespace(cluster.Shop).
			Get(ctx, "knob", metav1.GetOptions{})
		must(t, err)
		if cm.Data["v"] != "2" || widget.GetGeneration() != 2 {
			t.Errorf("not changed: %v, widget generation %d", cm.Data, widget.GetGeneration())
		}
	})

	t.Run("the server says which release it is", func(t *testing.T) {
		info, err := admin.Kube.Discovery().ServerVersion()
		must(t, err)
		if info.GitVersion != c.Version() || info.GitVersion != "v1.37.2" {
			t.Errorf("server %s, cluster %s", info.GitVersion, c.Version())
		}
	})
}

// Everything that needs only the API server shares one.
func TestAPIServer(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{Without: cluster.APIOnly, Users: []string{"extra"}})
	t.Run("users are refused what they may not do", func(t *testing.T) { testRefusals(t, c) })
	t.Run("rights can be given and taken in mid-watch", func(t *testing.T) { testRevoke(t, c) })
	t.Run("killed and started again", func(t *testing.T) { testKill(t, c) })
	t.Run("stopped in good order and started again", func(t *testing.T) { testStopStart(t, c) })
	t.Run("compacted", func(t *testing.T) { testCompaction(t, c) })
	t.Run("paused", func(t *testing.T) { testPause(t, c) })
}

func testRefusals(t *testing.T, c *cluster.Cluster) {
	ctx := within(t)
	for _, tt := range []struct {
		user, namespace string
		list, watch     bool
	}{
		{cluster.Admin, "", true, true},
		{cluster.Reader, "", true, true},
		{cluster.ViewerShop, "", false, false},
		{cluster.ViewerShop, cluster.Shop, true, true},
		{cluster.ViewerShop, "default", false, false},
		{cluster.ListOnly, "", true, false},
		{cluster.WatchOnly, "", false, true},
		{cluster.Nobody, "", false, false},
		{cluster.Nobody, cluster.Shop, false, false},
		{"extra", "", false, false},
	} {
		pods := client(t, c, tt.user).Kube.CoreV1().Pods(tt.namespace)
		_, err := pods.List(ctx, metav1.ListOptions{})
		checkAllowed(t, tt.user+" lists in "+strconv.Quote(tt.namespace), err, tt.list)
		w, err := pods.Watch(ctx, metav1.ListOptions{})
		checkAllowed(t, tt.user+" watches in "+strconv.Quote(tt.namespace), err, tt.watch)
		if err == nil {
			w.Stop()
		}
	}
	err := client(t, c, cluster.Reader).Namespace(ctx, "mine")
	checkAllowed(t, "reader creates a namespace", err, false)
}

func checkAllowed(t *testing.T, what string, err error, want bool) {
	t.Helper()
	if want && err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if !want && !apierrors.IsForbidden(err) {
		t.Errorf("%s: got %v, want 403", what, err)
	}
}

func testRevoke(t *testing.T, c *cluster.Cluster) {
	ctx, admin := within(t), client(t, c, cluster.Admin)
	must(t, c.Grant(ctx, "extra", "", rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"},
	}))
	configMaps := client(t, c, "extra").Kube.CoreV1().ConfigMaps("")
	w, err := configMaps.Watch(ctx, metav1.ListOptions{})
	must(t, err)
	defer w.Stop()

	must(t, c.Revoke(ctx, "extra"))
	_, err = configMaps.List(ctx, metav1.ListOptions{})
	checkAllowed(t, "extra lists after the right was taken", err, false)
	must(t, admin.ConfigMap(ctx, cluster.Shop, "after-revoke", nil))
	for event := range w.ResultChan() { // the open watch goes on
		if cm, ok := event.Object.(*corev1.ConfigMap); ok && cm.Name == "after-revoke" {
			return
		}
	}
	t.Error("the open watch ended when the right was taken")
}

func testKill(t *testing.T, c *cluster.Cluster) {
	ctx, admin := within(t), client(t, c, cluster.Admin)
	must(t, admin.ConfigMap(ctx, cluster.Shop, "before-kill", nil))
	before, err := admin.Kube.CoreV1().ConfigMaps(cluster.Shop).Get(ctx, "before-kill", metav1.GetOptions{})
	must(t, err)
	w := watchConfigMaps(ctx, t, admin.Kube, before.ResourceVersion)
	pid := c.Pids()[cluster.APIServer]

	must(t, c.KillAPIServer())
	for range w.ResultChan() { // must end, by the connection being cut
	}
	if _, err := admin.Kube.Discovery().ServerVersion(); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a killed server answers %v", err)
	}
	if got := c.Pids()[cluster.APIServer]; got != 0 {
		t.Errorf("a killed server has pid %d", got)
	}

	must(t, c.StartAPIServer(ctx))
	if got := c.Pids()[cluster.APIServer]; got == 0 || got == pid {
		t.Errorf("pid %d after the restart, %d before", got, pid)
	}
	after, err := admin.Kube.CoreV1().ConfigMaps(cluster.Shop).Get(ctx, "before-kill", metav1.GetOptions{})
	must(t, err)
	if after.UID != before.UID || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("another object after the restart: %v, was %v", after.ObjectMeta, before.ObjectMeta)
	}
	must(t, c.Err())
}

func testStopStart(t *testing.T, c *cluster.Cluster) {
	ctx, admin := within(t), client(t, c, cluster.Admin)
	w := watchConfigMaps(ctx, t, admin.Kube, "")
	began := time.Now()
	must(t, c.StopAPIServer(ctx))
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %s: the open watch was not closed but waited for", took)
	}
	for range w.ResultChan() {
	}
	must(t, c.StartAPIServer(ctx))
	must(t, admin.ConfigMap(ctx, cluster.Shop, "after-stop", nil))
	must(t, c.Err())
}

// The way to a 410, as the documentation of CompactEtcd gives it.
func testCompaction(t *testing.T, c *cluster.Cluster) {
	ctx, admin := within(t), client(t, c, cluster.Admin)
	list, err := admin.Kube.CoreV1().ConfigMaps(cluster.Shop).List(ctx, metav1.ListOptions{})
	must(t, err)
	old, err := strconv.ParseInt(list.ResourceVersion, 10, 64)
	must(t, err)
	must(t, admin.ConfigMap(ctx, cluster.Shop, "one", nil))
	must(t, admin.ConfigMap(ctx, cluster.Shop, "two", nil))

	past := metav1.ListOptions{
		ResourceVersion: list.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	}
	_, err = admin.Kube.CoreV1().ConfigMaps(cluster.Shop).List(ctx, past)
	must(t, err) // the past can still be read

	compacted, err := c.CompactEtcd(ctx)
	must(t, err)
	if compacted < old+2 {
		t.Errorf("compacted at %d, although two changes followed %d", compacted, old)
	}
	must(t, c.KillAPIServer())
	must(t, c.StartAPIServer(ctx))

	// Answered by etcd now, since the watch cache does not go back so far.
	if _, err := admin.Kube.CoreV1().ConfigMaps(cluster.Shop).List(ctx, past); !apierrors.IsResourceExpired(err) {
		t.Errorf("a list of the past after the compaction: got %v, want 410", err)
	}
	w, err := admin.Kube.CoreV1().ConfigMaps(cluster.Shop).Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err == nil {
		defer w.Stop()
		event := <-w.ResultChan()
		if event.Type == watch.Error {
			err = apierrors.FromObject(event.Object)
		}
	}
	if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		t.Errorf("a watch from before the compaction: got %v, want 410", err)
	}
}

func testPause(t *testing.T, c *cluster.Cluster) {
	ctx, admin := within(t), client(t, c, cluster.Admin)
	must(t, c.PauseAPIServer())
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_, err := admin.Kube.CoreV1().Namespaces().List(short, metav1.ListOptions{})
	if err == nil {
		t.Error("a paused server answers")
	}
	must(t, c.ResumeAPIServer())
	_, err = admin.Kube.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	must(t, err)
}

func watchConfigMaps(ctx context.Context, t *testing.T, kube kubernetes.Interface, from string) watch.Interface {
	t.Helper()
	w, err := kube.CoreV1().ConfigMaps(cluster.Shop).Watch(ctx, metav1.ListOptions{ResourceVersion: from})
	must(t, err)
	t.Cleanup(w.Stop)
	return w
}

func podsOf(t *testing.T, client *workload.Client, app string) []corev1.Pod {
	t.Helper()
	var pods []corev1.Pod
	list, err := client.Kube.CoreV1().Pods(cluster.Shop).List(within(t), metav1.ListOptions{LabelSelector: "app=" + app})
	must(t, err)
	for _, pod := range list.Items {
		if pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	return pods
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
