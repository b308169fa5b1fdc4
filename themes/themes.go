// Package themes turns a palette, which names colours by role, into the styles
// that the screen writes with.
//
// A style is the text of an SGR parameter list, made once: the screen writes
// thousands of cells a second and cannot afford to build one per cell. Colours
// are authored in 24 bits; the renderer brings them down to what the terminal
// has. No meaning is ever carried by colour alone, so the theme without colour
// loses nothing but looks.
package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// Colour is "#rrggbb", or "" for the terminal's own.
type Colour string

// RGB returns the three channels, 0 to 255; ok is false for "".
func (c Colour) RGB() (r, g, b uint8, ok bool) {
	v, err := strconv.ParseUint(strings.TrimPrefix(string(c), "#"), 16, 32)
	if err != nil || len(c) != 7 {
		return 0, 0, 0, false
	}
	return uint8(v >> 16), uint8(v >> 8), uint8(v), true
}

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
	return Styles{
		Name: p.Name,
		Text: fg(p.Text), Strong: fg(p.Strong), Dim: fg(p.Dim), Rule: fg(p.Rule), Accent: fg(p.Accent),
		Good: fg(p.Good), Warn: fg(p.Warn), Bad: fg(p.Bad), Info: fg(p.Info), Odd: fg(p.Odd),
		Title: "1;" + fg(p.Accent), GoodBold: "1;" + fg(p.Good), WarnBold: "1;" + fg(p.Warn), BadBold: "1;" + fg(p.Bad),
		Bar: bg(p.Bar), Selected: bg(p.Selected),
	}
}

// NoColour is the theme for NO_COLOR and for terminals without colour: bold,
// faint and reverse only.
func NoColour() Styles {
	return Styles{
		Name: "mono", Strong: "1", Dim: "2", Rule: "2", Accent: "1", Warn: "", Bad: "1", Odd: "3",
		Title: "1", GoodBold: "1", WarnBold: "1", BadBold: "1;7", Bar: "", Selected: "7",
	}
}

// FewColours is the theme for terminals of 16 colours or fewer, whose own
// palette is not known: the nearest colours could be any. Plain text is the
// terminal's own, and backgrounds are reverse video.
func FewColours(light bool) Styles {
	s := Styles{
		Name: "few", Strong: "1", Accent: "1;36", Good: "32", Warn: "33", Bad: "31", Info: "36", Odd: "35",
		Title: "1;36", GoodBold: "1;32", WarnBold: "1;33", BadBold: "1;31", Selected: "7",
	}
	if light { // yellow and cyan on white cannot be read
		s.Name, s.Accent, s.Title, s.Info, s.Warn, s.WarnBold = "few-light", "1;34", "1;34", "34", "35", "1;35"
	}
	return s
}

func fg(c Colour) Style { return rgb(38, c) }
func bg(c Colour) Style { return rgb(48, c) }

func rgb(layer int, c Colour) Style {
	r, g, b, ok := c.RGB()
	if !ok {
		return ""
	}
	return Style(fmt.Sprintf("%d;2;%d;%d;%d", layer, r, g, b))
}
