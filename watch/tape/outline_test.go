package tape

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"rewatch/model"
)

// TestOutlineIsTheReaderWithoutObjects: frame by frame it has what a Reader
// gives, in the same order.
func TestOutlineIsTheReaderWithoutObjects(t *testing.T) {
	rs, streams := records(t, firstPart(shopLines(t), 4))
	var out bytes.Buffer
	w := NewWriter(&out, testHeader(), Options{FrameSize: 32 << 10, SegmentFloor: 64 << 10})
	for _, s := range streams {
		w.AddStream(s)
	}
	for i, r := range rs {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
		if i%50 == 7 {
			more := []model.Record{
				{Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Backoff, Cause: model.CauseCut, Text: "cut", Until: r.Time.Add(time.Second)}},
				{Type: model.GapFound, Detail: model.Gap{FromRV: "1", ToRV: "2", Since: r.Time, Added: 3}},
				{Type: model.Noted, Detail: model.Note{Cause: model.CauseMark, Text: "here"}},
			}
			for _, m := range more {
				m.Time, m.Stream = r.Time, model.StreamID(i%len(streams))
				if err := w.Append(m); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Lost(r.Time, 0, 3, "1", "2"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	r := tape.Reader()
	for i, f := range tape.Frames() {
		got, err := tape.Outline(i)
		if err != nil || int64(len(got)) != f.Records {
			t.Fatalf("frame %d: %d of %d records, %v", i, len(got), f.Records, err)
		}
		for _, g := range got {
			e, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			want := model.Record{Time: e.Time, Type: e.Type, Flags: e.Flags, Stream: e.Stream, Detail: e.Detail}
			if g.Stream < 0 {
				g.Stream = want.Stream // the frame does not tell it
			}
			if !reflect.DeepEqual(g, want) {
				t.Fatalf("frame %d: %+v\nwant %+v", i, g, want)
			}
		}
	}
	if tape.Info().Frames < 5 {
		t.Errorf("only %d frames", tape.Info().Frames)
	}
}
