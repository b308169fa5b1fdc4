package ui

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// A following timeline says what part of the rows it shows, and only while it
// does not show all; the counts stay exact.
func TestAStormIsCalledASample(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.demo.start(d.now, "prod-eu", 100)
	d.wait(time.Second)
	n := 0
	frame := func(rows int) {
		for range rows {
			n++
			d.demo.pod(d.now, "prod-eu", d.demo.pods[n%100], model.Modified, 0, fmt.Sprint("Phase", n), 0)
		}
		d.wait(50 * time.Millisecond)
	}
	for range 25 {
		frame(10 * d.app.timeline.height)
	}
	d.has("follow · 1 of 10 rows shown")
	for range 50 {
		frame(1)
	}
	d.hasNot("rows shown")
	if got := d.app.log.Stats().Rows; got < uint64(n) {
		t.Errorf("%d rows of %d are held", got, n)
	}
}

// Without the focus the screen takes fewer wake-ups; with it, what came meanwhile
// is there at once.
func TestFewerFramesWithoutTheFocus(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.demo.start(d.now, "prod-eu", 10)
	d.wait(time.Second)
	d.send(tea.BlurMsg{})
	begin := time.Now()
	w := waker{log: d.demo.log, wake: d.app.wake.wake, frame: time.Millisecond, brief: time.Millisecond, last: begin}
	d.demo.pod(d.now, "prod-eu", "late", model.Added, 0, "Pending", 0)
	if msg := w.wait(context.Background(), outlook{blurred: d.app.blurred})(); msg == nil {
		t.Fatal("no wake-up")
	}
	if took := time.Since(begin); took < blurredFrame {
		t.Errorf("the wake-up came after %v", took)
	}
	d.hasNot("shop/late")
	d.send(tea.FocusMsg{})
	d.has("late")
	if !d.app.View().ReportFocus {
		t.Error("the terminal is not asked for its focus")
	}
}
