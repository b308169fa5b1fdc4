package live

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
)

// waits are the examples of docs/tail.md, by their headings.
func waits(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/tail.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, section := range strings.Split(string(text), "\n### ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		_, rest, _ = strings.Cut(rest, "```sh\n")
		found[title], _, _ = strings.Cut(rest, "```")
	}
	return found
}

// waiting is an example under way.
type waiting struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr bytes.Buffer
	lines  chan string
	over   chan struct{} // closed when stdout is
	last   string
}

func wait(t *testing.T, c *cluster.Cluster, program, example string) *waiting {
	t.Helper()
	if example == "" {
		t.Fatal("docs/tail.md has no such example")
	}
	w := &waiting{t: t, lines: make(chan string, 10_000), over: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	w.cmd = exec.CommandContext(ctx, "sh", "-c", "exec "+example)
	w.cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "KUBECONFIG="+c.Kubeconfig(cluster.Reader))
	w.cmd.Stderr = &w.stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.over)
		defer close(w.lines)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			w.lines <- sc.Text()
		}
	}()
	return w
}

// begun waits for the state at the beginning, after which nothing is missed.
func (w *waiting) begun() {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.ends("")
			w.t.Fatal("it ended before anything happened")
		}
		w.last = line
	case <-time.After(patience):
		w.t.Fatal("it does not print the state at the beginning")
	}
}

// meanwhile makes something happen every two seconds until the wait is over:
// without the state at the beginning nothing tells when it has begun.
func (w *waiting) meanwhile(happen func(i int) error) {
	go func() {
		for i := 0; ; i++ {
			select {
			case <-w.over:
				return
			case <-time.After(2 * time.Second):
			}
			if err := happen(i); err != nil && w.t.Context().Err() == nil {
				w.t.Error(err)
				return
			}
		}
	}()
}

// ends wants exit code 0, and words in the last line.
func (w *waiting) ends(words ...string) {
	w.t.Helper()
	n := 0
	for line := range w.lines {
		if n++; !strings.HasPrefix(line, " ") { // a path of a diff
			w.last = line
		}
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Fatalf("%v\n%s", err, w.stderr.String())
	}
	for _, word := range words {
		if !strings.Contains(w.last, word) {
			w.t.Errorf("the last line is %q, without %q", w.last, word)
		}
	}
	w.t.Logf("%d lines, the last: %s", n, w.last)
}

// TestWaitingAsDocumented tries the examples of docs/tail.md.
func TestWaitingAsDocumented(t *testing.T) {
	examples := waits(t)
	c := clustertest.Start(t, cluster.Options{})
	w := rollout(t, c, 3)
	program := filepath.Join(t.TempDir(), "rewatch")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx := t.Context()
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	try := func(title string, do func(t *testing.T, example string)) {
		tried++
		t.Run(title, func(t *testing.T) { do(t, examples[title]) })
	}
	try("A rollout is finished", func(t *testing.T, example string) {
		wait(t, c, program, example).ends("ADDED", "web", "(initial)") // nothing to wait for
		const replicas = 12                                            // one after the other
		must(t, w.Scale(ctx, cluster.Shop, "web", replicas))
		must(t, w.WaitDeployment(ctx, cluster.Shop, "web"))
		must(t, w.SetImage(ctx, cluster.Shop, "web", "nginx:1.28"))
		wait(t, c, program, example).ends("MODIFIED", "Deployment shop/web")
		d, err := w.Kube.AppsV1().Deployments(cluster.Shop).Get(ctx, "web", metav1.GetOptions{})
		must(t, err)
		if s := d.Status; s.UpdatedReplicas != replicas || s.AvailableReplicas != replicas || s.Replicas != replicas || s.ObservedGeneration != d.Generation {
			t.Errorf("the rollout is not finished: %+v", s)
		}
	})
	try("A job is complete, or has failed", func(t *testing.T, example string) {
		x := wait(t, c, program, example)
		time.Sleep(time.Second)
		must(t, w.Job(ctx, cluster.Shop, "pack", 2))
		x.ends("Job shop/pack", "Complete")
	})
	try("A pod is deleted", func(t *testing.T, example string) {
		must(t, w.CrashingPod(ctx, cluster.Shop, "web-0"))
		x := wait(t, c, program, example)
		x.begun()
		must(t, w.Kube.CoreV1().Pods(cluster.Shop).Delete(ctx, "web-0", metav1.DeleteOptions{}))
		x.ends("DELETED", "Pod shop/web-0")
	})
	try("Any container is restarted", func(t *testing.T, example string) {
		x := wait(t, c, program, example)
		x.meanwhile(func(i int) error { return w.CrashingPod(ctx, cluster.Shop, fmt.Sprintf("basket-%d", i)) })
		x.ends("MODIFIED", "Pod shop/basket-", "CrashLoopBackOff")
	})
	try("A node is not ready", func(t *testing.T, example string) {
		x := wait(t, c, program, example)
		x.meanwhile(func(int) error { return notReady(ctx, w) })
		x.ends(" False")
	})
	if tried != len(examples) {
		t.Errorf("docs/tail.md has %d examples, of which %d were tried", len(examples), tried)
	}
}

// notReady says of a node what its kubelet says when it is in trouble.
func notReady(ctx context.Context, w *workload.Client) error {
	nodes, err := w.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	patch := `{"status":{"conditions":[{"type":"` + string(corev1.NodeReady) + `","status":"False","reason":"KubeletNotReady"}]}}`
	_, err = w.Kube.CoreV1().Nodes().Patch(ctx, nodes.Items[0].Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	return err
}
