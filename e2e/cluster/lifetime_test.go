package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"rewatch/e2e/cluster"
)

// panicEnv makes the test binary a program that starts a cluster and panics.
const panicEnv = "REWATCH_E2E_PANIC_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(panicEnv); dir != "" {
		c, err := cluster.Start(context.Background(), cluster.Options{Without: cluster.APIOnly, Dir: dir})
		if err != nil {
			panic(err)
		}
		fmt.Println("pids:", len(c.Pids()))
		panic("as a test would")
	}
	os.Exit(m.Run())
}

func TestStopLeavesNothing(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	if n := len(c.Pids()); n != 5 {
		t.Errorf("%d components run, want 5", n)
	}
	if running := processesOf(t, c.Dir()); len(running) != 5 {
		t.Fatalf("looking for processes is broken: found %q", running)
	}
	must(t, c.Stop())
	if running := processesOf(t, c.Dir()); len(running) != 0 {
		t.Errorf("still running: %q", running)
	}
	if _, err := os.Stat(c.Dir()); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
	must(t, c.Stop()) // twice is allowed
}

func TestStopTellsWhatCrashed(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Without: cluster.APIOnly})
	must(t, err)
	must(t, syscall.Kill(c.Pids()[cluster.Etcd], syscall.SIGKILL))
	eventually(t, "the death is noticed", func() bool { return c.Err() != nil })
	if err := c.Stop(); err == nil || !strings.Contains(err.Error(), "etcd ended by itself") {
		t.Errorf("Stop: %v", err)
	}
}

func TestStartTellsWhyNot(t *testing.T) {
	dir := t.TempDir()
	_, err := cluster.Start(t.Context(), cluster.Options{
		Dir:   dir,
		Flags: map[cluster.Component][]string{cluster.APIServer: {"--no-such-flag"}},
	})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("the reason is not in the error: %v", err)
	}
	if running := processesOf(t, dir); len(running) != 0 {
		t.Errorf("still running: %q", running)
	}
}

func TestPanicLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a parent-death signal")
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), panicEnv+"="+dir)
	output, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(output, []byte("pids: 2")) || !bytes.Contains(output, []byte("as a test would")) {
		t.Fatalf("the program did not start a cluster and panic: %v\n%s", err, output)
	}
	eventually(t, "the processes die", func() bool { return len(processesOf(t, dir)) == 0 })
}

// processesOf finds the processes that have dir on their command line, by asking the kernel rather than the code
// under test.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks in /proc")
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil { // it has just ended
			continue
		}
		if bytes.Contains(line, []byte(dir)) {
			program, _, _ := bytes.Cut(line, []byte{0})
			found = append(found, string(program))
		}
	}
	return found
}
