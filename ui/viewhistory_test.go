package ui

import (
	"strings"
	"testing"

	"rewatch/model"
)

func TestHistory(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.openDeployment("g", "v")
	d.has("[history]")
	d.has("version 1")
	d.has("~ version 4 ◂")
	d.has("spec.replicas 9→8")
	d.screen()
	for !strings.Contains(d.cursorLine(), "version 3") {
		d.press("up")
	}
	d.press("enter")
	d.has("version 3 of 4")
	d.has("[diff]")
	d.press("esc")
	d.has("[history]")
	d.has("~ version 4 ◂")
}

// Of an object with many versions the newest are told, and how many are not.
func TestHistoryIsBounded(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.demo.start(d.now, "prod-eu", 1)
	for i := range historyRows + 7 {
		d.demo.replica = i
		d.demo.deployment(d.now, "prod-eu", "checkout", model.Modified, 0)
	}
	d.wait(0)
	d.press("G", "enter", "g", "v")
	d.screen()
	_, newest := d.app.log.Versions(d.app.object.want.id)
	if n := len(d.app.object.doc); n != historyRows+1 {
		t.Errorf("%d lines", n)
	}
	if s := d.app.object.doc[0].a; !strings.Contains(s, count(int(newest)-historyRows)+" older versions held") {
		t.Errorf("it begins with %q", s)
	}
}
