package themes

import (
	"fmt"
	"image/color"
	"math"

	"github.com/charmbracelet/colorprofile"
)

// LeastContrast is what WCAG 2 asks of text, level AA (success criterion 1.4.3).
const LeastContrast = 4.5

// luminance is WCAG 2's relative luminance, 0 to 1.
func luminance(c color.RGBA) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}

// contrast is WCAG 2's contrast ratio, 1 to 21.
func contrast(a, b color.RGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// scheme is what a terminal shows for the sixteen colours, before its user
// changes them.
type scheme struct {
	terminal string
	colours  [16]uint32 // 0xrrggbb
	dark     uint32     // background where that is dark
}

// schemes are the defaults of xterm (XTerm-col.ad), the Linux console (vt.c, as
// VGA), PuTTY (its Colours panel) and Apple Terminal (profile Basic).
func schemes() []scheme {
	return []scheme{
		{"xterm", [16]uint32{0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
			0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff}, 0x000000},
		{"the Linux console", [16]uint32{0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
			0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff}, 0x000000},
		{"PuTTY", [16]uint32{0x000000, 0xbb0000, 0x00bb00, 0xbbbb00, 0x0000bb, 0xbb00bb, 0x00bbbb, 0xbbbbbb,
			0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff}, 0x000000},
		{"Apple Terminal", [16]uint32{0x000000, 0xc23621, 0x25bc24, 0xadad27, 0x492ee1, 0xd338d3, 0x33bbc8, 0xcbcccd,
			0x818383, 0xfc391f, 0x31e722, 0xeaec23, 0x5833ff, 0xf935f8, 0x14f0f0, 0xe9ebeb}, 0x1e1e1e},
	}
}

func hex(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} //nolint:gosec // bytes of it
}

// depth is how a terminal shows colours.
type depth struct {
	name    string
	scheme  scheme
	convert func(color.RGBA) color.RGBA // what becomes of 24 bits
}

// shown is a colour as the terminal shows it; fallback is for the terminal's own.
func (d depth) shown(c Colour, fallback color.RGBA) color.RGBA {
	if v, ok := c.rgb(); ok {
		return d.convert(v)
	}
	if n := c.number(); n >= 0 {
		return hex(d.scheme.colours[n])
	}
	return fallback
}

// own are the terminal's own colour of text and its background, which is one of
// two.
func (d depth) own(light bool) (text color.RGBA, grounds []color.RGBA) {
	if light {
		return hex(d.scheme.colours[0]), []color.RGBA{hex(d.scheme.colours[15]), hex(0xffffff)}
	}
	return hex(d.scheme.colours[7]), []color.RGBA{hex(d.scheme.colours[0]), hex(d.scheme.dark)}
}

// in256 is a colour as the renderer brings it down to 256.
func in256(c color.RGBA) color.RGBA {
	return color.RGBAModel.Convert(colorprofile.ANSI256.Convert(c)).(color.RGBA)
}

// Role is a colour of Roles by its name in a theme's file.
type Role struct {
	Name   string
	Ground bool // a background
	Colour *Colour
}

// ByName are the roles by their names.
func (r *Roles) ByName() []Role {
	return []Role{{"bar", true, &r.Bar}, {"selected", true, &r.Selected},
		{"text", false, &r.Text}, {"strong", false, &r.Strong}, {"dim", false, &r.Dim}, {"rule", false, &r.Rule}, {"accent", false, &r.Accent},
		{"good", false, &r.Good}, {"warn", false, &r.Warn}, {"bad", false, &r.Bad}, {"info", false, &r.Info}, {"odd", false, &r.Odd}}
}

// Reading is how well a text can be read on a background.
type Reading struct {
	Role     string // of the text, in a theme's file; "few.bad" is for terminals of sixteen colours
	Ground   string // of the background; "grounds" are those of the terminal
	Contrast float64
	Where    string // how the terminal shows colours
}

// String says it in words.
func (r Reading) String() string {
	return fmt.Sprintf("%s on %s has a contrast of %.1f in %s", r.Role, r.Ground, r.Contrast, r.Where)
}

// Readings are those of every text of a palette on every background, with all
// that the renderer and the usual terminals make of its colours.
func (p Palette) Readings() []Reading {
	var all []Reading
	as := func(c color.RGBA) color.RGBA { return c }
	var grounds []color.RGBA
	for _, g := range p.Grounds {
		if v, ok := g.rgb(); ok {
			grounds = append(grounds, v) // the terminal's: not brought down
		}
	}
	for _, s := range schemes() {
		if p.Roles != (Roles{}) {
			all = append(all, depth{"24 bits", s, as}.readings(p.Roles, "", p.Light, grounds)...)
			all = append(all, depth{"256 colours", s, in256}.readings(p.Roles, "", p.Light, grounds)...)
		}
		all = append(all, depth{"16 colours of " + s.terminal, s, as}.readings(p.Few, "few.", p.Light, nil)...)
	}
	return all
}

// readings are those of some roles, on the backgrounds that the terminal may
// have beside its own.
func (d depth) readings(r Roles, prefix string, light bool, grounds []color.RGBA) []Reading {
	var all []Reading
	own, usual := d.own(light)
	grounds = append(usual, grounds...)
	for _, role := range r.ByName() {
		if role.Ground || role.Name == "rule" {
			continue
		}
		texts := []color.RGBA{d.shown(*role.Colour, own)}
		// Bold is bright where the terminal has it so.
		if n := role.Colour.number(); n >= 0 && n < 8 && (role.Name == "accent" || role.Name == "good" || role.Name == "warn") {
			texts = append(texts, hex(d.scheme.colours[n+8]))
		}
		for _, text := range texts {
			read := func(ground string, on color.RGBA) {
				all = append(all, Reading{prefix + role.Name, ground, contrast(text, on), d.name})
			}
			for _, g := range grounds {
				read("grounds", g)
			}
			for _, g := range r.ByName() {
				if _, rgb := g.Colour.rgb(); g.Ground && (rgb || g.Colour.number() >= 0) {
					read(prefix+g.Name, d.shown(*g.Colour, own))
				}
			}
		}
	}
	return all
}

// Worst is the reading of least contrast.
func (p Palette) Worst() Reading {
	all := p.Readings()
	worst := all[0]
	for _, r := range all {
		if r.Contrast < worst.Contrast {
			worst = r
		}
	}
	return worst
}
