// Package themes turns a palette, which names colours by role, into the styles
// that the screen writes with.
//
// Styles are made with lipgloss, and kept as the SGR parameter list that it
// writes: the screen has thousands of cells a second to write and cannot afford
// to render each one. Colours are authored in 24 bits, which the renderer brings
// down to 256 where the terminal has no more, and beside them in the sixteen
// that have names, since there the nearest ones would be anything. No meaning is
// ever carried by colour alone, so the theme without colour loses nothing but
// looks.
//
// The package does no I/O.
package themes

import (
	"image/color"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Colour is "#rrggbb"; the name of one of the sixteen colours that a terminal
// has its own values for, as "red" or "bright-red"; [Own]; for a background
// [Reverse]; or "", where a role has no colour, and is told from others by bold,
// faint or italic as far as it must be.
type Colour string

const (
	// Own is the terminal's own colour of text, or no background.
	Own Colour = "own"
	// Reverse is a background that swaps the terminal's own two colours.
	Reverse Colour = "reverse"
)

// names are those of the sixteen colours, in the order of their numbers.
var names = [...]Colour{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan", "bright-white"}

// Names are those of the sixteen colours.
func Names() []Colour { return slices.Clone(names[:]) }

// rgb reports whether c is in 24 bits, and its three channels.
func (c Colour) rgb() (color.RGBA, bool) {
	if len(c) != 7 || c[0] != '#' {
		return color.RGBA{}, false
	}
	v, err := strconv.ParseUint(string(c[1:]), 16, 32)
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}, err == nil
}

// number is that of one of the sixteen colours, or -1.
func (c Colour) number() int { return slices.Index(names[:], c) }

// Valid reports whether c is a colour that a text, or if ground is set a
// background, may have.
func (c Colour) Valid(ground bool) bool {
	_, ok := c.rgb()
	return ok || c.number() >= 0 || c == Own || c == Reverse && ground
}

// paint is the colour for lipgloss, nil for none.
func (c Colour) paint() color.Color {
	if v, ok := c.rgb(); ok {
		return v
	}
	if n := c.number(); n >= 0 {
		return ansi.BasicColor(n) //nolint:gosec // below 16
	}
	return nil
}

// Roles are what colours are for.
type Roles struct {
	Bar      Colour // background of the status line
	Selected Colour // background of the selected row

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

// Palette is a theme as its author writes it.
type Palette struct {
	Name  string // as it is asked for
	About string // a few words
	Light bool   // for terminals with a light background
	// Grounds are backgrounds that the terminal may have below this theme; the
	// contrast of every text is checked against all of them. The theme itself
	// paints none but Bar and Selected.
	Grounds []Colour
	Roles         // in 24 bits; the roles of [Few] where there are none
	Few     Roles // for terminals of sixteen colours
}

// Terminal is what styles have to know of where they are written to.
type Terminal struct {
	Profile colorprofile.Profile // Unknown is not known yet, and TrueColor
	// Plain is a terminal that shows faint or italic text in other ways: the
	// Linux console in colours, GNU screen in reverse.
	Plain bool
}

// Style is the SGR parameter list of one role; "" is the terminal's own style.
type Style string

// Reversed is a background of one colour for all cells of a row: their own
// colours would become a patchwork of backgrounds, and are left out.
const Reversed Style = "7"

// Styles is a palette made ready to write with.
type Styles struct {
	Name string

	Text, Strong, Dim, Rule, Accent Style
	Good, Warn, Bad, Info, Odd      Style
	// Title is the focused title, and GoodBold to BadBold the words of states.
	Title, GoodBold, WarnBold, BadBold Style
	// Bar and Selected are backgrounds: the screen puts them before the style
	// of a cell. See Reversed.
	Bar, Selected Style
}

// For is the roles that a terminal gets.
func (p Palette) For(t Terminal) Roles {
	switch {
	case t.Profile != colorprofile.Unknown && t.Profile <= colorprofile.ASCII:
		return Roles{Selected: Reverse}
	case t.Profile == colorprofile.ANSI || p.Roles == Roles{}:
		return p.Few
	}
	return p.Roles
}

// Styles are those of a palette on a terminal.
func (p Palette) Styles(t Terminal) Styles {
	r := p.For(t)
	plain := lipgloss.NewStyle()
	bold, faint, italic := plain.Bold(true), plain.Faint(true), plain.Italic(true)
	slanted := italic
	if t.Plain {
		slanted = plain
	}
	return Styles{
		Name: p.Name,
		// Dim is never faint: many terminals halve the contrast for that, to below 4.5.
		Text: text(r.Text, plain, plain), Strong: text(r.Strong, plain, bold), Dim: text(r.Dim, plain, plain),
		Rule: text(r.Rule, plain, faint), Accent: text(r.Accent, plain, bold),
		Good: text(r.Good, plain, plain), Warn: text(r.Warn, plain, plain), Bad: text(r.Bad, plain, bold),
		Info: text(r.Info, plain, plain), Odd: text(r.Odd, plain, slanted),
		Title: text(r.Accent, bold, bold), GoodBold: text(r.Good, bold, bold), WarnBold: text(r.Warn, bold, bold),
		BadBold: alarm(r.Bad), Bar: ground(r.Bar), Selected: ground(r.Selected),
	}
}

// text is a text of colour c in a style, or in another where there is none.
func text(c Colour, with, without lipgloss.Style) Style {
	switch v := c.paint(); {
	case v != nil:
		return sgr(with.Foreground(v))
	case c == Own:
		return sgr(with)
	}
	return sgr(without)
}

// alarm is what must not be overlooked. In few colours it is reversed, and not
// bold: bold red is bright red on most terminals, which on white is pale.
func alarm(c Colour) Style {
	bold := lipgloss.NewStyle().Bold(true)
	if c.number() >= 0 {
		return text(c, lipgloss.NewStyle().Reverse(true), bold)
	}
	return text(c, bold, bold.Reverse(true))
}

func ground(c Colour) Style {
	if c == Reverse {
		return Reversed
	}
	if v := c.paint(); v != nil {
		return sgr(lipgloss.NewStyle().Background(v))
	}
	return ""
}

// sgr is what a style writes before a text, without the ESC [ and the m.
func sgr(s lipgloss.Style) Style {
	before, _, _ := strings.Cut(s.Render("x"), "x")
	return Style(strings.TrimSuffix(strings.TrimPrefix(before, "\x1b["), "m"))
}

// Ground is a background painted in the first of the grounds of a palette, for
// samples; "" where it is the terminal's own.
func (p Palette) Ground(t Terminal) Style {
	if len(p.Grounds) == 0 || t.Profile != colorprofile.Unknown && t.Profile <= colorprofile.ANSI {
		return ""
	}
	return ground(p.Grounds[0])
}
