package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

func testLog(t *testing.T, budget int64) (*model.Log, model.StreamID) {
	t.Helper()
	log := model.NewLog(model.Options{Budget: budget})
	return log, log.AddStream(model.StreamInfo{Context: "dev", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
}

func pod(name, phase string, rv int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":"u-%s","resourceVersion":"%d",`+
		`"managedFields":[{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"2026-12-01T12:00:%02dZ","fieldsV1":{"f:status":{"f:phase":{}}}}]},`+
		`"status":{"phase":%q}}`, name, name, rv, rv%60, phase)
}

// start is when every test's log begins.
var start = time.Date(2026, 12, 1, 12, 3, 41, 112e6, time.UTC)

// printed are the lines for what is in the log.
func printed(t *testing.T, log *model.Log, contexts bool) (out, stderr string) {
	t.Helper()
	var o, e buffer
	if err := newPrinter(log, streams{nil, &o, &e}, contexts).print(log.Snapshot()); err != nil {
		t.Fatal(err)
	}
	return o.String(), e.String()
}

func TestLinesForPeople(t *testing.T) {
	log, id := testLog(t, 0)
	add := func(typ model.Type, flags model.Flag, raw []byte, detail any) {
		log.Append(model.Record{Time: start, Stream: id, Type: typ, Flags: flags, Raw: raw, Detail: detail})
	}
	add(model.StreamChange, 0, nil, model.Transition{From: model.Connecting, To: model.Live, Text: "open"})
	add(model.Added, model.Initial, pod("a", "Pending", 1), nil)
	add(model.Modified, 0, pod("a", "Running", 2), nil)
	retry := model.Transition{From: model.Live, To: model.Backoff, Cause: model.CauseRefused,
		Text: "connection\x1b[2J refused\nfor now", Until: start.Add(1600 * time.Millisecond)}
	add(model.StreamChange, 0, nil, retry)
	add(model.StreamChange, 0, nil, retry) // the next attempt failed alike: nothing new
	add(model.GapFound, 0, nil, model.Gap{FromRV: "2", ToRV: "9", Text: "410 expired", Deleted: 1})
	add(model.Deleted, model.Synthetic, pod("a", "Running", 2), nil)
	add(model.StreamChange, 0, nil, model.Transition{From: model.Relisting, To: model.Live, Text: "open"})
	add(model.Noted, 0, nil, model.Note{Cause: model.CauseGarbage, Text: "a list without names"})
	add(model.Noted, 0, nil, model.Note{Text: "left out, this user may not list nodes"})

	out, stderr := printed(t, log, false)
	wantLines(t, out,
		`^2026-12-01T12:03:41\.112Z ADDED    Pod shop/a .*\(initial\)$`,
		`^2026-12-01T12:03:41\.112Z MODIFIED Pod shop/a .*Running.* \[kubelet\]$`,
		`^2026-12-01T12:03:41\.112Z GAP      pods changes may be missing between rv 2 and 9: 410 expired \(added 0, modified 0, deleted 1\)$`,
		`^2026-12-01T12:03:41\.112Z DELETED  Pod shop/a .*\(relist\)$`)
	wantLines(t, stderr,
		`RETRY    pods connection.* refused.for now, next attempt in 1\.6s$`,
		`LIVE     pods open$`,
		`NOTE     pods a list without names$`,
		`NOTE     left out, this user may not list nodes$`)
	if strings.ContainsAny(out+stderr, "\x1b\r") {
		t.Error("control characters were printed")
	}
	if out, _ := printed(t, log, true); !strings.Contains(out, "MODIFIED dev Pod shop/a") {
		t.Errorf("several contexts are not told apart:\n%s", out)
	}
}

func wantLines(t *testing.T, text string, patterns ...string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != len(patterns) {
		t.Errorf("%d lines, want %d:\n%s", len(lines), len(patterns), text)
		return
	}
	for i, p := range patterns {
		if !regexp.MustCompile(p).MatchString(lines[i]) {
			t.Errorf("line %q\ndoes not match %s", lines[i], p)
		}
	}
}

func TestSecretsArePrintedAsFingerprints(t *testing.T) {
	log := model.NewLog(model.Options{})
	id := log.AddStream(model.StreamInfo{Version: "v1", Resource: "secrets", Kind: "Secret"})
	for rv, v := range []string{"bm90LXNob3duLTE=", "bm90LXNob3duLTI="} /* not-shown-1, not-shown-2 */ {
		log.Append(model.Record{Time: start, Stream: id, Type: model.Type(int(model.Added) + rv), Raw: fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db","namespace":"shop","uid":"u","resourceVersion":"%d"},"data":{"password":%q}}`, rv+1, v)})
	}
	out, _ := printed(t, log, false)
	if strings.Contains(out, "bm90LXNo") || strings.Contains(out, "not-shown") {
		t.Errorf("a Secret's value was printed:\n%s", out)
	}
	if !strings.Contains(out, "MODIFIED Secret shop/db") {
		t.Errorf("its change was not:\n%s", out)
	}
}

func TestAClosedPipeIsNoError(t *testing.T) {
	log, id := testLog(t, 0)
	r, w := io.Pipe()
	_ = r.Close()
	log.Append(model.Record{Time: start, Stream: id, Type: model.Added, Raw: pod("a", "Running", 1)})
	if err := newPrinter(log, streams{nil, w, io.Discard}, false).run(context.Background()); err != nil {
		t.Errorf("%v", err)
	}
}

func TestAReaderThatStopsDoesNotHoldUpTheEnd(t *testing.T) {
	log, id := testLog(t, 0)
	_, w := io.Pipe() // nobody reads
	log.Append(model.Record{Time: start, Stream: id, Type: model.Added, Raw: pod("a", "Running", 1)})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- newPrinter(log, streams{nil, w, io.Discard}, false).run(ctx) }()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("the printer did not end")
	}
	_ = w.Close()
}

func TestRowsThatLeftTheLogAreCounted(t *testing.T) {
	log, id := testLog(t, 64<<10)
	n := 0
	for log.Snapshot().Evicted() == 0 && n < 200_000 {
		log.Append(model.Record{Time: start, Stream: id, Type: model.Added, Raw: pod(fmt.Sprintf("p%d", n), strings.Repeat("x", n%97), n)})
		n++
	}
	evicted := log.Snapshot().Evicted()
	if evicted == 0 {
		t.Fatal("the log has not let go of anything")
	}
	out, _ := printed(t, log, false)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if want := fmt.Sprintf("LOST - %d rows left the log", evicted); !strings.Contains(lines[0], want) {
		t.Errorf("first line %q, want %q", lines[0], want)
	}
	if len(lines)-1+int(evicted) != n {
		t.Errorf("%d rows: %d lost and %d printed", n, evicted, len(lines)-1)
	}
}

// In a pipe nobody can retry: when no watch is left, the command has failed.
func TestEveryWatchRefusedForGoodIsAFailure(t *testing.T) {
	log := model.NewLog(model.Options{})
	a := log.AddStream(model.StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
	b := log.AddStream(model.StreamInfo{Version: "v1", Resource: "nodes", Kind: "Node"})
	stop := func(id model.StreamID) {
		log.Append(model.Record{Time: start, Stream: id, Type: model.StreamChange,
			Detail: model.Transition{From: model.Connecting, To: model.Stopped, Cause: model.CauseInvalid, Text: "400 field label not supported: spec.foo"}})
	}
	var out, errs buffer
	ended := make(chan error, 1)
	stop(a)
	go func() { ended <- newPrinter(log, streams{nil, &out, &errs}, false).run(t.Context()) }()
	select {
	case err := <-ended:
		t.Fatalf("one stream goes on, but: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	stop(b)
	select {
	case err := <-ended:
		var f *failure
		if !errors.As(err, &f) || f.code != 1 {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("goes on without a watch")
	}
}

// Who scaled a Deployment is who owns its replicas, not the controller that
// counted its status in the same second. As kubectl 1.36 leaves it.
func TestLinesNameWhoOwnsTheChange(t *testing.T) {
	log, id := testLog(t, 0)
	deployment := func(rv, replicas int, managers string) []byte {
		return fmt.Appendf(nil, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"checkout","namespace":"shop","uid":"u","resourceVersion":"%d",`+
			`"managedFields":[%s]},"spec":{"replicas":%d}}`, rv, managers, replicas)
	}
	controller := func(at string) string {
		return `{"manager":"kube-controller-manager","operation":"Update","subresource":"status","apiVersion":"apps/v1","time":"` + at + `","fieldsV1":{"f:status":{"f:replicas":{}}}}`
	}
	scaler := func(at string) string {
		return `{"manager":"kubectl","operation":"Update","subresource":"scale","apiVersion":"apps/v1","time":"` + at + `","fieldsV1":{"f:spec":{"f:replicas":{}}}}`
	}
	first := scaler("2026-12-01T12:00:00Z") + "," + controller("2026-12-01T12:00:00Z")
	log.Append(model.Record{Time: start, Stream: id, Type: model.Added, Raw: deployment(1, 5, first)})
	// kubectl scaled again within the second of its last write: its entry has no
	// new time, the controller's has.
	second := scaler("2026-12-01T12:00:00Z") + "," + controller("2026-12-01T12:00:01Z")
	log.Append(model.Record{Time: start, Stream: id, Type: model.Modified, Raw: deployment(2, 2, second)})
	third := scaler("2026-12-01T12:00:09Z") + "," + controller("2026-12-01T12:00:01Z")
	log.Append(model.Record{Time: start, Stream: id, Type: model.Modified, Raw: deployment(3, 4, third)})
	log.Append(model.Record{Time: start, Stream: id, Type: model.Modified, Flags: model.Synthetic, Raw: deployment(4, 6, third)})
	out, _ := printed(t, log, false)
	wantLines(t, out, ``, `spec\.replicas 5→2 \[likely kubectl\]$`, `spec\.replicas 2→4 \[kubectl\]$`, `spec\.replicas 4→6 \(relist\)$`)
	var o, e buffer
	if err := inSentences(newPrinter(log, streams{nil, &o, &e}, false), time.UTC).print(log.Snapshot()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"5 to 2, by likely kubectl.", "2 to 4, by kubectl.", "4 to 6.\n"} {
		if !strings.Contains(o.String(), want) {
			t.Errorf("%q is not in\n%s", want, o.String())
		}
	}
}
