package cli

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"rewatch/model"
	"rewatch/watch/tape"
)

// podTape is a tape of one pod in each of some contexts; it is of four
// seconds from noon on.
func podTape(t *testing.T, contexts ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pods.rwt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := tape.NewWriter(f, tape.Header{Tool: "test"}, tape.Options{})
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range contexts {
		s := w.AddStream(model.StreamInfo{Context: c, Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Namespace: "shop"})
		for i, phase := range []string{"Pending", "Running", "Failed"} {
			raw := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"10` + string(rune('0'+i)) + `"},"status":{"phase":"` + phase + `"}}`
			err := w.Append(model.Record{Time: noon.Add(time.Duration(2*i) * time.Second), Stream: s, Type: model.Modified, Raw: []byte(raw)})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// server is rewatch serve in a process of its own.
type server struct {
	t          *testing.T
	cmd        *exec.Cmd
	said       string // on stdout, until it served
	stderr     *buffer
	kubeconfig string
	url        string
}

func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	cmd, stderr := process(t, append([]string{"serve"}, args...)...)
	cmd.Env = append(cmd.Env, "TZ=UTC")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() })
	s := &server{t: t, cmd: cmd, stderr: stderr}
	for r := bufio.NewReader(stdout); !strings.Contains(s.said, "Ctrl-C"); {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("it says no more: %v; stderr: %s", err, stderr)
		}
		s.said += line
	}
	s.kubeconfig = regexp.MustCompile(`KUBECONFIG=(\S+)`).FindStringSubmatch(s.said)[1]
	s.url = regexp.MustCompile(`https?://\S+`).FindString(s.said)
	return s
}

// stop ends the server as Ctrl-C does.
func (s *server) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	if code := wait(s.t, s.cmd); code != 0 {
		s.t.Errorf("exit code %d; stderr: %s", code, s.stderr)
	}
}

func phaseOf(t *testing.T, res *http.Response, err error) (phase string, code int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var pod struct{ Status json.RawMessage }
	var status struct{ Phase string }
	_ = json.Unmarshal(body, &pod)
	_ = json.Unmarshal(pod.Status, &status) // of a Status it is a string
	return status.Phase, res.StatusCode
}

const podPath = "/api/v1/namespaces/shop/pods/web"

func TestServeMoment(t *testing.T) {
	path := podTape(t, "prod")
	for at, want := range map[string]string{"": "Failed", "12:00:03": "Running", "2026-12-01T12:00:00Z": "Pending", "-1s": "Running"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			args := []string{path}
			if at != "" {
				args = append(args, "--at", at)
			}
			s := startServer(t, args...)
			res, err := http.Get(s.url + podPath)
			if phase, code := phaseOf(t, res, err); phase != want || code != http.StatusOK {
				t.Errorf("%d %s, want %s", code, phase, want)
			}
			info, err := os.Stat(s.kubeconfig)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the kubeconfig: %v, %v", info, err)
			}
			if !strings.Contains(s.said, "kubectl get pods\n") || !strings.Contains(s.said, `context "prod" as it was at 2026-12-01 12:00:0`) {
				t.Errorf("it said %s", s.said)
			}
			s.stop()
			if _, err := os.Stat(filepath.Dir(s.kubeconfig)); !os.IsNotExist(err) {
				t.Errorf("the kubeconfig is still there: %v", err)
			}
		})
	}
}

func TestServeMoves(t *testing.T) {
	seen := ""
	for _, speed := range []string{"2", "0.5", "0.1"} { // until the machine is quick enough to see all of it
		s := startServer(t, podTape(t, "prod"), "--speed", speed)
		seen = ""
		waitUntil(t, func() bool {
			res, err := http.Get(s.url + podPath)
			if phase, _ := phaseOf(t, res, err); !strings.HasSuffix(seen, phase+" ") {
				seen += phase + " "
			}
			return strings.HasSuffix(seen, "Failed ")
		})
		waitUntil(t, func() bool { return strings.Contains(s.stderr.String(), "the end of the tape is reached") })
		if s.stop(); strings.Contains(seen, "Running") {
			break
		}
	}
	if !strings.HasSuffix("Pending Running Failed ", seen) || !strings.Contains(seen, "Running") {
		t.Errorf("seen: %s", seen)
	}
}

// On loopback only who names the address is answered, so that no web page can
// look at a recording through a name of its own.
func TestServeKnowsItsName(t *testing.T) {
	s := startServer(t, podTape(t, "prod"))
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"", "", 200}, {"localhost:1", "", 200}, {"[::1]:80", "", 200}, {"evil.example", "", 403}, {"evil.example:80", "", 403},
		{"", "https://evil.example", 403}, {"127.0.0.1.evil.example", "", 403},
	} {
		req, err := http.NewRequest(http.MethodGet, s.url+podPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if _, code := phaseOf(t, res, err); code != c.want {
			t.Errorf("Host %q, Origin %q: %d, want %d", c.host, c.origin, code, c.want)
		}
	}
	s.stop()
}

// All of 127.0.0.0/8 is this machine, and each address of it the server's name
// if it listens there.
func TestServeOnAnotherLoopback(t *testing.T) {
	if l, err := net.Listen("tcp", "127.0.0.2:0"); err != nil {
		t.Skipf("this system has one loopback address alone: %v", err)
	} else {
		_ = l.Close()
	}
	s := startServer(t, podTape(t, "prod"), "--listen", "127.0.0.2:0")
	res, err := http.Get(s.url + podPath)
	if _, code := phaseOf(t, res, err); code != http.StatusOK || !strings.HasPrefix(s.url, "http://127.0.0.2:") {
		t.Errorf("%s: %d", s.url, code)
	}
	s.stop()
}

// Elsewhere it takes TLS and a token, which are in the kubeconfig; the token is
// said once, on stderr.
func TestServeElsewhere(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "config")
	s := startServer(t, podTape(t, "prod"), "--listen", "0.0.0.0:0", "--write-kubeconfig", kubeconfig)
	cfg, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	token := cfg.AuthInfos[cfg.CurrentContext].Token
	cluster := cfg.Clusters[cfg.CurrentContext]
	if cfg.Contexts[cfg.CurrentContext].Namespace != "shop" {
		t.Error("the only namespace of the tape is not that of the kubeconfig")
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(cluster.CertificateAuthorityData) {
		t.Fatal("no certificate in the kubeconfig")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	for auth, want := range map[string]int{"Bearer " + token: 200, "Bearer x": 401, "": 401} {
		req, err := http.NewRequest(http.MethodGet, cluster.Server+podPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", auth)
		res, err := client.Do(req)
		if _, code := phaseOf(t, res, err); code != want {
			t.Errorf("%q: %d, want %d", auth, code, want)
		}
	}
	s.stop() // and with it all of stderr has come
	if len(token) < 40 || strings.Count(s.stderr.String(), token) != 1 || strings.Contains(s.said, token) {
		t.Errorf("the token: %d characters, %d times on stderr, on stdout %v", len(token), strings.Count(s.stderr.String(), token), strings.Contains(s.said, token))
	}
	if _, err := os.Stat(kubeconfig); !os.IsNotExist(err) {
		t.Errorf("the kubeconfig is still there: %v", err)
	}
}

// A kubeconfig that exists is not replaced, and one into which others were
// merged is not removed.
func TestServeKubeconfigFile(t *testing.T) {
	path, kubeconfig := podTape(t, "prod"), filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, stderr := process(t, "serve", path, "--write-kubeconfig", kubeconfig)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if code := wait(t, cmd); code != 1 || !strings.Contains(stderr.String(), "--force") {
		t.Errorf("exit code %d; stderr: %s", code, stderr)
	}
	if b, err := os.ReadFile(kubeconfig); err != nil || string(b) != "mine" {
		t.Errorf("it holds %q, %v", b, err)
	}
	s := startServer(t, path, "--write-kubeconfig", kubeconfig, "--force")
	cfg, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	other := *cfg.Clusters[cfg.CurrentContext]
	other.Server = "https://other.example"
	cfg.Clusters["other"] = &other
	if err := clientcmd.WriteToFile(*cfg, kubeconfig); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if _, err := os.Stat(kubeconfig); err != nil {
		t.Errorf("a kubeconfig with other clusters is gone: %v", err)
	}
}

// The kubeconfig of other clusters is theirs, whatever is forced; what a server
// that was killed has left is not.
func TestServeKubeconfigOfOthers(t *testing.T) {
	path, kubeconfig := podTape(t, "prod"), filepath.Join(t.TempDir(), "config")
	for _, names := range []string{
		"clusters: [{name: real, cluster: {server: https://real.example}}]",
		"users: [{name: me, user: {token: mine}}]",
		"clusters: [{name: rewatch-a, cluster: {server: http://127.0.0.1:1}}, {name: rewatch-b, cluster: {server: http://127.0.0.1:2}}]",
	} {
		before := "apiVersion: v1\nkind: Config\n" + names + "\n"
		if err := os.WriteFile(kubeconfig, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, force := range []string{"--force", "--force=false"} {
			var out, errs bytes.Buffer
			code := run(t.Context(), []string{"serve", path, "--write-kubeconfig", kubeconfig, force}, streams{strings.NewReader(""), &out, &errs})
			if code != 1 || !strings.Contains(errs.String(), "names other clusters") || !strings.Contains(errs.String(), "name another file") {
				t.Errorf("%s: exit code %d: %s", force, code, errs.String())
			}
			if after, err := os.ReadFile(kubeconfig); err != nil || string(after) != before {
				t.Errorf("it holds %q, %v", after, err)
			}
		}
	}
	left := "apiVersion: v1\nkind: Config\nclusters: [{name: rewatch-prod, cluster: {server: http://127.0.0.1:1}}]\n"
	if err := os.WriteFile(kubeconfig, []byte(left), 0o600); err != nil {
		t.Fatal(err)
	}
	startServer(t, path, "--write-kubeconfig", kubeconfig, "--force").stop()
}

// With - stdout is the kubeconfig and nothing else.
func TestServeKubeconfigOnStdout(t *testing.T) {
	cmd, stderr := process(t, "serve", podTape(t, "prod"), "--write-kubeconfig", "-")
	cmd.Dir = t.TempDir()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() })
	b := make([]byte, 1<<16)
	n, err := stdout.Read(b) // it is written at once
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.Load(b[:n])
	if err != nil {
		t.Fatalf("%v: %s", err, b[:n])
	}
	res, err := http.Get(cfg.Clusters[cfg.CurrentContext].Server + podPath)
	if phase, code := phaseOf(t, res, err); code != http.StatusOK || phase != "Failed" {
		t.Errorf("%d %s", code, phase)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(stdout); err != nil || len(rest) > 0 {
		t.Errorf("it went on with %q, %v", rest, err)
	}
	if code := wait(t, cmd); code != 0 || !strings.Contains(stderr.String(), "read-only, on http://") {
		t.Errorf("exit code %d; stderr: %s", code, stderr)
	}
	if files, err := os.ReadDir(cmd.Dir); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}

// brokenTape is a tape without its last bytes.
func brokenTape(t *testing.T, lost int) string {
	t.Helper()
	path := podTape(t, "prod")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour) // nobody records it any more
	if err := os.WriteFile(path, data[:len(data)-lost], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a damaged tape lacks is not left out without a word.
func TestServeDamaged(t *testing.T) {
	s := startServer(t, brokenTape(t, 10))
	s.stop()
	if e := s.stderr.String(); !strings.Contains(e, "is damaged, so objects may be missing") || !strings.Contains(e, "rewatch verify ") {
		t.Errorf("stderr: %s", e)
	}
}

func TestServeRefuses(t *testing.T) {
	one, two := podTape(t, "prod"), podTape(t, "a", "b")
	none := podTape(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{two}, 1, `choose one with --context: "a", "b"`},
		{[]string{two, "--context", "c"}, 1, `there is no context "c"`},
		{[]string{one, "--at", "11:00:00"}, 1, "is not on the tape"},
		{[]string{one, "--at", "2026-12-02T00:00:00Z"}, 1, "is not on the tape"},
		{[]string{one, "--at", "soon"}, 2, "is no moment"},
		{[]string{one, "--speed", "0"}, 2, "--speed must be a number above 0"},
		{[]string{one, "--listen", "nowhere"}, 2, "it must be host:port"},
		{[]string{one, "--listen", "192.0.2.1:0"}, 1, "cannot listen on 192.0.2.1:0"},
		{[]string{filepath.Join(t.TempDir(), "none")}, 1, "there is no file"},
		{[]string{none}, 1, "holds no moment that could be served; see what survives with: rewatch verify"},
		{nil, 2, "accepts 1 arg"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"serve"}, c.args...), streams{strings.NewReader(""), &out, &errs})
		if code != c.code || !strings.Contains(errs.String(), c.want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: exit code %d: %s", c.args, code, errs.String())
		}
	}
}
