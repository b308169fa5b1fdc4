package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"rewatch/themes"
)

// themeFiles are files of themes: names and texts in turn.
func themeFiles(namesAndTexts ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(namesAndTexts); i += 2 {
		fsys[namesAndTexts[i]] = &fstest.MapFile{Data: []byte(namesAndTexts[i+1])}
	}
	return fsys
}

func TestUserThemes(t *testing.T) {
	u := UserThemes(themeFiles(
		"mine.yaml", "inherits: base\ngood: \"#A8E0A8\"\nfew: {good: bright-green}\n",
		"base.yml", "inherits: dusk\nabout: the usual\ntext: \"#ffffff\"\n",
		"pale.yaml", "inherits: light\ndim: \"#9a9a9a\"\ncontrast: 1.5\n",
		"plain.yaml", "",
		"notes.txt", "no theme", ".hidden.yaml", "x: y"), "/etc/themes")
	if len(u.Refused) > 0 || len(u.Palettes) != 4 {
		t.Fatalf("%+v", u)
	}
	dusk, _ := themes.Find(themes.Builtin(), "dusk")
	want := dusk
	want.Name, want.About, want.Text = "base", "the usual", "#ffffff"
	if !reflect.DeepEqual(u.Palettes[0], want) {
		t.Errorf("%+v\nwant\n%+v", u.Palettes[0], want)
	}
	want.Name, want.About, want.Good, want.Few.Good = "mine", "yours, from base", "#a8e0a8", "bright-green"
	if !reflect.DeepEqual(u.Palettes[1], want) {
		t.Errorf("%+v\nwant\n%+v", u.Palettes[1], want)
	}
	if p := u.Palettes[2]; !p.Light || p.Dim != "#9a9a9a" || p.Worst().Contrast >= 4.5 {
		t.Errorf("%+v", p)
	}
	if dark, _ := themes.Find(themes.Builtin(), "dark"); u.Palettes[3].Roles != dark.Roles {
		t.Errorf("an empty file is not as dark: %+v", u.Palettes[3])
	}
	if none := UserThemes(os.DirFS(filepath.Join(t.TempDir(), "themes")), "x"); len(none.Palettes)+len(none.Refused) > 0 {
		t.Errorf("a directory that is not there: %+v", none)
	}
}

// A mistake refuses its file, and those that need it, and is told with its line.
func TestMistakesInThemes(t *testing.T) {
	for text, want := range map[string]string{
		"inherits: dusk\ntext: #ffffff":        `line 2: text: it has no value; a colour needs quotes: "#d3d8e2"`,
		"txt: \"#ffffff\"":                     "line 1: txt: there is no such key; did you mean text?",
		"text: \"#fff\"":                       `line 1: text: "#fff": it must be a colour as "#d3d8e2", red, bright-red or own`,
		"good: gren":                           `line 1: good: "gren": it must be a colour as "#d3d8e2", red, bright-red or own; did you mean green?`,
		"text: reverse":                        `line 1: text: "reverse": it must be a colour`,
		"selected: lime":                       `line 1: selected: "lime": it must be a colour as "#d3d8e2", red, bright-red or own, or reverse`,
		"few:\n  bad: \"#ff0000\"":             `line 2: few.bad: "#ff0000": it must be one of black, red,`,
		"few:\n  worse: red":                   "line 2: few.worse: there is no such key",
		"good: \"#ffffff\"\ngood: \"#eeeeee\"": "line 2: good: it is there twice",
		"background: grey":                     `line 1: background: "grey": it must be dark or light`,
		"grounds: [black]":                     `line 1: grounds[0]: "black": it must be a colour as "#16181d"`,
		"grounds: []":                          "line 1: grounds: it must name a background at least",
		"contrast: most":                       `line 1: contrast: "most": it must be a number from 1 to 21`,
		"contrast: NaN":                        "line 1: contrast:",
		"inherits: drak":                       `line 1: inherits: there is no theme "drak"; did you mean dark?`,
		"about: x\ninherits: x":                "line 2: inherits: the themes inherit from each other in a circle",
		"inherits: other":                      "line 1: inherits: other is refused itself: dir/other.yaml line 1: nope: there is no such key",
		"inherits: light\ndim: \"#999999\"":    "line 2: dim: on selected it has a contrast of 1.9 in 256 colours, and 4.5 is the least; set them further apart, or have it so with contrast: 1.9",
		"about: x\nselected: \"#7fb0ff\"":      "line 2: accent: on selected it has a contrast of 1.0",
		"few:\n  bad: red":                     "line 2: few.bad: on grounds it has a contrast of 2.7 in 16 colours of the Linux console, and 4.5 is the least",
		"about: x\nbackground: light":          "line 2: ", // light text is there
		"contrast: 7\ninherits: dark":          "line 2: ", // more is wanted than it has
		"- dark":                               "line 1: it must have keys and values",
		"text: \"#ffffff":                      "no YAML: ",
		"inherits: dark\n---\ninherits: light": "line 2: a second document begins here",
		"text: &a \"#ffffff\"\nstrong: *a":     "line 2: strong: it must be a single value",
		strings.Repeat("#\n", maxSize):         "the file has more than 1 MiB",
	} {
		u := UserThemes(themeFiles("x.yaml", text, "other.yaml", "nope: 1", "good.yaml", "inherits: dark"), "dir")
		err := u.Refused["x"]
		if e := (*Error)(nil); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "dir/x.yaml") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q:\n got %v\nwant %s", text, err, want)
		}
		if len(u.Palettes) != 1 || u.Palettes[0].Name != "good" {
			t.Errorf("%.60q: it breaks the others: %+v", text, u)
		}
	}
	u := UserThemes(themeFiles("dark.yaml", "", "auto.yaml", "", "Big One.yaml", "", "a.yaml", "", "a.yml", "",
		"b.yaml", "inherits: c", "c.yaml", "inherits: b"), "dir")
	for key, want := range map[string]string{"dark.yaml": "of this name already", "auto.yaml": "of this name already", "a.yml": "of this name already",
		"Big One": "no name for a theme", "b": "in a circle", "c": "c"} {
		if err := u.Refused[key]; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if len(u.Palettes) != 1 || len(u.Refused) != 6 {
		t.Errorf("%+v", u)
	}
}

// What is printed of a theme is that theme.
func TestThemeFileIsTheTheme(t *testing.T) {
	for _, p := range themes.Builtin() {
		text := ThemeFile(p)
		u := UserThemes(themeFiles("copy.yaml", text), "dir")
		if len(u.Palettes) != 1 {
			t.Errorf("%s: %v", p.Name, u.Refused)
			continue
		}
		got := u.Palettes[0]
		got.Name = p.Name
		if !reflect.DeepEqual(got, p) {
			t.Errorf("%+v\nwant\n%+v", got, p)
		}
		// It says all, so it is the same from another ancestor.
		if p.Roles == (themes.Roles{}) {
			continue
		}
		other := "paper"
		if p.Light {
			other = "ember"
		}
		u = UserThemes(themeFiles("copy.yaml", strings.Replace(text, "inherits: "+p.Name, "inherits: "+other, 1)), "dir")
		if len(u.Palettes) != 1 || u.Palettes[0].Roles != p.Roles || u.Palettes[0].Light != p.Light {
			t.Errorf("%s from %s: %+v", p.Name, other, u)
		}
	}
}

func TestThemeOfTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "themes", "mine.yaml"), "inherits: dusk")
	write(filepath.Join(dir, "themes", "broken.yaml"), "inherits: what")
	for text, want := range map[string]string{
		"":                                  "auto//auto",
		"theme: mine":                       "mine//auto",
		"theme: none\nascii: on":            "none//on",
		"theme: {dark: mine, light: paper}": "auto/mine paper/auto",
		"theme: broken":                     "broken//auto", // the screen tells why it does without
		"theme: pink":                       `line 1: theme: there is no theme "pink"; see: rewatch themes`,
		"a: 1":                              "line 1: a: there is no such key",
		"\ntheme: dsuk":                     `line 2: theme: there is no theme "dsuk"; did you mean dusk?`,
		"theme:\n  dark: auto":              `line 2: theme.dark: there is no theme "auto"`,
		"theme: {night: dusk}":              "line 1: theme.night: there is no such key",
		"theme: [dark]":                     "line 1: theme: it must be a single value",
		"ascii: true":                       `line 1: ascii: "true": it must be one of auto, on, off`,
	} {
		write(path, text)
		c, _, err := Load(path)
		got := fmt.Sprintf("%s/%s/%s", c.Theme, strings.TrimSpace(c.Dark+" "+c.Light), c.ASCII)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if len(c.Themes.Palettes) != 1 || c.Themes.Refused["broken"] == nil {
			t.Errorf("%q: themes %+v", text, c.Themes)
		}
	}
}

func TestThemeFilesAreNoticed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "themes")
	f := NewThemeFiles(dir)
	changed := func(want bool, names string) {
		t.Helper()
		u, got := f.Changed()
		var have []string
		for _, p := range u.Palettes {
			have = append(have, p.Name)
		}
		for name := range u.Refused {
			have = append(have, "!"+name)
		}
		if got != want || strings.Join(have, " ") != names {
			t.Fatalf("changed %v, %q; want %v, %q", got, have, want, names)
		}
	}
	changed(false, "")
	file := filepath.Join(dir, "mine.yaml")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("inherits: dusk")
	changed(true, "mine")
	changed(false, "")
	write("inherits: dus")
	changed(true, "!mine")
	if err := f.Themes().Refused["mine"]; err.Error() != `mine.yaml line 1: inherits: there is no theme "dus"; did you mean dusk?` {
		t.Error(err)
	}
	write("inherits: dark")
	changed(true, "mine")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	changed(true, "")
	changed(false, "")
}

// FuzzUserThemes: whatever a file has, it is a theme or refused in a line.
func FuzzUserThemes(f *testing.F) {
	f.Add([]byte("inherits: dusk\ngood: \"#a8e0a8\"\nfew: {bad: red}\ncontrast: 2"))
	f.Add([]byte("few: {few: {}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		u := UserThemes(themeFiles("x.yaml", string(text)), "dir")
		if e := (*Error)(nil); len(u.Palettes)+len(u.Refused) != 1 || len(u.Refused) > 0 && !errors.As(u.Refused["x"], &e) {
			t.Fatalf("%+v", u)
		}
	})
}
