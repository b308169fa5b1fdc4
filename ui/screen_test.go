package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"rewatch/model"
	"rewatch/model/noise"
)

var update = flag.Bool("update", false, "rewrite the golden screens")

// logSize is how much memory the log says it holds: the log's business, which
// the golden screens do not pin.
var logSize = regexp.MustCompile(`\d+(\.\d)? [kM]B`)

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = logSize.ReplaceAllString(got, "#.# MB")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./ui -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; if it should, go test ./ui -update\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

var sizes = [][2]int{{80, 24}, {120, 36}, {200, 50}}

// scenes are what is shown in the golden screens.
var scenes = []struct {
	name string
	do   func(*driver)
}{
	{"live", func(d *driver) { d.script() }},
	{"trouble", func(d *driver) { d.script(); d.trouble() }},
	{"open", func(d *driver) {
		d.script()
		d.press("/")
		d.press(strings.Split("deployment", "")...)
		d.press("enter", "enter")
	}},
	{"paused", func(d *driver) {
		d.script()
		d.press("space")
		d.demo.pod(d.now, "prod-eu", d.demo.pods[0], 2, 0, "Running", 7)
		d.wait(time.Second)
	}},
	{"streams", func(d *driver) { d.script(); d.trouble(); d.press("g", "s", "z", "j") }},
	{"filter", func(d *driver) { d.script(); d.press("/", "c", "a", "r", "t") }},
	{"filter-mistake", func(d *driver) {
		d.script()
		d.press("/")
		d.press(strings.Split("kind:pod type:delete", "")...)
	}},
	{"filter-complete", func(d *driver) {
		d.script()
		d.press("/")
		d.press(strings.Split("kind:", "")...)
		d.press("tab", "tab")
	}},
	{"yaml", func(d *driver) { d.script(); d.openDeployment("g", "y") }},
	{"blame", func(d *driver) { d.script(); d.openDeployment("g", "b", "z") }},
	{"history", func(d *driver) { d.script(); d.openDeployment("g", "v") }},
	{"found", func(d *driver) { d.script(); d.openDeployment("g", "y", "/", "r", "e", "p", "l", "enter") }},
	{"events", func(d *driver) { d.script(); d.openPod("g", "e") }},
	{"owners", func(d *driver) { d.script(); d.openPod("g", "w") }},
	{"story", func(d *driver) { d.script(); d.openPod("g", "h", "z") }},
	{"folded", func(d *driver) { d.script(); d.press("A") }},
	{"fold-like", func(d *driver) {
		d.script()
		d.app.o.NoiseFile = "/home/dev/.config/rewatch/config.yaml"
		d.app.o.SaveNoise = func(noise.Rule) error { return nil }
		d.press("/")
		d.typeText("kind:deploy type:modified")
		d.press("enter", "x")
	}},
	{"sides", func(d *driver) { openConfigMap(d); d.press("z") }},
	{"yaml-folded", func(d *driver) { openConfigMap(d); d.press("g", "y", "z") }},
	{"findings", func(d *driver) {
		d.script()
		for i := range 6 {
			d.demo.replica = 8 + i%2
			d.demo.deployment(d.now, "prod-eu", "checkout", model.Modified, 0)
		}
		d.wait(time.Second)
		d.press("F")
	}},
	{"help", func(d *driver) { d.script(); d.press("?") }},
	{"recording", func(d *driver) {
		d.script()
		d.app.recording.recorder = &memoryRecorder{path: "/home/dev/shop.tape", bytes: 4_200_000, lost: 12}
		d.press("R", "n")
	}},
	{"choice", func(d *driver) {
		d.script()
		d.app.recording.recorder = &memoryRecorder{}
		d.press("R")
	}},
	{"protocol", func(d *driver) { d.script(); d.protocol(); d.press("g", "s", "enter", "up", "up") }},
	{"server", func(d *driver) { d.script(); d.server(); d.press("j") }},
	{"text", func(d *driver) { d.script(); d.press("up", "up", "enter", "z") }},
}

// replayScenes are those of a replay: see newReplay.
var replayScenes = []struct {
	name string
	do   func(*driver)
}{
	{"replay-playing", func(d *driver) { d.press(">", ">", "space"); d.playFor(1500 * time.Millisecond) }},
	{"replay-paused", func(d *driver) { d.press("o") }},
	{"replay-end", func(d *driver) { d.press("$", "g", "g") }},
	{"replay-seeking", func(d *driver) {
		d.press("e")
		d.deck.slow = true
		d.press("$")
		d.now = d.now.Add(150 * time.Millisecond)
		d.send(seekMsg{})
	}},
	{"replay-goto", func(d *driver) { d.press("t", "1", "2", ":", "7", "9", "enter") }},
	{"replay-streams", func(d *driver) { d.press("o", "g", "s", "z") }},
	{"replay-help", func(d *driver) { d.press("?") }},
}

func TestReplayScreens(t *testing.T) {
	for _, scene := range replayScenes {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				var texts []string
				for _, theme := range drawnThemes() {
					d, _ := newReplay(t, size[0], size[1], theme)
					scene.do(d)
					texts = append(texts, logSize.ReplaceAllString(d.screen(), "#.# MB"))
					if size == sizes[0] && scene.name == "replay-paused" {
						golden(t, name+"."+theme+".ansi", strings.ReplaceAll(d.app.View().Content, "\x1b", "␛")+"\n")
					}
				}
				sameTexts(t, texts)
				golden(t, name+".txt", trimRight(texts[0]))
			})
		}
	}
}

// goldenThemes are those that every scene is drawn in: dark, light, without
// colour, in sixteen colours, and one for colour-blind users.
var goldenThemes = []string{"dark", "light", "mono", "few", "colourblind-dark"}

// drawnThemes are those that are drawn now. A short run is one that looks for
// races, takes ten times as long, and finds as many of them in one theme.
func drawnThemes() []string {
	if testing.Short() {
		return goldenThemes[:1]
	}
	return goldenThemes
}

func sameTexts(t *testing.T, texts []string) {
	t.Helper()
	for i, text := range texts {
		if text != texts[0] {
			t.Errorf("in %s the text is not that in %s:\n%s\n%s", goldenThemes[i], goldenThemes[0], text, texts[0])
		}
	}
}

// No theme may say more than another: the text is the same in all.
func TestScreens(t *testing.T) {
	for _, scene := range scenes {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				var texts []string
				for _, theme := range drawnThemes() {
					d := newDriver(t, size[0], size[1], theme)
					scene.do(d)
					texts = append(texts, logSize.ReplaceAllString(d.screen(), "#.# MB"))
					if size == sizes[0] && (scene.name == "trouble" || scene.name == "streams") {
						golden(t, name+"."+theme+".ansi", strings.ReplaceAll(d.app.View().Content, "\x1b", "␛")+"\n")
					}
				}
				sameTexts(t, texts)
				golden(t, name+".txt", trimRight(texts[0]))
			})
		}
	}
}

func trimRight(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// A terminal that gets a frame must show just that.
func TestATerminalShowsTheFrame(t *testing.T) {
	for _, size := range sizes {
		d := newDriver(t, size[0], size[1], "dark")
		d.script()
		d.trouble()
		term := vt.NewEmulator(size[0], size[1])
		fmt.Fprint(term, "\x1b[20h"+d.app.View().Content) // line feeds return the carriage
		got := trimRight(ansi.Strip(strings.TrimRight(term.String(), "\n")))
		if want := trimRight(d.screen()); got != want {
			t.Errorf("%v: the terminal shows\n%s\nwant\n%s", size, got, want)
		}
		term.Close()
	}
}

func TestMonoHasNoColour(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.trouble()
	for _, seq := range strings.Split(d.app.View().Content, "\x1b[")[1:] {
		params, _, _ := strings.Cut(seq, "m")
		for _, p := range strings.Split(params, ";") {
			switch p {
			case "", "0", "1", "2", "3", "7":
			default:
				t.Fatalf("the theme without colour writes SGR %q", params)
			}
		}
	}
}

// openDeployment opens the newest row of a deployment, and types keys.
func (d *driver) openDeployment(keys ...string) {
	d.press("/")
	d.typeText("kind:deploy")
	d.press("enter", "enter")
	d.press(keys...)
}

// openPod opens a pod that has an Event, and types keys.
func (d *driver) openPod(keys ...string) {
	d.press("/")
	d.typeText("kind:pod name:2a000 -type:initial")
	d.press("enter", "enter")
	d.press(keys...)
	d.wait(time.Second)
}
