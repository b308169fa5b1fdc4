package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What is asked for, what is typed in part, and what a page shows of a tape.
func TestScreensOfTheHand(t *testing.T) {
	live := func(size [2]int, theme string) *driver {
		d := newDriver(t, size[0], size[1], theme)
		d.script()
		d.watcher()
		return d
	}
	tape := func(size [2]int, theme string) *driver {
		d, _ := newReplay(t, size[0], size[1], theme, func(d *driver) { d.wait(9 * time.Minute); d.protocol() })
		d.press("o")
		return d
	}
	end := func(size [2]int, theme string) *driver {
		d, _ := newReplay(t, size[0], size[1], theme)
		d.press("$", "g", "g")
		return d
	}
	// changed opens the newest change of an object of a kind.
	changed := func(d *driver, kind string, keys ...string) {
		d.press("/")
		d.typeText("kind:" + kind + " type:modified")
		d.press("enter", "G", "enter")
		d.press(keys...)
	}
	for _, s := range []struct {
		name string
		open func(size [2]int, theme string) *driver
		do   func(*driver)
	}{
		{"sequence", live, func(d *driver) { d.openDeployment("g") }},
		{"sequence-copy", live, func(d *driver) { d.openDeployment("y") }},
		{"number", live, func(d *driver) { d.press("1", "2") }},
		{"mark", live, func(d *driver) { d.press("m"); d.typeText("rollback") }},
		{"save", live, func(d *driver) { withFiles(d); d.press("w") }},
		{"search", live, func(d *driver) { d.openDeployment("g", "y"); d.screen(); d.press("/"); d.typeText("replicas") }},
		{"hidden", live, func(d *driver) { d.press("up", "H", "k") }},
		{"no-rows", live, func(d *driver) { d.press("/"); d.typeText("nothing-has-this"); d.press("enter") }},
		{"palette-theme", live, func(d *driver) { d.palette("theme paper") }},
		{"replay-coverage", tape, func(d *driver) { d.press("C") }},
		{"replay-problems", tape, func(d *driver) { d.press("F") }},
		{"replay-lanes", tape, func(d *driver) { d.press("L") }},
		{"replay-protocol", tape, func(d *driver) { d.press("g", "s", "P") }},
		{"replay-open", end, func(d *driver) { changed(d, "pod") }},
		{"replay-yaml", end, func(d *driver) { changed(d, "pod", "g", "y") }},
		{"replay-blame", end, func(d *driver) { changed(d, "pod", "g", "b") }},
		{"replay-history", end, func(d *driver) { changed(d, "pod", "g", "v") }},
		{"replay-events", end, func(d *driver) { changed(d, "pod", "g", "e") }},
		{"replay-owners", end, func(d *driver) { changed(d, "pod", "g", "w") }},
		{"replay-story", end, func(d *driver) { changed(d, "pod", "g", "h") }},
	} {
		sameInAllThemes(t, s.name, s.open, s.do)
	}
}

// shots are the golden screens of a size, by the name of their scene.
func shots(t *testing.T, size [2]int) map[string]string {
	t.Helper()
	end := fmt.Sprintf("-%dx%d.txt", size[0], size[1])
	paths, err := filepath.Glob(filepath.Join("testdata", "*"+end))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden screens: %v", err)
	}
	out := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), end)] = string(text)
	}
	return out
}

// A view, a page or an overlay has a golden screen in every size, live and in
// a replay where it exists there: a new row of the tables needs its scene.
func TestEveryViewHasItsGoldenScreens(t *testing.T) {
	type must struct{ what, shows string }
	var musts []must
	for _, p := range pages() {
		musts = append(musts, must{"live page", `─▸` + p.name + ` `})
		// A tape has no metrics of servers, and the page says so.
		if !p.live && p.name != "Server" {
			musts = append(musts, must{"replay page", `─▸` + p.name + ` `})
		}
	}
	for _, v := range views() {
		musts = append(musts, must{"live tab", `\[` + v.name + `\]`}, must{"replay tab", `\[` + v.name + `\]`})
	}
	for _, pane := range []string{"▸Streams ", "▸Timeline ", `▸(Deployment|Pod) shop/`} {
		musts = append(musts, must{"live pane", pane}, must{"replay pane", pane})
	}
	for what, shows := range map[string]string{
		"help": "╭ Keys", "the filter that is typed": `(?m)^ / .*`, "its mistake": "▾", "the palette": "What to do",
		"a list": "╭ Folded", "a prompt": "enter does it, esc does not", "the tour": "Tour 2 of", "nothing yet": "0 rows of 0 objects",
		"the themes": `theme +paper`, "what this user may not read": "DENIED", "a search": `search|/replicas`,
	} {
		musts = append(musts, must{"live: " + what, shows})
	}
	for _, size := range sizes {
		all := shots(t, size)
		for _, m := range musts {
			re, found := regexp.MustCompile(m.shows), false
			for name, text := range all {
				replay := strings.Contains(name, "replay") || name == "tour"
				if (replay == strings.HasPrefix(m.what, "replay") || name == "tour") && re.MatchString(text) {
					found = true
					break
				}
			}
			if !found {
				t.Errorf("%v: no golden screen has %s (%s)", size, m.what, m.shows)
			}
		}
	}
}

// A golden screen that no test draws proves nothing.
func TestEveryGoldenScreenIsDrawn(t *testing.T) {
	var sources strings.Builder
	tests, _ := filepath.Glob("*_test.go")
	for _, path := range tests {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	for name := range shots(t, sizes[0]) {
		scene := strings.TrimPrefix(name, "ascii-")
		if !strings.Contains(sources.String(), `"`+scene+`"`) && !strings.Contains(sources.String(), `"`+scene+`-%d`) {
			t.Errorf("no scene is named %s", name)
		}
	}
}

// Every theme of the golden screens, that of sixteen colours among them, has
// its frames with all escape sequences as well.
func TestEveryThemeHasItsColours(t *testing.T) {
	for _, theme := range goldenThemes {
		if paths, _ := filepath.Glob(filepath.Join("testdata", "*."+theme+".ansi")); len(paths) < 3 {
			t.Errorf("%s has %d frames with colours: %v", theme, len(paths), paths)
		}
	}
}
