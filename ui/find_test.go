package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"rewatch/model"
)

// search types a search into the object pane.
func (d *driver) search(text string) {
	d.press("/")
	d.typeText(text)
	d.press("enter")
	d.screen()
}

func TestFindInAnObject(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.script()
	d.openDeployment("g", "y")
	d.screen()
	d.search("replicas")
	d.has("/replicas 1/2")
	first := d.cursorLine()
	if !strings.Contains(first, "replicas: 9") {
		t.Errorf("the cursor is on %q", first)
	}
	d.press("n")
	d.has("/replicas 2/2") // readyReplicas has it as well
}

func TestFindGoesOnAndAround(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.demo.start(d.now, "prod-eu", 1)
	var data []string
	for i := range 60 {
		text := "nothing"
		if i%20 == 5 {
			text = "a Needle in it"
		}
		data = append(data, `"k`+string(rune('a'+i/26))+string(rune('a'+i%26))+`":"`+text+`"`)
	}
	d.demo.object(d.now, "prod-eu/configmaps", model.Added, 0, "ConfigMap", "v1", "shop", "long", `"data":{`+strings.Join(data, ",")+`}`)
	d.wait(0)
	d.press("G", "enter", "g", "y")
	d.screen()
	d.search("needle")
	d.has("/needle 1/3")
	for _, step := range []struct{ keys, want string }{{"n", "2/3"}, {"n", "3/3"}, {"n", "1/3"}, {"N", "3/3"}, {"2 N", "1/3"}, {"2 n", "3/3"}} {
		d.press(strings.Fields(step.keys)...)
		d.has("/needle " + step.want)
		if !strings.Contains(d.cursorLine(), "a Needle in it") {
			t.Errorf("after %s the cursor is on %q", step.keys, d.cursorLine())
		}
	}
	d.search("Needle") // with a capital letter
	d.has("/Needle ")
	d.press("/")
	d.typeText("NEEDLE")
	d.press("enter")
	d.has("no line of this view has it")
	d.press("esc")
	d.press("esc") // the search, not the object
	d.hasNot("/Needle")
	if d.app.focus != paneObject {
		t.Error("esc left the object")
	}
	d.press("n")
	d.has("nothing was searched for")
}

// What a match is drawn with says that it is one without a colour, and the rest
// of the line stays as it was.
func TestMatchesStandOut(t *testing.T) {
	for _, theme := range []string{"dark", "mono"} {
		d := newDriver(t, 120, 36, theme)
		d.script()
		d.openDeployment("g", "y")
		d.screen()
		before := d.app.View().Content
		d.search("9")
		d.screen()
		after := d.app.View().Content
		term, plain := vt.NewEmulator(120, 36), vt.NewEmulator(120, 36)
		defer term.Close()
		defer plain.Close()
		term.Write([]byte("\x1b[20h" + after))
		plain.Write([]byte("\x1b[20h" + before))
		marked := 0
		body := d.app.lay.pane[paneObject].body()
		for y := body.y + 1; y < body.y+body.h; y++ {
			for x := range 120 {
				c, old := term.CellAt(x, y), plain.CellAt(x, y)
				if c.Style.Underline != 0 {
					marked++
					if c.Content != "9" {
						t.Errorf("%s: %q is marked", theme, c.Content)
					}
				} else if c.Content == "9" {
					t.Errorf("%s: a 9 at %d,%d is not marked", theme, x, y)
				}
				if y == body.y+1 || c.Style.Underline != 0 || strings.Contains("▌~", c.Content) || d.app.object.top+y-body.y-1 == d.app.object.cursor {
					continue
				}
				if c.Content == old.Content && c.Style != old.Style {
					t.Fatalf("%s: the style of %q at %d,%d has changed", theme, c.Content, x, y)
				}
			}
		}
		if marked == 0 {
			t.Errorf("%s: nothing is marked in\n%s", theme, ansi.Strip(after))
		}
	}
}

func TestFindRowsOfTheLastFilter(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("/")
	d.typeText("kind:deploy type:modified")
	d.press("enter", "esc") // kept, and off again
	d.hasNot("/kind:deploy")
	d.press("G")
	var got []string
	for _, k := range []string{"N", "N", "N", "N", "n", "n", "n"} {
		d.press(k)
		got = append(got, strings.Fields(d.cursorLine() + " . . .")[2])
		if !strings.Contains(d.cursorLine(), "Deploy ") {
			t.Errorf("%s goes to %q", k, d.cursorLine())
		}
	}
	d.has("no later row matches so far")
	d.press("G", "3", "N")
	third := d.cursorLine()
	d.press("N")
	if d.cursorLine() != third || !strings.Contains(d.footer(), "no earlier row matches") {
		t.Errorf("%q, the footer says %q; %v", d.cursorLine(), d.footer(), got)
	}
}

// In a replay n goes on where the rows held end.
func TestFindGoesOnOnATape(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.press("/")
	d.typeText("kind:deploy")
	d.press("enter")
	before := deck.Playback().Now
	for range 40 {
		d.press("n")
		d.wait(time.Second)
		if deck.Playback().Now.After(before) {
			return
		}
	}
	t.Errorf("the tape is at %v still", before)
}

// While a search is typed its matches are counted once for each text: a frame
// of a long object costs what a frame of a short one does.
func TestASearchIsCountedOnce(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.script()
	d.openDeployment("g", "y")
	d.screen()
	doc := make([]docLine, 20_000)
	for i := range doc {
		doc[i] = docLine{a: "      image: registry.example/Shop/checkout:1." + strings.Repeat("x", i%40)}
	}
	d.app.object.doc = doc
	d.app.askFind()
	d.typeText("CheckoutZ")
	d.has("0 lines")
	d.press("backspace")
	d.has("0 lines") // capital letters count
	d.app.closePrompt()
	d.app.askFind()
	d.typeText("checkout")
	d.has("20,000 lines")
	first := &d.app.object.doc[0]
	first.a = "" // seen only by what counts again
	if n := testing.AllocsPerRun(5, func() { d.app.View() }); n > 10_000 {
		t.Errorf("a frame takes %.0f allocations", n)
	}
	d.has("20,000 lines")
	// Another view has other lines, were they as many.
	d.app.object.doc = append([]docLine(nil), doc...)
	d.app.object.doc[1].a = "other"
	d.typeText("x")
	d.press("backspace")
	d.has("19,998 lines")
}

// A long text is looked through in steps: the first hit from the cursor on is
// shown when it is found, the count says that it is not all, keys pressed
// meanwhile are done when it is known where they lead, and a search that is
// given up goes no further.
func TestALongSearchGoesInSteps(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.openDeployment("g", "y")
	d.screen()
	doc := make([]docLine, 300_000)
	for i := range doc {
		if doc[i].a = "  image: registry.example/shop/checkout"; i%1000 == 999 {
			doc[i].a = "  a Needle"
		}
	}
	a := d.app
	a.object.doc, a.object.cursor = doc, 1500
	a.askFind()
	a.prompt.insert("needle")
	step := a.lookOn()
	a.answerPrompt()
	if step == nil || a.prompt.shown {
		t.Fatal("no step, or the prompt waits for all")
	}
	step().(findMsg).take(a)
	for len(a.object.find.hits) == 0 { // 10 ms may pass before 500 lines
		a.lookOn()().(findMsg).take(a)
	}
	if f := &a.object.find; a.object.cursor != 1999 || f.done() || f.seen != 500 {
		t.Errorf("after the first hit the cursor is on %d, %d lines were looked at", a.object.cursor, f.seen)
	}
	d.has("/needle –/1…")
	a.findNext(1)
	a.findNext(1)
	old := a.object.find
	d.run(a.lookOn())
	if a.object.cursor != 3999 {
		t.Errorf("two further the cursor is on %d", a.object.cursor)
	}
	d.has("/needle 4/300")
	a.object.forget()
	if step = old.step(a.ctx); a.object.find.busy {
		t.Error("a search that was given up goes on")
	}
	step().(findMsg).take(a)
	if len(a.object.find.hits) != 0 {
		t.Error("the answer to a search that was given up is taken")
	}
}
