package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// buffer may be written and read at the same time.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Len() int { return len(b.String()) }

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// result is what a finished command left.
type result struct {
	code        int
	out, stderr string
}

// rewatch runs the command line to its end, in an environment of its own.
func rewatch(t *testing.T, args ...string) result {
	t.Helper()
	var out, stderr buffer
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	code := run(ctx, args, streams{strings.NewReader(""), &out, &stderr})
	if ctx.Err() != nil {
		t.Fatalf("rewatch %q did not end; stderr:\n%s", args, stderr.String())
	}
	return result{code, out.String(), stderr.String()}
}

// isolate keeps the kubeconfig, the pod and the state of whoever runs the
// tests out of them.
func isolate(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	for k, v := range map[string]string{
		"HOME": home, "USERPROFILE": home, "XDG_STATE_HOME": filepath.Join(home, "state"),
		"XDG_CONFIG_HOME": filepath.Join(home, "config"),
		"KUBECONFIG":      "", "KUBERNETES_SERVICE_HOST": "", "KUBERNETES_SERVICE_PORT": "", "KUBERNETES_MASTER": "",
		"HTTP_PROXY": "", "HTTPS_PROXY": "", "http_proxy": "", "https_proxy": "",
	} {
		t.Setenv(k, v)
	}
}

// kubeconfig writes one with a context for each name=server, the first being
// the current one, and makes it the default.
func kubeconfig(t *testing.T, contexts ...string) {
	t.Helper()
	isolate(t)
	var b strings.Builder
	section := func(title string, row func(name, server string) string) {
		fmt.Fprintf(&b, "%s:\n", title)
		for _, c := range contexts {
			name, server, _ := strings.Cut(c, "=")
			b.WriteString(row(name, server))
		}
	}
	b.WriteString("apiVersion: v1\nkind: Config\n")
	section("clusters", func(n, s string) string {
		return fmt.Sprintf("- {name: %s, cluster: {server: %q}}\n", n, s)
	})
	section("users", func(n, _ string) string {
		return fmt.Sprintf("- {name: %s, user: {token: SENTINEL-t0ken}}\n", n)
	})
	section("contexts", func(n, _ string) string {
		return fmt.Sprintf("- {name: %s, context: {cluster: %s, user: %s}}\n", n, n, n)
	})
	first, _, _ := strings.Cut(contexts[0], "=")
	fmt.Fprintf(&b, "current-context: %s\n", first)
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", path)
}

// kubeconfigPath is the file that kubeconfig wrote.
func kubeconfigPath(t *testing.T) string {
	t.Helper()
	return os.Getenv("KUBECONFIG")
}

func replaceInFile(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q: %v", path, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, new)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// refusing returns the URL of a port that nobody listens on.
func refusing(t *testing.T) string {
	t.Helper()
	return "http://" + nobodysPort(t)
}

// nobodysPort returns an address that nobody listens on: below those that a
// system gives to who asks for any, as other tests do at the same time.
func nobodysPort(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(20_000)))
		if err == nil {
			_ = l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("every port is taken")
	return ""
}

// answering returns the URL of a server that gives every request one Status.
func answering(t *testing.T, code int, reason metav1.StatusReason, message string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
			Code: int32(code), Reason: reason, Message: message})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestBadInputIsOneLineWithTheNextStep(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts into its backlog, never answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)

	for _, c := range []struct {
		name     string
		contexts []string // none is no kubeconfig
		args     string
		code     int
		want     []string // in the line, in this order
	}{
		{name: "no cluster", code: 1, want: []string{"no kubeconfig found", "try: rewatch demo"}},
		{name: "no kubeconfig but a context", args: "--context prod", code: 1, want: []string{`no context "prod"`, "rewatch demo"}},
		{name: "no such file", args: "--kubeconfig /nonexistent/config", code: 1, want: []string{"cannot read the kubeconfig", "/nonexistent/config", "--kubeconfig"}},
		{name: "wrong context", contexts: []string{"prod-eu=http://x", "dev=http://y"}, args: "--context prod", code: 1,
			want: []string{`no context "prod" (did you mean "prod-eu"?)`, "the kubeconfig has: dev, prod-eu"}},
		{name: "refused", contexts: []string{"dev=" + refusing(t)}, code: 1, want: []string{"127.0.0.1:", `context "dev" refuses connections`, "kubectl config view"}},
		{name: "none of two", contexts: []string{"a=" + refusing(t), "b=" + refusing(t)}, args: "--context a --context b", code: 1,
			want: []string{"refuses connections", "refuses connections", "kubectl config view"}},
		{name: "expired token", contexts: []string{"dev=" + answering(t, 401, metav1.StatusReasonUnauthorized, "Unauthorized")}, args: "--request-timeout 3m", code: 1,
			want: []string{"does not accept the credentials (401)", "may have expired", "log in again"}},
		{name: "forbidden", contexts: []string{"dev=" + answering(t, 403, metav1.StatusReasonForbidden, "no\nway\x1b[31m")}, args: "--request-timeout 3m", code: 1,
			want: []string{"refuses even discovery", "(403)", "kubectl auth can-i"}},
		{name: "no such host", contexts: []string{"dev=http://rewatch.invalid:1"}, code: 1, want: []string{"rewatch.invalid:1", "cannot be resolved"}},
		{name: "silence", contexts: []string{"dev=http://" + silent.Addr().String()}, args: "--request-timeout 200ms", code: 1,
			want: []string{"does not answer", "--request-timeout"}},
		{name: "untrusted", contexts: []string{"dev=" + tls.URL}, args: "--request-timeout 3m", code: 1, want: []string{"certificate", "is not trusted", "--certificate-authority"}},
		{name: "selector", args: "-l a=b=c", code: 2, want: []string{`--selector "a=b=c"`, "rewatch --help"}},
		{name: "field selector", args: "--field-selector nonsense", code: 2, want: []string{`--field-selector "nonsense"`, "rewatch --help"}},
		{name: "namespace", args: "-n shop -n Bad_NS!", code: 2, want: []string{`--namespace "Bad_NS!" is no name`, "rewatch --help"}},
		{name: "one namespace and all", args: "-n shop -A", code: 2, want: []string{"-n shop and -A contradict each other", "rewatch --help"}},
		{name: "type syntax", args: "pods/a/b", code: 2, want: []string{`"a/b"`, "rewatch --help"}},
		{name: "memory", args: "--memory lots", code: 2, want: []string{"--memory", "number of bytes such as 512Mi"}},
		{name: "little memory", args: "--memory 1k", code: 2, want: []string{"--memory", "at least 8Mi"}},
		{name: "theme", args: "--theme pink", code: 2, want: []string{"--theme", `there is no theme "pink"; there are auto, dark, light`}},
		{name: "ascii", args: "--ascii=maybe", code: 2, want: []string{"--ascii", "one of auto, on, off"}},
		{name: "speed", args: "demo --speed 0", code: 2, want: []string{"--speed", "above 0"}},
		{name: "speed word", args: "demo --speed fast", code: 2, want: []string{"--speed", "rewatch demo --help"}},
		{name: "flag", args: "--frobnicate", code: 2, want: []string{"unknown flag: --frobnicate", "rewatch --help"}},
		{name: "qps", args: "--qps 0", code: 2, want: []string{"--qps and --burst must be above 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			isolate(t)
			if len(c.contexts) > 0 {
				kubeconfig(t, c.contexts...)
			}
			got := rewatch(t, strings.Fields(c.args)...)
			if got.code != c.code || got.out != "" {
				t.Errorf("exit code %d, stdout %q", got.code, got.out)
			}
			line, more := strings.CutSuffix(got.stderr, "\n")
			if !more || strings.Contains(line, "\n") || !strings.HasPrefix(line, "rewatch: ") || strings.Contains(line, "\x1b") {
				t.Errorf("not one clean line: %q", got.stderr)
			}
			t.Log(line)
			rest := line
			for _, w := range c.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Errorf("lacks %q, or not in order:\n%s", w, line)
				}
				rest = after
			}
			if strings.Contains(got.stderr, "SENTINEL") {
				t.Error("a token on stderr")
			}
		})
	}
}

func TestVersionAndHelp(t *testing.T) {
	isolate(t)
	if got := rewatch(t, "version"); got.code != 0 || !strings.HasPrefix(got.out, "rewatch ") || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if flag, command := rewatch(t, "--version"), rewatch(t, "version"); flag != command {
		t.Errorf("--version: %+v, version: %+v", flag, command)
	}
	got := rewatch(t, "--help")
	for _, want := range []string{"Usage:\n  rewatch [TYPE", "What to watch:", "--context", "--as-group", "demo", "completion"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("help lacks %q:\n%s", want, got.out)
		}
	}
	if got.code != 0 || got.stderr != "" {
		t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
	}
	t.Setenv("KUBECONFIG", "/nonexistent/config")
	if got := rewatch(t); got.code != 1 || !containsAll(got.stderr, []string{"no kubeconfig found at /nonexistent/config", "rewatch demo"}) ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a kubeconfig that is not there: %+v", got)
	}
	if got := rewatch(t, "completion", "bash"); got.code != 0 || !strings.Contains(got.out, "rewatch") {
		t.Errorf("completion: %d", got.code)
	}
	if got := rewatch(t, "__complete", "po"); !strings.Contains(got.out, "pods\n") {
		t.Errorf("completion of types: %q", got.out)
	}
}
