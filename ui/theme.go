package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"rewatch/themes"
)

// Look is what themes there are beside those that come with rewatch, and which
// of them auto takes.
type Look struct {
	Dark, Light string      // "" is the theme of that name
	User        themes.User // as the files are at the start
	// Reload returns them anew if the files have changed since it was last
	// called. It is called once a second, outside of the event loop; nil: they
	// do not change.
	Reload func() (themes.User, bool)
	ASCII  ASCII
}

// skin is the theme in use, and what decides which one that is.
type skin struct {
	look     Look
	name     string // as it was asked for: "auto", or that of a theme
	palette  themes.Palette
	terminal themes.Terminal
	light    bool   // the terminal says that its background is
	none     bool   // auto has no colour: NO_COLOR, TERM=dumb
	wanted   string // that was asked for at the start and could not be used; "" is none
	told     string // what was said last of a theme that cannot be used: once is enough
	ascii    *asciiWriter
}

// environ is the environment that the renderer gets. NO_COLOR is overruled by a
// theme that was asked for, as no-color.org has it.
func (o Options) environ() []string {
	if o.auto() || o.Environ == nil {
		return o.Environ
	}
	kept := make([]string, 0, len(o.Environ))
	for _, v := range o.Environ {
		if !strings.HasPrefix(v, "NO_COLOR=") {
			kept = append(kept, v)
		}
	}
	return kept
}

// plain is [themes.Terminal.Plain]. Within tmux it is tmux that draws.
func (o Options) plain() bool {
	term := o.env("TERM")
	return term == "linux" || strings.HasPrefix(term, "screen") && o.env("TMUX") == ""
}

func (o Options) auto() bool { return o.Theme == "" || o.Theme == "auto" }

// chooseTheme takes the theme of the options. One that cannot be used is told,
// and auto takes its place.
func (a *App) chooseTheme() {
	a.skin = skin{look: a.o.Look, ascii: a.o.Look.ASCII.writer(a.o)}
	a.skin.none = a.o.env("NO_COLOR") != "" || a.o.env("TERM") == "dumb"
	a.skin.terminal.Plain = a.o.plain()
	if err := a.setTheme(cmp.Or(a.o.Theme, "auto")); err != nil {
		if a.skin.name == "" {
			_ = a.setTheme("auto")
			a.skin.wanted = a.o.Theme
		}
		a.complain(err)
	}
}

// asksBackground reports whether the terminal has to be asked for its background.
func (a *App) asksBackground() bool { return a.skin.name == "auto" && !a.skin.none && a.o.modern() }

// themeNames are the names that setTheme takes.
func (a *App) themeNames() []string {
	names := []string{"auto"}
	for _, p := range a.skin.look.palettes() {
		names = append(names, p.Name)
	}
	return names
}

func (l Look) palettes() []themes.Palette { return append(themes.Builtin(), l.User.Palettes...) }

// setTheme shows the screen in another theme, from the next frame on. The error
// says in a line why it cannot; then nothing has changed, except that auto takes
// its own where it cannot have what the user wants it to take.
func (a *App) setTheme(name string) error {
	if p := a.skin.terminal.Profile; p != colorprofile.Unknown && p <= colorprofile.ASCII && name != "auto" && name != "mono" {
		return errors.New("this terminal has no colours, or NO_COLOR is set")
	}
	s := a.skin
	s.name, s.wanted = name, ""
	p, err := s.choose()
	if p.Name == "" {
		return err
	}
	s.palette = p
	a.skin = s
	a.restyle()
	return err
}

// choose finds the palette of the name. With an error it may be one in its place.
func (s *skin) choose() (themes.Palette, error) {
	if s.name != "auto" {
		return s.find(s.name)
	}
	wanted, own := cmp.Or(s.look.Dark, "dark"), "dark"
	if s.light {
		wanted, own = cmp.Or(s.look.Light, "light"), "light"
	}
	if s.none {
		wanted = "mono"
	}
	p, err := s.find(wanted)
	if err != nil && s.palette.Name != wanted { // else it stays as it was
		p, _ = s.find(own)
	}
	return p, err
}

func (s *skin) find(name string) (themes.Palette, error) {
	if err := s.look.User.Refused[name]; err != nil {
		return themes.Palette{}, err
	}
	p, ok := themes.Find(s.look.palettes(), name)
	if !ok {
		return p, fmt.Errorf("there is no theme %q", name)
	}
	return p, nil
}

// restyle makes the styles anew, for what is drawn from now on.
func (a *App) restyle() {
	a.st = a.skin.palette.Styles(a.skin.terminal)
	a.timeline.restyle()
}

// takeTerminal takes in what the terminal has answered.
func (a *App) takeTerminal(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		a.skin.light = !msg.IsDark()
		if a.skin.name != "auto" {
			return
		}
	case tea.ColorProfileMsg:
		a.skin.terminal.Profile = msg.Profile
	}
	a.rechoose()
}

// rechoose chooses anew by what has become known. What cannot be used is told.
func (a *App) rechoose() {
	p, err := a.skin.choose()
	if _, e := a.skin.find(a.skin.wanted); a.skin.wanted != "" && e != nil {
		err = e
	}
	a.complain(err)
	if p.Name != "" {
		a.skin.palette = p
	}
	a.restyle()
}

// complain tells of a theme that cannot be used in the footer, once and for long
// enough to read it; the palette has the same words beside the theme. Without an
// error it takes them back.
func (a *App) complain(err error) {
	said := a.skin.told
	if a.skin.told = ""; err != nil {
		a.skin.told = "theme: " + err.Error()
	}
	switch {
	case a.skin.told == said:
	case err != nil:
		a.flash, a.flashEnd = a.skin.told, a.o.Now().Add(12*time.Second)
	case a.flash == said:
		a.flash = ""
	}
}

// hushed takes a complaint about a theme out of the footer.
func (a *App) hushed() bool {
	if a.flash == "" || a.flash != a.skin.told {
		return false
	}
	a.flash = ""
	return true
}

// themesMsg brings the themes of files that have changed.
type themesMsg struct{ user themes.User }

// themePause is how often the files of themes are looked at.
const themePause = time.Second

// watchThemes waits until files of themes have changed.
func (a *App) watchThemes() tea.Cmd {
	if a.skin.look.Reload == nil {
		return nil
	}
	return watchThemes(a.ctx, a.skin.look.Reload)
}

func watchThemes(ctx context.Context, reload func() (themes.User, bool)) tea.Cmd {
	return func() tea.Msg {
		t := time.NewTicker(themePause)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-t.C:
			}
			if user, changed := reload(); changed {
				return themesMsg{user}
			}
		}
	}
}

// takeThemes takes in changed files. A theme in use that cannot be used any more
// stays as it was; one that was asked for and can be used now is.
func (a *App) takeThemes(m themesMsg) tea.Cmd {
	a.skin.look.User = m.user
	if _, err := a.skin.find(a.skin.wanted); a.skin.wanted != "" && err == nil {
		a.skin.name, a.skin.wanted = a.skin.wanted, ""
	}
	a.rechoose()
	return a.watchThemes()
}
