package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// backOff adds or counts up an Event about a pod.
func (d *driver) backOff(typ model.Type, name string, n int) {
	d.demo.object(d.now, "prod-eu/events", typ, 0, "Event", "v1", "shop", name,
		fmt.Sprintf(`"type":"Warning","reason":"BackOff","message":"Back-off restarting %s","count":%d,"involvedObject":{"kind":"Pod","name":"x","namespace":"shop"}`, name, n))
}

// TestAnEventThatRepeatsIsOneRow: it has the newest count and stands where that
// came; the versions before are in the object pane.
func TestAnEventThatRepeatsIsOneRow(t *testing.T) {
	d := newDriver(t, 160, 50, "mono")
	d.script()
	d.backOff(model.Added, "left", 1)
	for n := 2; n <= 9; n++ {
		d.backOff(model.Added, fmt.Sprint("other", n), 1)
		d.backOff(model.Modified, "left", n)
		d.wait(time.Second)
	}
	rows := d.rowsWith("shop/left ")
	if len(rows) != 1 || !strings.Contains(rows[0], "×9 ") || !strings.Contains(rows[0], d.now.Add(-time.Second).UTC().Format("15:04:05")) {
		t.Fatalf("%s", strings.Join(rows, "\n"))
	}
	if rows := d.rowsWith("shop/other"); len(rows) != 8 {
		t.Errorf("of 8 other Events there are %d rows", len(rows))
	}
	// The row under the cursor stays where it is while another moves.
	d.press("up", "up", "up")
	at := d.cursorLine()
	d.backOff(model.Modified, "left", 10)
	d.wait(time.Second)
	if got := d.cursorLine(); got != at {
		t.Errorf("the cursor was on %q and is on %q", at, got)
	}
	d.press("G", "enter")
	d.has("version 10 of 10")
	d.press("[")
	d.has("version 9 of 10")
	d.press("esc")
	d.press("A")
	d.has("9 rows         events counted up (Event: one row each, which moves on with its count)")
	d.press("esc", "/")
	d.typeText("kind:event name:left")
	d.press("enter")
	if rows := d.rowsWith("shop/left "); len(rows) != 1 || !strings.Contains(rows[0], "×10 ") {
		t.Errorf("with a filter:\n%s", d.screen())
	}
	d.press("a")
	if rows := d.rowsWith("shop/left "); len(rows) != 10 {
		t.Errorf("all rows are shown, of which %d", len(rows))
	}
}

// TestRepeatsGrowAsIfMadeAtOnce: an index that grows lists what a new one does,
// whichever rows were judged when.
func TestRepeatsGrowAsIfMadeAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	d := newDriver(t, 120, 36, "mono")
	d.script()
	u, all := d.app.timeline.know, &d.app.all
	x := newIndex(nil, false, 0, all.host)
	x.by(u, all)
	alive := map[int]int{}
	for range 60 {
		for range r.IntN(30) {
			n := r.IntN(12)
			switch name := fmt.Sprint("e", n); {
			case alive[n] == 0:
				alive[n] = 1
				d.backOff(model.Added, name, 1)
			case r.IntN(9) == 0:
				d.backOff(model.Deleted, name, alive[n])
				alive[n] = 0
			default:
				alive[n]++
				d.backOff(model.Modified, name, alive[n])
			}
		}
		s := d.demo.log.Snapshot()
		x.extend(s)
		if r.IntN(2) == 0 {
			m := u.read(t.Context(), s)
			x.refold(m.from, m.to)
		}
	}
	s := d.demo.log.Snapshot()
	m := u.read(t.Context(), s)
	x.refold(m.from, m.to)
	fresh := newIndex(nil, false, 0, all.host)
	fresh.by(u, all)
	fresh.extend(s)
	fresh.refold(0, s.End())
	if fmt.Sprint(x.seqs) != fmt.Sprint(fresh.seqs) || x.hidden != fresh.hidden {
		t.Errorf("grown %d rows, %d hidden: %v\nat once %d, %d: %v", len(x.seqs), x.hidden, x.seqs, len(fresh.seqs), fresh.hidden, fresh.seqs)
	}
}
