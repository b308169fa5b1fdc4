package ui

import "testing"

func TestPathsAreCutBeforeTheirLastStep(t *testing.T) {
	for _, c := range []struct {
		path string
		w    int
		want string
	}{
		{"spec.replicas", 20, "spec.replicas"},
		{"status.conditions[type=Available].lastUpdateTime", 36, "status.conditions[typ…lastUpdateTime"},
		{"status.conditions[type=Available].lastTransitionTime", 36, "status.conditions…lastTransitionTime"},
		{"metadata.annotations.averyveryveryveryverylongname", 20, "metadata.annotations.averyveryveryveryverylongname"}, // cut at its end by the cell
		{"data.größe.größe", 12, "data.größe.größe"},
	} {
		if got := pathMiddle(c.path, c.w); got != c.want {
			t.Errorf("%s in %d: %s, want %s", c.path, c.w, got, c.want)
		}
	}
}
