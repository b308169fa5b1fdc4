package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"rewatch/e2e/binaries"
)

var update = flag.Bool("update", false, "write testdata/kubectl.txt with what kubectl prints")

// kubectl is one to try.
type kubectl struct {
	name, path string
	pinned     bool // of a known version: every word counts
}

// kubectls are that of the control plane, and the one that is installed, which
// may be older.
func kubectls(t *testing.T) []kubectl {
	t.Helper()
	set, err := binaries.Ensure(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	found := []kubectl{{set.KubernetesVersion, set.Path(binaries.Kubectl), true}}
	if path, err := exec.LookPath("kubectl"); err == nil {
		found = append(found, kubectl{"installed", path, false})
	}
	return found
}

// moment is in the middle of the first rolling update.
const moment = "2026-12-01T00:54:12Z"

// session is what kubectl is asked, and testdata/kubectl.txt what it prints.
// Ages that kubectl reckons itself, relative to today, are written <age>.
const session = `get pods -n shop
get pods -n shop -o wide
get deploy,rs,svc,endpointslices -n shop -o wide
get all -n shop
get nodes node-01 node-02
get nodes node-01 -o wide
get ns
get secrets,configmaps -n shop
get cronwidgets -A
get events -n shop --field-selector involvedObject.kind=Deployment
get pods -n shop -o name
get pods -n shop -l app=checkout -o name
get pods -n shop -l app!=checkout -o name
get pods -n shop --field-selector status.phase=Running -o name
get pods -n shop --field-selector spec.colour=red
get pods -n shop -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName
get pods -n shop --sort-by=.spec.nodeName --no-headers
get deploy checkout -n shop -o jsonpath={.metadata.resourceVersion}
get pods -A --chunk-size=2 -o name
get pods nobody -n shop
get pvc -A
describe deploy checkout -n shop
describe cronwidget gear -n shop
events -n shop --for deployment/checkout
rollout status deploy/checkout -n shop --timeout=1s
rollout history deploy/checkout -n shop
api-resources
explain deployment.spec.replicas
explain cronwidget
auth can-i list pods -n shop
auth can-i delete pods -n shop
auth can-i list pvc
auth whoami
top pods -n shop
logs deploy/checkout -n shop
exec deploy/checkout -n shop -- ls
delete deploy checkout -n shop
scale deploy checkout -n shop --replicas=1
label pods --all -n shop a=b
create configmap x -n shop
apply -f testdata/configmap.yaml
create -f testdata/configmap.yaml
replace -f testdata/configmap.yaml
apply -f testdata/cronwidget.yaml
create -f testdata/claim.yaml
`

func TestKubectl(t *testing.T) {
	golden, err := os.ReadFile("testdata/kubectl.txt")
	if err != nil && !*update {
		t.Fatal(err)
	}
	p := serve(t, shop(t), "--at", moment)
	for _, k := range kubectls(t) {
		t.Run(k.name, func(t *testing.T) {
			var got strings.Builder
			for line := range strings.Lines(session) {
				out, err := p.run(k.path, strings.Fields(line)...)
				fmt.Fprintf(&got, "$ kubectl %s%s", line, settle(line, out))
				if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
					fmt.Fprintf(&got, "exit code %d\n", exit.ExitCode())
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if *update && k.pinned {
				golden = []byte(got.String())
				if err := os.WriteFile("testdata/kubectl.txt", golden, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			compareSessions(t, got.String(), string(golden), k.pinned)
		})
	}
}

var (
	relative = regexp.MustCompile(`\b(\d+[ydhms]){1,2}\b`)
	blanks   = regexp.MustCompile(`[ \t]{2,}`)
)

// settle takes out what depends on the day, and on the version of kubectl.
func settle(args, out string) string {
	if strings.HasPrefix(args, "describe") || strings.HasPrefix(args, "events") {
		out = blanks.ReplaceAllString(relative.ReplaceAllString(out, "<age>"), "  ")
	}
	lines := strings.SplitAfter(out, "\n")
	for i, l := range lines {
		// Newer versions log beside their errors.
		if strings.Contains(l, "memcache.go") {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "")
}

func compareSessions(t *testing.T, got, want string, everyWord bool) {
	t.Helper()
	g, w := strings.Split(got, "\n$ "), strings.Split(want, "\n$ ")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			t.Errorf("missing: %s", w[i])
		case i >= len(w):
			t.Errorf("not expected: %s", g[i])
		case !everyWord && (strings.HasPrefix(g[i], "kubectl describe") || strings.HasPrefix(g[i], "kubectl exec")):
			// Their words change from version to version.
			if strings.Contains(g[i], "exit code") != strings.Contains(w[i], "exit code") {
				t.Errorf("got:\n%s", g[i])
			}
		case g[i] != w[i]:
			t.Errorf("got:\n%s\nwant:\n%s", g[i], w[i])
		}
	}
}

// kubectl get -w shows what happens while the past moves, and --at says where
// that begins.
func TestKubectlWatchesAMovingPast(t *testing.T) {
	path := shop(t)
	for _, k := range kubectls(t) {
		t.Run(k.name, func(t *testing.T) {
			// Where kubectl takes long to begin, the past must not be over by then.
			for _, speed := range []string{"8", "1", "0.2"} {
				p := serve(t, path, "--at", "2026-12-01T00:54:02Z", "--speed", speed)
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				cmd := exec.CommandContext(ctx, k.path, "get", "pods", "-n", "shop", "-w")
				cmd.Env = append(os.Environ(), "KUBECONFIG="+p.kubeconfig, "HOME="+p.home)
				out := &until{want: []string{"NAME  ", "ContainerCreating", "Terminating", "checkout-65d44f9694"}, found: cancel}
				cmd.Stdout = out
				_ = cmd.Run() // ended by what was found
				cancel()
				if len(out.want) == 0 {
					return
				}
				t.Logf("at speed %s %q did not come\n%s", speed, out.want, out.all.String())
			}
			t.Error("what happens is not shown")
		})
	}
}

// until is a writer that waits for some texts.
type until struct {
	want  []string
	found func()
	all   strings.Builder
}

func (u *until) Write(b []byte) (int, error) {
	u.all.Write(b)
	var rest []string
	for _, w := range u.want {
		if !strings.Contains(u.all.String(), w) {
			rest = append(rest, w)
		}
	}
	if u.want = rest; len(rest) == 0 {
		u.found()
	}
	return len(b), nil
}
