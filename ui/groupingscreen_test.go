package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/query"
)

func TestScreensOfGroups(t *testing.T) {
	intoDeployment := func(d *driver) {
		d.press("B", "B")
		d.seek("checkout")
		d.press("i")
	}
	for _, s := range []struct {
		name string
		do   func(*driver)
	}{
		{"by-object", func(d *driver) { d.press("B", "up", "up", "up") }},
		{"by-owner", func(d *driver) { d.press("B", "B"); d.seek("checkout") }},
		{"in-group", intoDeployment},
	} {
		sameInAllThemes(t, s.name, func(size [2]int, theme string) *driver { return newRollout(t, size[0], size[1], theme) }, s.do)
	}
}

// TestTheCursorStaysWithItsGroup: while others change, and when it moves itself.
func TestTheCursorStaysWithItsGroup(t *testing.T) {
	d := newRollout(t, 160, 50, "mono")
	f := rollout{d, epoch}
	d.press("B")
	d.seek("ReplicaSet")
	set := "checkout-5b6f7c9d4 "
	if !strings.Contains(d.cursorLine(), set) || !strings.Contains(d.cursorLine(), "×3 ") {
		t.Fatalf("the cursor is on %q", d.cursorLine())
	}
	was := d.app.timeline.cursor
	f.set(49, model.Modified, 0, "5b6f7c9d4", 1, 1, 0)
	f.pod(49.1, model.Modified, 0, "65d44f969", "9qv4d", "", podRunning)
	d.wait(2 * time.Second)
	if now := d.app.timeline.cursor; now <= was || !strings.Contains(d.cursorLine(), set) || !strings.Contains(d.cursorLine(), "×4 ") {
		t.Errorf("it was on row %d and is on %d, on %q", was, now, d.cursorLine())
	}
	// All changes in one row: by the owner of the owner.
	d.press("B")
	if got := d.cursorLine(); !strings.Contains(got, "Deployment") || !strings.Contains(got, "×34 of 8 Pod checkout-65d44f969-9qv4d") {
		t.Errorf("by owner the cursor is on %q", got)
	}
	d.press("enter")
	d.has("Pod shop/checkout-65d44f969-9qv4d")
	d.press("esc", "i")
	d.has("of Deployment checkout (esc)")
	d.hasNot("ConfigMap")
	if n := len(rowsShown(d.app.timeline.index)); n != 8 {
		t.Errorf("%d objects are shown\n%s", n, d.screen())
	}
	d.press("esc")
	d.has("by owner (B; i opens one)")
	d.press("up", "down", "/")
	d.typeText("kind:pod")
	d.press("enter")
	if got := d.rowsWith("×24 of 5 "); len(got) != 1 {
		t.Errorf("of the pods alone:\n%s", d.screen())
	}
	if got := d.cursorLine(); !strings.Contains(got, "×24 of 5 ") {
		t.Errorf("with a filter the cursor is on %q", got)
	}
	d.press("a")
	if got := d.rowsWith("×27 of 6 "); len(got) != 1 {
		t.Errorf("with all rows shown:\n%s", d.screen())
	}
	d.press("esc", "B")
	d.hasNot("by owner")
}

// TestGroupsOfASearch: what a search hands over is grouped as what is at once.
func TestGroupsOfASearch(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	tl := &d.app.timeline
	for _, text := range []string{"path:status", "cel: object.kind == 'Pod'"} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range []grouping{{by: byObject}, {by: byOwner}} {
			d.press("G")
			tl.grouping = grouping{}
			d.look(q)
			plain := tl.index
			tl.grouping = how
			d.look(q)
			sameGroups(t, fmt.Sprint(text, how), tl.know, tl.index, plain, tl.snap, how)
			if len(rowsShown(tl.index)) >= len(rowsShown(plain)) {
				t.Errorf("%s: %d rows of %d", text, len(rowsShown(tl.index)), len(rowsShown(plain)))
			}
		}
	}
}

// look lists what a query matches.
func (d *driver) look(q *query.Query) {
	tl := &d.app.timeline
	tl.reindex(d.t.Context(), q, d.now, false)
	for tl.due() {
		tl.take(tl.goOn()().(searchMsg))
	}
}

// TestGroupsAfterAJump: another log is grouped as the one before was.
func TestGroupsAfterAJump(t *testing.T) {
	d, _ := newReplay(t, 160, 50, "mono")
	d.press("$", "B")
	d.has("by object (B)")
	objects := func() (n int) {
		for range d.app.timeline.index.groups.all {
			n++
		}
		return n
	}
	end := objects()
	d.press("0")
	d.press("$")
	d.has("by object (B)")
	if n := objects(); n != end || n < 5 {
		t.Errorf("%d objects at the end of the tape, %d when there again", end, n)
	}
	d.press("B", "0", "$")
	d.has("by owner (B; i opens one)")
	tl := &d.app.timeline
	plain := newIndex(nil, false, tl.snap.First(), d.app.all.host)
	plain.by(tl.know, &d.app.all)
	for !plain.extend(tl.snap) {
	}
	plain.refold(tl.snap.First(), tl.snap.End())
	sameGroups(t, "after a jump", tl.know, tl.index, plain, tl.snap, tl.grouping)
}

// BenchmarkGroups lists a million rows, then those of a frame, 600 more at 20,000
// a second: what that costs must not depend on how many groups there are.
func BenchmarkGroups(b *testing.B) {
	for _, pods := range []int{1_000, 10_000, 100_000} {
		demo := millionRowsOf(b, pods)
		s := demo.log.Snapshot()
		all := newOverall(demo.log.Streams(epoch), epoch)
		u := newUnderstanding(demo.log, nil)
		for _, how := range []grouping{{}, {by: byObject}, {by: byOwner}} {
			var x *index // what the first part leaves to the second
			name := fmt.Sprintf("%d/%s", pods, [...]string{"flat", "object", "owner"}[how.by])
			cpu := func(b *testing.B, before, f func()) {
				var used time.Duration
				for b.Loop() {
					before()
					start := cputest.Process()
					f()
					used += cputest.Process() - start
				}
				b.ReportMetric(float64(used.Nanoseconds())/float64(b.N)/1e3, "cpu-µs")
				b.ReportMetric(0, "ns/op")
			}
			b.Run(name+"/all", func(b *testing.B) {
				cpu(b, func() {}, func() {
					x = newIndex(nil, true, s.First(), all.host)
					x.group(u, how)
					for !x.extend(s) {
					}
				})
			})
			b.Run(name+"/frame", func(b *testing.B) {
				if x == nil {
					b.Skip("all of them are listed first")
				}
				i := 0
				var s model.Snapshot
				cpu(b, func() {
					for range 600 {
						demo.pod(epoch, "prod-eu", demo.pods[i%len(demo.pods)], model.Modified, 0, "Failed", i)
						i++
					}
					s = demo.log.Snapshot()
				}, func() {
					x.extend(s)
					for pos := max(x.end()-48, x.first()); pos < x.end(); pos++ { // as a frame does
						x.at(pos)
					}
				})
			})
		}
	}
}
