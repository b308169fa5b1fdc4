package player

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rewatch/model"
)

// TestDamageIsToldAndPlayedOver: behind it the tape goes on, and no row has
// what was never there.
func TestDamageIsToldAndPlayedOver(t *testing.T) {
	s := newScript(6, testStart, 800)
	whole := s.write(t, s.records)
	known := map[string]bool{}
	for _, r := range s.records {
		known[string(r.Raw)] = true
	}
	rnd := rand.New(rand.NewPCG(6, 6))
	for i := range 12 {
		b := append([]byte(nil), whole...)
		at := len(b)/5 + rnd.IntN(len(b)/2)
		for range 1 + i%3 {
			b[at+rnd.IntN(200)] ^= byte(1 + rnd.IntN(255))
		}
		synctest.Test(t, func(t *testing.T) {
			d := play(t, []Source{source(t, "bad", b)}, Options{Speed: math.Inf(1)})
			defer d.stop()
			synctest.Wait()
			p := d.Playback()
			told := 0
			log := d.Log().Snapshot()
			for seq := log.First(); seq < log.End(); seq++ {
				e := log.At(seq)
				if n, ok := e.Detail.(model.Note); ok && n.Cause == causeDamage {
					told++
				}
				if raw, _ := d.Log().Bytes(e.Object, e.Version); e.Type.IsObject() && len(raw) > 0 && !known[string(raw)] {
					t.Fatalf("this never was: %.200s", raw)
				}
			}
			if !p.AtEnd || log.Len() < 300 {
				t.Errorf("it stopped after %d rows: %+v", log.Len(), p)
			}
			if (log.Len()-told < len(s.records)) != p.Damaged || p.Damaged && told == 0 {
				t.Errorf("%d rows of %d, of %d damages told, damaged is %v", log.Len()-told, len(s.records), told, p.Damaged)
			}
			// Jumps into it and out of it.
			for range 10 {
				d.Seek(p.From.Add(time.Duration(rnd.Int64N(int64(p.To.Sub(p.From))))))
				synctest.Wait()
				if d.Playback().Seeking {
					t.Fatal("it still seeks")
				}
			}
		})
	}
}

// TestATapeWithoutItsEndPlaysToWhereItEnds, and says so.
func TestATapeWithoutItsEndPlaysToWhereItEnds(t *testing.T) {
	s := newScript(7, testStart, 500)
	b := s.write(t, s.records)
	synctest.Test(t, func(t *testing.T) {
		d := play(t, []Source{source(t, "torn", b[:len(b)*2/3])}, Options{Speed: math.Inf(1)})
		defer d.stop()
		synctest.Wait()
		p := d.Playback()
		if !p.AtEnd || p.Event < 100 || p.Event > 450 || !strings.Contains(p.Text, "torn ends here") {
			t.Errorf("%+v", p)
		}
	})
}
