package ui

import (
	"strings"
	"testing"

	"rewatch/model"
)

func TestOneObjectIsSingular(t *testing.T) {
	for _, c := range []struct {
		stats model.Stats
		want  string
	}{
		{model.Stats{Rows: 7, Objects: 1}, "7 rows of 1 object"},
		{model.Stats{Rows: 1}, "1 row of 0 objects"},
	} {
		b := statusBar{all: &overall{}, stats: c.stats}
		if got := strings.Join(b.parts(), " │ "); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
