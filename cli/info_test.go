package cli

import (
	"bytes"
	"os"
	"path/filepath"
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
