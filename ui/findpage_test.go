package ui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"rewatch/model"
)

// pageScripts have each page full of lines, and of each a text that stands in
// several of them.
var pageScripts = map[string]struct {
	fill func(*driver)
	text string
}{
	"Problems": {func(d *driver) { d.badDay(); d.trouble() }, "node"},
	"Coverage": {func(d *driver) { d.wait(10 * time.Second); d.trouble(); d.wait(10 * time.Second) }, "nodes"},
	"Protocol": {func(d *driver) { d.protocol(); d.focusPods() }, "resourceversion=83120"},
	"Server": {func(d *driver) {
		d.app.o.Server = &memoryServer{readings: map[string][]model.ServerStats{"prod-eu": busyServer(d.now)}}
	}, "etcd"},
}

// focusPods chooses the stream that protocol tells requests of.
func (d *driver) focusPods() {
	d.press("g", "s")
	for range 20 {
		if s, ok := d.app.streams.selected(); ok && s.Resource == "pods" {
			return
		}
		d.press("j")
	}
	d.t.Fatal("no stream of pods")
}

// On every page / does something: it searches the page, or, where that has rows
// of the timeline, it filters them.
func TestEveryPageCanBeSearched(t *testing.T) {
	for i, info := range pages() {
		t.Run(info.name, func(t *testing.T) {
			d := newDriver(t, 80, 24, "mono")
			d.script()
			script := pageScripts[info.name]
			if script.fill != nil {
				script.fill(d)
			}
			d.press(info.key)
			d.wait(time.Second)
			if d.app.page.page == nil || d.app.page.at != i {
				t.Fatalf("%s does not open the page:\n%s", info.key, d.screen())
			}
			if _, is := d.app.page.page.(textPage); is != info.find {
				t.Fatalf("the table says %v, the page is searchable: %v", info.find, is)
			}
			d.press("/")
			if !info.find {
				if !d.app.filter.editing {
					t.Fatalf("/ neither searches nor filters:\n%s", d.screen())
				}
				return
			}
			d.has("search ›")
			d.typeText("no-such-text")
			d.has("0 lines")
			d.press("enter")
			d.has("no line of this page has it")
			d.press("esc")
			d.searchesThePage(script.text)
		})
	}
}

// searchesThePage goes through all hits of a text, and around the end both ways.
func (d *driver) searchesThePage(text string) {
	d.t.Helper()
	d.search(text)
	o := &d.app.page
	p := o.page.(textPage)
	var want []int
	for i := range p.size() {
		if strings.Contains(strings.ToLower(p.text(d.app, i)), text) {
			want = append(want, i)
		}
	}
	if len(want) < 2 {
		d.t.Fatalf("%d lines have %q:\n%s", len(want), text, d.screen())
	}
	var seen []int
	n := strconv.Itoa(len(want))
	for range want {
		d.has("/" + text + " ")
		d.has("/" + n)
		d.marks(text)
		seen = append(seen, p.place())
		d.press("n")
	}
	first := p.place()
	for _, i := range want {
		if !strings.Contains(strings.ToLower(strings.Join(seenTexts(d.app, p, seen), "\n")), strings.ToLower(p.text(d.app, i))) {
			d.t.Errorf("n does not reach %q", p.text(d.app, i))
		}
	}
	if first != seen[0] {
		d.t.Errorf("around the end is line %d, not %d", first, seen[0])
	}
	d.press("N")
	if p.place() != seen[len(seen)-1] {
		d.t.Errorf("N goes to %d, want %d", p.place(), seen[len(seen)-1])
	}
	d.press("esc") // the search, not the page
	d.hasNot("/" + text + " ")
	if o.page == nil {
		d.t.Fatal("esc closes the page before the search")
	}
	d.press("n")
	d.has("nothing was searched for")
	d.press("esc")
	if o.page != nil {
		d.t.Error("esc does not close the page")
	}
}

func seenTexts(a *App, p textPage, seen []int) (out []string) {
	for _, i := range seen {
		out = append(out, p.text(a, i))
	}
	return out
}

// marks fails unless a text stands out on the page without a colour, and nothing
// else does.
func (d *driver) marks(text string) {
	d.t.Helper()
	term := vt.NewEmulator(d.app.lay.w, d.app.lay.h)
	defer term.Close()
	term.Write([]byte("\x1b[20h" + d.app.View().Content))
	var b strings.Builder
	body := d.app.lay.page.body()
	for y := body.y; y < body.y+body.h; y++ {
		for x := range d.app.lay.w {
			if c := term.CellAt(x, y); c.Style.Underline != 0 {
				b.WriteString(c.Content)
			}
		}
	}
	marked := strings.ToLower(b.String())
	if rest := strings.ReplaceAll(marked, text, ""); marked == "" || rest != "" {
		d.t.Errorf("marked is %q, searched %q:\n%s", marked, text, d.screen())
	}
}

func TestFoundOnAPageScreens(t *testing.T) {
	goldenScreens(t, "protocol-found", func(t *testing.T, w, h int, theme string) *driver {
		d := newDriver(t, w, h, theme)
		d.script()
		d.protocol()
		d.focusPods()
		d.press("P")
		d.search("continue")
		return d
	})
}

// What is found stays found while the page is made anew, and an object that was
// opened from it leads back to it.
func TestASearchOfAPageStays(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.script()
	d.badDay()
	d.press("F")
	d.search("app: OOMKilled")
	d.has("/app: OOMKilled 1/1")
	at := d.cursorLine()
	d.press("enter")
	d.has("▸Pod shop/")
	d.press("n") // of the pane: its search is another one
	d.has("nothing was searched for")
	d.press("esc")
	d.has("/app: OOMKilled 1/1")
	d.wait(2 * time.Second)
	d.has("/app: OOMKilled 1/1")
	l := d.demo
	l.object(d.now, "prod-eu/pods", model.Modified, 0, "Pod", "v1", "shop", l.pods[1], `"status":{"phase":"Running","containerStatuses":[{"name":"app","ready":false,"restartCount":3,`+
		`"state":{"running":{}},"lastState":{"terminated":{"reason":"OOMKilled","exitCode":137,"finishedAt":"`+d.now.Add(-time.Second).Format(time.RFC3339)+`"}}}]}`)
	d.wait(time.Second) // it is read
	d.wait(time.Second) // and asked for
	d.has("/2 ·")
	if d.cursorLine()[:10] != at[:10] {
		t.Errorf("the cursor is on %q, was on %q", d.cursorLine(), at)
	}
	d.press("n")
	if d.cursorLine() == at {
		t.Error("n does not find what came")
	}
}

// Where sections are folded, a search says that it has not looked there.
func TestASearchTellsOfFoldedSections(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.badDay()
	d.press("F")
	d.search("Nodes")
	d.press("enter") // folds
	d.wait(time.Second)
	d.press("/")
	d.typeText("kubelet")
	d.press("enter")
	d.has(" lines folded: enter unfolds")
}

// A page of many lines is searched in steps, and a step that comes back when the
// page is closed is nobody's.
func TestALongPageIsSearchedInSteps(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.protocol()
	d.focusPods()
	d.press("P")
	p := d.app.page.page.(*protocol)
	one := p.list[len(p.list)-1]
	for range 3 * findNow {
		p.list = append(p.list, one)
	}
	a := d.app
	a.page.changed = true
	a.askFind()
	a.prompt.insert("connection cut")
	step := a.lookOn()
	a.answerPrompt()
	if step == nil {
		t.Fatal("all lines were looked at at once")
	}
	a.page.rest()
	step().(findMsg).take(a)
	if f := &a.page.find; f.seen != 0 && !f.busy {
		t.Error("the answer to a search that was given up is taken")
	}
	d.run(a.lookOn())
	d.has("/connection cut 1/1")
}
