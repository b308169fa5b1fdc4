package ui

import (
	"strings"
	"testing"

	"rewatch/model"
	"rewatch/model/logtest"
)

// What says nothing is folded by rule with its count, one key shows it, and no
// real change is among it.
func TestNoiseIsFoldedByRule(t *testing.T) {
	d := newOver(t, logtest.Shop(t), 160, 50)
	x := d.app.timeline.index
	listed := map[model.Seq]bool{}
	for pos := x.first(); pos < x.end(); pos++ {
		listed[x.at(pos)] = true
	}
	s, folded := d.app.timeline.snap, 0
	next := map[model.Seq]model.Seq{} // of rows of Events, which have one row each
	last := map[model.ObjectID]model.Seq{}
	repeats := 0
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if !d.app.all.isOfEvents(e.Stream) || !e.Type.IsObject() || e.Flags&(model.Initial|model.Replayed) != 0 {
			continue
		}
		if before, ok := last[e.Object]; ok && e.Type != model.Deleted {
			next[before] = seq
		}
		if last[e.Object] = seq; e.Type == model.Deleted {
			delete(last, e.Object)
			continue
		}
		next[seq] = 0
	}
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if !e.Type.IsObject() || e.Flags&(model.Initial|model.Replayed) != 0 {
			continue
		}
		c, _ := readChange(d.app.log, e)
		rule := d.app.timeline.know.rules.Load().rules.Classify(e, c.id, c.before, c.raw, &c.result)
		if next, ok := next[seq]; ok {
			if listed[seq] != (next == 0) {
				t.Fatalf("row %d, %s: listed is %v, the next is %d", seq, c.summary(e), listed[seq], next)
			}
			if next != 0 {
				repeats++
			}
			continue
		}
		if listed[seq] == (rule != nil) {
			t.Fatalf("row %d, %s: listed is %v, the rule %v", seq, c.summary(e), listed[seq], rule)
		}
		if rule != nil {
			folded++
		}
	}
	sum := 0
	for _, n := range x.byRule {
		sum += n
	}
	if folded == 0 || sum != folded || repeats == 0 || repeats != x.repeats.n {
		t.Errorf("%d rows are folded and %d repeat, the rules count %d and %d", folded, repeats, sum, x.repeats.n)
	}
	d.press("A")
	d.has("node heartbeats")
	d.press("esc", "a")
	if n := d.app.timeline.index.end(); n != s.Len() {
		t.Errorf("with all rows shown there are %d of %d", n, s.Len())
	}
}

// The fight of the capture is found and marked, in the timeline and in the
// list, and nothing else is called one.
func TestTheFight(t *testing.T) {
	d := newOver(t, logtest.Shop(t), 160, 50)
	fights := 0
	for _, f := range d.app.findings {
		if f.Kind.String() == "fight" {
			fights++
			if f.Path != "spec.replicas" {
				t.Errorf("a fight over %s", f.Path)
			}
		}
	}
	if fights != 1 {
		t.Errorf("%d fights", fights)
	}
	d.press("/")
	d.typeText("kind:deploy path:spec.replicas")
	d.press("enter")
	if n := strings.Count(d.screen(), "FIGHT spec.replicas"); n < 6 {
		t.Errorf("%d rows are marked:\n%s", n, d.screen())
	}
	d.press("F")
	d.has("autoscaler")
	for range 20 {
		if strings.HasPrefix(d.cursorLine(), "FIGHT") {
			break
		}
		d.press("j")
	}
	if s := d.cursorLine(); !strings.HasPrefix(s, "FIGHT") {
		t.Errorf("no line of the page is the fight: %q", s)
	}
	d.press("enter")
	if k := d.app.log.Identity(d.app.object.want.id).Kind; k != "Deployment" || d.app.page.page != nil {
		t.Errorf("enter leads to a %s", k)
	}
}

// After a jump the rows of the other log are read anew.
func TestAJumpReadsAnew(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	before := d.app.timeline.know
	d.press("$")
	if know := d.app.timeline.know; know == before || know.log != d.app.log || know.unread() != 0 {
		t.Errorf("after a jump %d rows are not read", know.unread())
	}
}
