package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// podsTape is a tape with the Pods of some contexts and namespaces, all of them
// current for as long; of the first changes may be missing.
func podsTape(t *testing.T, of ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	w := tape.NewWriter(&b, tape.Header{Tool: "test", Created: start}, tape.Options{})
	end := start.Add(18*time.Hour + 55*time.Minute + 44*time.Second + 949607423) // 1000*x/x is less than 1000 in float64
	for _, x := range of {
		w.AddStream(model.StreamInfo{Context: x[0], Server: "https://" + x[0], Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Namespace: x[1]})
	}
	add := func(at time.Time, s int, typ model.Type, detail any) {
		if err := w.Append(model.Record{Time: at, Stream: model.StreamID(s), Type: typ, Detail: detail}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range of {
		add(start, i, model.StreamChange, model.Transition{To: model.Live})
	}
	add(start.Add(time.Second), 0, model.GapFound, model.Gap{Cause: model.CauseExpired, Text: "history lost", FromRV: "1", ToRV: "2", Took: time.Second})
	for i := range of {
		add(end, i, model.Noted, model.Note{Text: "the end"})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pods.rwt")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Of several streams of one resource info says which one has a gap, and of one
// that always was current that it was.
func TestInfoTellsStreamsApart(t *testing.T) {
	path := podsTape(t, [2]string{"eu", "shop"}, [2]string{"eu", "pay"}, [2]string{"us", ""})
	got := mustRun(t, 0, "info", path).out
	if !strings.Contains(got, "  pods in shop @eu  rv 1 to 2") || strings.Count(got, " 100.0 %") != 3 {
		t.Error(got)
	}
	if one := mustRun(t, 0, "info", podsTape(t, [2]string{"eu", "shop"})).out; !strings.Contains(one, "  pods  rv 1 to 2") {
		t.Error(one)
	}
	var doc infoList
	if err := json.Unmarshal([]byte(mustRun(t, 0, "info", "-o", "json", path).out), &doc); err != nil {
		t.Fatal(err)
	}
	d := doc.Tapes[0]
	if g := d.Gaps[0]; g.Stream != "pods" || d.Streams[g.Index].Namespace != "shop" {
		t.Errorf("%+v of %+v", g, d.Streams)
	}
	file := mustOpenTape(t, path)
	list, err := (&infos{tapes: []*tapeFile{file}}).Tapes(t.Context())
	if err != nil || list[0].Streams[2].Full != "pods in all @us" || list[0].Gaps[0].Stream != 1 {
		t.Errorf("%v: %+v", err, list)
	}
}

// Info tells what the size is a share of: a capture of the same
// is larger than its frames.
func TestInfoTellsWhatTheSizeIsCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.rwt")
	if err := os.WriteFile(path, demoTape, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, 0, "info", path).out; !strings.Contains(got, " % of the ") || !strings.Contains(got, " of its frames alone, ") {
		t.Error(got)
	}
}

// A page that is closed has no further tape read, and what it had read is kept;
// under the race detector, what is returned belongs to nobody else.
func TestTapesAreNotReadForAPageThatIsClosed(t *testing.T) {
	file := mustOpenTape(t, podsTape(t, [2]string{"eu", "shop"}))
	closed, cancel := context.WithCancel(t.Context())
	cancel()
	x := &infos{tapes: []*tapeFile{file, file}}
	if list, err := x.Tapes(closed); err == nil || list != nil {
		t.Error(list, err)
	}
	x.mu.Lock()
	if len(x.docs) > 0 {
		t.Errorf("%d tapes were read", len(x.docs))
	}
	x.mu.Unlock()
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		x := &infos{tapes: []*tapeFile{file, file}}
		go cancel()
		_, _ = x.Tapes(ctx)
		if list, err := x.Tapes(t.Context()); err != nil || len(list) != 2 {
			t.Fatal(len(list), err)
		}
	}
}

func mustOpenTape(t *testing.T, path string) *tapeFile {
	t.Helper()
	file, err := openTape(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}
