package themes

import (
	"image/color"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func find(t *testing.T, name string) Palette {
	t.Helper()
	p, ok := Find(Builtin(), name)
	if !ok {
		t.Fatalf("there is no theme %q", name)
	}
	return p
}

func TestBuiltinThemesAreInOrder(t *testing.T) {
	light, seen := 0, map[string]bool{}
	for _, p := range Builtin() {
		if seen[p.Name] || p.Name == "" || p.About == "" {
			t.Errorf("theme %q: its name is there twice, or it says nothing of itself", p.Name)
		}
		seen[p.Name] = true
		if p.Light {
			light++
		}
		inColour := p.Roles != Roles{}
		for _, r := range p.ByName() {
			if inColour && !r.Colour.Valid(r.Ground) {
				t.Errorf("%s: %s %q is no colour", p.Name, r.Name, *r.Colour)
			}
		}
		for _, r := range p.Few.ByName() {
			if _, rgb := r.Colour.rgb(); rgb || *r.Colour != "" && !r.Colour.Valid(r.Ground) {
				t.Errorf("%s: few.%s %q is none of sixteen colours", p.Name, r.Name, *r.Colour)
			}
		}
		if p.Few == (Roles{}) || p.Few.Selected == "" {
			t.Errorf("%s has nothing for terminals of sixteen colours, or the selected row is not seen", p.Name)
		}
	}
	if n := len(seen); n < 8 || light < 4 || n-light < 4 {
		t.Errorf("%d themes, %d of them light", n, light)
	}
	if p := find(t, "none"); p.Name != "mono" {
		t.Errorf("none is %s", p.Name)
	}
}

// In 24 bits, in the 256 that the renderer makes of them, and in the sixteen of
// the usual terminals.
func TestEveryTextIsReadableOnEveryBackground(t *testing.T) {
	for _, p := range Builtin() {
		for _, r := range p.Readings() {
			if r.Contrast < LeastContrast {
				t.Errorf("%s: %v", p.Name, r)
			}
			if strings.HasPrefix(p.Name, "contrast-") && r.Where == "24 bits" && r.Contrast < 7 { // level AAA
				t.Errorf("%s: %v, want 7", p.Name, r)
			}
		}
	}
}

// The readings leave no text and no background out.
func TestReadingsAreOfAllColours(t *testing.T) {
	p := find(t, "dark")
	// 9 texts on 5 grounds, 2 of each terminal, bar and selected; in few colours
	// on those of each terminal alone, with bold accent and good.
	if got, want := len(p.Readings()), 4*(2*9*(5+2+2)+(9+2)*2); got != want {
		t.Errorf("%d readings, want %d", got, want)
	}
	for _, change := range []struct {
		why string
		do  func(*Palette)
	}{
		{"bad on selected has a contrast of 1.0 in 24 bits", func(p *Palette) { p.Bad = p.Selected }},
		{"dim on bar has a contrast of 1.0 in 256 colours", func(p *Palette) { p.Dim, p.Bar = "#262626", "#272727" }},
		{"odd on grounds has a contrast of 1.0 in 24 bits", func(p *Palette) { p.Odd = "#000000" }},
		{"few.bad on grounds has a contrast of 2.7 in 16 colours of the Linux console", func(p *Palette) { p.Few.Bad = "red" }},
		{"few.text on few.selected has a contrast of 1.0 in 16 colours of PuTTY", func(p *Palette) { p.Few.Selected, p.Few.Text = "white", Own }},
		{"few.good on grounds has a contrast of 2.8 in 16 colours of PuTTY", func(p *Palette) { p.Few.Good = "black" }}, // bold is dark grey
	} {
		q := p
		change.do(&q)
		var all []string
		for _, r := range q.Readings() {
			all = append(all, r.String())
		}
		if !strings.Contains(strings.Join(all, "\n"), change.why) {
			t.Errorf("the readings do not have: %s", change.why)
		}
		if q.Worst().Contrast >= LeastContrast {
			t.Errorf("the worst reading is %v", q.Worst())
		}
	}
}

func TestContrastOfBlackOnWhite(t *testing.T) {
	for _, c := range []struct {
		a, b uint32
		want float64
	}{{0, 0xffffff, 21}, {0xffffff, 0x767676, 4.54}, {0x0000ff, 0xffffff, 8.59}} { // as WebAIM's checker says
		if got := contrast(hex(c.a), hex(c.b)); math.Abs(got-c.want) > 0.01 {
			t.Errorf("contrast of %06x on %06x is %.2f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func (s Styles) all() []Style {
	return []Style{s.Text, s.Strong, s.Dim, s.Rule, s.Accent, s.Good, s.Warn, s.Bad, s.Info, s.Odd,
		s.Title, s.GoodBold, s.WarnBold, s.BadBold, s.Bar, s.Selected}
}

// What a terminal cannot show is not written to it, and what is written the
// renderer leaves as it is.
func TestStylesAreThoseOfTheTerminal(t *testing.T) {
	for _, p := range Builtin() {
		for _, profile := range []colorprofile.Profile{colorprofile.NoTTY, colorprofile.ASCII, colorprofile.ANSI, colorprofile.TrueColor} {
			s := p.Styles(Terminal{Profile: profile})
			for _, v := range s.all() {
				for param := range strings.SplitSeq(string(v), ";") {
					n, _ := strconv.Atoi(param)
					if profile <= colorprofile.ASCII && n >= 30 || profile == colorprofile.ANSI && (n == 38 || n == 48 || n > 107) {
						t.Errorf("%s in %v: style %q", p.Name, profile, v)
					}
				}
			}
			if s.Selected == "" || s.BadBold == s.Text || s.Title == s.Dim {
				t.Errorf("%s in %v does not show the selection, what is bad, or the focus", p.Name, profile)
			}
		}
		for _, r := range p.Few.ByName() {
			if c := r.Colour.paint(); c != nil && colorprofile.ANSI.Convert(c) != c {
				t.Errorf("%s: few.%s becomes %v", p.Name, r.Name, colorprofile.ANSI.Convert(c))
			}
		}
	}
	mono := find(t, "mono")
	if v := mono.Styles(Terminal{Profile: colorprofile.ASCII}).Dim; v != "" {
		t.Errorf("what is read on demand is %q: terminals show faint text at half the contrast", v)
	}
	for _, v := range mono.Styles(Terminal{Profile: colorprofile.ASCII, Plain: true}).all()[:3] {
		if v != "" && v != "1" {
			t.Errorf("text of the Linux console without colour is %q", v)
		}
	}
}

func TestRolesOfAPaletteReachTheStyles(t *testing.T) {
	s := find(t, "dark").Styles(Terminal{})
	if s.Name != "dark" || s.Bad != "38;2;255;138;152" || s.Bar != "48;2;34;38;46" || s.BadBold != "1;38;2;255;138;152" {
		t.Errorf("%+v", s)
	}
	s = find(t, "dark").Styles(Terminal{Profile: colorprofile.ANSI})
	if s.Bad != "91" || s.Strong != "1" || s.Dim != "" || s.Selected != Reversed || s.BadBold != "7;91" {
		t.Errorf("in 16 colours %+v", s)
	}
}

// lab is CIE 1976 L*a*b* of linear sRGB channels, white D65.
func lab(r, g, b float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*r + 0.3576*g + 0.1805*b) / 0.9505)
	y := f(0.2126*r + 0.7152*g + 0.0722*b)
	z := f((0.0193*r + 0.1192*g + 0.9505*b) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// The matrices are those of Machado, Oliveira and Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
// severity 1, on linear channels.
func TestColourBlindUsersTellStatesApart(t *testing.T) {
	simulations := map[string][9]float64{
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	}
	as := func(c color.RGBA) color.RGBA { return c }
	seen := func(c Colour, d depth, m [9]float64) [3]float64 {
		v := d.shown(c, hex(d.scheme.colours[7]))
		lin := func(v uint8) float64 { return math.Pow((float64(v)/255+0.055)/1.055, 2.4) }
		r, g, b := lin(v.R), lin(v.G), lin(v.B)
		at := func(i int) float64 { return min(max(m[i]*r+m[i+1]*g+m[i+2]*b, 0), 1) }
		return lab(at(0), at(3), at(6))
	}
	// least finds the two of three states that are nearest to each other.
	least := func(r Roles, shown depth, m [9]float64) (float64, string) {
		states := []Colour{r.Good, r.Warn, r.Bad}
		best, which := math.Inf(1), ""
		for i, a := range states {
			for _, b := range states[:i] {
				x, y := seen(a, shown, m), seen(b, shown, m)
				if d := math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2])); d < best {
					best, which = d, string(a+" and "+b)
				}
			}
		}
		return best, which
	}
	const enough = 20 // of CIE76; 2.3 can just be noticed
	for name, m := range simulations {
		for _, p := range Builtin() {
			if !strings.HasPrefix(p.Name, "colourblind-") {
				continue
			}
			for _, shown := range []depth{{"24 bits", scheme{}, as}, {"256 colours", scheme{}, in256}} {
				if d, which := least(p.Roles, shown, m); d < enough {
					t.Errorf("%s: %s are %.0f apart in %s with %s", p.Name, which, d, shown.name, name)
				}
			}
			if p.Light {
				continue // its Warn is the terminal's own
			}
			for _, s := range schemes() {
				if d, which := least(p.Few, depth{"", s, as}, m); d < enough {
					t.Errorf("%s: %s are %.0f apart with %s in 16 colours of %s", p.Name, which, d, name, s.terminal)
				}
			}
		}
	}
	// The test would not pass any theme.
	red := Roles{Good: "#5f8700", Warn: "#d7af87", Bad: "#af5f00"}
	if d, _ := least(red, depth{"", scheme{}, as}, simulations["deuteranopia"]); d >= enough {
		t.Errorf("green and brown are %.0f apart with deuteranopia", d)
	}
}

// In 256 colours what is good and bad keeps its hue, and what is read most is
// not coloured.
func TestHuesSurviveIn256(t *testing.T) {
	for _, p := range Builtin() {
		for _, r := range p.ByName() {
			v, ok := r.Colour.rgb()
			if !ok {
				continue
			}
			c := in256(v)
			spread := int(max(c.R, c.G, c.B)) - int(min(c.R, c.G, c.B))
			switch r.Name {
			case "good", "bad":
				if spread < 0x28 {
					t.Errorf("%s: %s %s becomes grey, %v", p.Name, r.Name, *r.Colour, c)
				}
			case "text", "strong":
				if spread > 0x30 {
					t.Errorf("%s: %s %s becomes %v", p.Name, r.Name, *r.Colour, c)
				}
			}
		}
	}
}

func TestIn256IsTheRenderersOwn(t *testing.T) {
	if got := in256(hex(0xff8a98)); got != hex(0xff8787) || ansi.Convert256(hex(0xff8a98)) != 210 {
		t.Errorf("%v", got)
	}
}
