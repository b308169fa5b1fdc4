package tape

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"rewatch/model"
)

func TestSurvey(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{FrameSize: 1, SegmentFloor: 1, Checkpoint: 1})
	pods := w.AddStream(model.StreamInfo{Resource: "pods", Kind: "Pod"})
	nodes := w.AddStream(model.StreamInfo{Resource: "nodes", Kind: "Node"})
	quiet := w.AddStream(model.StreamInfo{Resource: "jobs", Kind: "Job"})
	at := func(s int) time.Time { return testHeader().Created.Add(time.Duration(s) * time.Second) }
	step := func(when int, s model.StreamID, from, to model.State) model.Record {
		return model.Record{Time: at(when), Stream: s, Type: model.StreamChange, Detail: model.Transition{From: from, To: to}}
	}
	object := func(when int, s model.StreamID, typ model.Type, name string) model.Record {
		return model.Record{Time: at(when), Stream: s, Type: typ, Raw: fmt.Appendf(nil, `{"metadata":{"name":%q},"t":%d}`, name, when)}
	}
	initial := object(0, pods, model.Added, "a")
	initial.Flags = model.Initial
	for _, r := range []model.Record{
		step(0, pods, model.Idle, model.Live), initial, object(1, pods, model.Added, "b"),
		step(2, nodes, model.Idle, model.Live), object(2, nodes, model.Added, "n"),
		object(3, pods, model.Modified, "a"), step(4, pods, model.Live, model.Backoff), object(4, nodes, model.Bookmark, "x"),
		{Time: at(6), Stream: pods, Type: model.GapFound, Detail: model.Gap{Text: "g"}}, step(6, pods, model.Backoff, model.Live),
		{Time: at(7), Stream: nodes, Type: model.Noted, Detail: model.Note{Cause: model.CauseMark, Text: "here"}},
		{Time: at(7), Stream: nodes, Type: model.Noted, Detail: model.Note{Text: "by the way"}},
		object(8, pods, model.Deleted, "b"), step(8, nodes, model.Live, model.Stopped), object(10, pods, model.Modified, "a"),
	} {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Lost(at(10), pods, 7, "1", "2"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, b.Bytes())
	if tape.Info().Segments < 2 {
		t.Fatal("one segment only")
	}
	s, err := tape.Survey()
	if err != nil || len(s.Damages) > 0 || s.Lost != 7 || len(s.Gaps) != 2 || len(s.Marks) != 1 || len(s.Streams) != 3 {
		t.Fatalf("%v %+v", err, s)
	}
	p, n, q := s.Streams[pods], s.Streams[nodes], s.Streams[quiet]
	if p.Counts != (Counts{Added: 2, Modified: 2, Deleted: 1, Transitions: 3, Gaps: 1, Lost: 1}) || p.Objects != 1 ||
		p.Watched != 10*time.Second || p.Fresh != 8*time.Second || p.Last.To != model.Live || !p.First.Equal(at(0)) || !p.End.Equal(at(10)) {
		t.Errorf("%+v", p)
	}
	if p.Initial != 1 || n.Initial != 0 {
		t.Errorf("of pods %d were there already, of nodes %d", p.Initial, n.Initial)
	}
	spans := ""
	for _, x := range p.Spans {
		spans += fmt.Sprint(x.From.Sub(at(0)), " ", x.To.Sub(at(0)), " ", x.Fresh, " ", x.Why.To, "; ")
	}
	if spans != "0s 4s true LIVE; 4s 6s false RETRY; 6s 10s true LIVE; " || len(n.Spans) != 1 {
		t.Errorf("pods were watched %s nodes %v", spans, n.Spans)
	}
	if n.Counts != (Counts{Added: 1, Bookmarks: 1, Transitions: 2, Notes: 2}) || n.Objects != 1 || n.Watched != 6*time.Second || n.Fresh != 6*time.Second {
		t.Errorf("%+v", n)
	}
	if q.Watched != 0 || q.Objects != 0 || !q.First.IsZero() || q.Resource != "jobs" {
		t.Errorf("%+v", q)
	}
	var total Counts
	for _, x := range s.Streams {
		for name, c := range x.Counts.all() {
			*total.of(name) += *c
		}
	}
	for name, c := range total.all() {
		if got := tape.Info().Counts[name]; got != *c {
			t.Errorf("%s: %d, the index says %d", name, *c, got)
		}
	}
}

// TestSurveyCountsBytes: without rebuilding an object, what it had on the wire.
func TestSurveyCountsBytes(t *testing.T) {
	lines := append(firstPart(shopLines(t), 4), `{"t":1796086625.1,"stream":"pods","frame":{ "type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"a":"é\u0001\ud83d\ude00 \"\\"}}}
{"t":1796086625.2,"stream":"pods","frame":{"type":"ERROR","object":{"kind":"Status","code":410}}}
`...)
	tape := mustOpen(t, importTape(t, lines, Options{SegmentFloor: 64 << 10, Checkpoint: 1}))
	s, err := tape.Survey()
	if err != nil {
		t.Fatal(err)
	}
	want := map[model.StreamID]int64{}
	for e, err := range tape.Records() {
		if err != nil {
			t.Fatal(err)
		}
		want[e.Stream] += int64(e.Bytes)
	}
	for _, x := range s.Streams {
		if x.Bytes != want[x.ID] {
			t.Errorf("%s: %d bytes, want %d", x.Resource, x.Bytes, want[x.ID])
		}
	}
}

// TestSurveyTellsWhatItsListsLeaveOut: of more spans, gaps and marks than are
// kept the rest is told as such, and the sums are of all.
func TestSurveyTellsWhatItsListsLeaveOut(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{})
	pods := w.AddStream(model.StreamInfo{Resource: "pods", Kind: "Pod"})
	const each = maxMoments + 3
	at := func(s int) time.Time { return testHeader().Created.Add(time.Duration(s) * time.Second) }
	add := func(s int, typ model.Type, detail any) {
		if err := w.Append(model.Record{Time: at(s), Stream: pods, Type: typ, Detail: detail}); err != nil {
			t.Fatal(err)
		}
	}
	states := [...]model.State{model.Live, model.Backoff}
	for i := range each {
		add(i, model.StreamChange, model.Transition{From: states[(i+1)%2], To: states[i%2]})
		add(i, model.GapFound, model.Gap{Text: "g"})
		add(i, model.Noted, model.Note{Cause: model.CauseMark, Text: "m"})
	}
	add(each, model.Noted, model.Note{Text: "the end"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := mustOpen(t, b.Bytes()).Survey()
	if err != nil || len(s.Gaps) != maxMoments || s.MoreGaps != 3 || len(s.Marks) != maxMoments || s.MoreMarks != 3 {
		t.Fatalf("%v: %d and %d gaps, %d and %d marks", err, len(s.Gaps), s.MoreGaps, len(s.Marks), s.MoreMarks)
	}
	p := s.Streams[pods]
	last := p.Spans[len(p.Spans)-1]
	if p.Counts.Gaps != each || p.Watched != each*time.Second || p.Fresh != (each+1)/2*time.Second {
		t.Errorf("%+v, watched %v, current %v", p.Counts, p.Watched, p.Fresh)
	}
	if len(p.Spans) != maxMoments+1 || !last.Rest || last.Fresh || !last.From.Equal(at(maxMoments)) || !last.To.Equal(at(each)) || p.Spans[maxMoments-1].Rest {
		t.Errorf("%d spans, the last %+v", len(p.Spans), last)
	}
}
