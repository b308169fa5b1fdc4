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

// TestInfoTellsRefusals: that every stream is stopped at the end of a recording
// does not hide that one never was current.
func TestInfoTellsRefusals(t *testing.T) {
	var b bytes.Buffer
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	w := tape.NewWriter(&b, tape.Header{Tool: "test", Created: start}, tape.Options{})
	for _, r := range []string{"pods", "secrets"} {
		w.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: r, Kind: r, Namespaced: true})
	}
	for i, x := range []struct {
		s model.StreamID
		d model.Transition
	}{
		{0, model.Transition{To: model.Connecting, Cause: model.CauseStart}},
		{1, model.Transition{To: model.Connecting, Cause: model.CauseStart}},
		{0, model.Transition{From: model.Connecting, To: model.Denied, Cause: model.CauseForbidden, Text: "list 403 pods is forbidden"}},
		{1, model.Transition{From: model.Connecting, To: model.Live}},
		{0, model.Transition{From: model.Denied, To: model.Stopped, Cause: model.CauseShutdown}},
		{1, model.Transition{From: model.Live, To: model.Stopped, Cause: model.CauseShutdown}},
	} {
		if err := w.Append(model.Record{Time: start.Add(time.Duration(i) * time.Second), Stream: x.s, Type: model.StreamChange, Detail: x.d}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.rwt")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, 0, "info", path); !containsAll(got.out, []string{"never current  pods: DENIED list 403 pods is forbidden", " DENIED\n", " LIVE\n"}) {
		t.Error(got.out)
	}
	if got := mustRun(t, 0, "info", "-o", "json", path); !containsAll(got.out, []string{`"state": "DENIED"`, `"failure": "DENIED list 403 pods is forbidden"`, `"state": "LIVE"`}) {
		t.Error(got.out)
	}
}

// TestInfoOfAList: what kubectl printed as a List does not tell what was asked
// for.
func TestInfoOfAList(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "pods.json"), filepath.Join(dir, "pods.rwt")
	list := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop","uid":"1","creationTimestamp":"2026-12-01T09:00:00Z"}}]}`
	if err := os.WriteFile(in, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, 0, "import", in, "-o", out)
	if got := mustRun(t, 0, "info", out); !strings.Contains(got.out, " unknown (List) ") || strings.Contains(got.out, "all namespaces") {
		t.Error(got.out)
	}
}

// The screen is told of a tape what info prints, and by the same words.
func TestTheScreenIsToldWhatInfoTells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.rwt")
	if err := os.WriteFile(path, demoTape, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := openTape(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	told := &infos{tapes: []*tapeFile{file}}
	list, err := told.Tapes(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	printed := mustRun(t, 0, "info", path).out
	x := list[0]
	for _, f := range x.Facts(clock) {
		if !strings.Contains(printed, f.Text) {
			t.Errorf("info does not say %s %s", f.Name, f.Text)
		}
	}
	if len(x.Streams) == 0 || len(x.Gaps) == 0 || len(x.Marks) == 0 {
		t.Fatalf("%d streams, %d gaps, %d marks", len(x.Streams), len(x.Gaps), len(x.Marks))
	}
	for _, m := range append(x.Gaps, x.Marks...) {
		if !strings.Contains(printed, clock(m.To)) || !strings.Contains(printed, m.Text) {
			t.Errorf("info does not say %v", m)
		}
	}
	for _, s := range x.Streams {
		var watched, fresh time.Duration
		for _, span := range s.Spans {
			if watched += span.To.Sub(span.From); span.Fresh {
				fresh += span.To.Sub(span.From)
			}
		}
		if watched != s.Watched || fresh != s.Fresh || !strings.Contains(printed, s.Name) {
			t.Errorf("%s: the spans are %v of %v, told are %v of %v", s.Name, fresh, watched, s.Fresh, s.Watched)
		}
	}
}
