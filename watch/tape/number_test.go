package tape

import (
	"bytes"
	"testing"
	"time"
)

func TestNumberCountsTheRecordsBeforeThePlace(t *testing.T) {
	var out bytes.Buffer
	g := newGenerator(7)
	w := NewWriter(&out, testHeader(), Options{FrameSize: 16 << 10, SegmentRecords: 100, SegmentFloor: 1 << 10})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	var times []time.Time
	for range 1000 {
		r := g.next()
		times = append(times, r.Time)
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	r := tape.Reader()
	for i := range int64(1000) {
		if got := r.Number(); got != i {
			t.Fatalf("before record %d it is %d", i, got)
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Number(); got != 1000 {
		t.Errorf("at the end it is %d", got)
	}
	for i, when := range times {
		if i%ordinary(20) != 0 {
			continue
		}
		r, err := tape.Seek(when.Add(-1))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Number(); got > int64(i) || got < int64(i)-5 && times[got].Before(when) {
			t.Errorf("sought to before record %d it is %d", i, got)
		}
	}
}
