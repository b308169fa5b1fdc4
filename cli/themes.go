package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"rewatch/cli/config"
	"rewatch/model/clean"
	"rewatch/themes"
	"rewatch/ui"
)

// themeName is a flag for auto, or the name of a theme.
type themeName struct{ value string }

func (t *themeName) String() string { return t.value }

// Type is the word that stands for the value in the help.
func (t *themeName) Type() string { return "name" }

// Set takes the name of a theme that there is.
func (t *themeName) Set(s string) error {
	if s != "auto" {
		if _, err := findTheme(s, userThemes()); err != nil {
			return err
		}
	}
	t.value = s
	return nil
}

// findTheme returns a theme by its name. The error says why there is none.
func findTheme(name string, user themes.User) (themes.Palette, error) {
	if err := user.Refused[name]; err != nil {
		return themes.Palette{}, err
	}
	all := append(themes.Builtin(), user.Palettes...)
	p, ok := themes.Find(all, name)
	if !ok {
		return p, fmt.Errorf("there is no theme %q; there are %s", name, strings.Join(themeNames(all), ", "))
	}
	return p, nil
}

func themeNames(all []themes.Palette) []string {
	names := []string{"auto"}
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}

// userThemes are those of the user's files.
func userThemes() themes.User {
	path, err := config.Path()
	if err != nil {
		return themes.User{} // a place without a home has none
	}
	dir := config.ThemesDir(path)
	return config.UserThemes(os.DirFS(dir), dir)
}

// look is how the interface looks, beside the theme.
func (f *flags) look() ui.Look {
	l := f.looks
	l.ASCII = ui.ASCII(f.ascii.value)
	if path, err := config.Path(); err == nil {
		files := config.NewThemeFiles(config.ThemesDir(path))
		l.User, l.Reload = files.Themes(), files.Changed
	}
	return l
}

func newThemes(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "themes [NAME]", Short: "Show the themes there are, in the colours of this terminal",
		Long: `On a terminal each theme is shown on the background that it is made for, in the
colours that this terminal has. Otherwise they are listed, a line each, and with
NAME the file of that theme is printed, for one of your own to begin with.
docs/themes.md says what a file may have.`,
		Example: `  rewatch themes
  rewatch themes dusk
  rewatch themes dusk > "$(dirname "$(rewatch config path)")/themes/mine.yaml"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			user := userThemes()
			shown := append(themes.Builtin(), user.Palettes...)
			if len(args) > 0 {
				p, err := findTheme(args[0], user)
				if err != nil {
					return failed("", "%v", err) // it says what to do
				}
				shown = []themes.Palette{p}
			}
			if len(args) == 0 {
				defer tellRefused(s.err, user)
			}
			if isTerminal(s.out) {
				return previewThemes(s.out, shown)
			}
			if len(args) > 0 {
				_, err := io.WriteString(s.out, config.ThemeFile(shown[0]))
				return written(err)
			}
			return listThemes(s.out, shown)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return themeNames(append(themes.Builtin(), userThemes().Palettes...))[1:], cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// tellRefused says which files of the user are no themes, a line each.
func tellRefused(w io.Writer, user themes.User) {
	for _, name := range slices.Sorted(maps.Keys(user.Refused)) {
		_, _ = fmt.Fprintf(w, "rewatch: theme %s is not used: %s\n", clean.Line(name), clean.Line(user.Refused[name].Error()))
	}
}

// refusedThemes is the first of the user's themes that cannot be used, as a failure.
func refusedThemes(user themes.User) error {
	names := slices.Sorted(maps.Keys(user.Refused))
	if len(names) == 0 {
		return nil
	}
	more := ""
	if n := len(names) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s more)", count(int64(n), "theme"))
	}
	return failed("correct it, then: rewatch config check", "%v%s", user.Refused[names[0]], more)
}

// listThemes writes a line for each.
func listThemes(w io.Writer, all []themes.Palette) error {
	for _, p := range all {
		if _, err := fmt.Fprintf(w, "%-18s %-6s %s\n", p.Name, tone(p), clean.Line(p.About)+warning(p)); err != nil {
			return written(err)
		}
	}
	return nil
}

// tone says for which backgrounds a theme is.
func tone(p themes.Palette) string {
	switch {
	case p.Name == "mono":
		return "any"
	case p.Light:
		return "light"
	}
	return "dark"
}

// warning is what is said of a theme that is hard to read, as its file has it.
func warning(p themes.Palette) string {
	if w := p.Worst(); w.Contrast < themes.LeastContrast {
		return fmt.Sprintf(" (hard to read: %v)", w)
	}
	return ""
}

// previewThemes draws a sample of each in the colours of the terminal, as far as
// the interface would find out.
func previewThemes(w io.Writer, all []themes.Palette) error {
	width := 80
	if f, ok := w.(term.File); ok {
		if cols, _, err := term.GetSize(f.Fd()); err == nil && cols > 0 {
			width = min(cols, 100)
		}
	}
	return preview(w, all, os.Environ(), colorprofile.Detect(w, os.Environ()), width)
}

func preview(w io.Writer, all []themes.Palette, environ []string, profile colorprofile.Profile, width int) error {
	out := &colorprofile.Writer{Forward: w, Profile: profile}
	look := ui.NewSample(environ, profile)
	if _, err := fmt.Fprintf(out, "%s\n\n", profileWords(profile)); err != nil {
		return written(err)
	}
	for _, p := range all {
		text := p.Name + "  " + clean.Line(p.About) + clean.Line(warning(p)) + "\n" + strings.Join(look.Draw(p, width), "\n") + "\n\n"
		if _, err := io.WriteString(out, text); err != nil {
			return written(err)
		}
	}
	return nil
}

// profileWords say what colours a terminal has.
func profileWords(p colorprofile.Profile) string {
	switch p {
	case colorprofile.TrueColor:
		return "This terminal has colours of 24 bits."
	case colorprofile.ANSI256:
		return "This terminal has 256 colours."
	case colorprofile.ANSI:
		return "This terminal has 16 colours, whose values are its own."
	}
	return "This terminal has no colours, or NO_COLOR is set."
}
