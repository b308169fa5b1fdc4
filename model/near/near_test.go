package near

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	if got := Names("prod", []string{"staging", "prod-eu", "dev", "prd"}, 3); !slices.Equal(got, []string{"prod-eu", "prd"}) {
		t.Errorf("%q", got)
	}
	if got := Names("frobs", []string{"pods", "nodes"}, 3); len(got) > 0 {
		t.Errorf("frobs may be %q", got)
	}
	if d := Distance("ab", "ba"); d != 1 {
		t.Errorf("a swap of neighbours costs %d", d)
	}
}
