package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/watch/recorder"
	"rewatch/watch/tape"
	"rewatch/watch/timeserver"
)

// storm is a cluster that plays a history at many times its speed, in a loop:
// the large capture for long runs, and otherwise the demo's.
func storm(t *testing.T, long bool) (server *testCluster, types string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	h, err := timeserver.Demo(ctx)
	if long {
		b, missing := os.ReadFile(filepath.Join("..", "..", "shared", "data", "load.watch.jsonl.zst"))
		if missing != nil {
			t.Skip("needs the large capture: ", missing)
		}
		d, _ := zstd.NewReader(nil)
		defer d.Close()
		if b, err = d.DecodeAll(b, nil); err == nil {
			h, err = timeserver.ReadHistory(bytes.NewReader(b))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	player := timeserver.NewPlayer(h)
	player.Speed, player.Loop, player.Pause = 40, true, time.Millisecond
	if err := player.Load(); err != nil {
		t.Fatal(err)
	}
	server = &testCluster{timeserver.NewServer(player.Store, timeserver.Options{}), player.Store, ""}
	web := httptest.NewServer(server)
	t.Cleanup(func() { server.CloseAll(); web.Close() })
	server.url = web.URL
	running.Go(func() { _ = player.Run(ctx) })
	var names []string
	for _, r := range h.Resources() {
		names = append(names, r.Key())
	}
	return server, strings.Join(names, ",")
}

// TestMemoryOfARecorder: it does not grow with the length of a recording.
// REWATCH_STORM=3m makes that longer, with the large capture.
func TestMemoryOfARecorder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	length, long := 3*time.Second, false
	if v := os.Getenv("REWATCH_STORM"); v != "" {
		var err error
		if length, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
		long = true
	}
	server, types := storm(t, long)
	kubeconfig(t, "dev="+server.url)
	path := filepath.Join(t.TempDir(), "a.rwt")
	args := []string{"record", types, "-A", "-o", path}
	if long {
		args = append(args, "--max-size", "16Mi", "--keep-size", "64Mi")
	}
	cmd, stderr := process(t, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := path
	if long {
		first = recorder.Numbered(path, 1)
	}
	taped(t, first, func(e *tape.Entry) bool { return e.Type.IsObject() })
	most, next := 0, time.Now()
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		m := memoryOf(t, cmd.Process.Pid)
		if most = max(most, m["RssAnon"]); time.Now().After(next) {
			next = next.Add(length / 8)
			t.Log(m)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := wait(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	t.Logf("%s; processor time %v", lines[len(lines)-1], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	// Not counted is RssFile: pages of the program's file, which the kernel
	// takes back when it needs them, and which here are those of the tests.
	if t.Logf("at most %d kB", most); most > 100<<10 {
		t.Errorf("%d kB", most)
	}
	if !strings.Contains(lines[len(lines)-1], "nothing lost") {
		t.Errorf("%s", stderr)
	}
}

// memoryOf reads the memory of a process, in kB.
func memoryOf(t *testing.T, pid int) map[string]int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		if name == "VmHWM" || name == "RssFile" || name == "RssAnon" {
			n := 0
			_, _ = fmt.Sscan(value, &n)
			out[name] = n
		}
	}
	return out
}
