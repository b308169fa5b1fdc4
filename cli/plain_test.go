package cli

import (
	"strings"
	"testing"
)

// The demo, told in sentences: no sign of a terminal in it, one line each.
func TestPlainTellsInSentences(t *testing.T) {
	isolate(t)
	r := background(t, "demo", "--plain", "--speed", "60")
	r.waitFor(&r.out, "Deployment checkout in shop changed: spec.replicas", " to ", ", by ")
	r.waitFor(&r.out, "The watch of ", " is not current: ")
	r.waitFor(&r.out, " is current again.")
	r.waitFor(&r.out, "Attention: changes of ", "The list after it found ")
	r.stop()
	out := r.out.String()
	if strings.ContainsAny(out, "\x1b\r→×") || strings.Contains(out, "SENTINEL") {
		t.Errorf("signs that nobody reads aloud:\n%.2000s", out)
	}
	for line := range strings.Lines(out) {
		if strings.HasSuffix(line, "\n") && !strings.HasSuffix(line, ".\n") && !strings.HasSuffix(line, "...\n") {
			t.Errorf("no sentence: %s", line)
		}
	}
}
