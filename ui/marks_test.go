package ui

import (
	"strings"
	"testing"

	"rewatch/model"
)

func TestMarksOfAReplay(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	d.press(`"`)
	d.has("there is no mark before this moment: m sets one")
	d.press("'")
	if d.clock() != "12:03:45.222" {
		t.Errorf("the mark of the tape is at %s", d.clock())
	}
	d.has("mark: deploy of 1.4.2")
	d.press("0", ")", "m", "h", "e", "r", "e", "enter")
	d.has("marked 2026-12-01 12:03:41, for this session")
	d.press("0", "'")
	if d.clock() != "12:03:41.112" {
		t.Errorf("the first mark is at %s", d.clock())
	}
	d.has("mark: here")
	if n := strings.Count(d.lines()[1], glyphMark); n != 1 {
		t.Errorf("%d marks beside the position: %s", n, d.lines()[1])
	}
	d.press("'")
	if d.clock() != "12:03:45.222" {
		t.Errorf("the second mark is at %s", d.clock())
	}
	d.press("'")
	d.has("there is no mark after this moment")
	d.press("$", `"`, `"`)
	if d.clock() != "12:03:41.112" {
		t.Errorf("two marks back it is %s", d.clock())
	}
	if n := d.app.log.Snapshot(); n.Len() > 0 && n.At(n.End()-1).Type == model.Noted {
		t.Error("a mark of the session is in the log of the tape")
	}
}
