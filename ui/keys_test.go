package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestKeysDoNotCollide(t *testing.T) {
	ids := map[string]bool{}
	used := map[scope]map[string]string{}
	for _, b := range bindings() {
		if b.id == "" || b.help == "" || len(b.keys) == 0 || b.do == nil {
			t.Errorf("binding %q is not complete", b.id)
		}
		if ids[b.id] {
			t.Errorf("two bindings are called %q", b.id)
		}
		ids[b.id] = true
		if used[b.scope] == nil {
			used[b.scope] = map[string]string{}
		}
		for _, k := range b.keys {
			if other := used[b.scope][k]; other != "" {
				t.Errorf("%v: %s is bound to %s and to %s", b.scope, k, other, b.id)
			}
			used[b.scope][k] = b.id
		}
	}
	// A pane may take a key from the global scope only to do the like of it.
	shadows := map[string]string{"scroll-left": "pane-left", "scroll-right": "pane-right", "leave-streams": "back", "leave-object": "back", "play": "pause", "find": "filter"}
	// A page takes the place of the panes, and with it the keys that are about them.
	ofPanes := map[string]bool{"pane-left": true, "pane-right": true, "older": true, "newer": true, "zoom": true, "follow": true, "copy-kubectl": true, "filter": true}
	for s, keys := range used {
		if s == scopeGlobal || s.modal() {
			continue
		}
		for k, id := range keys {
			if g := used[scopeGlobal][k]; g != "" && shadows[id] != g && !(s >= scopePage && ofPanes[g]) {
				t.Errorf("%s in %v hides %s", id, s, g)
			}
			if g := used[scopeReplay][k]; g != "" && s != scopeReplay {
				t.Errorf("%s in %v hides %s", id, s, g)
			}
		}
	}
}

// Every key of the table reaches its own binding, and none of them panics.
func TestEveryKeyIsDispatched(t *testing.T) {
	for i, want := range bindings() {
		for _, k := range want.keys {
			d := newDriver(t, 120, 36, "mono")
			d.script()
			d.trouble()
			switch want.scope {
			case scopeReplay:
				d, _ = newReplay(t, 120, 36, "mono")
			case scopePrompt:
				d.press("m")
			case scopeRecord:
				d.app.recording.recorder = &memoryRecorder{}
				d.press("R")
			case scopeStreams:
				d.press("g", "s")
			case scopeObject:
				d.press("g", "o")
			case scopeFilter:
				d.press("/")
			case scopeList:
				d.press("A")
			case scopePalette:
				d.press(":")
			case scopeHelp:
				d.press("?")
			}
			if want.scope >= scopePage {
				d.openPage(want.scope)
			}
			var typed []string
			for _, k := range strings.Fields(k) {
				typed = append(typed, keyMsg(k).String())
			}
			if got := d.app.keys.find(d.app.scope(), strings.Join(typed, " "), want.scope == scopeReplay); got == nil || got.id != want.id {
				if want.scope != scopeGlobal || got == nil {
					t.Errorf("%d: %s leads to %v, want %s", i, k, got, want.id)
				}
			}
			d.press(strings.Fields(k)...)
			if !d.quit {
				d.screen()
			}
		}
	}
}

// openPage opens the page of a scope, whether or not there is something in it.
func (d *driver) openPage(s scope) {
	i := int(s - scopePage)
	d.app.o.Server = &memoryServer{}
	d.app.openPage(opened{page: pages()[i].open(d.app), at: i})
	d.settle()
}

// The help has every key that does something here, and no other.
func TestEveryKeyIsInTheHelp(t *testing.T) {
	live := newDriver(t, 120, 240, "mono")
	tape, _ := newReplay(t, 120, 240, "mono")
	for _, d := range []*driver{live, tape} {
		d.press("?")
		s := ansi.Strip(strings.Join(d.app.help.lines(500), "\n"))
		for _, b := range bindings() {
			off := b.live && d == tape || b.scope == scopeReplay && d == live
			if has := strings.Contains(s, b.help) && strings.Contains(s, b.names()); b.scope != scopeHelp && has == off {
				t.Errorf("in a replay %v: the help has %s (%s): %v", d == tape, b.names(), b.help, has)
			}
		}
	}
}

// docs/keys.md is made from the table.
func TestKeysAreDocumented(t *testing.T) {
	golden(t, "../../docs/keys.md", keysMarkdown())
}

func keysMarkdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nMade from the table in ui/bindings.go by `go test ./ui -update`. All keys work without keyboard enhancements.\nThe configuration file can give them others, by their ids: see [config.md](config.md#keys).\n")
	for _, s := range scopes() {
		var rows strings.Builder
		for _, k := range bindings() {
			if k.scope == s {
				fmt.Fprintf(&rows, "| %s | %s | %s |\n", codes(k.names()), k.help, k.id)
			}
		}
		if rows.Len() > 0 {
			fmt.Fprintf(&b, "\n## %v\n\n| key | does | id |\n| --- | --- | --- |\n%s", s, rows.String())
		}
	}
	b.WriteString("\n## Signs\n\n| sign | means |\n| --- | --- |\n")
	for _, x := range signs {
		fmt.Fprintf(&b, "| `%s` | %s |\n", x[0], x[1])
	}
	b.WriteString("\nThe wheel scrolls the pane under it. A click selects, a second one opens; on tabs, views and the hints of the footer it does what they say. The lines between panes can be dragged (`ctrl+w` and a letter do the same). On the scrubber of a replay, click and drag go to a moment.\n")
	return b.String()
}

// codes writes keys as code in a table of Markdown.
func codes(keys string) string {
	var out []string
	for _, k := range strings.Fields(keys) {
		quote, space := "`", ""
		if strings.Contains(k, "`") {
			quote, space = "``", " "
		}
		out = append(out, quote+space+strings.ReplaceAll(k, "|", `\|`)+space+quote)
	}
	return strings.Join(out, " ")
}

// A key that can do nothing now says why.
func TestDisabledKeysGiveTheirReason(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.press("enter")
	if s := d.footer(); !strings.Contains(s, "no object") {
		t.Errorf("enter on nothing says %q", s)
	}
}

func TestTheHelpCutsWideCharacters(t *testing.T) {
	for from := range 9 {
		if got := ansi.StringWidth(rest("a日本語日", from, 9)); got != 9-from {
			t.Errorf("from cell %d the rest is %d wide, want %d", from, got, 9-from)
		}
	}
}
