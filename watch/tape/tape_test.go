package tape

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/redact"
)

// ordinary is what makes a test quick in ordinary runs: a stride, or a part of
// a capture. It is 1 where REWATCH_LONG asks for everything.
func ordinary(n int) int {
	if os.Getenv("REWATCH_LONG") != "" {
		return 1
	}
	return n
}

func testHeader() Header {
	return Header{Tool: "rewatch test", Created: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
}

func testRedactor() *redact.Redactor { return redact.NewWithKey([32]byte{1}) }

// shopLines is the capture in model/testdata.
func shopLines(tb testing.TB) []byte {
	tb.Helper()
	f, err := os.Open("../../model/testdata/shop.watch.jsonl.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// firstPart is the first n-th of the lines.
func firstPart(lines []byte, n int) []byte {
	return lines[:bytes.LastIndexByte(lines[:len(lines)/n], '\n')+1]
}

// importTape makes a tape of a capture.
func importTape(tb testing.TB, lines []byte, o Options) []byte {
	tb.Helper()
	var b bytes.Buffer
	if o.Redactor == nil {
		o.Redactor = testRedactor()
	}
	w := NewWriter(&b, testHeader(), o)
	if err := importLines(lines, w, "test"); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func mustOpen(tb testing.TB, b []byte) *Tape {
	tb.Helper()
	t, err := Open(bytes.NewReader(b), int64(len(b)), Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// checkSame says where two texts of lines begin to differ.
func checkSame(tb testing.TB, got, want []byte) {
	tb.Helper()
	if bytes.Equal(got, want) {
		return
	}
	for i := 0; ; i++ {
		g, restG, okG := bytes.Cut(got, []byte("\n"))
		x, restX, okX := bytes.Cut(want, []byte("\n"))
		if !bytes.Equal(g, x) || !okG || !okX {
			tb.Errorf("line %d:\ngot  %.1000s\nwant %.1000s", i+1, g, x)
			return
		}
		got, want = restG, restX
	}
}

func exported(tb testing.TB, t *Tape) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := exportLines(t, &out, func(d *Damage) { tb.Error(d) }); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// redactedLines is what shall come back of a capture: the Secrets redacted.
func redactedLines(tb testing.TB, lines []byte) []byte {
	tb.Helper()
	var out []byte
	for one := range bytes.Lines(lines) {
		if bytes.Contains(one, []byte(`"stream":"secrets"`)) {
			at := bytes.Index(one, []byte(`"frame":`)) + len(`"frame":`)
			frame := bytes.TrimSuffix(one[at:], []byte("}\n"))
			one = append(append(bytes.Clone(one[:at]), testRedactor().Secret(frame)...), "}\n"...)
		}
		out = append(out, one...)
	}
	return out
}

func TestShopComesBack(t *testing.T) {
	whole := shopLines(t)
	for _, o := range []Options{{}, {Memory: 1}, {FrameSize: 1, SegmentFloor: 32 << 10, Checkpoint: 1}, {SegmentFloor: 1, Checkpoint: 1, FrameSize: 16 << 10}} {
		lines := whole
		if o != (Options{}) { // these take their time
			lines = firstPart(lines, 8)
		}
		n := int64(bytes.Count(lines, []byte("\n")))
		b := importTape(t, lines, o)
		tape := mustOpen(t, b)
		checkSame(t, exported(t, tape), redactedLines(t, lines))
		info := tape.Info()
		report, err := tape.Verify()
		if err != nil || report.Verdict() != Whole || !report.Closed || report.Records != n || info.Records != n {
			t.Errorf("%+v: %+v, %v", o, report, err)
		}
		t.Logf("%+v: %d bytes of %d, %d segments, %d frames", o, len(b), len(lines), info.Segments, info.Frames)
	}
}

func TestNoSecretReachesTheTape(t *testing.T) {
	b := importTape(t, shopLines(t), Options{})
	tape := mustOpen(t, b)
	for i := range tape.parts {
		text, err := tape.load(nil, &tape.parts[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"ZmFrZS12YWx1ZS0wMDAwMD", "fake-value-00000"} {
			if bytes.Contains(text, []byte(s)) {
				t.Errorf("frame %d holds a value", i)
			}
		}
	}
	// A Secret is one by its own word too, in any envelope and of any stream.
	secret := `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db","uid":"u1"},"data":{"p":"aHVudGVyMg=="},"stringData":{"q":"hunter2"}}`
	var out bytes.Buffer
	w := NewWriter(&out, testHeader(), Options{})
	s := w.AddStream(model.StreamInfo{Resource: "things", Kind: "Thing", Version: "v1"})
	x := w.AddStream(model.StreamInfo{Resource: "secrets", Version: "v1"})
	when := testHeader().Created
	frame := `{"object":` + secret + ` ,"type":"ADDED","object":{"data":{"p":"aHVudGVyMg=="}}}`
	for _, err := range []error{
		w.AppendFrame(model.Record{Time: when, Stream: s, Type: model.Added, Raw: []byte(secret)}, []byte(frame)),
		w.AppendFrame(model.Record{Time: when, Stream: x}, []byte(`{"type":"ERROR","object":{"data":{"p":"aHVudGVyMg=="}}}`)),
		w.Append(model.Record{Time: when, Stream: x, Type: model.Added, Raw: []byte(`{"data":{"p":"aHVudGVyMg=="}`)}),
		w.Close(),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	tape = mustOpen(t, out.Bytes())
	for i := range tape.parts {
		if text, err := tape.load(nil, &tape.parts[i]); err != nil || bytes.Contains(text, []byte("hunter2")) || bytes.Contains(text, []byte("aHVudGVyMg")) {
			t.Errorf("%v %s", err, text)
		}
	}
}

// TestSeekGivesTheState compares the state at many moments, reached through a
// checkpoint, with that of reading everything before.
func TestSeekGivesTheState(t *testing.T) {
	b := importTape(t, firstPart(shopLines(t), 2), Options{SegmentFloor: 16 << 10, Checkpoint: 1, FrameSize: 8 << 10})
	tape := mustOpen(t, b)
	if tape.Info().Segments < 4 {
		t.Fatalf("%d segments", tape.Info().Segments)
	}
	plain := tape.Reader()
	n := 0
	for when := tape.Info().From.Add(-time.Second); !when.After(tape.Info().To.Add(time.Second)); when = when.Add(7 * time.Second) {
		for {
			if _, err := plain.next(when.UnixNano()); err == errLater || err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		r, err := tape.Seek(when)
		if err != nil || !r.Whole() || len(r.Missed()) > 0 {
			t.Fatalf("%v: whole %v, missed %v", err, r.Whole(), r.Missed())
		}
		want, got := state(t, plain), state(t, r)
		if want != got {
			t.Fatalf("at %v: the state differs: %d bytes, want %d", when, len(got), len(want))
		}
		n++
		e, err := r.Next()
		if err == nil && !e.Time.After(when) || err != nil && err != io.EOF {
			t.Fatalf("at %v: next is of %v, %v", when, e.Time, err)
		}
	}
	if n < 10 {
		t.Errorf("%d moments", n)
	}
}

func state(tb testing.TB, r *Reader) string {
	tb.Helper()
	var out []byte
	for x, err := range r.Objects() {
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, x.Raw...)
		out = append(out, x.Identity.Name+x.RV+"\n"...)
	}
	for _, s := range r.Streams() {
		out = appendJSON(out, s.Last.Text+s.Resource+s.Since.String())
	}
	return string(out)
}

func TestWriterRefuses(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader(), Options{})
	s := w.AddStream(model.StreamInfo{Resource: "pods"})
	when := testHeader().Created
	for _, r := range []model.Record{
		{Time: when, Stream: s + 1, Type: model.Added, Raw: []byte("{}")},
		{Time: time.Time{}, Stream: s, Type: model.Added, Raw: []byte("{}")},
		{Time: when, Stream: s, Type: model.StreamChange},
		{Time: when, Stream: s, Type: model.StreamChange, Detail: model.Gap{}},
		{Time: when, Stream: s, Type: model.Noted, Detail: "text"},
		{Time: when, Stream: s},
		{Time: when, Stream: s, Type: 99},
		{Time: when, Stream: s, Type: model.Added, Raw: make([]byte, maxObject+1)},
	} {
		if err := w.Append(r); !errors.Is(err, ErrRecord) {
			t.Errorf("%v: %v", r.Type, err)
		}
	}
	if err := w.AppendFrame(model.Record{Time: when, Stream: s, Type: model.Added, Raw: []byte("{}")}, []byte("[]")); !errors.Is(err, ErrRecord) {
		t.Error(err)
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := w.Append(model.Record{Time: when, Stream: s, Type: model.Added, Raw: []byte("{}")}); err != ErrClosed {
		t.Error(err)
	}
	tape := mustOpen(t, out.Bytes())
	if i := tape.Info(); i.Records != 0 || !i.Closed || len(i.Streams) != 1 || i.Tool != "rewatch test" || i.Redaction != Redacted {
		t.Errorf("%+v", i)
	}
}

// TestDiskFull: a tape whose disk filled up keeps what was flushed.
func TestDiskFull(t *testing.T) {
	full := errors.New("no space left")
	lines := firstPart(shopLines(t), 4)
	var out limited
	out.left, out.err = 20_000, full
	w := NewWriter(&out, testHeader(), Options{FrameSize: 16 << 10})
	err := importLines(lines, w, "test")
	if !errors.Is(err, full) || w.Flush() != full || w.Close() != full {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	report, err := tape.Verify()
	if err != nil || report.Closed || report.Records == 0 || len(report.Damages) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

type limited struct {
	bytes.Buffer
	left int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		n, _ := l.Buffer.Write(p[:l.left])
		l.left = 0
		return n, l.err
	}
	l.left -= len(p)
	return l.Buffer.Write(p)
}

func TestHeaderIsTheFirstLine(t *testing.T) {
	b, _ := smallTape(t, 3, true)
	tape := mustOpen(t, b)
	text, err := tape.load(nil, &tape.parts[0])
	if err != nil {
		t.Fatal(err)
	}
	one, _, _ := bytes.Cut(text, []byte("\n"))
	var h map[string]any
	if err := json.Unmarshal(one, &h); err != nil || h["format"] != Format || h["version"] != float64(Version) || h["redaction"] != Redacted {
		t.Errorf("%s: %v", one, err)
	}
}

// TestSeekRecords compares what comes back of the last records before random
// moments, and the state before them, with reading everything.
func TestSeekRecords(t *testing.T) {
	b := importTape(t, firstPart(shopLines(t), 2), Options{SegmentFloor: 16 << 10, Checkpoint: 1, FrameSize: 8 << 10})
	tape := mustOpen(t, b)
	type place struct {
		when time.Time
		raw  string
	}
	var all []place
	for e, err := range tape.Records() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, place{e.Time, string(e.Raw)})
	}
	rnd := rand.New(rand.NewPCG(3, 3))
	for round := range 40 {
		at, n := rnd.IntN(len(all)+1), rnd.IntN(300)
		when := tape.Info().From.Add(-time.Second)
		if at > 0 {
			when = all[at-1].when
		}
		for at = 0; at < len(all) && !all[at].when.After(when); at++ {
		}
		r, err := tape.SeekRecords(when, n)
		if err != nil || !r.Whole() || len(r.Missed()) > 0 {
			t.Fatal(err)
		}
		from := max(at-n, 0)
		if round%10 == 0 {
			plain := tape.Reader()
			for range from {
				if _, err := plain.Next(); err != nil {
					t.Fatal(err)
				}
			}
			if want, got := state(t, plain), state(t, r); want != got {
				t.Fatalf("%d records before %d: the state differs: %d bytes, want %d", n, at, len(got), len(want))
			}
		}
		for i := from; i < min(at+3, len(all)); i++ {
			if e, err := r.Next(); err != nil || !e.Time.Equal(all[i].when) || string(e.Raw) != all[i].raw {
				t.Fatalf("%d records before %d, record %d: %v, %v", n, at, i, e, err)
			}
		}
	}
}

// TestFramesTellWhatIsInThem compares the overview with the records, for a tape
// with an index and for one without.
func TestFramesTellWhatIsInThem(t *testing.T) {
	p := &property{rnd: rand.New(rand.NewPCG(4, 3)), now: testHeader().Created, live: map[key][]byte{}}
	var b bytes.Buffer
	p.w = NewWriter(&b, testHeader(), Options{FrameSize: 4 << 10, SegmentFloor: 8 << 10, Checkpoint: 1})
	for range 600 {
		p.step(t)
	}
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := mustOpen(t, b.Bytes())
	for name, tape := range map[string]*Tape{"indexed": whole, "walked": mustOpen(t, b.Bytes()[:b.Len()-1])} {
		var sum Counts
		i, segments := 0, 0
		for _, f := range tape.Frames() {
			if f.Damage != nil {
				continue
			}
			if f.Segment {
				segments++
			}
			streams := map[model.StreamID]bool{}
			for _, want := range p.want[i : i+int(f.Records)] {
				if want.Time.Before(f.From) || want.Time.After(f.To) {
					t.Errorf("%s: %v is not between %v and %v", name, want.Time, f.From, f.To)
				}
				streams[want.Stream] = true
			}
			if got := slices.Sorted(maps.Keys(streams)); !slices.Equal(got, f.Streams) {
				t.Errorf("%s: records of the streams %v, told %v", name, got, f.Streams)
			}
			i += int(f.Records)
			for what, n := range f.Counts.all() {
				*sum.of(what) += *n
			}
		}
		var want Counts
		for _, x := range p.want {
			*want.of([]string{"F", "A", "M", "D", "B", "transition", "gap", "note"}[x.Type])++
			if x.lost > 0 {
				want.Gaps--
				want.Lost++
			}
		}
		if i != len(p.want) || sum != want || segments != tape.Info().Segments {
			t.Errorf("%s: %d records, %+v, %d segments; want %d, %+v, %d", name, i, sum, segments, len(p.want), want, tape.Info().Segments)
		}
	}
}

// TestTextsOutliveTheirRoots: what was cold in one segment comes back in the
// next ones, where it has another root.
func TestTextsOutliveTheirRoots(t *testing.T) {
	lines := firstPart(shopLines(t), 4)
	b := importTape(t, lines, Options{Memory: 64 << 10, SegmentFloor: 16 << 10, Checkpoint: 1, FrameSize: 8 << 10})
	tape := mustOpen(t, b)
	checkSame(t, exported(t, tape), redactedLines(t, lines))
	if report, err := tape.Verify(); err != nil || report.Verdict() != Whole || tape.Info().Segments < 3 {
		t.Errorf("%+v, %v", report, err)
	}
}
