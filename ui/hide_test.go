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
