package timeserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
	"k8s.io/apimachinery/pkg/watch"
)

func demoHistory(t *testing.T) *History {
	t.Helper()
	h, err := Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// state is what a store holds, without what a player may change: RVs, times
// and UIDs.
func state(t *testing.T, s *Store) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, r := range s.Resources() {
		for _, raw := range s.State(r.Key()) {
			o, err := newObject(r, raw, nil, 1)
			if err != nil {
				t.Fatal(err)
			}
			m[r.Key()+" "+o.key()] = plain(raw)
		}
	}
	return m
}

// plain blanks what a player may change.
func plain(raw []byte) string {
	w := rewriter{func(time.Time) time.Time { return time.Unix(0, 0).UTC() }, func(string) string { return "uid" }}
	out, err := stampRV(w.rewrite(raw), "1")
	if err != nil {
		panic(err)
	}
	return string(out)
}

// after is the state that a history leads to after n of its steps.
func after(h *History, n int) map[string]string {
	m := map[string]string{}
	for _, o := range h.initial {
		raw := o.raw
		if o.uid == "" {
			raw = insertFirst(raw, bytes.Index(raw, []byte(`"metadata":`))+len(`"metadata":`), "uid", "uid")
		}
		m[o.resource+" "+o.key] = plain(raw)
	}
	for _, s := range h.steps[:n] {
		if k := s.resource + " " + s.key; s.typ == watch.Deleted {
			delete(m, k)
		} else {
			m[k] = plain(s.raw)
		}
	}
	return m
}

func diffState(t *testing.T, got, want map[string]string) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s:\n got %s\nwant %s", k, got[k], v)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s should not be there", k)
		}
	}
}

func TestDemoHistory(t *testing.T) {
	h := demoHistory(t)
	if len(h.resources) != 13 || h.Length() < 3*time.Minute || h.Changes() < 1000 {
		t.Errorf("%d resources, %v, %d changes", len(h.resources), h.Length(), h.Changes())
	}
	byKey := map[string]Resource{}
	for _, r := range h.Resources() {
		byKey[r.Key()] = r
	}
	if r := byKey["cronwidgets.acme.example"]; r.Kind != "Widget" || !r.Namespaced || r.Version != "v1" {
		t.Errorf("custom resource: %+v", r)
	}
	if r := byKey["nodes"]; r.Namespaced || len(r.ShortNames) == 0 {
		t.Errorf("nodes: %+v", r)
	}
	if !byKey["events"].Uncached {
		t.Error("events must be uncached")
	}
	// The streams were opened anew in the last second: that repeats the state,
	// and is no change.
	late := 0
	for _, s := range h.steps {
		if s.at > h.length-500*time.Millisecond {
			late++
		}
	}
	if late > 20 {
		t.Errorf("%d changes in the last half second", late)
	}
}

func TestPlayerReachesEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := demoHistory(t)
		p := NewPlayer(h)
		if err := p.Load(); err != nil {
			t.Fatal(err)
		}
		diffState(t, state(t, p.Store), after(h, 0))
		p.Speed = math.Inf(1)
		if err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		diffState(t, state(t, p.Store), after(h, len(h.steps)))
		p.rewind(t.Context())
		diffState(t, state(t, p.Store), after(h, 0))
	})
}

func TestPlayerKeepsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := demoHistory(t)
		p := NewPlayer(h)
		p.Speed, p.Loop = 2, true
		if err := p.Load(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- p.Run(ctx) }()
		half := 0
		for half < len(h.steps) && h.steps[half].at < 60*time.Second {
			half++
		}
		time.Sleep(time.Until(p.now.Add(30*time.Second - time.Millisecond)))
		synctest.Wait()
		diffState(t, state(t, p.Store), after(h, half))
		// The second run: the same state after the same time.
		time.Sleep(h.Length()/2 + 30*time.Second)
		rv := p.Store.RV()
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if p.run != 1 || p.Store.RV() <= rv {
			t.Errorf("run %d, RV %d after %d: want the second run", p.run, p.Store.RV(), rv)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestPlayerTellsTimesAsIfNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := demoHistory(t)
		p := NewPlayer(h)
		if err := p.Load(); err != nil {
			t.Fatal(err)
		}
		go func() { _ = p.Run(t.Context()) }()
		time.Sleep(time.Until(p.now.Add(90 * time.Second)))
		synctest.Wait()
		newest, fresh := time.Time{}, 0
		for _, raw := range p.Store.State("pods") {
			var o struct {
				Metadata struct{ CreationTimestamp time.Time }
			}
			if err := json.Unmarshal(raw, &o); err != nil {
				t.Fatal(err)
			}
			if c := o.Metadata.CreationTimestamp; c.After(newest) {
				newest = c
			}
			if age := time.Since(o.Metadata.CreationTimestamp); age < 0 || age > 10*time.Minute {
				t.Errorf("a pod is %v old", age)
			} else if age < 90*time.Second {
				fresh++
			}
		}
		if fresh == 0 {
			t.Errorf("no pod was made since the start; newest %v", newest)
		}
	})
}

func TestUIDsAreNewInEveryRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := demoHistory(t)
		p := NewPlayer(h)
		p.Speed, p.Loop = 20, true
		p.Store.SetWindow(1 << 20)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := p.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if p.run < 2 {
			t.Fatalf("only %d runs", p.run)
		}
		for _, r := range p.Store.Resources() {
			dead := map[string]bool{}
			tab, _ := p.Store.table(r.Key())
			for _, c := range tab.changes {
				if c.now != nil && dead[c.now.uid] {
					t.Fatalf("%s %s came back to life as the same object", r.Key(), c.now.key())
				}
				if c.now == nil {
					dead[c.old.uid] = true
				}
			}
		}
	})
}

func TestRewriteKeepsTheForm(t *testing.T) {
	shift := rewriter{
		moment: func(t time.Time) time.Time { return t.Add(time.Hour + 1500*time.Millisecond) },
		uid:    func(u string) string { return reborn(u, 3) },
	}
	in := `{"a":"2026-12-01T00:53:17Z","b":"2026-12-01T00:53:17.000250Z","c":"2026-12-01T00:53:17+02:00",` +
		`"d":"not 2026-12-01T00:53:17Z","e":"2026-13-01T00:53:17Z","f":"67c40ac3-00fd-42bb-ae85-28f60b3f79cb","g":"\"2026"}`
	want := `{"a":"2026-12-01T01:53:18Z","b":"2026-12-01T01:53:18.500250Z","c":"2026-12-01T01:53:18+02:00",` +
		`"d":"not 2026-12-01T00:53:17Z","e":"2026-13-01T00:53:17Z","f":"67c40ac3-00fd-42bb-ae85-28f60b3f79c8","g":"\"2026"}`
	if got := string(shift.rewrite([]byte(in))); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestReadHistoryErrors(t *testing.T) {
	for name, in := range map[string]string{
		"empty":     "",
		"no json":   "hello\n",
		"no stream": `{"t":1,"frame":{"type":"ADDED","object":{}}}`,
		"no kind":   `{"t":1,"stream":"pods","frame":{"type":"ADDED","object":{"metadata":{"name":"a"}}}}`,
		"no name":   `{"t":1,"stream":"pods","frame":{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod"}}}`,
	} {
		if _, err := ReadHistory(strings.NewReader(in)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReopenedStreamsAreNoChanges(t *testing.T) {
	line := func(at float64, typ, name, rv string) string {
		end := ""
		if typ == "BOOKMARK" {
			end = `"annotations":{"k8s.io/initial-events-end":"true"},`
		}
		return fmt.Sprintf(`{"t":%f,"stream":"pods","frame":{"type":%q,"object":{"apiVersion":"v1","kind":"Pod",`+
			`"metadata":{%s"name":%q,"namespace":"shop","uid":"u-%s","resourceVersion":%q}}}}`+"\n", at, typ, end, name, name, rv)
	}
	h, err := ReadHistory(strings.NewReader(
		line(100, "ADDED", "a", "1") + line(100, "ADDED", "b", "2") + line(100, "BOOKMARK", "", "3") +
			line(101, "MODIFIED", "a", "4") + line(102, "ADDED", "c", "5") +
			// opened anew: b has gone, c has changed, d is new
			line(110, "ADDED", "a", "4") + line(110, "ADDED", "c", "6") + line(110, "ADDED", "d", "7") +
			line(110, "BOOKMARK", "", "8")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range h.steps {
		got = append(got, fmt.Sprint(s.at, " ", s.typ, " ", s.key))
	}
	want := "1s MODIFIED shop/a, 2s ADDED shop/c, 10s MODIFIED shop/c, 10s ADDED shop/d, 10s DELETED shop/b"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("\n got %s\nwant %s", s, want)
	}
}

// TestNoSecretsInRecordings looks for the Secret values of the capture that the
// demo was made from, in the demo and in all testdata. They are spelled in
// parts, so as not to be here.
func TestNoSecretsInRecordings(t *testing.T) {
	var needles [][]byte
	for _, n := range []string{"1", "2"} {
		plain := "SENTI" + "NEL-" + "s3cr" + "3t-" + n
		needles = append(needles, []byte(plain), []byte(base64.StdEncoding.EncodeToString([]byte(plain))))
	}
	clean := func(where string, b []byte) {
		for _, n := range needles {
			if bytes.Contains(b, n) {
				t.Errorf("%s holds the value of a Secret", where)
			}
		}
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	err = filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if path = filepath.ToSlash(path); !strings.Contains(path, "testdata/") && !strings.HasSuffix(path, ".jsonl.zst") {
			return nil
		}
		if info, err := d.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > 8<<20 {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		clean(path, b)
		if strings.HasSuffix(path, ".zst") {
			if b, err = dec.DecodeAll(b, nil); err != nil {
				return err
			}
			clean(path, b)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
