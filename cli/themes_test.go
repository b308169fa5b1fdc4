package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"rewatch/cli/config"
	"rewatch/themes"
)

// writeTheme writes a theme of the user of an isolated environment.
func writeTheme(t *testing.T, name, text string) {
	t.Helper()
	dir := config.ThemesDir(writeConfig(t, ""))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestThemesAreListed(t *testing.T) {
	isolate(t)
	got := rewatch(t, "themes")
	if got.code != 0 || got.stderr != "" || strings.Contains(got.out, "\x1b") || strings.Count(got.out, "\n") != len(themes.Builtin()) {
		t.Errorf("%+v", got)
	}
	writeTheme(t, "mine.yaml", "inherits: light\nabout: pale\ndim: \"#8a8a8a\"\ncontrast: 2\n")
	writeTheme(t, "broken.yaml", "inherits: dusk\n\ngood: \"#202020\"\n")
	got = rewatch(t, "themes")
	if !strings.Contains(got.out, "mine               light  pale (hard to read: dim on ") || got.code != 0 {
		t.Errorf("%+v", got)
	}
	if want := "broken is not used: "; !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, "broken.yaml line 3: good: on ") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%q does not say %q", got.stderr, want)
	}
	fails(t, 1, "broken.yaml line 3: good:", "themes", "broken")
	fails(t, 1, `there is no theme "pink"; there are auto, dark, light`, "themes", "pink")
	fails(t, 2, "broken.yaml line 3: good:", "--theme", "broken", "config", "path")
	fails(t, 1, "broken.yaml line 3: good:", "config", "check")
	writeTheme(t, "broken.yaml", "inherits: mine\ncontrast: 2")
	if got := rewatch(t, "config", "check"); got.code != 0 || !strings.Contains(got.out, "2 themes of yours: broken, mine\n") {
		t.Errorf("%+v", got)
	}
	if got := rewatch(t, "--theme", "mine", "config", "path"); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

// What themes prints of one is a file that makes the same.
func TestAThemeIsPrintedAsAFile(t *testing.T) {
	isolate(t)
	got := rewatch(t, "themes", "dusk")
	writeTheme(t, "mine.yaml", got.out)
	if again := rewatch(t, "themes", "mine"); again.code != 0 || strings.Replace(again.out, "inherits: mine", "inherits: dusk", 1) != got.out {
		t.Errorf("%+v\nwant\n%+v", again, got)
	}
}

// The preview has nothing that the terminal has not.
func TestThePreviewIsInTheTerminalsColours(t *testing.T) {
	for profile, no := range map[colorprofile.Profile]string{
		colorprofile.TrueColor: `\x1b\[[0-9;]*[34]8;5;`,
		colorprofile.ANSI256:   `\x1b\[[0-9;]*[34]8;2;`,
		colorprofile.ANSI:      `\x1b\[[0-9;]*[34]8;`,
		colorprofile.ASCII:     `\x1b\[([0-9;]*;)?[34]\d`,
	} {
		var b bytes.Buffer
		if err := preview(&b, themes.Builtin(), []string{"TERM=xterm", "LANG=de_DE.UTF-8"}, profile, 80); err != nil {
			t.Fatal(err)
		}
		if bad := regexp.MustCompile(no).FindString(b.String()); bad != "" {
			t.Errorf("%v: it writes %q", profile, bad)
		}
		for _, p := range themes.Builtin() {
			if !strings.Contains(b.String(), "\n"+p.Name+"  "+p.About+"\n") {
				t.Errorf("%v: %s is missing", profile, p.Name)
			}
		}
		for line := range strings.Lines(b.String()) {
			if w := ansi.StringWidth(line); strings.Contains(line, "Deployment") && w != 80 || w > 80 {
				t.Errorf("%v: %d cells: %q", profile, w, line)
			}
		}
	}
	var b bytes.Buffer
	if err := preview(&b, themes.Builtin(), []string{"TERM=linux"}, colorprofile.ANSI, 80); err != nil || !strings.Contains(ansi.Strip(b.String()), ">2 Timeline -") {
		t.Errorf("%v: on the Linux console\n%s", err, b.String())
	}
}
