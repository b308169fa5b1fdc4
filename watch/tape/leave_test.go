package tape

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"rewatch/model"
)

// TestAStreamThatWasRemovedLeavesNoState: neither before the next checkpoint
// nor after it, and a stream of the same that follows has only its own.
func TestAStreamThatWasRemovedLeavesNoState(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{FrameSize: 1, SegmentFloor: 1, Checkpoint: 1})
	at := testHeader().Created
	appended := func(r model.Record) {
		t.Helper()
		at = at.Add(time.Second)
		if r.Time = at; r.Time.IsZero() {
			t.Fatal("no time")
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	pod := func(s model.StreamID, name string, rv int) model.Record {
		return model.Record{Stream: s, Type: model.Added, Raw: fmt.Appendf(nil,
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":"u-%s","resourceVersion":"%d"}}`, name, name, rv)}
	}
	first, other := w.AddStream(model.StreamInfo{Resource: "pods", Kind: "Pod", Version: "v1"}), w.AddStream(model.StreamInfo{Resource: "pods", Kind: "Pod", Version: "v1"})
	appended(pod(first, "a", 1))
	appended(pod(first, "b", 2))
	appended(pod(other, "c", 3))
	before := at
	appended(model.Record{Stream: first, Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Stopped, Cause: model.CauseUser}})
	removed := at
	second := w.AddStream(model.StreamInfo{Resource: "pods", Kind: "Pod", Version: "v1"})
	appended(pod(second, "b", 2))
	for i := range 20 { // checkpoints
		appended(pod(other, "c", 4+i))
	}
	torn := bytes.Clone(b.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]byte{torn, b.Bytes()} {
		tape := mustOpen(t, x)
		for _, c := range []struct {
			when time.Time
			want []string
		}{
			{before, []string{"0 a", "0 b", "1 c"}},
			{removed, []string{"1 c"}},
			{removed.Add(time.Second), []string{"1 c", "2 b"}},
			{at, []string{"1 c", "2 b"}},
		} {
			r, err := tape.Seek(c.when)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for o, err := range r.Objects() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprint(o.Stream, " ", o.Identity.Name))
			}
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("at %v: %q, want %q", c.when.Sub(testHeader().Created), got, c.want)
			}
		}
		survey, err := tape.Survey()
		if x := survey.Streams[first]; err == nil && (x.Failure != (model.Transition{}) || !x.Final.Removes()) {
			t.Errorf("it ended with %+v, which is no failure: %+v", x.Final, x.Failure)
		}
		if err != nil || survey.Streams[first].Objects != 0 || survey.Streams[other].Objects != 1 || survey.Streams[second].Objects != 1 {
			t.Errorf("%v %+v", err, survey.Streams)
		}
	}
}
