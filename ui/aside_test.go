package ui

import (
	"strings"
	"testing"
)

// A document that was moved to the side says so, and another view of it begins
// at its beginning.
func TestADocumentThatWasMovedAside(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	d.openDeployment("g", "y")
	d.has(" kind: Deployment")
	d.press("l")
	d.hasNot("kind: Deployment")
	marked := 0
	for _, line := range d.lines() {
		if strings.HasPrefix(line, "‹") {
			marked++
		}
	}
	if marked < 15 {
		t.Errorf("%d lines say that they begin elsewhere:\n%s", marked, d.screen())
	}
	d.press("g", "b")
	d.press("g", "y")
	d.has(" kind: Deployment")
	d.hasNot("‹")
}
