package serve

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

// built is the program, once per run of the tests.
var built struct {
	sync.Once
	path string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.path != "" {
		_ = os.RemoveAll(filepath.Dir(built.path))
	}
	os.Exit(code)
}

func program(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		dir, err := os.MkdirTemp("", "rewatch-serve-test-")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "rewatch")
		cmd := exec.Command("go", "build", "-o", built.path, ".")
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // it links in seconds, not minutes
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = err
			os.Stderr.Write(out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// shop is the capture that comes with rewatch, as a tape: a rolling update, a
// node gone NotReady, a bad image, a custom resource, in three minutes.
func shop(t *testing.T) string {
	t.Helper()
	in, err := os.Open("../../watch/timeserver/demo.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines, err := zstd.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	path := filepath.Join(t.TempDir(), "shop.rwt")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := tape.NewWriter(out, tape.Header{Tool: "test"}, tape.Options{})
	if _, err := capture.Import(lines, w, capture.Options{Context: "shop"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// past is rewatch serve, running.
type past struct {
	t          *testing.T
	kubeconfig string
	home       string
	out        *bytes.Buffer // what it has said on stdout
}

// serve runs rewatch serve until the test ends, and returns when it serves.
func serve(t *testing.T, args ...string) *past {
	t.Helper()
	p := &past{t: t, home: t.TempDir(), out: &bytes.Buffer{}}
	p.kubeconfig = filepath.Join(p.home, "kubeconfig")
	cmd := exec.Command(program(t), append([]string{"serve", "--write-kubeconfig", p.kubeconfig}, args...)...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(io.TeeReader(stdout, p.out))
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("rewatch serve says no more: %v\n%s", err, stderr.String())
		}
		if strings.Contains(line, "Ctrl-C") {
			break
		}
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			t.Errorf("rewatch serve ended with %v\n%s", err, stderr.String())
		}
		if _, err := os.Stat(p.kubeconfig); err == nil {
			t.Error("the kubeconfig is still there")
		}
	})
	return p
}

// run runs a client against the past and returns what it printed.
func (p *past) run(path string, args ...string) (string, error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute) // when it is given up
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+p.kubeconfig, "HOME="+p.home, "TZ=UTC")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
