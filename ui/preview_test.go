package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
)

// gapOfPods appends a gap.
func gapOfPods(d *driver) {
	d.demo.log.Append(model.Record{Time: d.now, Stream: d.demo.streams["prod-eu/pods"], Type: model.GapFound, Detail: model.Gap{
		FromRV: "4000", ToRV: "4100", Since: d.now.Add(-time.Second), Took: time.Second, Cause: model.CauseExpired}})
}

// While the timeline follows, the pane is about the row under the cursor, be it
// an object or not.
func TestThePaneIsOfTheRowUnderTheCursorWhileFollowing(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("g", "t")
	d.demo.node(d.now, "prod-eu", "node-07", model.Modified, 0, "Unknown")
	d.wait(2 * previewPause)
	d.has("─ Node node-07")
	gapOfPods(d)
	d.wait(2 * previewPause)
	if !d.app.timeline.follow || !strings.Contains(d.cursorLine(), "gap: pods") {
		t.Fatalf("the cursor is not on the gap:\n%s", d.screen())
	}
	d.has("changes between these resourceVersions")
	d.hasNot("─ Node node-07")
	d.demo.node(d.now, "prod-eu", "node-08", model.Modified, 0, "Unknown")
	d.wait(2 * previewPause)
	d.has("─ Node node-08")
	d.hasNot(" as of 12:")
}

// What a filter leaves out is not shown below it, not even for a moment.
func TestThePaneShowsNothingThatTheFilterLeavesOut(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.node(d.now, "prod-eu", "node-07", model.Modified, 0, "Unknown")
	d.wait(previewPause)
	d.has("─ Node node-07")
	d.press("/")
	d.typeText("kind:deploy")
	d.press("enter")
	d.has("─ Deployment shop/")
	d.press("/")
	d.typeText("name:nothingofthatname")
	d.press("enter")
	d.has("no row matches")
	d.has("the object of the selected row is shown here")
	d.hasNot("Deployment")
	d.press("/", "enter")
	d.has("─ Node node-07")
}

// The initial list of a stream is one row: the pane says so.
func TestThePaneOfAnInitialList(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("g", "t", "g", "g")
	d.seek("initial list of")
	d.has("initial list")
	d.has("; a shows them as rows")
}

// In a storm the pane stays readable, and says of when it is.
func TestThePaneSaysOfWhenItIsWhileItLags(t *testing.T) {
	for _, size := range sizes {
		d := newDriver(t, size[0], size[1], "mono")
		d.script()
		d.press("g", "o")
		d.wait(2 * previewPause)
		d.demo.node(d.now, "prod-eu", "node-07", model.Modified, 0, "Unknown")
		d.wait(0)
		d.has("Node node-07 ") // at once after a quiet time
		d.hasNot(" as of 12:")
		of := d.now.Format("15:04:05.000")
		d.now = d.now.Add(300 * time.Millisecond)
		d.demo.node(d.now, "prod-eu", "node-08", model.Modified, 0, "Unknown")
		d.wait(0)
		d.has("Node node-07 ")
		d.has(" as of " + of)
		d.wait(previewPause)
		d.has("Node node-08 ")
		d.hasNot(" as of 12:")
	}
}

// A row is drawn with its own text, whatever the caches hold: after every step
// of a storm, with each grouping, the rows are those that empty caches give.
func TestRowsAreDrawnWithTheirOwnTexts(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	for i := range 60 {
		d.demo.replica = i
		d.demo.deployment(d.now, "prod-eu", "checkout", model.Modified, 0)
		d.demo.pod(d.now, "prod-eu", d.demo.pods[i%len(d.demo.pods)], model.Modified, 0, "Running", i)
		if i%7 == 0 {
			d.demo.node(d.now, "prod-eu", fmt.Sprintf("node-%02d", i), model.Modified, 0, "Unknown")
		}
		switch {
		case i%11 == 3:
			d.press("up", "up")
		case i%11 == 5:
			d.press("G")
		case i%13 == 6:
			d.app.nextGrouping()
		}
		d.wait(100 * time.Millisecond)
		tl := &d.app.timeline
		got := strings.Join(tl.draw(), "\n")
		tl.rows.clear()
		tl.infos.clear()
		for _, e := range tl.missing() {
			tl.infos.put(e.Seq, loadInfo(tl.log, tl.know, e))
		}
		if want := strings.Join(tl.draw(), "\n"); got != want {
			t.Fatalf("step %d:\n%s\nwithout caches:\n%s", i, ansi.Strip(got), ansi.Strip(want))
		}
	}
}
