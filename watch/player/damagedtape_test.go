package player

import (
	"bytes"
	"testing"

	"rewatch/model"
	"rewatch/watch/tape"
)

// damaged is a tape whose data frame at a place cannot be read.
func damaged(t *testing.T, b []byte, frame int) []byte {
	t.Helper()
	whole, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f := whole.Frames()[frame]
	b = bytes.Clone(b)
	for i := range f.Size / 2 {
		b[f.Offset+f.Size/4+i] ^= 0xff
	}
	return b
}

// TestDamageDeletesNothing: where the beginning of a later tape cannot be read,
// or its first list, what existed before it is not deleted by that.
func TestDamageDeletesNothing(t *testing.T) {
	s := newScript(5, testStart, 600)
	outs := newBuffers(2)
	w := s.writer(outs[0], testStart)
	for i, r := range s.records {
		if i == 300 {
			if err := w.Next(outs[1], r.Time); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	later := newScript(5, s.records[599].Time.Add(1e11), 600)
	fresh := later.writeAs(t, later.records, later.records[0].Time)
	for name, second := range map[string][]byte{"part": outs[1].Bytes(), "recording": fresh} {
		first := outs[0].Bytes()
		known := func(l *model.Log) (deleted, gaps int) {
			rows := l.Snapshot()
			for seq := rows.First(); seq < rows.End(); seq++ {
				switch e := rows.At(seq); d := e.Detail.(type) {
				case model.Gap:
					if d.Cause == causeUnwatched {
						gaps += int(d.Deleted)
					}
				default:
					if e.Type == model.Deleted && e.Has(model.Synthetic) {
						deleted++
					}
				}
			}
			return deleted, gaps
		}
		// What the tapes themselves have of such deletions.
		own := 0
		for _, r := range append(s.records[:300:300], map[string][]model.Record{"part": s.records[300:], "recording": later.records}[name]...) {
			if r.Type == model.Deleted && r.Flags&model.Synthetic != 0 {
				own++
			}
		}
		r := newReel([]Source{source(t, "first", first), source(t, "second", damaged(t, second, 0))})
		take := straight(t, r, r.events)
		deleted, gaps := known(take.log)
		if deleted > own || gaps > 0 {
			t.Errorf("%s: %d objects are deleted, of %d on the tapes; gaps tell of %d", name, deleted, own, gaps)
		}
		if len(take.damages) == 0 {
			t.Errorf("%s: no damage is told", name)
		}
	}
}
