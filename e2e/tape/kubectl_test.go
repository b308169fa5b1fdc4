package tape

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
)

func TestKubectl(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{})
	r := newRig(t, c)
	w, err := workload.New(c.Config(cluster.Admin))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Nodes(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	life(t, w, "web")
	t.Run("what it printed is imported", func(t *testing.T) { testImport(t, r, w) })
	t.Run("it sees in the past what was", func(t *testing.T) { testServe(t, r, w) })
}

// life makes things happen in a small cluster, and ends with one deployment
// more and as many other things.
func life(t *testing.T, w *workload.Client, name string) {
	t.Helper()
	ctx := t.Context()
	wait := func() error { return w.WaitDeployment(ctx, cluster.Shop, name) }
	settings := func(level string) error {
		return w.ConfigMap(ctx, cluster.Shop, "settings", map[string]string{"level": level, "text": "a\tb <&> \u2028 é\n"})
	}
	_, err := w.Kube.CoreV1().Services(cluster.Shop).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{Selector: map[string]string{"app": name},
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}}},
	}, metav1.CreateOptions{})
	err = errors.Join(err, w.Deployment(ctx, cluster.Shop, name, "nginx:1.27", 3), wait(),
		w.SetImage(ctx, cluster.Shop, name, "nginx:1.28"), wait(), settings("info"),
		w.Scale(ctx, cluster.Shop, name, 5), wait(), w.Scale(ctx, cluster.Shop, name, 2), wait(), settings("debug"),
		w.Job(ctx, cluster.Shop, name+"-job", 2), w.CRD(ctx), w.Widget(ctx, cluster.Shop, name, map[string]any{"size": 3}))
	if err != nil {
		t.Fatal(err)
	}
}

// printing is kubectl get -w, running.
type printing struct {
	resource string
	cmd      *exec.Cmd
	path     string // of what it prints
	stderr   bytes.Buffer
}

func (r rig) kubectl(t *testing.T, kubeconfig string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(r.c.Kubectl(), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+r.dir, "TZ=UTC")
	return cmd
}

// watch has kubectl print a type as JSON, until stop is called.
func (r rig) watch(t *testing.T, resource string, args ...string) (p *printing, stop func()) {
	t.Helper()
	p = &printing{resource: resource, path: filepath.Join(t.TempDir(), resource+".json")}
	p.cmd = r.kubectl(t, r.c.Kubeconfig(cluster.Admin), append([]string{"get", resource, "-A", "-w", "--output-watch-events", "-o", "json"}, args...)...)
	out, err := os.Create(p.path)
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = out, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	stop = func() {
		if !ended {
			ended = true
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
			_ = p.cmd.Wait()
			_ = out.Close()
		}
	}
	t.Cleanup(stop)
	return p, stop
}

// compact is each frame on a line, as kubectl's bytes without their spaces.
func compact(t *testing.T, printed []byte) string {
	t.Helper()
	var out bytes.Buffer
	for d := json.NewDecoder(bytes.NewReader(printed)); ; {
		var frame json.RawMessage
		err := d.Decode(&frame)
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) { // kubectl was ended in the middle
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&out, frame); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('\n')
	}
}

// frames are those of an export in the format watch-json, a line each.
func frames(t *testing.T, export string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(export) {
		_, frame, ok := strings.Cut(line, `"frame":`)
		if !ok || !strings.HasSuffix(frame, "}\n") {
			t.Fatalf("%.300s", line)
		}
		out.WriteString(frame[:len(frame)-2] + "\n")
	}
	return out.String()
}

// What kubectl printed of real changes comes back frame for frame, and is
// replayed in the same order.
func testImport(t *testing.T, r rig, w *workload.Client) {
	var all []*printing
	var stops []func()
	for _, resource := range []string{"pods", "deployments", "events", "configmaps", "endpointslices", "widgets"} {
		p, stop := r.watch(t, resource)
		all, stops = append(all, p), append(stops, stop)
	}
	fields, stop := r.watch(t, "replicasets", "--show-managed-fields")
	all, stops = append(all, fields), append(stops, stop)
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		ready := 0
		for _, p := range all {
			if s, err := os.Stat(p.path); err == nil && s.Size() > 0 {
				ready++
			}
		}
		if ready == len(all) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d watches print nothing", len(all)-ready, len(all))
		}
	}
	life(t, w, "shop")
	ctx := t.Context()
	if err := errors.Join(w.Kube.AppsV1().Deployments(cluster.Shop).Delete(ctx, "shop", metav1.DeleteOptions{}),
		w.Kube.CoreV1().ConfigMaps(cluster.Shop).Delete(ctx, "settings", metav1.DeleteOptions{})); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		left, err := w.Kube.CoreV1().Pods(cluster.Shop).List(ctx, metav1.ListOptions{LabelSelector: "app=shop"})
		if err != nil {
			t.Fatal(err)
		}
		if len(left.Items) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d pods of a deployment that was deleted are left", len(left.Items))
		}
	}
	time.Sleep(2 * time.Second) // kubectl prints the last of it
	for i, p := range all {
		stops[i]()
		t.Run(p.resource, func(t *testing.T) { sameAsPrinted(t, r, p) })
	}
}

func sameAsPrinted(t *testing.T, r rig, p *printing) {
	printed, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}
	want := compact(t, printed)
	var pretty bytes.Buffer
	for line := range strings.Lines(want) {
		if err := json.Indent(&pretty, []byte(line), "", "    "); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(p.path+".pretty", pretty.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{p.path, p.path + ".pretty"} {
		to := in + ".rwt"
		r.run(t, "import", in, "-o", to)
		r.run(t, "verify", to)
		if got := frames(t, r.run(t, "export", to, "-o", "-", "--format", "watch-json")); got != want {
			t.Errorf("%s: the frames differ: %s", filepath.Base(in), firstDifference(got, want))
		}
	}
	types := map[string]int{}
	var sequence, replayed strings.Builder
	for line := range strings.Lines(want) {
		var f struct {
			Type   string
			Object struct {
				Kind     string
				Metadata struct{ Namespace, Name string }
			}
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		types[f.Type]++
		fmt.Fprintf(&sequence, "%s %s %s/%s\n", f.Type, f.Object.Kind, f.Object.Metadata.Namespace, f.Object.Metadata.Name)
	}
	for line := range strings.Lines(r.run(t, "replay", p.path+".rwt")) {
		if f := strings.Fields(line); len(f) >= 4 {
			fmt.Fprintf(&replayed, "%s %s %s\n", f[1], f[2], f[3])
		}
	}
	if replayed.String() != sequence.String() {
		t.Errorf("the replay is another sequence: %s", firstDifference(replayed.String(), sequence.String()))
	}
	t.Logf("%d KiB printed, %v: the same frames and the same sequence", len(printed)>>10, types)
	if len(types) == 0 || p.resource == "pods" && (types["MODIFIED"] < 20 || types["DELETED"] < 5) {
		t.Error("too little happened")
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d of %d and %d\n got %.400s\nwant %.400s", i+1, len(g), len(w), a, b)
		}
	}
	return "nowhere"
}

// session is what kubectl is asked, live and of the past.
const session = `get pods -A -o wide
get deploy,rs,svc,endpointslices,jobs,configmaps -n shop -o wide
get nodes -o wide
get ns --show-labels
get events -A
get events -n shop --field-selector reason=ScalingReplicaSet
events -n shop
events -n shop --for deployment/web
get widgets -A
get wd web -n shop -o yaml
get pods -n shop -l app=web -o name
get pods -A --field-selector spec.nodeName=node-0 -o name
get pods -n shop -o yaml
get deploy,rs,svc,endpointslices,jobs,configmaps,events -n shop -o yaml --show-managed-fields
get pods -A --sort-by=.metadata.uid -o custom-columns=N:.metadata.name,RV:.metadata.resourceVersion,IP:.status.podIP
describe deploy web -n shop
describe pods -n shop -l app=web
describe rs -n shop
describe svc web -n shop
describe job web-job -n shop
describe widget web -n shop
describe configmap settings -n shop
describe node node-0
rollout status deploy/web -n shop
rollout history deploy/web -n shop
get pods nobody -n shop
`

var (
	ages   = regexp.MustCompile(`\b(\d+[ydhms]){1,2}\b`)
	blanks = regexp.MustCompile(`[ \t]{2,}`)
	// A node renews its lease while kubectl is asked.
	renewed = regexp.MustCompile(`RenewTime:.*`)
)

// settled is what kubectl printed, without ages.
func settled(out string) string {
	return renewed.ReplaceAllString(blanks.ReplaceAllString(ages.ReplaceAllString(out, "<age>"), "  "), "RenewTime")
}

// kubectl prints the same of a tape as it did of the cluster at that moment.
func testServe(t *testing.T, r rig, w *workload.Client) {
	if err := w.ConfigMap(t.Context(), cluster.Shop, "settings", map[string]string{"level": "warn"}); err != nil {
		t.Fatal(err)
	}
	rec := r.record(t, "past.rwt", "pods", "deployments", "replicasets", "services", "endpointslices", "jobs", "configmaps", "nodes",
		"namespaces", "events", "widgets", "customresourcedefinitions", "leases")
	life(t, w, "late")
	ask := func(kubeconfig string) (answers []string) {
		for line := range strings.Lines(session) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			cmd := r.kubectl(t, kubeconfig, strings.Fields(line)...)
			stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
			out, err := cmd.CombinedOutput()
			stop()
			cancel()
			answers = append(answers, fmt.Sprintf("%s(exit code %d, %t)", settled(string(out)), cmd.ProcessState.ExitCode(), err == nil))
		}
		return answers
	}
	// The cluster is at rest when it answers the same twice.
	live := ask(r.c.Kubeconfig(cluster.Admin))
	for deadline := time.Now().Add(patience); ; {
		before := live
		time.Sleep(time.Second)
		if live = ask(r.c.Kubeconfig(cluster.Admin)); slices.Equal(live, before) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the cluster does not come to rest: %s", firstDifference(strings.Join(live, "\n"), strings.Join(before, "\n")))
		}
	}
	moment := time.Now()
	// What comes later must not show.
	if err := errors.Join(w.Scale(t.Context(), cluster.Shop, "web", 4), w.WaitDeployment(t.Context(), cluster.Shop, "web"),
		w.ConfigMap(t.Context(), cluster.Shop, "settings", map[string]string{"level": "later"})); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	rec.end(t, syscall.SIGTERM)
	kubeconfig := r.serve(t, rec.path, "--at", moment.UTC().Format(time.RFC3339Nano))
	past := ask(kubeconfig)
	i, size := 0, 0
	for line := range strings.Lines(session) {
		if past[i] != live[i] {
			t.Errorf("kubectl %s: %s", line, firstDifference(past[i], live[i]))
		}
		size += len(live[i])
		i++
	}
	t.Logf("%d commands, %d KiB of output", i, size>>10)
}

// serve serves a tape until the test ends, and returns the kubeconfig for it.
func (r rig) serve(t *testing.T, path string, args ...string) (kubeconfig string) {
	t.Helper()
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	cmd := exec.Command(r.program, append([]string{"serve", path, "--write-kubeconfig", kubeconfig}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("rewatch serve ended: %v\n%s", err, stderr.String())
		}
		if strings.Contains(line, "Ctrl-C") {
			return kubeconfig
		}
	}
}
