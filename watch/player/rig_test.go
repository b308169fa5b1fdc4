package player

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rewatch/model"
	"rewatch/model/redact"
	"rewatch/watch/tape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testRedactor gives the same fingerprints everywhere.
var testRedactor = redact.NewWithKey([32]byte{1, 2, 3})

var testStart = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// script is a recording made up for a test.
type script struct {
	streams []model.StreamInfo
	records []model.Record
}

// newScript makes up n records of the life of a few pods and nodes, with steps
// of the streams, gaps, marks and heartbeats among them. Some have the same time.
func newScript(seed uint64, start time.Time, n int) *script {
	s := &script{streams: []model.StreamInfo{
		{ID: 0, Context: "test", Server: "10.0.0.1:6443", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true},
		{ID: 1, Context: "test", Server: "10.0.0.1:6443", Version: "v1", Resource: "nodes", Kind: "Node"},
	}}
	rnd := rand.New(rand.NewPCG(seed, 1))
	now, rv := start, 1000
	var pods []string
	put := func(r model.Record) { r.Time = now; s.records = append(s.records, r) }
	object := func(kind, name string, extra int) []byte {
		rv++
		ns := `"namespace":"shop",`
		if kind == "Node" {
			ns = ""
		}
		return fmt.Appendf(nil, `{"kind":%q,"apiVersion":"v1","metadata":{"name":%q,%s"uid":"00000000-0000-4000-a000-%012x","resourceVersion":"%d"},"status":{"seen":%d,"pad":%q}}`,
			kind, name, ns, fnv(kind+name), rv, extra, strings.Repeat("x", rnd.IntN(200)))
	}
	requests := int64(0)
	step := func(stream model.StreamID, from, to model.State, cause model.Cause) {
		requests++
		put(model.Record{Stream: stream, Type: model.StreamChange, Detail: model.Transition{From: from, To: to, Cause: cause, Text: string(cause),
			Request: &model.Request{Number: requests, Verb: model.VerbWatch, Sent: time.Unix(0, now.UnixNano()), Header: []string{"Audit-Id: x"}}}})
	}
	for id := range s.streams {
		step(model.StreamID(id), model.Idle, model.Connecting, model.CauseStart)
		step(model.StreamID(id), model.Connecting, model.Syncing, model.CauseNone)
	}
	for i := range 3 {
		put(model.Record{Stream: 1, Type: model.Added, Flags: model.Initial, Raw: object("Node", fmt.Sprintf("node-%d", i), 0)})
	}
	for id := range s.streams {
		step(model.StreamID(id), model.Syncing, model.Live, model.CauseNone)
	}
	for len(s.records) < n {
		if rnd.IntN(4) > 0 {
			now = now.Add(time.Duration(rnd.IntN(1000)) * time.Millisecond)
		}
		switch k := rnd.IntN(100); {
		case k < 20 || len(pods) == 0:
			pods = append(pods, fmt.Sprintf("pod-%d", len(s.records)))
			put(model.Record{Type: model.Added, Raw: object("Pod", pods[len(pods)-1], 0)})
		case k < 30:
			i := rnd.IntN(len(pods))
			put(model.Record{Type: model.Deleted, Raw: object("Pod", pods[i], k)})
			pods = slices.Delete(pods, i, i+1)
		case k < 70:
			put(model.Record{Type: model.Modified, Raw: object("Pod", pods[rnd.IntN(len(pods))], k)})
		case k < 85:
			put(model.Record{Stream: 1, Type: model.Modified, Raw: object("Node", fmt.Sprintf("node-%d", rnd.IntN(3)), k)})
		case k < 92:
			put(model.Record{Stream: model.StreamID(k % 2), Type: model.Bookmark, Raw: fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}`, rv)})
		case k < 94:
			put(model.Record{Type: model.Noted, Detail: model.Note{Cause: model.CauseMark, Text: fmt.Sprint("mark ", k)}})
		case k < 97:
			step(1, model.Live, model.Rotating, model.CauseTimeout)
			step(1, model.Rotating, model.Live, model.CauseNone)
			step(1, model.Live, model.Live, model.CauseNone) // which tells of a request only
		case k < 98:
			step(0, model.Live, model.Backoff, model.CauseCut)
			now = now.Add(3 * time.Second)
			step(0, model.Backoff, model.Relisting, model.CauseNone)
			put(model.Record{Type: model.GapFound, Detail: model.Gap{FromRV: "1", ToRV: "2", Since: now.Add(-3 * time.Second), Took: 3 * time.Second, Cause: model.CauseExpired, Text: "410"}})
			step(0, model.Relisting, model.Live, model.CauseNone)
		default:
			name := pods[len(pods)-1]
			put(model.Record{Type: model.Deleted, Flags: model.Synthetic, Identity: model.Identity{APIVersion: "v1", Kind: "Pod", Namespace: "shop",
				Name: name, UID: fmt.Sprintf("00000000-0000-4000-a000-%012x", fnv("Pod"+name))}})
			pods = pods[:len(pods)-1]
		}
	}
	return s
}

func fnv(s string) (h uint64) {
	h = 14695981039346656037
	for _, c := range []byte(s) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h & (1<<48 - 1)
}

// write makes a tape of some records, in small data frames and segments.
func (s *script) write(tb testing.TB, records []model.Record) []byte {
	tb.Helper()
	return s.writeAs(tb, records, testStart)
}

// writeAs is write of a recording that began at another time.
func (s *script) writeAs(tb testing.TB, records []model.Record, created time.Time) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := s.writer(&out, created)
	for _, r := range records {
		if err := w.Append(r); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func (s *script) writer(out *bytes.Buffer, created time.Time) *tape.Writer {
	w := tape.NewWriter(out, tape.Header{Tool: "test", Created: created}, tape.Options{Redactor: testRedactor,
		FrameSize: 4 << 10, SegmentFloor: 8 << 10, SegmentRecords: 200})
	for _, i := range s.streams {
		w.AddStream(i)
	}
	return w
}

func source(tb testing.TB, name string, b []byte) Source {
	tb.Helper()
	t, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return Source{name, t}
}

// straight plays tapes from their start until so many events are behind.
func straight(tb testing.TB, r *reel, events int64) *take {
	tb.Helper()
	t, err := newTake(context.Background(), r, beginning, nil, model.Options{Redactor: testRedactor})
	if err != nil {
		tb.Fatal(err)
	}
	for t.cursor.events() < events && t.step(context.Background()) {
	}
	return t
}

// row describes a row by what does not depend on what else is in the log.
func row(l *model.Log, e model.Event) string {
	raw := []byte(nil)
	if e.Type.IsObject() {
		raw, _ = l.Bytes(e.Object, e.Version)
	}
	return wall(fmt.Sprintf("%d %d %v rv %d %+v %s %+v", e.Time, e.Stream, e.Type, e.RV, l.Identity(e.Object), raw, e.Detail))
}

// monotonic is what time.Time prints of a clock that no tape has.
var monotonic = regexp.MustCompile(` m=[+-][0-9.]+`)

func wall(text string) string { return monotonic.ReplaceAllString(text, "") }

// rows describes all rows of a log.
func rows(l *model.Log) (out []string) {
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		out = append(out, fmt.Sprintf("%d v%d %s", e.Flags, e.Version, row(l, e)))
	}
	return out
}

// state describes all objects that exist.
func state(l *model.Log) (out []string) {
	for _, s := range l.Streams(time.Time{}) {
		out = append(out, fmt.Sprintf("stream %d %v %v %+v %d objects", s.ID, s.State, s.Since.UnixNano(), s.Last, s.Objects))
		out[len(out)-1] = wall(out[len(out)-1])
		for k, id := range l.Current(s.ID) {
			raw, _ := l.Bytes(k.Object, k.Version)
			out = append(out, fmt.Sprintf("object %d %+v %s", s.ID, id, raw))
		}
	}
	slices.Sort(out)
	return out
}

// differ says where two lists of lines do.
func differ(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%d lines, not %d; missing is\n%.300s", len(got), len(want), want[i])
		case i >= len(want):
			return fmt.Sprintf("%d lines, not %d; too much is\n%.300s", len(got), len(want), got[i])
		case got[i] != want[i]:
			return fmt.Sprintf("line %d is\n%.300s\nnot\n%.300s", i, got[i], want[i])
		}
	}
	return ""
}

// check compares the log of a player with a straight play to the same event.
func check(tb testing.TB, p *Player) {
	tb.Helper()
	want := straight(tb, p.reel, p.take.cursor.events())
	// Tapes that begin, or damage, at that very moment make rows that are no events.
	for want.rows < p.take.rows && p.take.start == beginning && want.step(context.Background()) {
	}
	for h := want.cursor.first(); h != nil && h.when == h.to+1 && p.head(h.part).when == over; h = want.cursor.first() {
		want.step(context.Background()) // the end of a tape is no event either
	}
	if d := differ(state(p.take.log), state(want.log)); d != "" {
		tb.Fatalf("the state differs: %s", d)
	}
	if p.take.start == beginning {
		if d := differ(rows(p.take.log), rows(want.log)); d != "" {
			tb.Fatalf("the rows differ: %s", d)
		}
		if d := differ(lines(p.take.log.Streams(time.Time{})), lines(want.log.Streams(time.Time{}))); d != "" {
			tb.Fatalf("the streams differ: %s", d)
		}
		return
	}
	// A log that begins later has the same newest rows.
	got, all := p.take.log.Snapshot(), want.log.Snapshot()
	if int64(got.Len()) != p.take.state+p.take.rows {
		tb.Fatalf("%d rows, not %d of the state and %d", got.Len(), p.take.state, p.take.rows)
	}
	for i := range p.take.rows {
		a, b := row(p.take.log, got.At(got.End()-1-model.Seq(i))), row(want.log, all.At(all.End()-1-model.Seq(i)))
		if a != b {
			tb.Fatalf("the last row but %d of %d is\n%.300s\nnot\n%.300s", i, p.take.rows, a, b)
		}
	}
}

func lines[T any](list []T) (out []string) {
	for _, x := range list {
		out = append(out, wall(fmt.Sprintf("%+v", x)))
	}
	return out
}

func newBuffers(n int) (out []*bytes.Buffer) {
	for range n {
		out = append(out, &bytes.Buffer{})
	}
	return out
}
