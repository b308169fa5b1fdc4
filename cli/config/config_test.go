package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"rewatch/model/noise"
)

func TestExampleIsTheDefaults(t *testing.T) {
	c, err := Parse([]byte(Example()))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Set = c.Set
	if len(c.Types) == 0 {
		c.Types = nil
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("the example says\n%+v\nthe defaults are\n%+v", c, want)
	}
	for _, r := range noise.Default() {
		if !strings.Contains(Example(), "name: "+r.Name+"\n") {
			t.Errorf("the example does not show the rule %q", r.Name)
		}
	}
}

// TestExampleIsRight: what it has in comments is valid as well.
func TestExampleIsRight(t *testing.T) {
	text := strings.Replace(Example(), "  rules: []\n", "  rules:\n", 1)
	rules := 0
	text, theirs, _ := strings.Cut(text, "  # The rules that come with rewatch:\n")
	for _, line := range strings.SplitAfter(theirs, "\n") {
		if !strings.Contains(line, "bookkeeping") { // of which there is nothing more to say
			text += line
		}
	}
	var lines []string
	for line := range strings.Lines(text) {
		if item := strings.TrimPrefix(line, "  # "); item != line && (strings.HasPrefix(item, "- name") || strings.HasPrefix(item, "  ")) {
			line = "  " + item
			if strings.HasPrefix(item, "- name") {
				rules++
			}
		}
		lines = append(lines, line)
	}
	c, err := Parse([]byte(strings.Join(lines, "")))
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(lines, ""))
	}
	if want := len(noise.Default()) + 2 + len(noise.Default()) - 1; rules == 0 || len(c.Noise) != want {
		t.Errorf("%d rules, want %d", len(c.Noise), want)
	}
	if theirs := c.Noise[len(noise.Default())+2:]; !reflect.DeepEqual(theirs, noise.Default()[1:]) {
		t.Errorf("rules of the comments\n%+v\nrules of rewatch\n%+v", theirs, noise.Default()[1:])
	}
}

func TestParse(t *testing.T) {
	c, err := Parse([]byte(`
theme: dark
memory: 1Gi
timeZone: UTC
types: [pods, deploy.apps]
noise:
  off: [lease renewals]
  rules:
    - name: mine
      kind: Widget.acme.example
      paths: [status.seen]
    - {name: old, kind: Job.batch, deleted: 24h}
`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Theme != "dark" || c.Memory != 1<<30 || c.Location() != time.UTC || strings.Join(c.Types, " ") != "pods deploy.apps" {
		t.Errorf("%+v", c)
	}
	n := len(noise.Default())
	if len(c.Noise) != n+1 || c.Noise[n-1].Name != "mine" || c.Noise[n].Deleted != 24*time.Hour {
		t.Errorf("%+v", c.Noise)
	}
	for _, r := range c.Noise {
		if r.Name == "lease renewals" {
			t.Error("a rule that is off is there")
		}
	}
	for _, text := range []string{"", "\n", "# nothing\n", "theme:\n", "noise:\n  rules:\n", "---\n", "types: []"} {
		if c, err := Parse([]byte(text)); err != nil || c.Theme != "auto" || len(c.Noise) != n || c.Location() != time.Local {
			t.Errorf("%q: %v, %v", text, c, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"them: dark":                                         "line 1: them: there is no such key; did you mean theme?",
		"theme: dark\nnoise:\n  rulez: []":                   "line 3: noise.rulez: there is no such key; did you mean rules?",
		"theme: dark\n\n\ntheme: light":                      "line 4: theme: it is there twice; take one of them out",
		"theme: [dark]":                                      "line 1: theme: it must be a single value",
		"memory: much":                                       `line 1: memory: "much": it must be a number of bytes such as 512Mi`,
		"memory: 1Ki":                                        `line 1: memory: "1Ki": it must be at least 8Mi`,
		"timeZone: Mars/Olympus":                             `line 1: timeZone: "Mars/Olympus": it must be local, UTC or a name`,
		"types: pods":                                        "line 1: types: it must be a list; write it as [a, b]",
		"types:\n- pods\n- a/b/c":                            "line 3: types[1]:",
		"noise: yes":                                         "line 1: noise: it must have keys and values",
		"noise:\n  off: [leases]":                            `line 2: noise.off[0]: "leases": no rule that comes with rewatch is called so; they are nothing but bookkeeping, lease renewals`,
		"noise:\n  rules:\n  - kind: Pod":                    "line 3: noise.rules[0]: noise rule 1 has no name",
		"noise:\n  rules:\n  - name: a":                      "line 3: noise.rules[0]: it says neither which paths nor which deletions are noise; give it paths, or deleted",
		"noise:\n  rules: [{name: a, x: 1}]":                 "line 2: noise.rules[0].x: there is no such key; keys are",
		"noise:\n  rules:\n  - name: a\n    paths: [\"a[\"]": `line 3: noise.rules[0]: noise rule "a": "a[" is no path`,
		"noise:\n  rules:\n  - name: a\n    deleted: soon":   `line 4: noise.rules[0].deleted: "soon": it must be an age such as 50m or 1h`,
		"- theme":              "line 1: it must have keys and values",
		"theme: dark\n  a: b":  "line 2: no YAML: mapping values are not allowed",
		"theme: \"dark":        "no YAML: ",
		"theme: dark\n---\na:": "line 2: a second document begins here",
		"theme: *x":            "no YAML: unknown anchor",
		"a: &a [x]\ntypes: *a": "line 1: a: there is no such key",
		"\x00":                 "no YAML: ",
	} {
		_, err := Parse([]byte(text))
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.Contains(" "+err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	if c, found, err := Load(path); found || err != nil || c.Theme != "auto" {
		t.Errorf("%v %v %v", c, found, err)
	}
	if err := os.WriteFile(path, []byte("theme: pink"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, found, err := Load(path); !found || err == nil || !strings.HasPrefix(err.Error(), path+" line 1: theme: ") {
		t.Errorf("%v %v", found, err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("#\n", maxSize)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(path); err == nil || !strings.Contains(err.Error(), "more than 1 MiB") {
		t.Errorf("%v", err)
	}
	t.Setenv("XDG_CONFIG_HOME", dir)
	if got, err := Path(); err != nil || got != filepath.Join(dir, "rewatch", "config.yaml") {
		t.Errorf("%s %v", got, err)
	}
}

// FuzzParse: whatever a file has, it is read or refused in a line.
func FuzzParse(f *testing.F) {
	f.Add([]byte(Example()))
	f.Add([]byte("noise:\n  rules: [{name: a, paths: [\"a[*].b\"]}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if e := (*Error)(nil); err != nil && !errors.As(err, &e) {
			t.Fatalf("%T", err)
		}
		if _, err := noise.Compile(c.Noise); err != nil {
			t.Fatal(err)
		}
	})
}
