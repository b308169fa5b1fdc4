package ui

import (
	"fmt"
	"testing"
)

// sameInAllThemes compares scenes with their golden screens.
func sameInAllThemes(t *testing.T, name string, open func(size [2]int, theme string) *driver, do func(*driver)) {
	for _, size := range sizes {
		name := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
		t.Run(name, func(t *testing.T) {
			var texts []string
			for _, theme := range drawnThemes() {
				d := open(size, theme)
				d.t = t
				do(d)
				texts = append(texts, logSize.ReplaceAllString(d.screen(), "#.# MB"))
			}
			sameTexts(t, texts)
			golden(t, name+".txt", trimRight(texts[0]))
		})
	}
}

func TestScreensOfThePalette(t *testing.T) {
	live := func(size [2]int, theme string) *driver {
		d := newDriver(t, size[0], size[1], theme)
		d.script()
		d.watcher()
		return d
	}
	tape := func(size [2]int, theme string) *driver {
		d, _ := newReplay(t, size[0], size[1], theme)
		return d
	}
	for _, s := range []struct {
		name string
		open func(size [2]int, theme string) *driver
		do   func(*driver)
	}{
		{"palette", live, func(d *driver) { d.palette("s") }},
		{"palette-type", live, func(d *driver) { d.palette("dep") }},
		{"palette-ns", live, func(d *driver) { d.palette("ns sh", "ctrl+p") }},
		{"palette-action", live, func(d *driver) { d.palette("pause") }},
		{"palette-replay", tape, func(d *driver) { d.palette("next") }},
	} {
		sameInAllThemes(t, s.name, s.open, s.do)
	}
}
