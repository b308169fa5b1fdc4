package ui

import (
	"errors"
	"strings"
	"testing"
)

// A word that is nothing is told, with what is near; without a list of types it is
// offered as typed.
func TestUnknownWordsAreToldWithTheNearest(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	for text, want := range map[string]string{
		"deplyoment":    "no type deplyoment; nearest: deployments",
		"+frobs":        "no type frobs, and nothing else is called so",
		"pods,frobs/a":  "no type frobs, and nothing else is called so",
		"frobs,pods":    "no type frobs, and nothing else is called so; enter asks",
		"+frobs,gizmos": "no types frobs, gizmos here; enter asks",
		"-widgets":      "widgets is not watched",
		"-frobs":        "no type frobs, and nothing else is called so",
		"lanse":         "nearest: lanes",
		"theme drak":    "no theme drak; nearest: dark",
		"theme sol":     "no theme sol; these are there",
		"ctx prod-ue":   "no context prod-ue; nearest: prod-eu, prod-us",
		"ns unheard-of": "as typed; none of this name is listed",
	} {
		d.palette(text)
		d.has(want)
		if strings.HasPrefix(want, "n") && strings.HasPrefix(text, "ns") {
			continue
		}
		again := "" // the list of types may be from before a CRD
		if !strings.Contains(text, " ") && text[0] != '-' {
			d.has("enter asks the cluster again")
			again = "add " + strings.TrimPrefix(text, "+")
		}
		if d.press("enter"); strings.Join(w.asked, "; ") != again && !strings.HasPrefix(text, "ns") {
			t.Errorf(":%s asks %q", text, w.asked)
		}
		d.press("esc")
		w.asked = nil
	}
	d.palette("deplyoment", "tab")
	if got := string(d.app.palette.text); got != "deployments" {
		t.Errorf("tab makes %q", got)
	}
	d.press("esc")
	w.unlisted, d.app.palette.choices = errors.New("discovery is down"), choices{}
	d.palette("gears")
	d.has("as typed; which types there are cannot be asked")
	if d.press("enter"); strings.Join(w.asked, "; ") != "add gears" {
		t.Errorf("asked %q", w.asked)
	}
}

// Nothing stands twice, and what is watched is asked once for a list.
func TestEachThingIsOfferedOnce(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	for _, text := range []string{"pods", "po", "shop", "ns shop", "ns +pay", "ctx dev", "+sts", "-pods", "dark", "deploy,sts", "widgets", "ns all"} {
		d.palette(text)
		seen := map[string]bool{}
		for _, it := range d.app.palette.items {
			if key := it.group + " " + strings.TrimLeft(it.text, "+-"); seen[key] {
				t.Errorf(":%s offers %s twice", text, key)
			} else {
				seen[key] = true
			}
		}
		d.press("esc")
	}
	d.press(":")
	w.looked = 0
	d.typeText("ns s")
	if w.looked != 4 {
		t.Errorf("asked %d times what is watched, for four lists", w.looked)
	}
}

// What is refused once is not told beside what is typed next.
func TestTheLineOfThePaletteHasNothingOld(t *testing.T) {
	d, _ := withWatcher(t, 120, 36)
	d.palette("theme sol", "enter")
	if s := d.footer(); !strings.Contains(s, "no theme sol") {
		t.Errorf("the footer is %q", s)
	}
	if d.press("backspace"); strings.Contains(d.footer(), "sol;") {
		t.Errorf("the footer is %q", d.footer())
	}
	d.press("enter", "esc", ":")
	if s := d.footer(); strings.Contains(s, "theme") && !strings.Contains(s, paletteHint[:10]) || len(d.app.palette.text) > 0 {
		t.Errorf("the footer is %q", s)
	}
}

func TestNamespacesOfSeveralContexts(t *testing.T) {
	d, w := withWatcher(t, 200, 50)
	w.contexts = []string{"prod-eu", "prod-us"}
	d.palette("ns +pay")
	d.has("watch this namespace besides, in prod-eu, prod-us")
	d.press("esc")
	d.palette("ns +shop")
	d.has("watched already in prod-eu, prod-us")
	d.press("esc")
	d.palette("ns -pay")
	d.has("not watched in any context")
	d.press("esc")
	for _, c := range []struct{ now, text, want string }{
		{"a,b", "+c", "a,b,c"}, {"a,b", "-a", "b"}, {"a", "c,d", "c,d"}, {"", "+c", ""}, {"a", "all", ""}, {"a", "-a", "one namespace has to stay"}, {"", "-a", "all namespaces are watched: name those to keep"},
	} {
		names, err := changedNamespaces(strings.FieldsFunc(c.now, func(r rune) bool { return r == ',' }), c.text)
		if got := strings.Join(names, ","); err == nil && got != c.want || err != nil && (c.want == "" || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q after ns %s: %q %v", c.now, c.text, got, err)
		}
	}
}

// A time leads to its row, also live.
func TestATimeWhileLive(t *testing.T) {
	d, _ := withWatcher(t, 120, 36)
	d.palette("12:03:42", "enter")
	if e, ok := d.app.timeline.selected(); !ok || d.app.timeline.follow || !strings.Contains(d.footer(), "12:03:42: f follows") || e.When().Format("15:04:05") != "12:03:42" {
		t.Errorf("the row is of %v, follow is %v, the footer %q", e.When(), d.app.timeline.follow, d.footer())
	}
	d.palette("-2s")
	d.has("go to 2026-12-01 12:03:43")
	d.press("esc")
	d.palette("10:00")
	d.has("not among the rows held, which are from 12:03:40 on")
	d.press("enter", "esc")
	d.palette("12:79")
	d.has("time")
	d.press("enter", "esc", "L")
	d.palette("3", "enter")
	if d.app.page.page != nil || d.app.timeline.cursor-d.app.timeline.index.first() != 2 {
		t.Errorf("the row is %d", d.app.timeline.cursor)
	}
}

// Every page, view and act is there by an obvious word, also by those of k9s.
func TestObviousWords(t *testing.T) {
	if testing.Short() {
		t.Skip("types hundreds of words, which takes minutes with the race detector")
	}
	live, _ := withWatcher(t, 120, 36)
	tape, _ := newReplay(t, 120, 36, "mono")
	first := func(d *driver, word string) string {
		d.palette(word)
		defer d.press("esc")
		if len(d.app.palette.items) == 0 {
			return ""
		}
		it := d.app.palette.items[0]
		return it.group + " " + it.text
	}
	known := map[string]string{"po": "type pods", "deploy": "type deployments", "sts": "type statefulsets", "ns": "command ns …", "ctx": "command ctx …", "theme": "command theme …", "skin": "command theme …",
		"pods kube-system": "type pods kube-system", "kube-system": "namespace kube-system", "prod-us": "context prod-us", "paper": "theme paper", "events": "type events"}
	for word, want := range known {
		if got := first(live, word); got != want {
			t.Errorf(":%s means %q first, want %q", word, got, want)
		}
	}
	helps := map[string]string{}
	for _, b := range bindings() {
		helps[b.id] = b.help
	}
	for id, words := range paletteWords() {
		if helps[id] == "" {
			t.Errorf("there is no binding %s", id)
		}
		for _, word := range words {
			onTape, here := first(tape, word), first(live, word)
			if known[word] == "" && !strings.HasSuffix(onTape, helps[id]) && !strings.HasSuffix(here, helps[id]) {
				t.Errorf(":%s means %q and %q first, and not %s", word, here, onTape, id)
			}
		}
	}
	for _, p := range pages() {
		if got := first(live, strings.ToLower(p.name)); !strings.HasPrefix(got, "view "+p.name) {
			t.Errorf(":%s means %q", strings.ToLower(p.name), got)
		}
	}
	for _, v := range views() {
		if got := first(tape, v.name); !strings.HasPrefix(got, "view "+v.name+":") && v.name != "events" {
			t.Errorf(":%s means %q", v.name, got)
		}
	}
}
