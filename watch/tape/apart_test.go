package tape

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// TestApartReadsTheSame: a Reader apart has the objects that change up to the
// moment, and reads the same records, whatever it passes over on the way.
func TestApartReadsTheSame(t *testing.T) {
	var out bytes.Buffer
	g := newGenerator(9)
	w := NewWriter(&out, testHeader(), Options{FrameSize: 24 << 10, SegmentRecords: 3000})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	for range 8000 {
		if err := w.Append(g.next()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	passable := 0
	for i := range tape.parts {
		if tape.parts[i].apart(map[uint64]bool{}) {
			passable++
		}
	}
	if passable < 5 || tape.Info().Segments < 2 {
		t.Fatalf("%d of %d frames may be passed over, in %d segments", passable, len(tape.parts), tape.Info().Segments)
	}
	length := tape.Info().To.Sub(tape.Info().From)
	read := func(r *Reader, until time.Time) (records []string) {
		t.Helper()
		for {
			e, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, fmt.Sprint(r.Number(), e.Time, e.Type, e.Flags, e.Identity, e.RV, string(e.Raw)))
			if e.Time.After(until) {
				return records
			}
		}
	}
	for i := range 8 {
		at := tape.Info().From.Add(length / 10 * time.Duration(i+1))
		until := at.Add(length / 100)
		before, changed, _ := straight(t, tape, at, until)
		r, err := tape.Seek(at)
		if err != nil {
			t.Fatal(err)
		}
		apart, err := tape.SeekApart(at, until)
		if err != nil {
			t.Fatal(err)
		}
		some := textsByUID(t, apart.Objects())
		for uid, raw := range some {
			if raw != before[uid] {
				t.Fatalf("moment %d: %s is not what it was", i, uid)
			}
		}
		for uid := range changed {
			if _, ok := some[uid]; !ok {
				t.Fatalf("moment %d: %s is not among them", i, uid)
			}
		}
		got := read(apart, until)
		all := textsByUID(t, r.Objects())
		if len(all) != len(before) {
			t.Fatalf("moment %d: %d objects afterwards, want %d", i, len(all), len(before))
		}
		for uid, raw := range all {
			if raw != before[uid] {
				t.Fatalf("moment %d: afterwards %s is not what it was", i, uid)
			}
		}
		want := read(r, until)
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got) < 20 {
			t.Fatalf("moment %d: it read %d other records than those %d", i, len(got), len(want))
		}
	}
}

// TestApartBelievesNoCountThatCannotBe: what a note says is not verified.
func TestApartBelievesNoCountThatCannotBe(t *testing.T) {
	for _, x := range []struct {
		live []uint64
		want bool
	}{{[]uint64{3, 5, 7}, true}, {[]uint64{4, 5, 7}, false}, {[]uint64{0, 5, 7}, false}, {[]uint64{2, 7, 5}, false}, {[]uint64{1 << 63, 0, 1<<64 - 1}, false}} {
		if got := (&frameNote{Live: x.live}).apart(map[uint64]bool{}); got != x.want {
			t.Errorf("%d: %v", x.live, got)
		}
	}
}
