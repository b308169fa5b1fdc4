package capture

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
	"rewatch/model/redact"
	"rewatch/watch/export"
	"rewatch/watch/tape"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func testRedactor() *redact.Redactor { return redact.NewWithKey([32]byte{1}) }

// imported imports text and opens the tape.
func imported(tb testing.TB, in io.Reader, o Options) (*tape.Tape, Summary, error) {
	tb.Helper()
	var b bytes.Buffer
	w := tape.NewWriter(&b, tape.Header{Tool: "test", Created: now}, tape.Options{Redactor: testRedactor()})
	o.Now = now
	sum, err := Import(in, w, o)
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	t, e := tape.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), tape.Limits{})
	if e != nil {
		tb.Fatal(e)
	}
	return t, sum, err
}

func must(tb testing.TB, text string) *tape.Tape {
	tb.Helper()
	t, _, err := imported(tb, strings.NewReader(text), Options{Context: "c"})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// exported returns the lines that a tape gives back.
func exported(tb testing.TB, t *tape.Tape) []byte {
	tb.Helper()
	var out bytes.Buffer
	if _, err := export.Write(tb.Context(), t, &out, "watch-json", export.Options{Damaged: func(d *tape.Damage) { tb.Error(d) }}); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// records describes what is on a tape, one line each: who sees a mistake sees it.
func records(tb testing.TB, t *tape.Tape) string {
	tb.Helper()
	var b strings.Builder
	for e, err := range t.Records() {
		if err != nil {
			tb.Fatal(err)
		}
		switch d := e.Detail.(type) {
		case model.Transition:
			fmt.Fprintf(&b, "%d %v %v→%v\n", e.Stream, e.Time.UTC().Format("15:04:05"), d.From, d.To)
		case model.Note:
			fmt.Fprintf(&b, "%d %v NOTE %s\n", e.Stream, e.Time.UTC().Format("15:04:05"), d.Text)
		case model.Gap:
			fmt.Fprintf(&b, "%d %v GAP %s→%s %d added %d modified %d deleted\n", e.Stream, e.Time.UTC().Format("15:04:05"), d.FromRV, d.ToRV, d.Added, d.Modified, d.Deleted)
		default:
			flags := ""
			for f, name := range map[model.Flag]string{model.Initial: " initial", model.Synthetic: " synthetic", model.Replayed: " replayed"} {
				if e.Has(f) {
					flags += name
				}
			}
			fmt.Fprintf(&b, "%d %v %v %s%s\n", e.Stream, e.Time.UTC().Format("15:04:05"), e.Type, e.Identity.Name, flags)
		}
	}
	return b.String()
}

// redacted is what shall come back of a capture.
func redacted(lines []byte) []byte {
	var out []byte
	for one := range bytes.Lines(lines) {
		if bytes.Contains(one, []byte(`"stream":"secrets"`)) {
			at := bytes.Index(one, []byte(`"frame":`)) + len(`"frame":`)
			one = append(append(bytes.Clone(one[:at]), testRedactor().Secret(bytes.TrimSuffix(one[at:], []byte("}\n")))...), "}\n"...)
		}
		out = append(out, one...)
	}
	return out
}

func unpacked(tb testing.TB, path string) []byte {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	plain, done, err := unpack(f)
	if err != nil {
		tb.Fatal(err)
	}
	defer done()
	b, err := io.ReadAll(plain)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestCapturesComeBack: every frame of a capture comes back from the tape, byte
// for byte, at its time and in its place.
func TestCapturesComeBack(t *testing.T) {
	for _, path := range []string{"../../model/testdata/shop.watch.jsonl.gz", "../../../shared/data/shop.watch.jsonl.gz", "../../../shared/data/load.watch.jsonl.zst"} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Skip("skipped, since the capture is not here: ", err)
			}
			defer func() { _ = f.Close() }()
			if testing.Short() && strings.Contains(path, "load") {
				t.Skip("skipped: large")
			}
			x, sum, err := imported(t, f, Options{})
			if err != nil {
				t.Fatal(err)
			}
			lines := unpacked(t, path)
			want := redacted(lines)
			if got := exported(t, x); !bytes.Equal(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Errorf("%d bytes, want %d; they differ from byte %d on", len(got), len(want), at)
			}
			if n := int64(bytes.Count(lines, []byte("\n"))); sum.Frames != n || sum.Kind != Lines || sum.Streams != 12 || sum.Skipped != 0 {
				t.Errorf("%+v, want %d frames", sum, n)
			}
			report, err := x.Verify()
			if err != nil || report.Verdict() != tape.Whole {
				t.Errorf("%+v %v", report, err)
			}
		})
	}
}

// TestShopIsUnderstood: what the capture leaves out is worked out right.
func TestShopIsUnderstood(t *testing.T) {
	f, err := os.Open("../../model/testdata/shop.watch.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	x, _, err := imported(t, f, Options{Context: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	scopes, uncached := map[string]bool{}, map[model.StreamID]bool{}
	for _, s := range x.Info().Streams {
		uncached[s.ID] = s.Uncached
		scopes[s.Resource] = s.Namespaced
		if s.Context != "shop" || s.Kind == "" || s.Version == "" || s.Uncached != (s.Resource == "events") {
			t.Errorf("%+v", s)
		}
	}
	for resource, namespaced := range scopes {
		if namespaced == (resource == "nodes") { // jobs and secrets begin with a bookmark, which has no namespace
			t.Errorf("%s: namespaced %v", resource, namespaced)
		}
	}
	var initial, added int
	last := map[model.StreamID]model.State{}
	opened := 0
	for e, err := range x.Records() {
		if err != nil {
			t.Fatal(err)
		}
		switch d := e.Detail.(type) {
		case model.Transition:
			if d.From != last[e.Stream] {
				t.Errorf("stream %d: from %v, was %v", e.Stream, d.From, last[e.Stream])
			}
			if last[e.Stream] = d.To; d.To == model.Syncing {
				opened++
			}
		default:
			if e.Has(model.Initial) {
				initial++
			} else if e.Type == model.Added {
				added++
			}
		}
	}
	// Counted in the capture: 748 ADDED, of which 165 come before the first end
	// of an initial state, and 355 repeat it at the end, in ten streams.
	if initial != 165+355 || added != 748-165-355 || opened != 12+10 {
		t.Errorf("%d initial, %d created, opened %d times", initial, added, opened)
	}
	for s, state := range last {
		want := model.Live
		if uncached[s] { // without heartbeats
			want = model.Quiet
		}
		if state != want {
			t.Errorf("stream %d ends %v", s, state)
		}
	}
}

func line(t float64, stream, typ, kind, meta string) string {
	return fmt.Sprintf(`{"t":%f,"stream":%q,"frame":{"type":%q,"object":{"kind":%q,"apiVersion":"acme.example/v1","metadata":{%s}}}}`, t, stream, typ, kind, meta) + "\n"
}

const (
	end   = `"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}`
	first = 1796126400.0 // 12:00:00
)

func TestInitialState(t *testing.T) {
	obj := func(name, created string) string {
		return fmt.Sprintf(`"name":%q,"namespace":"n","uid":"u-%s","creationTimestamp":"2026-12-01T%sZ"`, name, name, created)
	}
	for name, c := range map[string]struct{ text, want string }{
		"with its end": {
			line(first, "gears", "ADDED", "Gear", obj("a", "10:00:00")) + line(first+20, "gears", "ADDED", "Gear", obj("b", "11:00:00")) +
				line(first+21, "gears", "BOOKMARK", "Gear", end) + line(first+22, "gears", "ADDED", "Gear", obj("c", "12:00:22")),
			"0 12:00:00 IDLE→SYNC\n0 12:00:00 ADDED a initial\n0 12:00:20 ADDED b initial\n0 12:00:21 BOOKMARK \n0 12:00:21 SYNC→LIVE\n0 12:00:22 ADDED c\n"},
		"empty": {
			line(first, "gears", "BOOKMARK", "Gear", end) + line(first+1, "gears", "ADDED", "Gear", obj("a", "12:00:01")),
			"0 12:00:00 IDLE→SYNC\n0 12:00:00 BOOKMARK \n0 12:00:00 SYNC→LIVE\n0 12:00:01 ADDED a\n"},
		"without an end": {
			line(first, "gears", "ADDED", "Gear", obj("a", "10:00:00")) + line(first+1, "gears", "MODIFIED", "Gear", obj("a", "10:00:00")) +
				line(first+1, "gears", "ADDED", "Gear", obj("b", "12:00:01")),
			"0 12:00:00 IDLE→SYNC\n0 12:00:00 ADDED a initial\n0 12:00:01 SYNC→LIVE\n0 12:00:01 MODIFIED a\n0 12:00:01 ADDED b\n"},
		"without an end, and created later": {
			line(first, "gears", "ADDED", "Gear", obj("a", "10:00:00")) + line(first+60, "gears", "ADDED", "Gear", obj("b", "12:01:00")),
			"0 12:00:00 IDLE→SYNC\n0 12:00:00 ADDED a initial\n0 12:01:00 SYNC→LIVE\n0 12:01:00 ADDED b\n"},
		"begun in the middle": {
			line(first, "gears", "DELETED", "Gear", obj("a", "10:00:00")) + line(first+1, "gears", "ADDED", "Gear", obj("a", "10:00:00")),
			"0 12:00:00 IDLE→LIVE\n0 12:00:00 DELETED a\n0 12:00:01 ADDED a\n"},
		"opened anew": {
			line(first, "gears", "ADDED", "Gear", obj("a", "10:00:00")) + line(first, "gears", "BOOKMARK", "Gear", end) +
				line(first+5, "gears", "ADDED", "Gear", obj("a", "10:00:00")) + line(first+5, "gears", "ADDED", "Gear", obj("b", "12:00:02")) + line(first+5, "gears", "BOOKMARK", "Gear", end),
			"0 12:00:00 IDLE→SYNC\n0 12:00:00 ADDED a initial\n0 12:00:00 BOOKMARK \n0 12:00:00 SYNC→LIVE\n" +
				"0 12:00:05 LIVE→SYNC\n0 12:00:05 ADDED a initial\n0 12:00:05 ADDED b initial\n0 12:00:05 BOOKMARK \n" +
				"0 12:00:05 GAP 1→1 1 added 0 modified 0 deleted\n0 12:00:05 SYNC→LIVE\n"}, // nobody saw b come
		"an error": {
			line(first, "gears", "ADDED", "Gear", obj("a", "10:00:00")) + `{"t":1796126401,"stream":"gears","frame":{"type":"ERROR","object":{"kind":"Status","code":410}}}` + "\n",
			"0 12:00:00 IDLE→SYNC\n0 12:00:00 ADDED a initial\n0 12:00:01  \n0 12:00:01 SYNC→EXPIRED\n"},
	} {
		if got := records(t, must(t, c.text)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}

// TestScopeIsLearned: a bookmark does not tell whether a type is namespaced, an
// object does, whatever comes first.
func TestScopeIsLearned(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"one namespaced object": {line(first, "x", "ADDED", "Gear", `"name":"a","namespace":"n"`), true},
		"one cluster object":    {line(first, "x", "ADDED", "Gear", `"name":"a"`), false},
		"a bookmark, then a cluster object": {
			line(first, "x", "BOOKMARK", "Gear", end) + line(first, "y", "BOOKMARK", "Gear", end) + line(first, "x", "ADDED", "Gear", `"name":"a"`), false},
		"a bookmark, then a namespaced object": {line(first, "x", "BOOKMARK", "Gear", end) + line(first, "x", "ADDED", "Gear", `"name":"a","namespace":"n"`), true},
		"a bookmark of a known type":           {strings.ReplaceAll(line(first, "x", "BOOKMARK", "Node", end), "acme.example/v1", "v1"), false},
		"only a bookmark":                      {line(first, "x", "BOOKMARK", "Gear", end), true},
	} {
		x := must(t, c.text)
		s := x.Info().Streams[0]
		if s.Namespaced != c.want || s.Kind == "" || s.Resource != "x" || s.Context != "c" {
			t.Errorf("%s: %+v", name, s)
		}
		r, err := x.Seek(now.Add(time.Hour))
		if err != nil || r.Streams()[0].Namespaced != c.want || r.Streams()[0].Last.To == model.Idle {
			t.Errorf("%s: at the end %+v, %v", name, r.Streams()[0], err)
		}
	}
}

// packings are what any input may come as.
func packings(tb testing.TB, text string) map[string][]byte {
	tb.Helper()
	var gz, zst, two bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, _ = io.WriteString(g, text)
	_ = g.Close()
	z, err := zstd.NewWriter(&zst, zstd.WithEncoderConcurrency(1))
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	for _, half := range []string{text[:len(text)/2], text[len(text)/2:]} {
		g := gzip.NewWriter(&two)
		_, _ = io.WriteString(g, half)
		_ = g.Close()
	}
	return map[string][]byte{"plain": []byte(text), "gzip": gz.Bytes(), "zstd": zst.Bytes(), "gzip in two members": two.Bytes(),
		"with a mark": []byte("\xef\xbb\xbf \n" + text), "Windows lines": []byte(strings.ReplaceAll(text, "\n", "\r\n"))}
}

func TestPackingsAreRecognised(t *testing.T) {
	lines := line(first, "gears", "ADDED", "Gear", `"name":"a"`) + line(first, "gears", "MODIFIED", "Gear", `"name":"a"`)
	for name, b := range packings(t, lines) {
		x, sum, err := imported(t, bytes.NewReader(b), Options{})
		if err != nil || sum.Frames != 2 || sum.Kind != Lines {
			t.Errorf("%s: %+v %v", name, sum, err)
		}
		if got := string(exported(t, x)); got != lines {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(line(first, "gears", "ADDED", "Gear", `"name":"a"`) + line(first, "gears", "BOOKMARK", "Gear", end)))
	f.Add([]byte(event("ADDED", pod("a", "")) + event("DELETED", pod("a", written2("11:00:00")))))
	f.Add([]byte(pod("a", "") + pod("a", "")))
	f.Add([]byte(`{"apiVersion":"v1","items":[` + pod("a", "") + `],"kind":"List"}`))
	for _, b := range packings(f, line(first, "gears", "MODIFIED", "Gear", `"name":"a"`)) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, sum, err := imported(t, bytes.NewReader(b), Options{KeepGoing: true})
		if err != nil {
			return
		}
		report, err := x.Verify()
		if err != nil || report.Verdict() == tape.Damaged { // gaps may be
			t.Fatalf("%+v %v", report, err)
		}
		// What came in goes out, and comes in again the same.
		lines := exported(t, x)
		if n := int64(bytes.Count(lines, []byte("\n"))); n != sum.Frames {
			t.Fatalf("%d lines of %d frames:\n%s", n, sum.Frames, lines)
		}
		if y, _, err := imported(t, bytes.NewReader(lines), Options{}); err != nil || !bytes.Equal(exported(t, y), lines) {
			t.Fatalf("%v\n%s", err, lines)
		}
	})
}
