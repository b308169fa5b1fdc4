package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/recorder"
	"rewatch/watch/tape"
	"rewatch/watch/timeserver"
)

// readTape reads a whole tape, which must be in order.
func readTape(t *testing.T, path string) (tape.Info, []tape.Entry) {
	t.Helper()
	f, err := openTape(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []tape.Entry
	r := f.Reader()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return f.Info(), out
		}
		if err != nil {
			t.Fatal(err)
		}
		x := *e
		x.Raw = append([]byte(nil), e.Raw...)
		out = append(out, x)
	}
}

// taped waits until a tape that is being recorded has what each of some tests
// looks for.
func taped(t *testing.T, path string, wanted ...func(e *tape.Entry) bool) {
	t.Helper()
	waitUntil(t, func() bool { return onTape(path, wanted...) })
}

func onTape(path string, wanted ...func(e *tape.Entry) bool) bool {
	f, err := openTape(path)
	if err != nil {
		return false // it is not there yet
	}
	defer func() { _ = f.Close() }()
	has := make([]bool, len(wanted))
	for r := f.Reader(); ; {
		e, err := r.Next()
		if err != nil {
			return !slices.Contains(has, false)
		}
		for i, is := range wanted {
			has[i] = has[i] || is(e)
		}
	}
}

// object is a test for [taped].
func object(name string) func(e *tape.Entry) bool {
	return func(e *tape.Entry) bool { return e.Type.IsObject() && e.Identity.Name == name }
}

func TestRecord(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	path := filepath.Join(t.TempDir(), "a.rwt")
	r := background(t, "record", "pods,secrets", "-o", path)
	r.waitFor(&r.stderr, "TAPE", "recording to "+path)
	server.put(t, "pods", "shop", "basket", `"status":{"phase":"Pending"}`)
	server.put(t, "secrets", "shop", "token", `"data":{"a":"U0VOVElORUw="}`)
	taped(t, path, object("checkout"), object("ledger"), object("basket"), object("token"))
	r.stop()
	r.waitFor(&r.stderr, "TAPE", "recorded to "+path, "nothing lost")
	info, entries := readTape(t, path)
	if !info.Closed || info.Tool != "rewatch "+version() || len(info.Streams) != 2 {
		t.Errorf("%+v", info)
	}
	names, states := "", map[model.StreamID]model.State{}
	for _, e := range entries {
		if e.Type.IsObject() {
			names += " " + e.Identity.Name
		}
		if d, ok := e.Detail.(model.Transition); ok {
			states[e.Stream] = d.To
		}
		if strings.Contains(string(e.Raw), "U0VO") {
			t.Errorf("a Secret is on the tape: %s", e.Raw)
		}
	}
	for _, want := range []string{"checkout", "ledger", "basket", "token"} {
		if !strings.Contains(names, want) {
			t.Errorf("%s is not on the tape:%s", want, names)
		}
	}
	for s, state := range states {
		if state != model.Stopped {
			t.Errorf("stream %d ended as %v", s, state)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	fails(t, 1, "exists; name another file, or replace it with --force", "record", "pods", "-o", path)
}

func fails(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	var out, stderr buffer
	if got := run(t.Context(), args, streams{strings.NewReader(""), &out, &stderr}); got != code || !strings.Contains(stderr.String(), want) {
		t.Errorf("rewatch %v: exit code %d, want %d\n%s\nwant: %s", args, got, code, stderr.String(), want)
	}
}

func TestRecordRefuses(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	fails(t, 2, "say where to record to", "record", "pods")
	fails(t, 2, "at least 1Mi", "record", "pods", "-o", at("a.rwt"), "--max-size", "7")
	fails(t, 2, "at least twice --max-size", "record", "pods", "-o", at("a.rwt"), "--max-size", "8Mi", "--keep-size", "9Mi")
	fails(t, 2, "no numbered tapes on stdout", "record", "pods", "-o", "-", "--max-age", "1h")
	fails(t, 2, "above 0", "record", "pods", "-o", at("a.rwt"), "--duration", "-1s")
	fails(t, 1, "there is no directory", "record", "pods", "-o", at("none/a.rwt"))
	fails(t, 1, "is a directory", "record", "pods", "-o", dir)
	fails(t, 1, "has no type", "record", "nonsense", "-o", at("a.rwt"))
	fails(t, 1, "recording stopped: the disk is full", "record", "pods", "-o", "/dev/full")
	server.CloseAll()
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestRecordForAWhile(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	path := filepath.Join(t.TempDir(), "a.rwt")
	r := background(t, "record", "pods", "-A", "--duration", "300ms", "--max-age", "1h", "-o", path)
	select {
	case code := <-r.code:
		if code != 0 {
			t.Errorf("exit code %d", code)
		}
		r.code <- code
	case <-time.After(patience):
		t.Fatal("it did not end")
	}
	readTape(t, recorder.Numbered(path, 1))
}

// TestRecordToStdout: what comes through a pipe is a tape, closed in order.
func TestRecordToStdout(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	cmd, stderr := process(t, "record", "pods", "-A", "-o", "-")
	path := filepath.Join(t.TempDir(), "a.rwt")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	taped(t, path, object("checkout"), object("ledger"))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := wait(t, cmd); code != 0 || !strings.Contains(stderr.String(), "recorded to stdout") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	_ = file.Close()
	if info, entries := readTape(t, path); !info.Closed || len(entries) < 4 {
		t.Errorf("%+v", info)
	}
}

// TestRecordRedacts: what --redact selects is nowhere on the tape, and its
// header says so.
func TestRecordRedacts(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	server.put(t, "configmaps", "shop", "login", `"data":{"user":"ann","password":"hunter2"}`)
	kubeconfig(t, "dev="+server.url)
	path := filepath.Join(t.TempDir(), "a.rwt")
	r := background(t, "record", "configmaps", "-A", "-o", path, "--redact", ".data.password")
	taped(t, path, object("login"))
	r.stop()
	info, entries := readTape(t, path)
	if !strings.Contains(info.Redaction, ".data.password") {
		t.Errorf("%q", info.Redaction)
	}
	found := false
	for _, e := range entries {
		found = found || strings.Contains(string(e.Raw), `"user":"ann","password":"fp:`)
		if strings.Contains(string(e.AppendFrame(nil)), "hunter2") {
			t.Errorf("%s", e.Raw)
		}
	}
	if !found {
		t.Error("the object is not on the tape, or not redacted")
	}
	fails(t, 2, "--redact .data[: column 7", "record", "pods", "-o", path, "--force", "--redact", ".data[")
}

// TestRecordEndsInOrder: signals close the tape.
func TestRecordEndsInOrder(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		path := filepath.Join(t.TempDir(), "a.rwt")
		cmd, stderr := process(t, "record", "pods", "-A", "-o", path, "--max-age", "1h")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := recorder.Numbered(path, 1)
		taped(t, first, object("checkout"), object("ledger"))
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if code := wait(t, cmd); code != 0 {
			t.Errorf("%v: exit code %d, %s", signal, code, stderr)
		}
		if info, entries := readTape(t, first); !info.Closed || len(entries) < 4 {
			t.Errorf("%v: %+v", signal, info)
		}
	}
}
