package ui

import (
	"strings"
	"testing"

	"rewatch/model"
	"rewatch/model/query"
)

func TestHideAndTakeBack(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.script()
	d.press("G")
	d.seek("Deployment")
	steps := []struct{ keys, filter, gone string }{
		{"H o", "-(kind:deployment ns:shop name:=checkout)", "~ Deployment"},
		{"H k", "-kind:pod -(kind:deployment ns:shop name:=checkout)", "~ Pod"},
	}
	d.press("H", "o")
	d.has("/" + steps[0].filter)
	d.has("hidden: " + steps[0].filter)
	d.hasNot(steps[0].gone)
	d.press("G")
	d.seek("~ Pod")
	d.press("H", "k")
	d.has("/" + steps[1].filter)
	d.hasNot(steps[1].gone)
	d.press("u")
	d.has("/" + steps[0].filter)
	d.has(steps[1].gone)
	d.hasNot(steps[0].gone)
	d.press("u")
	d.hasNot("/-")
	d.has(steps[0].gone)
	d.press("u")
	d.has("there was no other filter before")
	d.press("2", "ctrl+r")
	d.has("/" + steps[1].filter)
	d.press("esc") // clears the filter: that is taken back as well
	d.hasNot("/-kind")
	d.press("u")
	d.has("/" + steps[1].filter)
	d.press("ctrl+r", "/")
	d.typeText("kind:node OR kind:configmap")
	d.press("enter", "G")
	d.seek("ConfigMap")
	d.press("H", "n")
	d.has("/-ns:shop (kind:node OR kind:configmap)")
}

func TestHideAManager(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.script()
	d.press("G")
	d.seek("~ Pod")
	d.press("H", "m")
	d.has("/-manager:kubelet")
	for _, l := range d.lines() {
		if strings.Contains(l, " ~ ") && strings.HasSuffix(strings.TrimSpace(l), "kubelet") && strings.Contains(l, "12:03") {
			t.Errorf("still there: %s", l)
		}
	}
}

// Whatever names there are, the filter hides just that object, and is one that
// could have been typed.
func TestHiddenNamesAreQuoted(t *testing.T) {
	names := []string{"plain", "a b", `q"uote`, `back\slash`, "-x", "system:node", "a)b", "(", "OR", "/re/", "*", "a,b", "~x", "=x", "日本", "'"}
	for _, name := range names {
		log := model.NewLog(model.Options{})
		id := log.AddStream(model.StreamInfo{Resource: "pods", Kind: "Pod", Version: "v1"})
		for _, n := range []string{name, name + "z", "other"} {
			log.Append(model.Record{Stream: id, Type: model.Added, RV: "1", Identity: model.Identity{APIVersion: "v1", Kind: "Pod", Namespace: name, Name: n, UID: n},
				Raw: []byte(`{"apiVersion":"v1","kind":"Pod"}`)})
		}
		for _, old := range []string{"", "pod", "kind:pod OR kind:node", `"(" OR kind:pod`, "name:a\tOR kind:pod", "cel: kind == 'Pod'"} {
			text := without(old, hideObject(model.Identity{Kind: "Pod", Namespace: name, Name: name}, ""))
			q, err := query.Parse(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			var left []string
			match, s := q.Filter(log), log.Snapshot()
			for seq := s.First(); seq < s.End(); seq++ {
				if match(s.At(seq)) {
					left = append(left, log.Identity(s.At(seq).Object).Name)
				}
			}
			if got := strings.Join(left, " "); got != name+"z other" {
				t.Errorf("%s leaves %q", text, got)
			}
		}
	}
}

// With several contexts an object is one of its context.
func TestHiddenObjectsHaveTheirContext(t *testing.T) {
	id := model.Identity{Context: "prod eu", Kind: "Pod", Namespace: "shop", Name: "a"}
	if got, want := hideObject(id, ""), `-(kind:pod ns:shop context:"prod eu" name:=a)`; got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	d := newDriver(t, 120, 36, "mono")
	d.press("H", "m")
	d.has("no row of an object is selected")
}

// A hide after which nothing is listed, taken back, leads to where it was
// pressed: the row, and where in the window that stood. So does a filter that
// was typed, whatever was pressed meanwhile.
func TestTakingBackComesBackToTheRow(t *testing.T) {
	for _, again := range [][]string{nil, {"up", "down", "pgup", "g", "g"}} {
		for _, hide := range [][]string{
			{"H", "n"},
			append(append([]string{"/"}, strings.Split("nothing-has-this", "")...), "enter"),
		} {
			d := newDriver(t, 80, 12, "mono")
			d.script()
			d.press("/")
			d.typeText("ns:shop")
			d.press("enter", "G", "up", "up", "up", "up", "up", "up")
			d.seek("~ Pod")
			line := d.cursorLine()
			before := d.lines()[1:10]
			d.press(hide...)
			if n := d.app.timeline.index.end() - d.app.timeline.index.first(); n != 0 {
				t.Fatalf("%v leaves %d rows", hide, n)
			}
			d.press(again...)
			d.press("u")
			if got := d.cursorLine(); got != line {
				t.Errorf("%v %v: the cursor was on %q and is on %q", hide, again, line, got)
			}
			if got := d.lines()[1:10]; strings.Join(got, "\n") != strings.Join(before, "\n") {
				t.Errorf("%v %v: the screen was\n%s\nand is\n%s", hide, again, strings.Join(before, "\n"), strings.Join(got, "\n"))
			}
		}
	}
}

// One that followed when everything was hidden follows again.
func TestTakingBackFollowsOn(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	d.press("/")
	d.typeText("ns:shop")
	d.press("enter")
	line := d.cursorLine()
	d.press("H", "n", "up", "u")
	if !d.app.timeline.follow || d.cursorLine() != line {
		t.Errorf("follow %v, the cursor was on %q and is on %q", d.app.timeline.follow, line, d.cursorLine())
	}
}
