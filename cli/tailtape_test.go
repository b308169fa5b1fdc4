package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"rewatch/watch/timeserver"
)

// TestTailOfATape: conditions on the tape of the demo, of which it is known
// what happens, by its own clock. In the middle the history is lost.
func TestTailOfATape(t *testing.T) {
	isolate(t)
	const deploy = "deploy/checkout"
	for _, c := range []struct {
		args, until string
		code        int
		stderr      string
		last        string
	}{
		{deploy, "object.spec.replicas == 10", 0, "", "spec.replicas 6→10"},
		{deploy, "object.spec.replicas == 1000", exitTimeout, "the tape is over", ""}, // a state: the list tells
		{deploy, "object.spec.replicas > old.spec.replicas + 1000", exitUnknown, "changes may be missing: history lost", ""},
		{deploy + " --allow-gaps", "object.spec.replicas > old.spec.replicas + 1000", exitTimeout, "the tape is over", ""},
		{deploy + " --timeout 20s", "object.spec.replicas > old.spec.replicas + 1000", exitTimeout, "20s of the tape are over", ""}, // before the gap
		{deploy + " --timeout 20s", "object.spec.replicas == 10", exitTimeout, "20s of the tape are over", ""},
		{deploy + " --timeout 40s", "object.spec.replicas == 10", 0, "", "spec.replicas 6→10"},
		{deploy + " -n nowhere", "object.spec.replicas == 10", exitTimeout, "nothing to judge it by", "GAP"},
		{deploy, "manager == 'kubectl'", 0, "", "[kubectl]"},
		{"deployments.v1.apps", "gap", 0, "", "GAP"},
		{"all", "type == 'DELETED' && kind == 'Pod'", 0, "", "DELETED  Pod"},
		{"--timeout 20s", "", 0, "", ""},
	} {
		args := append([]string{"tail", "--from", "demo.rwt"}, strings.Fields(c.args)...)
		if c.until != "" {
			args = append(args, "--until", c.until)
		}
		got := rewatch(t, args...)
		lines := strings.Split(strings.TrimSpace(got.out), "\n")
		if got.code != c.code || !strings.Contains(got.stderr, c.stderr) || !strings.Contains(lines[len(lines)-1], c.last) {
			t.Errorf("%s --until %q: exit code %d, want %d and %q, %q\nlast: %s\nstderr: %s", c.args, c.until, got.code, c.code, c.stderr, c.last, lines[len(lines)-1],
				got.stderr[max(0, len(got.stderr)-300):])
		}
	}
}

// TestTailOfATapeIsWhatIsOnIt: the rows of an export of the tape, no more and
// no less, but for what only a tape has.
func TestTailOfATapeIsWhatIsOnIt(t *testing.T) {
	isolate(t)
	rows := func(args ...string) (out []string) {
		got := rewatch(t, args...)
		if got.code != 0 {
			t.Fatalf("%q: %+v", args, got.stderr)
		}
		for line := range strings.Lines(got.out) {
			for _, typ := range []string{"ADDED", "MODIFIED", "DELETED", "GAP", "BOOKMARK", "STREAM", "NOTE"} {
				if strings.Contains(line, `"type":"`+typ+`"`) {
					_, line, _ = strings.Cut(line, ",") // the number counts other rows as well
					out = append(out, line)
					break
				}
			}
		}
		return out
	}
	got, want := rows("tail", "--from", "demo.rwt", "-o", "json"), rows("export", "demo.rwt", "-o", "-", "--format", "events-json")
	if len(got) < 2000 || len(got) != len(want) {
		t.Fatalf("%d rows, and %d in the export", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d\n%.600s\n%.600s", i, got[i], want[i])
		}
	}
}

func TestTailDiff(t *testing.T) {
	isolate(t)
	got := rewatch(t, "tail", "deploy/checkout", "--from", "demo.rwt", "-o", "diff", "--changed-only", "--filter", "path:spec.replicas manager:kubectl")
	if !strings.Contains(got.out, "spec.replicas 6→10 [kubectl]\n") || !strings.Contains(got.out, "\n    ~ spec.replicas  6 → 10  [kubectl, scale]") {
		t.Errorf("%.2000s", got.out)
	}
}

// TestTailProcess: exit codes and pipes can only be seen from outside.
func TestTailProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals and another kind of pipes")
	}
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"met", []string{"tail", "pods", "--until", "object.status.phase == 'Running'"}, 0},
		{"timeout", []string{"tail", "pods", "--until", "false", "--allow-gaps", "--timeout", "300ms"}, 124},
		{"unknown", []string{"tail", "deploy", "--from", "demo.rwt", "--until", "false && type == 'ADDED'"}, 3},
		{"usage", []string{"tail", "--until", "("}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, stderr := process(t, c.args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if code := wait(t, cmd); code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, stderr)
			}
		})
	}
	t.Run("the reader goes away", func(t *testing.T) {
		for until, code := range map[string]int{"": 0, "false": 1} {
			args := []string{"tail", "pods", "--until", until}
			if until == "" {
				args = args[:2]
			}
			cmd, stderr := process(t, args...)
			stdout := begin(t, cmd)
			if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || !strings.Contains(line, "ADDED") {
				t.Fatalf("%q %v", line, err)
			}
			_ = stdout.Close()
			if got := wait(t, cmd); got != code || strings.Count(stderr.String(), "\n") > code {
				t.Errorf("--until %q: exit code %d, want %d: %s", until, got, code, stderr)
			}
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		for until, code := range map[string]int{"": 0, "false": 1} {
			args := []string{"tail", "pods", "--until", until}
			if until == "" {
				args = args[:2]
			}
			cmd, stderr := process(t, args...)
			stdout := begin(t, cmd)
			if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if got := wait(t, cmd); got != code {
				t.Errorf("--until %q: exit code %d, want %d: %s", until, got, code, stderr)
			}
		}
	})
	t.Run("the reader stands still", func(t *testing.T) { // and the time is over all the same
		for timeout := 3 * time.Second; ; timeout *= 3 { // until the machine is quick enough
			cmd, stderr := process(t, "tail", "pods", "-o", "json", "--until", "false", "--timeout", timeout.String())
			_, _ = bufio.NewReader(begin(t, cmd)).ReadString('\n') // and no more
			for n := range 400 {
				server.put(t, "pods", "shop", "checkout", `"text":"`+strings.Repeat("x", 4000+n)+`"`)
			}
			got := wait(t, cmd)
			if got == exitUnknown && strings.Contains(stderr.String(), "stdout takes nothing") {
				return
			}
			if timeout > patience {
				t.Fatalf("exit code %d: %s", got, stderr)
			}
		}
	})
}

func begin(t *testing.T, cmd *exec.Cmd) io.ReadCloser {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return stdout
}
