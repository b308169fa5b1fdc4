package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model/diff"
)

// Of a change the new value is always shown, whoever made it.
func TestTheNewValueIsNotHiddenByWhoMadeIt(t *testing.T) {
	const manager = "kube-controller-manager (Update status) 14:49:26"
	changes := []diff.Change{
		{Op: diff.Replace, Path: "status.conditions[type=Ready].status", Old: `"True"`, New: `"Unknown"`},
		{Op: diff.Replace, Path: `metadata.annotations["deployment.kubernetes.io/revision"]`, Old: `"4"`, New: `"5"`},
	}
	for n := 1; n <= len(changes); n++ {
		for w := 80; w <= 200; w += 5 {
			d := newDriver(t, w, 50, "mono")
			data := &objectData{result: diff.Result{Changes: changes[:n]}}
			data.build = func(w int) []docLine { return diffDoc(data, nil, nil, []string{manager, manager}[:n], w) }
			p := &d.app.object
			p.data, p.r, p.docWidth = data, rect{w: w, h: 20}, 0
			got := ansi.Strip(strings.Join(p.draw(), "\n"))
			for _, want := range []string{"True → Unknown", manager, "4 → 5"}[:n+1] {
				if !strings.Contains(got, want) {
					t.Errorf("%d columns: %q is missing:\n%s", w, want, got)
				}
			}
		}
	}
}
