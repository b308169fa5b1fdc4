package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// clickOn clicks on a text of the screen, the n-th of its kind.
func (d *driver) clickOn(text string, n int) {
	d.t.Helper()
	for y, l := range d.lines() {
		for from := 0; ; {
			i := strings.Index(l[from:], text)
			if i < 0 {
				break
			}
			if n--; n == 0 {
				d.clickAt(len([]rune(l[:from+i])), y)
				return
			}
			from += i + len(text)
		}
	}
	d.t.Fatalf("no %q to click on:\n%s", text, d.screen())
}

func (d *driver) clickAt(x, y int) {
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.settle()
}

func TestClicks(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.clickOn("8→9", 1)
	if !strings.Contains(d.cursorLine(), "8→9") || d.app.object.pinned {
		t.Errorf("a click selects: %q", d.cursorLine())
	}
	d.now = d.now.Add(time.Second)
	d.clickOn("8→9", 1) // too late for a second one
	if d.app.object.pinned {
		t.Error("two single clicks open")
	}
	d.clickOn("8→9", 1)
	if !d.app.object.pinned || d.app.focus != paneObject {
		t.Error("a second click does not open")
	}
	d.clickOn("yaml", 1)
	d.has("[yaml]")
	d.clickOn("kind: Deployment", 1)
	if !strings.Contains(d.cursorLine(), "kind: Deployment") {
		t.Errorf("the cursor of the object is on %q", d.cursorLine())
	}
	d.clickOn("Streams", 1)
	if d.app.focus != paneStreams {
		t.Error("a click on a title does not go there")
	}
	d.press("g", "t")
	d.clickOn("/ filter", 1)
	if !d.app.filter.editing {
		t.Error("a click on a hint does nothing")
	}
	d.press("esc")
	d.press("y")
	d.clickOn("k kubectl", 1)
	if !strings.HasPrefix(d.clipboard(), "kubectl ") {
		t.Errorf("copied %q; the footer says %q", d.clipboard(), d.footer())
	}
}

// With one pane at a time, the titles of the others are tabs.
func TestClickOnTabs(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	d.press("z")
	d.clickOn("Streams", 1)
	if d.app.focus != paneStreams || !d.app.zoom {
		t.Errorf("focus %v, zoom %v", d.app.focus, d.app.zoom)
	}
	d.clickOn("Object", 1)
	if d.app.focus != paneObject {
		t.Errorf("focus %v", d.app.focus)
	}
}

func (d *driver) dragFrom(x, y, toX, toY int) {
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
	d.screen()
	d.send(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
	d.send(tea.MouseMotionMsg{X: 1, Y: 1})
}

func TestSplits(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	before := d.app.lay
	d.dragFrom(before.rule, 5, 50, 9)
	if d.app.lay.rule != 50 || d.app.lay.pane[paneTimeline].w != 69 {
		t.Errorf("the line is at %d", d.app.lay.rule)
	}
	o := before.pane[paneObject]
	d.dragFrom(100, o.y, 100, o.y-6)
	if d.app.lay.pane[paneObject].y != o.y-6 || d.app.lay.pane[paneObject].h != o.h+6 {
		t.Errorf("the object is at %+v", d.app.lay.pane[paneObject])
	}
	for _, far := range [][4]int{{50, 5, 0, 0}, {minSide, 5, 119, 35}} { // as far as it goes, and no further
		d.dragFrom(far[0], far[1], far[2], far[3])
	}
	if d.app.lay.rule != 120-1-minBeside {
		t.Errorf("the line is at %d", d.app.lay.rule)
	}
	o = d.app.lay.pane[paneObject]
	d.dragFrom(100, o.y, 100, 0)
	d.screen()
	d.dragFrom(100, d.app.lay.pane[paneObject].y, 100, 35)
	if h := d.app.lay.pane[paneObject].h; h != minObject {
		t.Errorf("the object is %d rows high", h)
	}
	d.press("ctrl+w", "=")
	if d.app.lay.rule != before.rule || d.app.lay.pane != before.pane {
		t.Errorf("%+v, want %+v", d.app.lay, before)
	}
	d.press("3", "ctrl+w", ">", "ctrl+w", "<", "2", "ctrl+w", "+", "ctrl+w", "-")
	if d.app.lay.rule != before.rule+4 || d.app.lay.pane[paneObject].h != before.pane[paneObject].h+1 {
		t.Errorf("the line is at %d, the object %d high", d.app.lay.rule, d.app.lay.pane[paneObject].h)
	}
	for _, size := range [][2]int{{100, 28}, {40, 10}, {79, 40}, {200, 50}, {100, 11}} {
		d.resize(size[0], size[1])
		d.screen()
	}
}
