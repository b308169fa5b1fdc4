package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/health"
)

// outages adds gaps of six streams, and a seventh of the first one.
func (d *driver) outages() {
	gap := func(stream int, rv string, cause model.Cause) {
		d.demo.log.Append(model.Record{Time: d.now, Stream: model.StreamID(stream), Type: model.GapFound, Detail: model.Gap{
			FromRV: rv, ToRV: rv + "9", Since: d.now.Add(-3 * time.Second), Took: 3 * time.Second, Cause: cause}})
	}
	for i := range 6 {
		gap(i, fmt.Sprint(100+i), model.CauseExpired)
	}
	d.wait(20 * time.Second)
	gap(0, "777", model.CauseExpired)
	gap(1, "888", causeLost)
	d.wait(0)
}

// cursorTo goes down from the top until the line under the cursor has a text.
func (d *driver) cursorTo(want string) {
	d.t.Helper()
	d.press("g", "g")
	for range 200 {
		if strings.Contains(d.cursorLine(), want) {
			return
		}
		d.press("j")
	}
	d.t.Fatalf("no line has %q:\n%s", want, d.screen())
}

// Gaps that are alike are one line below all that is wrong now, with their number,
// the first and the last moment; it opens, and each leads to its row.
func TestAlikeGapsAreOneLine(t *testing.T) {
	d := newDriver(t, 120, 50, "dark")
	d.script()
	d.badDay()
	d.outages()
	d.press("F")
	d.has("Gaps  8")
	d.cursorTo("expired ×7")
	for _, want := range []string{"7 streams: pods, ", d.now.Add(-23*time.Second).Format("15:04:05") + "…" + d.now.Format("15:04:05")} {
		if !strings.Contains(d.cursorLine(), want) {
			t.Errorf("no %q in %q", want, d.cursorLine())
		}
	}
	d.has("recorder-lost")
	d.hasNot("resourceVersions 103 to 1039")
	if s := d.screen(); strings.Index(s, "Gaps  8") < strings.Index(s, "Nodes  1") || strings.Index(s, "Gaps  8") < strings.Index(s, "Warning Events  1") {
		t.Errorf("gaps that are over stand before what is wrong now:\n%s", s)
	}
	if f := d.footer(); !strings.Contains(f, "enter unfold ") {
		t.Errorf("the footer says %q", f)
	}
	d.press("enter")
	if f := d.footer(); !strings.Contains(f, "enter fold ") || !strings.Contains(d.cursorLine(), "expired ×7") {
		t.Errorf("the cursor is on %q, the footer says %q", d.cursorLine(), f)
	}
	for i := range 6 {
		d.has(fmt.Sprintf("resourceVersions %d to %d9", 100+i, 100+i))
	}
	d.cursorTo("resourceVersions 103 to 1039")
	d.press("enter")
	d.hasNot("▸Problems")
	if got := d.cursorLine(); !strings.Contains(got, "103…1039") {
		t.Errorf("the gap leads to %q", got)
	}
}

// Two have a line each; of more the count is exact however many they are, and
// each has its line when they are opened.
func TestGroupsAreExact(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.demo.start(d.now, "prod-eu", 0)
	const many = 3000
	for i := range many {
		d.demo.pod(d.now, "prod-eu", fmt.Sprint("p", i), model.Added, 0, "Failed", 0)
	}
	for i := range 2 {
		d.object("prod-eu/nodes", "Node", fmt.Sprint("node-0", i), `"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady","message":"x"}]}`)
	}
	for d.app.timeline.know.unread() > 0 {
		d.wait(time.Second)
	}
	parts := groupProblems(d.app.log, d.app.timeline.know.health.Report(d.now))
	total, lines := map[health.Section]int{}, map[health.Section]int{}
	for _, p := range parts {
		for _, g := range p.groups {
			lines[p.section]++
			total[p.section] += len(g.list)
		}
		if p.total != total[p.section] || p.more != 0 {
			t.Errorf("%s: %d of %d in groups", p.section, total[p.section], p.total)
		}
	}
	if total[health.Pods] != many || lines[health.Pods] != 1 || lines[health.Nodes] != 2 {
		t.Errorf("lines %v for %v", lines, total)
	}
	page := openProblems(d.app).(*problems)
	page.parts = parts
	page.build(d.app)
	few := len(page.items)
	page.opened[parts[len(parts)-1].groups[0].alike] = true
	page.build(d.app)
	if len(page.items) != few+many {
		t.Errorf("opened there are %d lines, before %d", len(page.items), few)
	}
}
