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

// Signs that would be read as minus, plus and tilde are words.
func TestSignsAreReadAloudAsWords(t *testing.T) {
	for summary, want := range map[string]string{
		"-spec.taints node.kubernetes.io/unreachable:NoSchedule": "removed spec.taints node.kubernetes.io/unreachable:NoSchedule",
		`+labels["topology.kubernetes.io/zone"] b, spec.x -1→2`:  `added labels["topology.kubernetes.io/zone"] b, spec.x -1→2`,
		"image example/checkout:1.4.2→example/checkout:1.5.0 +1": "image example/checkout:1.4.2→example/checkout:1.5.0 and 1 more",
		"a 1→2, -spec.b x, +status.c y +12":                      "a 1→2, removed spec.b x, added status.c y and 12 more",
		"note: spec.replicas 1→2 +1 inside, c 1→2":               "note: spec.replicas 1→2 and 1 more inside, c 1→2",
		"memory 1Gi→2Gi (doubled), a-b +7%":                      "memory 1Gi→2Gi (doubled), a-b +7%",
	} {
		if got := aloud(summary); got != want {
			t.Errorf("%s is read %q, want %q", summary, got, want)
		}
	}
}
