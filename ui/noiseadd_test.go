package ui

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"rewatch/model/noise"
)

// relabel changes a deployment's replicas, some rows each time.
func relabel(d *driver, n int) {
	for range n {
		d.demo.replica++
		d.demo.deployment(d.now, "prod-eu", "checkout", 2, 0)
	}
	d.wait(1e9)
}

// TestFoldLike: the rule is shown, folds the rows there are and those that
// come, is taken back, and goes to the file where that is wanted.
func TestFoldLike(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	var saved []noise.Rule
	d.app.o.NoiseFile = "/home/dev/.config/rewatch/config.yaml"
	d.app.o.SaveNoise = func(r noise.Rule) error { saved = append(saved, r); return nil }
	d.script()
	relabel(d, 8)
	d.press("/")
	d.typeText("kind:deploy type:modified")
	d.press("enter")
	before := d.app.timeline.index.end() - d.app.timeline.index.first()
	if before < 6 {
		t.Fatalf("%d rows:\n%s", before, d.screen())
	}
	d.press("x")
	d.has("Fold changes of these paths, and of no others?")
	d.has("Deployment.apps")
	d.has("write the rule into /home/dev/.config/rewatch/config.yaml")
	d.press("esc")
	if len(d.app.timeline.know.rules.Load().list) != len(noise.Default()) {
		t.Error("a rule was made though it was refused")
	}
	d.press("x", "enter")
	d.has("A lists the rules, and takes it back")
	after := d.app.timeline.index.end() - d.app.timeline.index.first()
	if after >= before-4 {
		t.Errorf("%d rows of %d are left:\n%s", after, before, d.screen())
	}
	relabel(d, 6) // those that come
	if n := d.app.timeline.index.end() - d.app.timeline.index.first(); n > after+1 {
		t.Errorf("%d rows of %d are shown:\n%s", n, after, d.screen())
	}
	d.press("A")
	d.has("enter takes it back: like Deployment checkout")
	for range 20 {
		if line, _ := d.app.list.selected(); line.do != nil {
			break
		}
		d.press("down")
	}
	d.press("enter")
	d.has("no longer folded by like Deployment checkout")
	if n := d.app.timeline.index.end() - d.app.timeline.index.first(); n < before+6 {
		t.Errorf("%d rows of %d are back", n, before+6)
	}
	if len(saved) > 0 {
		t.Errorf("%+v was saved", saved)
	}
	d.press("G", "x", "down", "enter")
	d.has("is in /home/dev/.config/rewatch/config.yaml")
	if len(saved) != 1 || saved[0].Kind != "Deployment.apps" || !slices.Contains(saved[0].Paths, "spec.replicas") {
		t.Errorf("%+v", saved)
	}
	d.app.o.SaveNoise = func(noise.Rule) error { return errors.New("line 3: theme: a mistake") }
	d.press("esc")
	d.press("/")
	d.typeText("kind:pod type:modified")
	d.press("enter", "x", "down", "enter")
	d.has("the rule is not in the file")
	d.has("line 3: theme: a mistake")
	d.press("esc")
}

// TestRuleNumbers: a rule that is taken back gives its place to no other, and
// names are told apart.
func TestRuleNumbers(t *testing.T) {
	s, err := newRuleSet(noise.Default(), len(noise.Default()))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if s, err = s.with(noise.Rule{Name: "a", Kind: "Pod", Paths: []string{"x"}}); err != nil {
			t.Fatal(err)
		}
	}
	n := len(noise.Default())
	s = s.without(n + 2)
	var names string
	for i, r := range s.list[n:] {
		names += fmt.Sprint(r.Name, s.off[n+i], " ")
	}
	if names != "afalse a (2)true a (3)false " || len(s.inForce(0)) != n+2 || len(s.inForce(n)) != 2 {
		t.Errorf("%s", names)
	}
	if _, err := s.with(noise.Rule{Name: "b", Paths: []string{"["}}); err == nil {
		t.Error("no path is taken for one")
	}
}
