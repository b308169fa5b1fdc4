package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The text of the help box: what stands between its sides.
func (d *driver) helpText() string {
	var out []string
	for _, l := range strings.Split(d.screen(), "\n") {
		if _, l, ok := strings.Cut(l, "│ "); ok {
			l, _, _ = strings.Cut(l, " │")
			out = append(out, strings.TrimRight(l, " "))
		}
	}
	return strings.Join(out, "\n")
}

// The help is read by the page, from end to end and back.
func TestHelpGoesByPages(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.press("?")
	first := d.screen()
	d.has("more")
	d.has("/ searches")
	pages := 0
	for strings.Contains(d.screen(), " more ") && pages < 100 {
		before := strings.Split(d.helpText(), "\n")
		d.press([]string{"pgdown", "space", "ctrl+f"}[pages%3])
		if now := d.helpText(); !strings.Contains(now, before[len(before)-1]) {
			t.Fatalf("page %d leaves lines out between\n%s\nand\n%s", pages, before, now)
		}
		pages++
	}
	if pages > 20 {
		t.Errorf("the help takes %d pages of a small screen", pages)
	}
	last := d.screen()
	if d.press("g", "g"); d.screen() != first {
		t.Errorf("gg is not the start:\n%s", d.screen())
	}
	if d.press("G"); d.screen() != last {
		t.Errorf("G is not the end:\n%s", d.screen())
	}
	d.press("pgup", "home")
	if d.screen() != first {
		t.Errorf("home is not the start:\n%s", d.screen())
	}
	d.press("esc")
	d.hasNot("/ searches")
}

// What can be done here comes first, then what can be done everywhere.
func TestHelpBeginsWhereOneIs(t *testing.T) {
	for _, x := range []struct{ keys, want []string }{
		{nil, []string{"Timeline", "Everywhere", "Signs", "Streams"}},
		{[]string{"g", "s"}, []string{"Streams", "Everywhere", "Signs", "Timeline"}},
		{[]string{"L"}, []string{"Lanes", "Everywhere", "Signs", "Timeline"}},
	} {
		d := newDriver(t, 120, 36, "mono")
		d.script()
		d.press(x.keys...)
		d.press("?")
		var heads []string
		for _, l := range d.app.help.lines(92) {
			if l = strings.TrimRight(ansi.Strip(l), " "); l != "" && l[0] != ' ' {
				heads = append(heads, l)
			}
		}
		if got := strings.Join(heads[:4], " "); got != strings.Join(x.want, " ") {
			t.Errorf("after %v the help begins with %s", x.keys, got)
		}
	}
	d, _ := newReplay(t, 120, 36, "mono")
	d.press("?")
	if got := d.app.help.scopes()[:3]; got[0] != scopeTimeline || got[1] != scopeReplay || got[2] != scopeGlobal {
		t.Errorf("in a replay the help begins with %v", got)
	}
}

// A reason is told of the keys that work here, in full, and of no others.
func TestHelpGivesReasonsOfThisPlace(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.press("?")
	d.has("/ searches")
	text := strings.Join(strings.Fields(ansi.Strip(strings.Join(d.app.help.lines(d.app.help.w), " "))), " ")
	if want := "(no object is shown)"; !strings.Contains(text, want) {
		t.Errorf("the help lacks %q:\n%s", want, text)
	}
	for _, b := range d.app.keys.all {
		if b.scope == scopeReplay {
			continue
		}
		switch why := d.app.off(&b); {
		case why == "":
		case b.scope == scopeTimeline || b.scope == scopeGlobal:
			if !strings.Contains(text, b.help+" ("+why+")") {
				t.Errorf("%s: its reason is not there in full: %s", b.id, why)
			}
		case strings.Contains(text, b.help+" ("+why):
			t.Errorf("%s: a reason of another place: %s", b.id, why)
		}
	}
}

func TestHelpIsSearched(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	d.press("?")
	d.has("/ searches")
	d.press("/")
	d.typeText("nosuchkey")
	if d.press("enter"); !d.app.prompt.shown {
		t.Error("a search without a match is taken")
	}
	d.has("no line of the help has it")
	d.press("ctrl+u")
	d.typeText("clipboard")
	d.press("esc") // of the prompt alone
	d.has("/ searches")
	d.press("/")
	d.typeText("record")
	d.press("enter")
	d.has("Keys · /record")
	hits := d.app.help.lookFor(d.app.help.find)
	at := func() int { return d.app.help.hit }
	if len(hits) < 3 || at() != hits[0] {
		t.Fatalf("the search is at %d of %v", at(), hits)
	}
	if !strings.Contains(d.app.View().Content, matchStyle) {
		t.Error("the match does not stand out")
	}
	d.press("n", "n")
	if at() != hits[2] || at() < d.app.help.top || at() >= d.app.help.top+d.app.help.h {
		t.Errorf("n is at %d of %v, the top at %d", at(), hits, d.app.help.top)
	}
	d.press("N")
	if at() != hits[1] {
		t.Errorf("N is at %d of %v", at(), hits)
	}
	d.press("N", "N")
	if at() != hits[len(hits)-1] {
		t.Errorf("N around the start is at %d of %v", at(), hits)
	}
	if !strings.Contains(d.footer(), "around the end") {
		t.Errorf("nothing says so: %s", d.footer())
	}
}
