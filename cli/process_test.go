package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"rewatch/watch/timeserver"
)

// beMain makes the test binary be rewatch: what pipes, signals and exit codes
// do can only be seen from outside of a process.
const beMain = "REWATCH_TEST_BE_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) != "" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func process(t *testing.T, args ...string) (*exec.Cmd, *buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), beMain+"=1")
	stderr := &buffer{} // which is looked at while the process runs
	cmd.Stderr = stderr
	return cmd, stderr
}

// wait returns the exit code of a process that should end soon.
func wait(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); _ = cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		t.Fatal("the process did not end")
	}
	return cmd.ProcessState.ExitCode()
}

func TestProcessInAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals and another kind of pipes")
	}
	for _, c := range []struct {
		name string
		end  func(cmd *exec.Cmd, stdout interface{ Close() error }) error
	}{
		{"interrupt", func(cmd *exec.Cmd, _ interface{ Close() error }) error { return cmd.Process.Signal(os.Interrupt) }},
		{"the reader goes away", func(_ *exec.Cmd, stdout interface{ Close() error }) error { return stdout.Close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newTestCluster(t, timeserver.Options{})
			kubeconfig(t, "dev="+server.url)
			cmd, stderr := process(t, "pods")
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(stdout).ReadString('\n')
			if err != nil || !strings.Contains(line, "ADDED") {
				t.Errorf("first line %q, %v; stderr %s", line, err, stderr)
			}
			if err := c.end(cmd, stdout); err != nil {
				t.Fatal(err)
			}
			if code := wait(t, cmd); code != 0 {
				t.Errorf("exit code %d, stderr %s", code, stderr)
			}
		})
	}
}

func TestProcessExitCodes(t *testing.T) {
	isolate(t)
	for code, arg := range map[int]string{0: "version", 1: "pods", 2: "--bogus"} {
		cmd, stderr := process(t, arg)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, cmd); got != code {
			t.Errorf("rewatch %s: exit code %d, want %d; %s", arg, got, code, stderr)
		}
	}
}

func TestLibrariesLogToAFileMadeWhenNeeded(t *testing.T) {
	isolate(t)
	path := filepath.Join(os.Getenv("XDG_STATE_HOME"), "rewatch", "rewatch.log")
	restore := redirectLogs("")
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was made for nothing")
	}
	klog.Error("a complaint")
	restore()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), "a complaint") {
		t.Errorf("the file has %q", text)
	}
}
