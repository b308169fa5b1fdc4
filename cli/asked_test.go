package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rewatch/watch/timeserver"
)

// What was asked for in vain, or cannot be done, is said; it never looks like an
// answer.
func TestWhatIsAskedForInVainIsSaid(t *testing.T) {
	isolate(t)
	path := exportTape(t)
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		code int
		want string // on stderr, all of it with one line
	}{
		{"tail --from demo.rwt --until=", 2, "--until is empty: a variable of the shell may not be set"},
		{"tail --from demo.rwt --filter=", 2, "--filter is empty"},
		{"tail --from demo.rwt --timeout 0", 2, "--timeout must be above 0"},
		{"tail --from demo.rwt -o jsonpath=", 2, "no JSONPath is given"},
		{"tail --from demo.rwt pods/nope", 0, "no object on the tape is what was asked for"},
		{"tail --from demo.rwt --changed-only deploy --filter name:nope", 0, "no object on the tape is what was asked for"},
		{"export PATH -o - --format events-json --filter cel:object.spec.replcas>1", 0, "--filter could not be judged of 10 rows, of the first because of: "},
		{"export PATH -o - --format events-json --from 2025-01-01", 0, "the tape begins after --from 2025-01-01: the export begins with it"},
		{"export PATH -o - --format events-json --to 2035-01-01", 0, "the tape ends before --to 2035-01-01: the export ends with it"},
		{"export PATH -o - --format markdown --limit 0", 2, "--limit must be at least 1"},
		{"export PATH -o - --format events-json --limit 5", 2, "--limit is for markdown and html; events-json has all rows"},
		{"export PATH demo.rwt -o x.json", 2, "export takes one tape, and there are 2; its rows as JSON lines come of several: rewatch tail"},
		{"serve PATH demo.rwt", 2, "serve takes one tape, and there are 2; serve them one after the other"},
		{"config check DIR", 1, "is a directory; name the file in it"},
	} {
		args := strings.Fields(strings.NewReplacer("PATH", path, "DIR", dir).Replace(c.args))
		got := rewatch(t, args...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 && c.code != 0 {
			t.Errorf("%s: exit code %d, not %d with %q\n%.300s\n%s", c.args, got.code, c.code, c.want, got.out, got.stderr)
		}
	}
	got := rewatch(t, "export", path, "-o", "-", "--format", "markdown", "--from", "2025-01-01")
	if strings.Contains(got.out, "2025") {
		t.Errorf("the export says that it begins before the tape:\n%.500s", got.out)
	}
}

// A server that is away when the wait begins is asked until the time is over.
func TestTailWaitsForAServer(t *testing.T) {
	c := unstarted(t, timeserver.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	kubeconfig(t, "dev=http://"+address)
	if got := rewatch(t, "tail", "pods", "--until", "true"); got.code != 1 || !strings.Contains(got.stderr, "refuses connections") {
		t.Errorf("without --timeout: exit code %d\n%s", got.code, got.stderr)
	}
	if got := rewatch(t, "tail", "pods", "--until", "true", "--timeout", "1500ms"); got.code != exitUnknown ||
		!strings.Contains(got.stderr, "refuses connections; trying again until --timeout") || !strings.Contains(got.stderr, "no server has answered") {
		t.Errorf("in vain: exit code %d\n%s", got.code, got.stderr)
	}
	r := background(t, "tail", "pods", "--until", "object.metadata.name == 'checkout'", "--timeout", "5m")
	r.waitFor(&r.stderr, "trying again")
	if l, err = net.Listen("tcp", address); err != nil {
		t.Skipf("somebody else has the port: %v", err)
	}
	s := &http.Server{Handler: c}
	go func() { _ = s.Serve(l) }()
	defer func() { c.CloseAll(); _ = s.Close() }()
	r.endsWith(0, "")
}

// The kubeconfig on stdout leaves what is being served to stderr.
func TestServeTellsBesideAKubeconfigOnStdout(t *testing.T) {
	isolate(t)
	r := background(t, "serve", "demo.rwt", "--write-kubeconfig", "-")
	r.waitFor(&r.stderr, "demo.rwt: context", "read-only, on http://127.0.0.1:")
	if out := r.out.String(); !strings.Contains(out, "kind: Config") || strings.Contains(out, "read-only") || strings.Contains(r.stderr.String(), "export KUBECONFIG") {
		t.Errorf("stdout:\n%s\nstderr:\n%s", out, &r.stderr)
	}
	r.stop()
}

func TestVersionOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile(filepath.Clean("/dev/full"), os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer func() { _ = full.Close() }()
	var errs buffer
	if code := run(t.Context(), []string{"version"}, streams{strings.NewReader(""), full, &errs}); code != 1 || strings.Contains(errs.String(), "--help") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// An import of an input that was cut off says that more is missing than what it
// could not read, and one of which nothing can be read does not advise what was
// done.
func TestImportOfACutInput(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	frame := `{"t":1,"stream":"pods","frame":{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"1"}}}}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 1000 { // more than one block
		_, _ = z.Write([]byte(frame))
	}
	_ = z.Close()
	cut, none := filepath.Join(dir, "cut.gz"), filepath.Join(dir, "none")
	if err := errors.Join(os.WriteFile(cut, packed.Bytes()[:packed.Len()-20], 0o600), os.WriteFile(none, []byte(frame[:len(frame)/2]), 0o600)); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.rwt")
	if got := rewatch(t, "import", cut, "--keep-going", "-o", out); got.code != 0 || !strings.Contains(got.stderr, "ends too early, after ") || !strings.Contains(got.stderr, "what followed is unknown") {
		t.Errorf("exit code %d\n%s", got.code, got.stderr)
	}
	if got := rewatch(t, "tail", "--from", out); !strings.Contains(got.stderr+got.out, "the input ends too early, and what followed is unknown") {
		t.Errorf("the tape does not say it:\n%.600s\n%s", got.out, got.stderr)
	}
	if got := rewatch(t, "import", none, "--keep-going", "-o", out, "--force"); got.code != 1 || strings.Contains(got.stderr, "--keep-going") || !strings.Contains(got.stderr, "nothing in it can be read") {
		t.Errorf("exit code %d\n%s", got.code, got.stderr)
	}
}

// A recording that ended in order says nothing against the state at its end.
func TestDiffOfARecordingThatEnded(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	out := filepath.Join(t.TempDir(), "a.rwt")
	r := background(t, "record", "pods", "-A", "-o", out)
	taped(t, out, object("checkout"))
	r.stop()
	if got := rewatch(t, "diff", out); got.code != 0 || strings.Contains(got.stderr, "STOPPED") {
		t.Errorf("exit code %d\n%s", got.code, got.stderr)
	}
}
