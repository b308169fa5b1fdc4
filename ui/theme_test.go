package ui

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"rewatch/themes"
)

// written is all that a session writes to a terminal of some environment, with
// a log of a few rows that was there before.
func written(t *testing.T, o Options) string {
	t.Helper()
	d := newDemoLog("prod-eu")
	d.start(time.Now(), "prod-eu", 100)
	r, keys := io.Pipe()
	defer keys.Close()
	out, done := &output{}, make(chan error, 1)
	o.Log, o.Title, o.Input, o.Output, o.Width, o.Height = d.log, "prod-eu", r, out, 120, 36
	// A pipe is no terminal: TTY_FORCE has colorprofile take it for one.
	o.Environ = append(o.Environ, "TTY_FORCE=1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { done <- Run(ctx, o) }()
	until(t, "the first rows", func() bool { return strings.Contains(out.String(), "initial list") })
	io.WriteString(keys, "j") // a row is selected
	from := len(out.String())
	until(t, "the selected row", func() bool { return len(out.String()) > from })
	io.WriteString(keys, "q")
	ends(t, done)
	return out.String()
}

// colours are the most that the SGR sequences of a text ask for: 0, 16, 256 or 24.
func colours(text string) int {
	most := 0
	for _, seq := range regexp.MustCompile(`\x1b\[([0-9;:]*)m`).FindAllStringSubmatch(text, -1) {
		params := strings.FieldsFunc(seq[1], func(r rune) bool { return r == ';' || r == ':' })
		for i := 0; i < len(params); i++ {
			switch p := params[i]; {
			case p == "38" || p == "48":
				if i+1 < len(params) && params[i+1] == "2" {
					return 1 << 24
				}
				most, i = max(most, 256), i+2
			case len(p) == 2 && strings.ContainsAny(p[:1], "349") && p[1] < '8', len(p) == 3 && p[:2] == "10":
				most = max(most, 16)
			}
		}
	}
	return most
}

// What each terminal gets: the table of docs/themes.md.
func TestWhatATerminalGets(t *testing.T) {
	const all = 1 << 24
	for _, c := range []struct {
		name, environ string
		theme         string
		colours       int
		glyphs, faint bool // beyond ASCII; SGR 2 or 3
	}{
		{"xterm", "TERM=xterm", "", 16, true, true},
		{"xterm of 256", "TERM=xterm-256color", "", 256, true, false},
		{"true colours", "TERM=xterm-256color COLORTERM=truecolor", "", all, true, false},
		{"the Linux console", "TERM=linux LANG=en_US.UTF-8", "", 16, false, true}, // its rules are grey
		{"the Linux console without colour", "TERM=linux NO_COLOR=1", "", 0, false, true},
		{"GNU screen", "TERM=screen", "", 256, true, false},
		{"GNU screen in a terminal of true colours", "TERM=screen-256color COLORTERM=truecolor", "", 256, true, false},
		{"tmux", "TERM=tmux-256color COLORTERM=truecolor", "", 256, true, false},
		{"PuTTY", "TERM=putty", "", 16, true, true},
		{"PuTTY of 256", "TERM=putty-256color", "", 256, true, false},
		{"Apple Terminal", "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal LC_CTYPE=UTF-8", "", 256, true, false},
		{"NO_COLOR", "TERM=xterm-256color COLORTERM=truecolor NO_COLOR=1", "", 0, true, true},
		{"NO_COLOR of another value", "TERM=xterm-256color COLORTERM=truecolor NO_COLOR=please", "", 0, true, true},
		{"NO_COLOR, and a theme", "TERM=xterm-256color NO_COLOR=1", "dusk", 256, true, false},
		{"dumb", "TERM=dumb", "", 0, true, false},
		{"a locale that is not UTF-8", "TERM=xterm-256color LANG=de_DE.ISO-8859-1", "", 256, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // most of it is waiting
			got := written(t, Options{Theme: c.theme, Environ: strings.Fields(c.environ)})
			if n := colours(got); n != c.colours {
				t.Errorf("it gets %d colours, want %d", n, c.colours)
			}
			if has := ascii(got) < len(got); has != c.glyphs {
				t.Errorf("glyphs beyond ASCII: %v", has)
			}
			if has := regexp.MustCompile(`\x1b\[([0-9;]*;)?[23](;[0-9;]*)?m`).MatchString(regexp.MustCompile(`[34]8;[25];[0-9;]*`).ReplaceAllString(got, "38")); has != c.faint {
				t.Errorf("faint or italic: %v", has)
			}
		})
	}
}

func user(names ...string) themes.User {
	u := themes.User{Refused: map[string]error{}}
	for _, n := range names {
		p, _ := themes.Find(themes.Builtin(), "dusk")
		p.Name = n
		u.Palettes = append(u.Palettes, p)
	}
	return u
}

func TestThemesAreTakenByName(t *testing.T) {
	d := newDriver(t, 80, 24, "auto")
	names := d.app.themeNames()
	if len(names) != len(themes.Builtin())+1 || names[0] != "auto" {
		t.Errorf("%v", names)
	}
	for _, name := range append(names, "none") {
		if err := d.app.setTheme(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_ = d.app.setTheme("paper")
	if err := d.app.setTheme("pink"); err == nil || d.app.st.Name != "paper" {
		t.Errorf("%v; the theme is %s", err, d.app.st.Name)
	}
	d.send(tea.BackgroundColorMsg{Color: white{}})
	if d.app.st.Name != "paper" {
		t.Errorf("the terminal's background makes it %s", d.app.st.Name)
	}
	if err := d.app.setTheme("auto"); err != nil || d.app.st.Name != "light" {
		t.Errorf("auto on white: %v, %s", err, d.app.st.Name)
	}
	d.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	if err := d.app.setTheme("dusk"); err == nil || d.app.st.Selected != themes.Reversed {
		t.Errorf("without colours: %v, selected is %q", err, d.app.st.Selected)
	}
}

func TestAutoTakesTheThemesOfTheUser(t *testing.T) {
	d := newDemoLog("prod-eu")
	o := Options{Log: d.log, Look: Look{Dark: "ember", Light: "mine", User: user("mine")}}
	a := NewApp(t.Context(), o)
	defer a.Close()
	if a.st.Name != "ember" {
		t.Errorf("on dark it is %s", a.st.Name)
	}
	a.Update(tea.BackgroundColorMsg{Color: white{}})
	if a.st.Name != "mine" {
		t.Errorf("on white it is %s", a.st.Name)
	}
	// What is refused is told, and the theme of its kind takes its place.
	o.Look.User = themes.User{Refused: map[string]error{"mine": errors.New("mine.yaml line 2: no")}}
	b := NewApp(t.Context(), o)
	defer b.Close()
	b.Update(tea.BackgroundColorMsg{Color: white{}})
	if b.st.Name != "light" || !strings.Contains(b.flash, "mine.yaml line 2: no") {
		t.Errorf("on white it is %s, and says %q", b.st.Name, b.flash)
	}
	o.Theme = "mine"
	c := NewApp(t.Context(), o)
	defer c.Close()
	if c.st.Name != "ember" || !strings.Contains(c.flash, "mine.yaml line 2: no") {
		t.Errorf("in place of mine it is %s, and says %q", c.st.Name, c.flash)
	}
}

// A theme follows its file while the screen runs; what breaks it is told, and
// the screen stays as it was.
func TestThemesFollowTheirFiles(t *testing.T) {
	d := newDriver(t, 80, 24, "auto")
	d.app.skin.look.User = user("mine")
	if err := d.app.setTheme("mine"); err != nil {
		t.Fatal(err)
	}
	before := d.app.st
	changed := user("mine")
	changed.Palettes[0].Bad = "#ff0000"
	d.send(themesMsg{changed})
	if d.app.st.Bad != "38;2;255;0;0" || d.app.flash != "" {
		t.Errorf("after the change: %+v", d.app.st)
	}
	after := d.app.st
	d.send(themesMsg{themes.User{Refused: map[string]error{"mine": errors.New("mine.yaml line 3: bad: it is pale")}}})
	if d.app.st != after || after == before {
		t.Errorf("a broken file changes it to %+v", d.app.st)
	}
	if got := d.footer(); !strings.Contains(got, "theme: mine.yaml line 3: bad: it is pale") {
		t.Errorf("the footer says %q", got)
	}
	d.send(themesMsg{themes.User{}})
	if d.app.st != after || !strings.Contains(d.footer(), `there is no theme "mine"`) {
		t.Errorf("without its file: %+v, %q", d.app.st, d.footer())
	}
	d.send(themesMsg{user("mine")})
	if d.app.st != before {
		t.Errorf("mended it is %+v", d.app.st)
	}
}

// A mistake is told once; esc takes it out of the footer, and mending the file
// does. The palette has its words as long as it is there.
func TestAMistakeInAThemeIsToldOnce(t *testing.T) {
	d := newDriver(t, 120, 36, "auto")
	bad := themes.User{Refused: map[string]error{"mine": errors.New("mine.yaml line 3: bad: it is pale")}}
	says := func() bool { return strings.Contains(d.footer(), "mine.yaml line 3: bad: it is pale") }
	d.app.o.Look.User, d.app.o.Theme = bad, "mine"
	d.app.chooseTheme()
	if !says() {
		t.Fatalf("the footer says %q", d.footer())
	}
	if d.press("esc"); says() {
		t.Error("esc leaves it")
	}
	d.send(themesMsg{bad}) // another file has changed
	if says() {
		t.Error("it is told again")
	}
	d.palette("theme mine")
	d.has("mine.yaml line 3: bad: it is pale")
	d.press("enter")
	d.has("The theme mine cannot be used")
	d.press("esc")
	d.send(themesMsg{themes.User{Refused: map[string]error{"mine": errors.New("mine.yaml line 4: bad: it has no value")}}})
	if f := d.footer(); !strings.Contains(f, "line 4") {
		t.Errorf("another mistake is not told: %q", f)
	}
	d.send(themesMsg{user("mine")}) // mended: what was asked for is there at last
	if f := d.footer(); strings.Contains(f, "line 4") || d.app.skin.name != "mine" || d.app.st.Name != "mine" {
		t.Errorf("mended: the footer says %q, and the theme is %s", f, d.app.skin.name)
	}
}

func TestFilesOfThemesAreLookedAtOnceASecond(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	looked := 0
	cmd := watchThemes(ctx, func() (themes.User, bool) { looked++; return user("mine"), looked == 2 })
	begin := time.Now()
	msg, ok := cmd().(themesMsg)
	if took := time.Since(begin); !ok || len(msg.user.Palettes) != 1 || looked != 2 || took < 2*themePause {
		t.Errorf("%+v after %v and %d looks", msg, took, looked)
	}
	cancel()
	if msg := watchThemes(ctx, func() (themes.User, bool) { return themes.User{}, false })(); msg != nil {
		t.Errorf("at the end it says %v", msg)
	}
}
