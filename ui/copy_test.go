package ui

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/model/diff"
)

// clipboard is what the terminal was last told to put there.
func (d *driver) clipboard() string {
	d.t.Helper()
	if len(d.raw) == 0 {
		return ""
	}
	_, text, ok := strings.Cut(d.raw[len(d.raw)-1], "\x1b]52;c;")
	text, _, _ = strings.Cut(text, "\x07")
	b, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil {
		d.t.Fatalf("no OSC 52: %q %v", d.raw, err)
	}
	return string(b)
}

func TestCopy(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.openDeployment()
	d.screen()
	for !strings.Contains(d.cursorLine(), "spec.replicas") {
		d.press("down")
	}
	for _, c := range []struct{ keys, want, footer string }{
		{"y n", "shop/checkout", "copied name, 13 characters: shop/checkout"},
		{"y k", "kubectl --context prod-eu -n shop get deployments.apps checkout -o yaml", "copied kubectl command, "},
		{"y c", "kind:deploy", "copied filter, 11 characters: kind:deploy"},
		{"y p", "spec.replicas", "copied path, 13 characters: spec.replicas"},
		{"y v", "9", "copied value, 1 character: 9"},
		{"y d", "Deployment shop/checkout, version 4\nmodified: spec.replicas 8→9", "copied diff, "},
		{"y y", "apiVersion: apps/v1\nkind: Deployment\n", "copied YAML, "},
		{"y r", "~ Deployment shop/checkout spec.replicas 8→9", "copied row, "},
	} {
		d.press(strings.Fields(c.keys)...)
		if got := d.clipboard(); !strings.Contains(got, c.want) {
			t.Errorf("%s copied %q, want %q", c.keys, got, c.want)
		}
		if !strings.Contains(d.footer(), c.footer) {
			t.Errorf("%s: the footer says %q, want %q", c.keys, d.footer(), c.footer)
		}
	}
}

// The path is that of the line under the cursor, in each view that has fields.
func TestCopyPathOfALine(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.openPod("g", "y", "z")
	want := map[string]string{
		"apiVersion: v1":           "apiVersion = v1",
		"  namespace: shop":        "metadata.namespace = shop",
		"  - image: ":              "",
		"containerStatuses:":       "status.containerStatuses",
		"phase: ":                  "status.phase",
		"  restartCount: ":         "status.containerStatuses[name=app].restartCount",
		"    app: checkout":        "metadata.labels.app = checkout",
		"  - name: app":            "status.containerStatuses[name=app].name = app",
		"nothing that is there: x": "",
	}
	for i, line := range d.app.object.doc {
		d.app.object.cursor = i
		path, val, ok := d.app.object.field()
		for text, w := range want {
			if w != "" && strings.Contains(line.a, text) && (!ok || !strings.HasPrefix(path+" = "+val, w)) {
				t.Errorf("%q is %s = %q, want %s", line.a, path, val, w)
			}
		}
	}
	tree := yamlTree{labelled: true} // as the view of owners writes it
	for _, l := range []string{"spec:", "  template:", "    spec:", "      containers:", "        - name=app:", "          image: app:1", "        - name=side:", "          args:", "            - 0: -v", "status:"} {
		tree.lines = append(tree.lines, readYAMLLine(l))
	}
	for i, want := range map[int]string{5: "spec.template.spec.containers[name=app].image = app:1", 4: "spec.template.spec.containers[name=app] = image: app:1",
		8: "spec.template.spec.containers[name=side].args[0] = -v", 9: "status = ", 2: "spec.template.spec = containers:\n  - name=app:\n    image: app:1\n  - name=side:\n    args:\n      - 0: -v"} {
		if path, val, _ := tree.field(i); path+" = "+val != want {
			t.Errorf("line %d is %q, want %q", i, path+" = "+val, want)
		}
	}
}

// The line that has the values side by side is a field: its value is the new one.
func TestCopyOfALineWithBothValues(t *testing.T) {
	p := objectPane{doc: []docLine{
		{kind: docChange, a: "spec.image"}, {kind: docSides, a: "registry.example/envoy:old", b: "registry.example/envoy:1.29"},
		{kind: docChange, a: "data.text"}, {kind: docSides, op: diff.Remove, a: "gone"},
	}}
	for i, want := range []string{"", "spec.image = registry.example/envoy:1.29", "", "data.text = gone"} {
		p.cursor = i
		if path, val, ok := p.field(); want != "" && (!ok || path+" = "+val != want) {
			t.Errorf("line %d is %s = %s (%v), want %s", i, path, val, ok, want)
		}
	}
}

func TestYAMLFields(t *testing.T) {
	raw := `{"a":{"b":[{"name":"x","args":["-v","two"],"env":[]},{"port":1}],"text":"one\n\nkey: value\n- dash\n"},"quoted":"yes","key.with/dots":{"c":null}}`
	lines := yamlLines([]byte(raw), 100)
	tree := yamlTree{}
	for _, l := range lines {
		tree.lines = append(tree.lines, readYAMLLine(l))
	}
	var got []string
	for i := range lines {
		path, val, ok := tree.field(i)
		if !ok {
			t.Errorf("%q has no field", lines[i])
		}
		got = append(got, path+" = "+strings.ReplaceAll(val, "\n", "⏎"))
	}
	want := []string{
		"a = b:⏎- name: x⏎  args:⏎  - \"-v\"⏎  - two⏎  env: []⏎- port: 1⏎text: |⏎  one⏎  ⏎  key: value⏎  - dash",
		"a.b = - name: x⏎  args:⏎  - \"-v\"⏎  - two⏎  env: []⏎- port: 1",
		"a.b[name=x].name = x",
		"a.b[name=x].args = - \"-v\"⏎- two",
		"a.b[name=x].args[0] = -v", "a.b[name=x].args[1] = two", "a.b[name=x].env = []",
		"a.b[1].port = 1",
		"a.text = one⏎⏎key: value⏎- dash",
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("line %d %q:\n got %s\nwant %s", i, lines[i], got[i], w)
		}
	}
	if s := strings.Join(got, "\n"); !strings.Contains(s, "quoted = yes") || !strings.Contains(s, `["key.with/dots"].c = null`) || strings.Count(s, "a.text = one") != 5 {
		t.Errorf("%s", s)
	}
}

// What a shell gets is the words that were meant, whatever the cluster calls its
// objects.
func TestKubectlIsQuoted(t *testing.T) {
	for _, name := range []string{"plain", "it's", "a b", "$(reboot)", "`x`", "-x", "a\nb", "a;b", "\x1b]52;c;eA==\x07", "*", "~", "=ls", "#", "日本", ""} {
		id := model.Identity{Context: "ctx " + name, APIVersion: "v1", Kind: "Pod", Namespace: name, Name: name}
		line := kubectl(id, "pods")
		if strings.ContainsAny(line, "\n\x1b\x07") {
			t.Errorf("%q is not fit for a terminal", line)
		}
		out, err := exec.Command("sh", "-c", "kubectl() { for x; do printf '%s\\n' \"$x\"; done; }\n"+line).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		clean := func(s string) string { return cleanText(strings.ReplaceAll(s, "\n", "␊")) }
		want := []string{"--context", clean("ctx " + name), "-n", clean(name), "get", "pods", clean(name), "-o", "yaml"}
		if name == "" {
			want = []string{"--context", "ctx ", "get", "pods", "", "-o", "yaml"}
		}
		if name == "-x" {
			want = []string{"--context", "ctx -x", "-n", "-x", "get", "pods/-x", "-o", "yaml"}
		}
		if got := strings.TrimSuffix(string(out), "\n"); got != strings.Join(want, "\n") {
			t.Errorf("%s\n got %q\nwant %q", line, got, want)
		}
	}
}

func TestCopyOfHostileText(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.demo.start(d.now, "prod-eu", 1)
	d.demo.object(d.now, "prod-eu/configmaps", model.Added, 0, "ConfigMap", "v1", "shop", "evil", `"data":{"a":"x\u001b]0;owned\u0007","b":"one\ncurl x | sh\r\n"}`)
	d.wait(0)
	d.press("G", "y", "y")
	if got := d.clipboard(); strings.ContainsAny(got, "\x1b\x07\r") || !strings.Contains(got, "␛]0;owned␇") {
		t.Errorf("copied %q", got)
	}
}

func TestCopyRefusesWhatIsTooLong(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.demo.start(d.now, "prod-eu", 1)
	d.demo.object(d.now, "prod-eu/configmaps", model.Added, 0, "ConfigMap", "v1", "shop", "big", `"data":{"a":"`+strings.Repeat("0123456789", 9000)+`"}`)
	d.wait(0)
	d.press("G", "y", "y")
	if len(d.raw) > 0 || !strings.Contains(d.footer(), "too long for the clipboard: YAML of 90,") {
		t.Errorf("%d sequences; the footer says %q", len(d.raw), d.footer())
	}
}

func TestCopyGoesThroughMultiplexers(t *testing.T) {
	for env, want := range map[string]string{
		"TERM=xterm":                   "\x1b]52;c;eA==\x07",
		"TERM=tmux-256color;TMUX=/tmp": "\x1b]52;c;eA==\x07\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\",
		"TERM=screen-256color":         "\x1bP\x1b]52;c;eA==\x07\x1b\\",
		"TERM=linux":                   "",
	} {
		d := newDriver(t, 120, 36, "mono")
		d.app.o.Environ = strings.Split(env, ";")
		d.run(d.app.copyText("text", "x"))
		if got := strings.Join(d.raw, ""); got != want {
			t.Errorf("%s gets %q, want %q", env, got, want)
		}
	}
}

// tmux has what was copied in its buffer.
func TestCopyReachesTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux")
	}
	d := newDriver(t, 120, 36, "mono")
	d.app.o.Environ = []string{"TERM=tmux-256color", "TMUX=x"}
	d.script()
	d.openDeployment("y", "k")
	file := t.TempDir() + "/seq"
	if err := os.WriteFile(file, []byte(d.raw[len(d.raw)-1]), 0o600); err != nil {
		t.Fatal(err)
	}
	tmux := func(args ...string) string {
		out, _ := exec.Command("tmux", append([]string{"-L", "rewatch-copy-test", "-f", "/dev/null"}, args...)...).CombinedOutput()
		return string(out)
	}
	tmux("new-session", "-d", "sleep 30")
	defer tmux("kill-server")
	tmux("set-option", "-g", "set-clipboard", "on")
	tmux("new-window", "cat "+file+"; sleep 30")
	want := "kubectl --context prod-eu -n shop get deployments.apps checkout -o yaml"
	got := ""
	until(t, "the buffer of tmux", func() bool { got = tmux("show-buffer"); return strings.Contains(got, "kubectl") })
	if ansi.Strip(got) != want {
		t.Errorf("tmux has %q", got)
	}
}

// What is copied says so where it is not what the cluster has: a value with
// signs that no terminal gets.
func TestCopySaysThatSignsAreReplaced(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.script()
	for i, text := range []string{"plain", "a\x1b[31mred", "\u202egnp.exe"} {
		d.demo.object(d.now, "prod-eu/configmaps", model.Modified, 0, "ConfigMap", "v1", "shop", "settings", `"data":{"text":`+strconv.Quote(text)+`}`)
		if i == 0 {
			d.demo.object(d.now, "prod-eu/configmaps", model.Modified, 0, "ConfigMap", "v1", "shop", "settings", `"data":{"text":"plainer"}`)
		}
	}
	d.wait(time.Second)
	for _, keys := range []string{"y v", "y d", "y y"} {
		d.press("esc", "esc", "esc", "G", "enter", "g", "d")
		d.screen()
		for !strings.Contains(d.cursorLine(), "data.text") {
			d.press("down")
		}
		d.press(strings.Fields(keys)...)
		if got := d.clipboard(); !strings.Contains(got, "·gnp.exe") || strings.Contains(got, "\u202e") {
			t.Errorf("%s copied %q", keys, got)
		}
		if !strings.Contains(d.footer(), " (signs replaced), ") {
			t.Errorf("%s: the footer says %q", keys, d.footer())
		}
		d.press("y", "n")
		if strings.Contains(d.footer(), "replaced") {
			t.Errorf("of a plain name the footer says %q", d.footer())
		}
	}
}

// So do rows, and what the pager and the editor are given, where and only where
// signs were replaced: not where a row was too long.
func TestRowsAndProgramsSayThatSignsAreReplaced(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.script()
	change := func(text string) {
		js, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		d.demo.object(d.now, "prod-eu/configmaps", model.Modified, 0, "ConfigMap", "v1", "shop", "settings", `"data":{"text":`+string(js)+`}`)
		d.wait(time.Second)
		d.press("esc", "esc", "esc", "G")
		d.seek("ConfigMap")
	}
	change("before")
	for text, want := range map[string]bool{"plain": false, "naïve → ☃": false, strings.Repeat("long ", 200): false, "a\x1b[31mred": true, "\u202egnp.exe": true} {
		change("between")
		change(text)
		d.press("y", "r")
		if got := d.clipboard(); strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, "data.text") {
			t.Errorf("of %q the row copied is %q", text, got)
		}
		if got := strings.Contains(d.footer(), " (signs replaced), "); got != want {
			t.Errorf("of %q y r says %q", text, d.footer())
		}
		rows := d.app.outside(Pager)().(rowsMsg)
		if !rows.signs && want {
			t.Errorf("of rows with %q it is not said that signs are replaced", text)
		}
		d.press("enter", "g", "y")
		d.screen()
		if view, signs := d.app.object.plain(); signs != want || !strings.Contains(view, "text: ") {
			t.Errorf("signs are replaced: %v in\n%s", signs, view)
		}
	}
	d.send(cameBackMsg{tool: Editor, signs: true})
	d.has("that was a copy, with signs replaced")
	d.send(cameBackMsg{tool: Pager, signs: true})
	d.has("had signs replaced")
	d.send(cameBackMsg{tool: Pager})
	if d.press("j"); strings.Contains(d.footer(), "replaced") {
		t.Errorf("the footer says %q", d.footer())
	}
}

// A row is copied as it stands there: with what a group counts, with the word
// for a fight.
func TestCopyARowOfAGroup(t *testing.T) {
	d := newRollout(t, 200, 50, "mono")
	for _, keys := range []string{"B", "B"} {
		d.press(keys, "G")
		d.seek("×")
		line := strings.Join(strings.Fields(d.cursorLine()), " ")
		d.press("y", "r")
		if got, said := d.clipboard(), line[:strings.Index(line+"…", "…")]; !strings.HasPrefix(got, said) || !strings.Contains(got, "×") {
			t.Errorf("the row is\n%s\ncopied was\n%s", line, got)
		}
	}
	d = newDriver(t, 200, 50, "mono")
	d.script()
	d.seek("LOOP")
	line := strings.Join(strings.Fields(d.cursorLine()), " ")
	d.press("y", "r")
	if got := d.clipboard(); !strings.HasPrefix(got, line[:strings.Index(line, "LOOP")+4]) {
		t.Errorf("the row is\n%s\ncopied was\n%s", line, got)
	}
}
