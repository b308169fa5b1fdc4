package ui

import (
	"strings"
	"testing"
)

// The footer is about the pane that has the focus, and offers nothing that is so
// already.
func TestTheFooterIsOfThePane(t *testing.T) {
	for _, x := range []struct {
		w         int
		keys      []string
		has, lack []string
	}{
		{120, nil, []string{"R record", "space pause", "/ filter"}, []string{"f follow"}},
		{120, []string{"k"}, []string{"f follow", "R record"}, nil},
		{80, nil, []string{"/ filter", "F problems", "space pause"}, []string{"f follow"}},
		{120, []string{"g", "s"}, []string{"enter requests", "p pause", "x stop", "b retry", "z zoom", "esc back"}, []string{"f follow", "a all rows", "L lanes", "space pause"}},
		{80, []string{"g", "s"}, []string{"enter requests", "b retry", "x stop", "z zoom", "esc back"}, []string{"f follow", "a all rows"}},
	} {
		d, _ := withWatcher(t, x.w, 36)
		d.trouble()
		d.press(x.keys...)
		for _, want := range x.has {
			if !strings.Contains(d.footer(), " "+want+" ") {
				t.Errorf("%d columns, %v: no %q in %s", x.w, x.keys, want, d.footer())
			}
		}
		for _, no := range x.lack {
			if strings.Contains(d.footer(), no) {
				t.Errorf("%d columns, %v: %q in %s", x.w, x.keys, no, d.footer())
			}
		}
	}
}
