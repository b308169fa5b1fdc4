package timeserver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kubectl runs kubectl against an endpoint and returns what it printed.
func kubectl(t *testing.T, e *Endpoint, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("no kubectl on PATH")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, path, append([]string{"--server", e.URL()}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "KUBECONFIG="+filepath.Join(home, "none"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestKubectl(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", []byte(`{"metadata":{"name":"web-1","namespace":"shop","labels":{"app":"web"}},`+
		`"spec":{"nodeName":"n1"},"status":{"phase":"Running"}}`))
	put(t, s, "pods", pod("pay", "api-1", "app=api"))
	put(t, s, "deployments", pod("shop", "web"))
	put(t, s, "namespaces", []byte(`{"metadata":{"name":"shop"}}`))
	put(t, s, "widgets", pod("shop", "gear"))
	for _, c := range []struct {
		args       string
		want, miss string
		fails      bool
	}{
		{args: "get pods -A", want: "web-1"},
		{args: "get po -n shop -o name", want: "pod/web-1", miss: "api-1"},
		{args: "get pods -A -l app=api -o name", want: "pod/api-1", miss: "web-1"},
		{args: "get pods -A --field-selector spec.nodeName=n1 -o name", want: "pod/web-1", miss: "api-1"},
		{args: "get pods -A --chunk-size=1 -o name", want: "pod/web-1"},
		{args: "get pod web-1 -n shop -o yaml", want: "phase: Running"},
		{args: "get all -n shop -o name", want: "deployment.apps/web"},
		{args: "get widget gear -n shop -o json", want: `"kind": "Widget"`},
		{args: "api-resources", want: "deployments"},
		{args: "api-versions", want: "acme.example/v1"},
		{args: "version", want: "v1.37.2"},
		{args: "auth can-i list pods", want: "yes"},
		{args: "auth can-i delete pods", want: "no", fails: true},
		{args: "get pod nobody -n shop", want: `pods "nobody" not found`, fails: true},
		{args: "get gizmos", want: `the server doesn't have a resource type "gizmos"`, fails: true},
		{args: "get pods -A --field-selector spec.colour=red", want: "field label not supported: spec.colour", fails: true},
		{args: "delete pod web-1 -n shop", want: "rewatch serves the past read-only", fails: true},
		{args: "label pod web-1 -n shop a=b", want: "rewatch serves the past read-only", fails: true},
		{args: "apply -f testdata/pod.yaml", want: "rewatch serves the past read-only", fails: true},
		{args: "create -f testdata/pod.yaml", want: "rewatch serves the past read-only", fails: true},
		{args: "replace -f testdata/pod.yaml", want: "rewatch serves the past read-only", fails: true},
	} {
		t.Run(c.args, func(t *testing.T) {
			out, err := kubectl(t, e, strings.Fields(c.args)...)
			if (err != nil) != c.fails || !strings.Contains(out, c.want) || c.miss != "" && strings.Contains(out, c.miss) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestKubectlWatch(t *testing.T) {
	s, e := serve(t, Options{WatchTimeout: time.Second})
	put(t, s, "pods", pod("shop", "web-1"))
	done := make(chan string)
	go func() {
		out, _ := kubectl(t, e, "get", "pods", "-n", "shop", "-w", "-o", "name", "--request-timeout=3s")
		done <- out
	}()
	for s.OpenWatches() == 0 {
		select {
		case out := <-done:
			t.Fatal(out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	put(t, s, "pods", pod("shop", "web-2"))
	if out := <-done; !strings.Contains(out, "pod/web-1") || !strings.Contains(out, "pod/web-2") {
		t.Error(out)
	}
}
