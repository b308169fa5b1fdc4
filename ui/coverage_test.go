package ui

import (
	"testing"
	"time"
)

// What was watched, when: a stream that is lost for a while has a bar that says
// so, and its share of the time.
func TestCoverageScreens(t *testing.T) {
	goldenScreens(t, "coverage", func(t *testing.T, w, h int, theme string) *driver {
		d := newDriver(t, w, h, theme)
		d.script()
		d.wait(10 * time.Second)
		d.trouble()
		d.wait(10 * time.Second)
		d.press("C")
		d.wait(time.Second)
		return d
	})
}

func TestCoverageCountsTheTimeThatAStreamWasCurrent(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.demo.start(d.now, "prod-eu", 3)
	d.wait(10 * time.Second)
	d.trouble()
	d.wait(10 * time.Second)
	d.press("C")
	d.wait(0)
	d.has("50.0%")
	d.has("100.0%")
	d.has("═")
	d.has("░")
	d.press("C")
	d.hasNot("▸Coverage")
}
