package ui

import "testing"

// From an object to a row that is none, and back to the same object: the pane
// shows the object again, and not what it had of the row.
func TestAnObjectIsShownAgainAfterARowThatIsNone(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.trouble()
	d.seek("gap:")
	d.press("down")
	d.seek("node-07")
	d.has("─ Node node-07")
	d.has("status.conditions")
	d.press("up")
	d.has("changes between these resourceVersions")
	d.press("down")
	d.has("─ Node node-07")
	d.hasNot("changes between these resourceVersions")
	d.has("status.conditions")
}
