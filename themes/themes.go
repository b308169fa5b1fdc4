// Package themes turns a palette, which names colours by role, into the styles
// that the screen writes with.
//
// Styles are made with lipgloss, and kept as the SGR parameter list that it
// writes: the screen has thousands of cells a second to write and cannot afford
// to render each one. Colours are authored in 24 bits; the renderer brings them
// down to what the terminal has. No meaning is ever carried by colour alone, so
// the theme without colour loses nothing but looks.
package themes

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Colour is "#rrggbb", or "" for the terminal's own.
type Colour string

// Palette is a theme as its author writes it: one colour for each role.
type Palette struct {
	Name string
	// Backgrounds are the ones that the terminal may have below this theme;
	// the contrast of every text is tested against all of them. The theme
	// itself paints none but Bar and Selected.
	Backgrounds []Colour
	Bar         Colour // background of the status line
	Selected    Colour // background of the selected row

	Text   Colour // what is read most
	Strong Colour // names, titles
	Dim    Colour // what is read on demand: times, namespaces, managers
	Rule   Colour // lines between panes: the only role that is not text
	Accent Colour // where the focus is, keys

	Good Colour // live, added
	Warn Colour // late, modified
	Bad  Colour // lost, deleted
	Info Colour // state of the watch itself
	Odd  Colour // synthetic, inferred
}

// Style is the SGR parameter list of one role; "" is the terminal's own style.
type Style string

// Styles is a palette made ready to write with.
type Styles struct {
	Name string

	Text, Strong, Dim, Rule, Accent Style
	Good, Warn, Bad, Info, Odd      Style
	// Title is the focused title, and GoodBold to BadBold the words of states.
	Title, GoodBold, WarnBold, BadBold Style
	// Bar and Selected are backgrounds: the screen puts them before the style
	// of a cell. In the theme without colour they are reverse video and
	// nothing.
	Bar, Selected Style
}

// Dark is for terminals with a dark background.
func Dark() Palette {
	return Palette{
		Name:        "dark",
		Backgrounds: []Colour{"#000000", "#16181d", "#1e1e2e", "#282c34"},
		Bar:         "#22262e", Selected: "#2a2f45",
		Text: "#d3d8e2", Strong: "#f2f4f8", Dim: "#9aa3b2", Rule: "#4b5363", Accent: "#7fb0ff",
		Good: "#9ece6a", Warn: "#e5b567", Bad: "#ff8a98", Info: "#7dcfff", Odd: "#c3a6ff",
	}
}

// Light is for terminals with a light background.
func Light() Palette {
	return Palette{
		Name:        "light",
		Backgrounds: []Colour{"#ffffff", "#fafafa", "#fdf6e3"},
		Bar:         "#e9ecf1", Selected: "#dce6f8",
		Text: "#2b303b", Strong: "#0b0d12", Dim: "#555c69", Rule: "#b4bac5", Accent: "#1f4fbf",
		Good: "#23651a", Warn: "#6b4300", Bad: "#a81c35", Info: "#005a70", Odd: "#5527a8",
	}
}

// New expands a palette into styles.
func New(p Palette) Styles {
	plain := lipgloss.NewStyle()
	bold := plain.Bold(true)
	fg := func(s lipgloss.Style, c Colour) Style { return sgr(s.Foreground(lipgloss.Color(string(c)))) }
	bg := func(c Colour) Style { return sgr(plain.Background(lipgloss.Color(string(c)))) }
	return Styles{
		Name: p.Name,
		Text: fg(plain, p.Text), Strong: fg(plain, p.Strong), Dim: fg(plain, p.Dim), Rule: fg(plain, p.Rule), Accent: fg(plain, p.Accent),
		Good: fg(plain, p.Good), Warn: fg(plain, p.Warn), Bad: fg(plain, p.Bad), Info: fg(plain, p.Info), Odd: fg(plain, p.Odd),
		Title: fg(bold, p.Accent), GoodBold: fg(bold, p.Good), WarnBold: fg(bold, p.Warn), BadBold: fg(bold, p.Bad),
		Bar: bg(p.Bar), Selected: bg(p.Selected),
	}
}

// NoColour is the theme for NO_COLOR and for terminals without colour: bold,
// faint, italic and reverse only.
func NoColour() Styles {
	plain := lipgloss.NewStyle()
	bold, faint := sgr(plain.Bold(true)), sgr(plain.Faint(true))
	return Styles{
		Name: "mono", Strong: bold, Dim: faint, Rule: faint, Accent: bold, Bad: bold, Odd: sgr(plain.Italic(true)),
		Title: bold, GoodBold: bold, WarnBold: bold, BadBold: sgr(plain.Bold(true).Reverse(true)), Selected: sgr(plain.Reverse(true)),
	}
}

// FewColours is the theme for terminals of 16 colours or fewer, whose own
// palette is not known: the nearest colours could be any. Plain text is the
// terminal's own, and backgrounds are reverse video.
func FewColours(light bool) Styles {
	plain := lipgloss.NewStyle()
	bold := plain.Bold(true)
	name, accent, info, warn := "few", lipgloss.Cyan, lipgloss.Cyan, lipgloss.Yellow
	if light { // yellow and cyan on white cannot be read
		name, accent, info, warn = "few-light", lipgloss.Blue, lipgloss.Blue, lipgloss.Magenta
	}
	return Styles{
		Name: name, Strong: sgr(bold), Accent: sgr(bold.Foreground(accent)), Good: sgr(plain.Foreground(lipgloss.Green)),
		Warn: sgr(plain.Foreground(warn)), Bad: sgr(plain.Foreground(lipgloss.Red)), Info: sgr(plain.Foreground(info)),
		Odd: sgr(plain.Foreground(lipgloss.Magenta)), Title: sgr(bold.Foreground(accent)), GoodBold: sgr(bold.Foreground(lipgloss.Green)),
		WarnBold: sgr(bold.Foreground(warn)), BadBold: sgr(bold.Foreground(lipgloss.Red)), Selected: sgr(plain.Reverse(true)),
	}
}

// sgr is what a style writes before a text, without the ESC [ and the m.
func sgr(s lipgloss.Style) Style {
	before, _, _ := strings.Cut(s.Render("x"), "x")
	return Style(strings.TrimSuffix(strings.TrimPrefix(before, "\x1b["), "m"))
}
