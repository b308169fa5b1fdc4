package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/logtest"
)

// newOver is a driver over a log that is there already; its clock is that of
// the newest row.
func newOver(t *testing.T, log *model.Log, w, h int) *driver {
	t.Helper()
	s := log.Snapshot()
	d := &driver{t: t, now: s.At(s.End() - 1).When().Add(time.Second)}
	d.app = NewApp(t.Context(), Options{Log: log, Now: func() time.Time { return d.now }, Location: time.UTC, Theme: "mono"})
	t.Cleanup(func() { d.app.Close() })
	d.resize(w, h)
	d.wait(0)
	return d
}

// find opens the newest row that a filter matches.
func (d *driver) find(filter string) {
	d.t.Helper()
	d.press("/")
	d.typeText(filter)
	d.press("enter", "G", "enter")
	if d.app.focus != paneObject {
		d.t.Fatalf("%s opens nothing:\n%s", filter, d.screen())
	}
}

// Who changed what, from a real control plane's managedFields.
func TestWhoChangedWhat(t *testing.T) {
	d := newOver(t, logtest.Shop(t), 160, 50)
	d.press("/")
	d.typeText("kind:deploy path:spec.replicas")
	d.press("enter")
	s := d.screen()
	for _, who := range []string{"autoscaler", "gitops"} {
		if !strings.Contains(s, who) {
			t.Errorf("the timeline does not name %s:\n%s", who, s)
		}
	}
	d.press("G", "enter")
	d.has("[diff]")
	found := false
	for _, l := range d.lines() {
		found = found || strings.Contains(l, "spec.replicas") && strings.Contains(l, "→") && (strings.Contains(l, "kubectl (Update scale)"))
	}
	if !found {
		t.Errorf("the change of spec.replicas has no manager:\n%s", d.screen())
	}
	d.resize(80, 24)
	d.has("by ")
}

func TestViewsOfAnObject(t *testing.T) {
	d := newOver(t, logtest.Shop(t), 160, 50)
	d.find("kind:deploy path:spec.replicas")
	for name, want := range map[string]string{"yaml": "apiVersion: apps/v1", "blame": "│ ", "events": "", "owners": "◂ this one", "story": "~ Deploy"} {
		i := slices.IndexFunc(views(), func(v view) bool { return v.name == name })
		d.press(strings.Fields(views()[i].key)...)
		d.has("[" + name + "]")
		d.has(want)
	}
	d.press("g", "b", "z")
	d.has("kubectl/scale")
	d.press("v")
	d.has("[history]")
	d.press("V", "V")
	d.has("[yaml]")
	d.press("z")
	// From the tree to one of its objects and back.
	d.press("g", "w")
	for n := 0; n < 20 && !strings.Contains(d.cursorLine(), "ReplicaSet"); n++ {
		d.press("down")
	}
	d.press("enter")
	d.has("[diff]")
	if k := d.app.log.Identity(d.app.object.want.id).Kind; k != "ReplicaSet" {
		t.Errorf("enter in the tree leads to a %s", k)
	}
	d.press("esc")
	d.has("[owners]")
	if k := d.app.log.Identity(d.app.object.want.id).Kind; k != "Deployment" {
		t.Errorf("esc leads back to a %s", k)
	}
	// From the story to a row.
	d.press("g", "h", "G", "enter")
	d.has("[diff]")
	if _, ok := d.app.timeline.selected(); !ok {
		t.Error("the cursor is at no row")
	}
}

// A story has an object's own rows, those of its children and the Events.
func TestStoryOfAPod(t *testing.T) {
	d := newOver(t, logtest.Shop(t), 200, 50)
	d.find("kind:pod -type:initial")
	d.press("g", "e")
	d.has("[events]")
	d.press("g", "h", "z")
	d.has("▸Pod ")
}

// What the views need is read outside of the event loop, a little at a time,
// and all of it in the end.
func TestTheLogIsReadToItsEnd(t *testing.T) {
	d := newOver(t, logtest.Shop(t), 120, 36)
	if n := d.app.timeline.know.unread(); n != 0 {
		t.Errorf("%d rows have not been read", n)
	}
}
