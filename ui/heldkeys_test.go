package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// later sends a key and gives back what it asked for, to be run when the test
// wants its answer.
func (d *driver) later(key string) func() {
	_, cmd := d.app.Update(keyMsg(key))
	return func() { d.run(cmd); d.settle() }
}

// typeOnly sends keys whose commands are run at once, but lets nothing settle.
func (d *driver) typeOnly(keys ...string) {
	for _, k := range keys {
		d.send(keyMsg(k))
	}
}

// Keys typed while a row is looked for act on it, in their order, and not on the
// row that was under the cursor before.
func TestKeysWaitForTheRowThatIsLookedFor(t *testing.T) {
	open := func() (d *driver, find func()) {
		d = newDriver(t, 120, 36, "mono")
		d.script()
		d.press("f", "g", "g")
		d.app.filter.past.add("kind:node")
		d.wait(0)
		return d, d.later("n")
	}
	d, find := open()
	d.typeOnly("enter")
	d.hasNot("▸Pod")
	d.hasNot("▸Node")
	if d.app.object.pinned {
		t.Fatal("enter opened the row that the search leaves")
	}
	d.has("enter waits for the row that is looked for; esc gives up")
	find()
	d.has("▸Node")
	if e, _ := d.app.timeline.selected(); d.app.log.Identity(e.Object).Kind != "Node" || e.Object != d.app.object.want.id || e.Version != d.app.object.want.version {
		t.Errorf("the cursor is on %+v, and version %+v is open", e, d.app.object.want)
	}

	// In their order: on the row, the object opens, its next view is shown.
	d, find = open()
	d.typeOnly("enter", "v", "g", "t")
	find()
	if d.app.focus != paneTimeline || d.app.object.view != 1 || !d.app.object.pinned {
		t.Errorf("focus %v, view %v, pinned %v", d.app.focus, d.app.object.view, d.app.object.pinned)
	}

	// esc gives up both; the answer comes too late.
	d, find = open()
	before := d.cursorLine()
	d.typeOnly("enter", "esc")
	d.has("given up")
	find()
	if d.app.object.pinned || d.cursorLine() != before {
		t.Errorf("after esc: pinned %v, the cursor on %q, before on %q", d.app.object.pinned, d.cursorLine(), before)
	}
	d.press("j") // and keys work as ever
	if d.cursorLine() == before {
		t.Error("j does not move")
	}

	// Where nothing is found, keys that were meant for it are forgotten.
	d, find = open()
	find()
	d.app.filter.past.add("nobody-has-this")
	find = d.later("n")
	d.typeOnly("enter")
	find()
	d.has("no later row matches so far")
	if d.app.object.pinned {
		t.Error("enter opened a row that was not looked for")
	}

	// ctrl+c waits for nothing.
	d, _ = open()
	d.typeOnly("enter", "ctrl+c")
	if !d.quit {
		t.Error("ctrl+c waits")
	}
}

// A key on the row under the cursor waits for the rows of the filter that was just
// typed; others do not.
func TestEnterWaitsForTheRowsOfTheFilter(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("/")
	for _, k := range strings.Split("kind:deployment path:replica", "") { // looks into objects, so a search lists them
		d.send(keyMsg(k))
	}
	d.settle()
	search := d.later("s") // its first step is not taken yet
	d.app.Update(keyMsg("enter"))
	d.app.Update(keyMsg("enter"))
	d.app.Update(keyMsg("v"))
	if d.app.object.pinned {
		t.Fatal("enter opened a row of the filter before")
	}
	if n := len(d.app.waiting.keys); n != 2 {
		t.Errorf("%d keys wait, want enter and v", n)
	}
	search()
	d.wait(time.Second)
	if len(d.app.waiting.keys) != 0 || !d.app.object.pinned {
		t.Fatalf("%d keys wait still, pinned %v", len(d.app.waiting.keys), d.app.object.pinned)
	}
	e, ok := d.app.timeline.selected()
	if !ok || e.Object != d.app.object.want.id || e.Version != d.app.object.want.version || d.app.log.Identity(e.Object).Kind != "Deployment" {
		t.Errorf("version %+v of %v is open, and the cursor on %+v", d.app.object.want, d.app.log.Identity(d.app.object.want.id), e)
	}
}

// The actions that wait are ones of the table of keys, and so many keys wait.
func TestHeldKeysAreOfTheTable(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	for _, id := range rowKeys {
		found := false
		for _, b := range d.app.keys.all {
			found = found || b.id == id || strings.HasSuffix(id, "-") && strings.HasPrefix(b.id, id)
		}
		if !found {
			t.Errorf("there is no key for %s", id)
		}
	}
	d.app.hitRequest++ // a search that does not come to an end
	for range 3 * heldLimit {
		d.app.Update(tea.KeyPressMsg(keyMsg("j")))
	}
	if n := len(d.app.waiting.keys); n != heldLimit {
		t.Errorf("%d keys wait, want %d", n, heldLimit)
	}
}
