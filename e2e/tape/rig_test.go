// Package tape holds the tapes of the real program against a real control
// plane: what is recorded, imported and served is what the API server said.
package tape

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/e2e/cluster"
	"rewatch/model"
	"rewatch/watch/tape"
)

// patience is when a wait is given up. It says nothing about how long anything
// may take: a busy machine is to get there too.
const patience = 3 * time.Minute

// rig is rewatch, built of this checkout, in front of a control plane.
type rig struct {
	c       *cluster.Cluster
	program string
	dir     string
}

func newRig(t *testing.T, c *cluster.Cluster) rig {
	t.Helper()
	r := rig{c: c, dir: t.TempDir()}
	r.program = filepath.Join(r.dir, "rewatch")
	cmd := exec.Command("go", "build", "-o", r.program, ".")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return r
}

// run runs a command of rewatch that must succeed, and returns what it printed.
func (r rig) run(t *testing.T, args ...string) string {
	t.Helper()
	return r.runTo(t, 0, args...)
}

// runTo is run for a command that must end with an exit code.
func (r rig) runTo(t *testing.T, code int, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
		t.Fatalf("rewatch %q: %v, not exit code %d\n%.2000s", args, err, code, stderr.String())
	}
	return out.String()
}

// info is what rewatch info says of a tape.
type info struct {
	Ended   string
	Records int64
	Size    int64
	Plain   int64
	Lost    int64
	Gaps    []any
	Damages []struct{ Text string }
}

func (r rig) info(t *testing.T, path string) info {
	t.Helper()
	var out struct{ Tapes []info }
	if err := json.Unmarshal([]byte(r.run(t, "info", path, "-o", "json")), &out); err != nil || len(out.Tapes) != 1 {
		t.Fatalf("%v, %+v", err, out)
	}
	return out.Tapes[0]
}

// recording is rewatch record, running.
type recording struct {
	path   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  chan error
}

// record starts rewatch record, and returns when all types have their state on
// the tape.
func (r rig) record(t *testing.T, name string, types ...string) *recording {
	t.Helper()
	rec := &recording{path: filepath.Join(r.dir, name), ended: make(chan error, 1)}
	rec.cmd = exec.Command(r.program, "record", strings.Join(types, ","), "-A", "-o", rec.path, "--kubeconfig", r.c.Kubeconfig(cluster.Admin))
	rec.cmd.Stderr = &rec.stderr
	if err := rec.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { rec.ended <- rec.cmd.Wait(); close(rec.ended) }()
	t.Cleanup(func() { _ = rec.cmd.Process.Kill(); <-rec.ended })
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		fresh := map[model.StreamID]bool{}
		if x, err := read(rec.path); err == nil {
			for e, err := range x.Records() {
				if err == nil && e.Type == model.StreamChange {
					fresh[e.Stream] = e.Detail.(model.Transition).To.Fresh()
				}
			}
		}
		all := len(fresh) == len(types)
		for _, ok := range fresh {
			all = all && ok
		}
		if all {
			return rec
		}
		select {
		case err := <-rec.ended:
			t.Fatalf("rewatch record ended: %v\n%.2000s", err, rec.stderr.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d types are on the tape after %v", len(fresh), len(types), patience)
		}
	}
}

// end ends the recording with a signal, and returns how long it took.
func (r *recording) end(t *testing.T, signal os.Signal) time.Duration {
	t.Helper()
	began := time.Now()
	if err := r.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-r.ended:
		if err != nil && signal != os.Kill {
			t.Errorf("rewatch record ended with %v\n%.2000s", err, r.stderr.String())
		}
	case <-time.After(patience):
		t.Fatalf("rewatch record does not end on %v", signal)
	}
	return time.Since(began)
}

// reaches waits until the tape has what witnesses have seen by now.
func (r *recording) reaches(t *testing.T, witnesses ...*witness) {
	t.Helper()
	want := map[string]int64{}
	for _, w := range witnesses {
		if seen := w.changes(); len(seen) > 0 {
			want[w.resource] = seen[len(seen)-1].rv
		}
	}
	for deadline := time.Now().Add(patience); len(want) > 0; time.Sleep(100 * time.Millisecond) {
		x, err := read(r.path)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range x.Records() {
			if err != nil || !e.Type.IsObject() {
				continue
			}
			name := x.Info().Streams[e.Stream].Name()
			if rv, err := strconv.ParseInt(e.RV, 10, 64); err == nil && want[name] > 0 && rv >= want[name] {
				delete(want, name)
			}
		}
		if len(want) > 0 && time.Now().After(deadline) {
			t.Fatalf("not on the tape: the changes of %v", want)
		}
	}
}

// peak is the most memory that a living process has had (VmHWM), in bytes.
func (r *recording) peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
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

func read(path string) (*tape.Tape, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
}

// change is a frame of a change of an object, and when it was received.
type change struct {
	at    time.Time
	rv    int64
	frame string
}

// witness watches a collection as a plain HTTP client does.
type witness struct {
	resource string
	from     int64 // resourceVersion

	mu   sync.Mutex
	seen []change
}

func (w *witness) changes() []change {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[:len(w.seen):len(w.seen)]
}

// server is the API server, without anything of client-go but its TLS.
type server struct {
	client *http.Client
	host   string
}

func newServer(t *testing.T, cfg *rest.Config) server {
	t.Helper()
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return server{client, cfg.Host}
}

func (s server) get(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.host+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, fmt.Errorf("%s: %s", path, res.Status)
	}
	return res.Body, nil
}

// list is a collection as of a resourceVersion: objects by namespace/name, as
// JSON without apiVersion and kind, which the items of lists lack.
type list struct {
	rv      int64
	objects map[string]string
}

func (s server) list(t *testing.T, path string) list {
	t.Helper()
	body, err := s.get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	var doc struct {
		Metadata struct {
			ResourceVersion int64 `json:",string"`
		}
		Items []json.RawMessage
	}
	if err := json.NewDecoder(body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	l := list{doc.Metadata.ResourceVersion, map[string]string{}}
	for _, raw := range doc.Items {
		name, text := canonical(t, raw)
		l.objects[name] = text
	}
	return l
}

// canonical is an object with sorted keys, without apiVersion and kind, and
// its namespace/name.
func canonical(t *testing.T, raw []byte) (name, text string) {
	t.Helper()
	var o map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v: %.300s", err, raw)
	}
	delete(o, "apiVersion")
	delete(o, "kind")
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	m := o["metadata"].(map[string]any)
	namespace, _ := m["namespace"].(string) // nodes have none
	return fmt.Sprint(namespace, "/", m["name"]), string(b)
}

// witness watches a collection from now on until the test ends. A server that
// cuts it off, since it reads too slowly on a busy machine, goes on where it was.
func (s server) witness(t *testing.T, resource, path string) *witness {
	t.Helper()
	w := &witness{resource: resource, from: s.list(t, path).rv}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for rv := w.from; ctx.Err() == nil; {
			body, err := s.get(ctx, fmt.Sprintf("%s?watch=true&timeoutSeconds=3600&resourceVersion=%d", path, rv))
			if err == nil {
				rv, err = w.follow(body, rv)
				_ = body.Close()
			}
			if err != nil && ctx.Err() == nil {
				t.Errorf("the witness of %s is blind: %v", resource, err)
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

// follow reads frames up to the end of a response, and returns the newest
// resourceVersion.
func (w *witness) follow(body io.Reader, rv int64) (int64, error) {
	for d := json.NewDecoder(body); ; {
		var frame json.RawMessage
		if err := d.Decode(&frame); err != nil {
			return rv, nil
		}
		var f struct {
			Type   string
			Object struct {
				Metadata struct {
					ResourceVersion int64 `json:",string"`
				}
			}
		}
		if err := json.Unmarshal(frame, &f); err != nil || f.Type == "ERROR" {
			return rv, fmt.Errorf("%v: %.300s", err, frame)
		}
		rv = f.Object.Metadata.ResourceVersion
		w.mu.Lock()
		w.seen = append(w.seen, change{time.Now(), rv, string(frame)})
		w.mu.Unlock()
	}
}

// recorded is what a tape has of one stream.
type recorded struct {
	changes []change // all but the initial state
	// initial and changes with their objects, in order
	steps []step
	gaps  int
}

type step struct {
	rv      int64
	typ     model.Type
	name    string // namespace/name
	object  string // as JSON
	initial bool
}

// streams reads a tape by the names of its streams. What is torn off the end of
// one whose recorder was killed is no error; anything else is.
func streams(t *testing.T, path string) map[string]*recorded {
	t.Helper()
	x, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*recorded{}
	for _, s := range x.Info().Streams {
		out[s.Name()] = &recorded{}
	}
	for e, err := range x.Records() {
		if err != nil {
			if d := (*tape.Damage)(nil); !errors.As(err, &d) || !strings.HasPrefix(d.Text, "torn") {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		r := out[x.Info().Streams[e.Stream].Name()]
		switch {
		case e.Lost > 0 || e.Type == model.GapFound:
			r.gaps++
		case e.Type.IsObject():
			rv, err := strconv.ParseInt(e.RV, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			initial := e.Has(model.Initial)
			r.steps = append(r.steps, step{rv, e.Type, e.Identity.Namespace + "/" + e.Identity.Name, string(e.Raw), initial})
			if !initial {
				r.changes = append(r.changes, change{e.Time, rv, string(e.AppendFrame(nil))})
			}
		}
	}
	return out
}

// at is the state of a stream as of a resourceVersion.
func (r *recorded) at(rv int64) map[string]string {
	state := map[string]string{}
	for _, s := range r.steps {
		switch {
		case s.rv > rv:
		case s.typ == model.Deleted:
			delete(state, s.name)
		default:
			state[s.name] = s.object
		}
	}
	return state
}

// sameChanges holds a stream of a tape against what its witness saw: all
// changes, byte for byte and in order. It returns when the witness got the first
// one that is missing at the end, zero if none is.
func (w *witness) sameChanges(t *testing.T, r *recorded) (missing time.Time, n int) {
	t.Helper()
	want, got := w.changes(), r.changes
	for len(want) > 0 && len(got) > 0 && want[0].rv < got[0].rv { // before the recording
		if len(r.steps) > 0 && want[0].rv > newest(r.steps) {
			break
		}
		want = want[1:]
	}
	for len(got) > 0 && got[0].rv <= w.from { // before the witness
		got = got[1:]
	}
	for i, g := range got {
		if i >= len(want) {
			t.Errorf("%s: the tape has %d changes more than the server sent: %.300s", w.resource, len(got)-i, g.frame)
			return time.Time{}, i
		}
		if g.frame != want[i].frame {
			t.Errorf("%s: change %d of %d is on the tape\n%.300s\nand was\n%.300s", w.resource, i, len(got), g.frame, want[i].frame)
			return time.Time{}, i
		}
	}
	if len(want) > len(got) {
		missing = want[len(got)].at
	}
	return missing, len(got)
}

// newest is the resourceVersion of the newest object of the initial state.
func newest(steps []step) (rv int64) {
	for _, s := range steps {
		if s.initial {
			rv = max(rv, s.rv)
		}
	}
	return rv
}
