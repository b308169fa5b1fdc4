package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// demoFile is the demo's tape as a file.
func demoFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.rwt")
	if err := os.WriteFile(path, demoTape, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReplayPrintsTheTapeAndEnds(t *testing.T) {
	isolate(t)
	got := rewatch(t, "replay", demoFile(t))
	if got.code != 0 || !containsAll(got.out, []string{"ADDED    Node", "(initial)", "MODIFIED Deployment shop/checkout", "GAP "}) {
		t.Errorf("exit %d, stdout has %d bytes, stderr:\n%.500s", got.code, len(got.out), got.stderr)
	}
	if !containsAll(got.stderr, []string{"RETRY", "EXPIRED", "recovered"}) {
		t.Errorf("stderr:\n%.1000s", got.stderr)
	}
	if strings.Contains(got.out+got.stderr, "LOST") {
		t.Error("lines are missing")
	}
	// From a moment on, and at a pace that takes its time.
	begin := time.Now()
	late := rewatch(t, "replay", demoFile(t), "--at", "-10s", "--speed", "16")
	if late.code != 0 || !strings.HasSuffix(got.out, late.out) || len(late.out) == 0 || len(late.out) > len(got.out)/4 {
		t.Errorf("exit %d, %d bytes are not the last of %d", late.code, len(late.out), len(got.out))
	}
	if took := time.Since(begin); took < 500*time.Millisecond {
		t.Errorf("ten seconds at sixteen times the pace took %v", took)
	}
}

func TestReplayOfNoTape(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var empty bytes.Buffer
	if err := tape.NewWriter(&empty, tape.Header{Tool: "test", Created: time.Now()}, tape.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	demo := demoFile(t)
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{nil, 2, []string{"needs a tape", "rewatch record"}},
		{[]string{filepath.Join(dir, "none.rwt")}, 1, []string{"there is no file", "check the path"}},
		{[]string{write("capture.jsonl", []byte(`{"t":1,"stream":"pods","frame":{"type":"ADDED","object":{}}}`))}, 1, []string{"is not a tape", "rewatch import"}},
		{[]string{write("empty.rwt", empty.Bytes())}, 1, []string{"has no events"}},
		{[]string{demo, filepath.Dir(demo) + "/./demo.rwt"}, 2, []string{"is named twice"}},
		{[]string{demoFile(t), "--at", "yesterday"}, 2, []string{`"yesterday" is no moment`}},
		{[]string{demoFile(t), "--at", "2001-01-01T00:00:00Z"}, 1, []string{"is not on the tape"}},
		{[]string{demoFile(t), "--speed", "-1"}, 2, []string{"above 0, or max"}},
	} {
		got := rewatch(t, append([]string{"replay"}, c.args...)...)
		if got.code != c.code || strings.Count(got.stderr, "\n") != 1 || !containsAll(got.stderr, c.want) {
			t.Errorf("replay %q: exit %d, %s", c.args, got.code, got.stderr)
		}
	}
}

func TestReplayOnATerminal(t *testing.T) {
	isolate(t)
	term := inTerminal(t, 120, 36, "replay "+demoFile(t)+" --at +40s")
	term.waitFor("REPLAY", "playing", "demo.rwt", "Timeline", "shop/checkout")
	term.tmux("send-keys", "Space")
	term.waitFor("paused")
	term.tmux("send-keys", "q")
	term.waitFor("exit=0", "\n2\n")
}

// TestTheDemosTapeIsWhole, is of this format, and has what the demo is for.
func TestTheDemosTapeIsWhole(t *testing.T) {
	tp, err := tape.Open(bytes.NewReader(demoTape), int64(len(demoTape)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := tp.Verify()
	if err != nil || len(report.Damages) > 0 || !report.Closed || report.Lost > 0 || report.Gaps == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if len(demoTape) > 100<<10 {
		t.Errorf("it takes %d bytes", len(demoTape))
	}
	has := map[string]bool{}
	for e, err := range tp.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if x, ok := e.Detail.(model.Transition); ok && x.Request != nil {
			has["a request: "+x.Request.Verb] = true
		}
		if x, ok := e.Detail.(model.Note); ok && x.Cause == model.CauseMark {
			has["a mark"] = true
		}
		if bytes.Contains(e.Raw, []byte(`"restartCount":4`)) {
			has["a restart loop"] = true
		}
		if bytes.Contains(e.Raw, []byte("SENTINEL")) || bytes.Contains(e.Raw, []byte("U0VOVElORUwt")) {
			t.Fatal("it has the value of a Secret")
		}
	}
	for _, want := range []string{"a request: watch", "a mark", "a restart loop"} {
		if !has[want] {
			t.Errorf("it has not %s: %v", want, has)
		}
	}
}
