package live

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/e2e/workload"
	"rewatch/model"
)

const manyPods = 5000

// build compiles a program of this checkout.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(pkg)+"-under-test")
	cmd := exec.Command("go", "build", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, text)
	}
	return out
}

// cost is what a process took, as the kernel counted it.
type cost struct {
	cpu  time.Duration
	peak int64 // bytes
}

// peakOf is the most memory that a living process has had (VmHWM). The maxrss
// of rusage will not do: a child inherits that of the process that forked it.
func peakOf(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kB, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kB << 10
}

func cpuOf(p *os.ProcessState) time.Duration { return p.UserTime() + p.SystemTime() }

// 5,000 pods: the first rows come at once, and all of them cost at most half
// of what a dynamic informer takes that syncs the same pods.
func TestFiveThousandPods(t *testing.T) {
	rewatch, informer := build(t, "../..", "."), build(t, "..", "./cmd/informer")
	c := clustertest.Start(t, cluster.Options{Without: []cluster.Component{cluster.Scheduler, cluster.ControllerManager}})
	nodes, err := c.Nodes(t.Context(), 20)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.New(c.Config(cluster.Admin))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.CreatePods(t.Context(), workload.BarePods{Count: manyPods, Namespaces: 10, Nodes: nodes}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.WaitRunning(t.Context(), manyPods); err != nil {
		t.Fatal(err)
	}
	t.Run("first rows", func(t *testing.T) { firstRows(t, c) })
	t.Run("cost", func(t *testing.T) {
		var ours, theirs []cost
		for range 3 { // in turn, so that both meet the same machine
			ours = append(ours, syncPods(t, rewatch, c))
			theirs = append(theirs, syncInformer(t, informer, c))
		}
		best := func(all []cost) cost {
			b := all[0]
			for _, c := range all {
				b.cpu, b.peak = min(b.cpu, c.cpu), min(b.peak, c.peak)
			}
			return b
		}
		a, b := best(ours), best(theirs)
		t.Logf("rewatch with its screen: %v CPU, %d MB peak; informer: %v CPU, %d MB peak; ratios %.2f, %.2f",
			a.cpu, a.peak>>20, b.cpu, b.peak>>20, a.cpu.Seconds()/b.cpu.Seconds(), float64(a.peak)/float64(b.peak))
		t.Logf("all runs: rewatch %v, informer %v", ours, theirs)
		if 2*a.cpu > b.cpu {
			t.Errorf("more than half of the informer's CPU time")
		}
		if 2*a.peak > b.peak {
			t.Errorf("more than half of the informer's memory")
		}
	})
}

// syncInformer runs the peer, which waits for the end of its input once it has
// synced, so that its memory can be read.
func syncInformer(t *testing.T, program string, c *cluster.Cluster) cost {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, c.Kubeconfig(cluster.Reader))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if n, err := strconv.Atoi(strings.TrimSpace(line)); err != nil || n < manyPods {
		t.Fatalf("the informer synced %q", line)
	}
	peak := peakOf(t, cmd.Process.Pid)
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return cost{cpuOf(cmd.ProcessState), peak}
}

// syncPods runs the program in a terminal until it says that all pods are
// there and live, and quits it with a key.
func syncPods(t *testing.T, program string, c *cluster.Cluster) cost {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "pods", "-A", "--kubeconfig", c.Kubeconfig(cluster.Reader))
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	term := vt.NewSafeEmulator(120, 36)
	defer term.InputPipe().(io.Closer).Close() // its Close is for one goroutine
	go func() { _, _ = io.Copy(term, master) }()
	go func() { _, _ = io.Copy(master, term) }()
	deadline := time.Now().Add(patience)
	for !strings.Contains(term.String(), "5,000") || !strings.Contains(strings.Split(term.String(), "\n")[0], "LIVE") {
		if time.Now().After(deadline) {
			t.Fatalf("the screen does not say 5,000 live pods:\n%s", term.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	peak := peakOf(t, cmd.Process.Pid)
	if _, err := io.WriteString(master, "q"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("rewatch ended with %v", err)
	}
	return cost{cpuOf(cmd.ProcessState), peak}
}

// firstRows: the screen shows pods within a second of the first one's arrival,
// and before the last has come.
func firstRows(t *testing.T, c *cluster.Cluster) {
	late := cluster.Oversleep()
	d := start(t, c.Config(cluster.Reader), 120, 36, "pods")
	var shown time.Time
	var have int64
	d.until("pods on the screen", patience, func() bool {
		s := d.log.Streams(time.Now())[0]
		if strings.Contains(d.term.String(), "initial list of pods") || strings.Contains(d.term.String(), "pod-0") {
			shown, have = time.Now(), s.Objects
			return true
		}
		return false
	})
	lateness := late()
	d.until("all pods", patience, d.allFresh)
	first, last := time.Time{}, time.Time{}
	s := d.log.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if e.Type == model.Added && first.IsZero() {
			first = e.When()
		}
		if e.Type == model.StreamChange && e.Detail.(model.Transition).To == model.Live && last.IsZero() {
			last = e.When()
		}
	}
	t.Logf("first rows %v after the first frame, with %d of %d pods there; the list was complete after %v",
		shown.Sub(first).Round(time.Millisecond), have, manyPods, last.Sub(first).Round(time.Millisecond))
	if lateness >= cluster.Busy {
		t.Logf("the machine overslept by up to %v: too busy to tell", lateness)
		return
	}
	if shown.Sub(first) > time.Second {
		t.Errorf("first rows after %v", shown.Sub(first))
	}
	if have >= manyPods {
		t.Errorf("first rows only when the list was complete")
	}
}
