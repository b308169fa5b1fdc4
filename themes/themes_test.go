package themes

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// rgb returns the three channels of a colour, 0 to 255.
func rgb(c Colour) (r, g, b uint8) {
	v, err := strconv.ParseUint(strings.TrimPrefix(string(c), "#"), 16, 32)
	if err != nil || len(c) != 7 {
		panic("not a colour: " + c)
	}
	return uint8(v >> 16), uint8(v >> 8), uint8(v)
}

// luminance is WCAG 2's relative luminance, 0 to 1.
func luminance(c Colour) float64 {
	r, g, b := rgb(c)
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func contrast(a, b Colour) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// texts are the roles that are read.
func texts(p Palette) map[string]Colour {
	return map[string]Colour{"text": p.Text, "strong": p.Strong, "dim": p.Dim, "accent": p.Accent,
		"good": p.Good, "warn": p.Warn, "bad": p.Bad, "info": p.Info, "odd": p.Odd}
}

func TestEveryTextIsReadableOnEveryBackground(t *testing.T) {
	for _, p := range []Palette{Dark(), Light()} {
		for name, c := range texts(p) {
			for _, back := range append([]Colour{p.Bar, p.Selected}, p.Backgrounds...) {
				if got := contrast(c, back); got < 4.5 {
					t.Errorf("%s: %s %s on %s has a contrast of %.2f, want 4.5", p.Name, name, c, back, got)
				}
			}
		}
	}
}

func TestContrastOfBlackOnWhite(t *testing.T) {
	if got := contrast("#000000", "#ffffff"); math.Abs(got-21) > 0.01 {
		t.Fatalf("contrast of black on white is %.2f, want 21", got)
	}
}

func TestNoColourHasNoColour(t *testing.T) {
	s := NoColour()
	for _, v := range []Style{s.Text, s.Strong, s.Dim, s.Rule, s.Accent, s.Good, s.Warn, s.Bad, s.Info, s.Odd,
		s.Title, s.GoodBold, s.WarnBold, s.BadBold, s.Bar, s.Selected} {
		for p := range strings.SplitSeq(string(v), ";") {
			if len(p) > 1 { // 30 and above are colours
				t.Errorf("style %q sets a colour", v)
			}
		}
	}
	if s.Selected == "" {
		t.Error("the selected row is not visible")
	}
}

func TestRolesOfAPaletteReachTheStyles(t *testing.T) {
	s := New(Dark())
	if s.Bad != "38;2;255;138;152" || s.Bar != "48;2;34;38;46" {
		t.Fatalf("got %q and %q", s.Bad, s.Bar)
	}
}

// in256 is a colour as a terminal of 256 colours shows it.
func in256(c Colour) Colour {
	r, g, b := rgb(c)
	x := color.RGBAModel.Convert(ansi.Convert256(color.RGBA{r, g, b, 255})).(color.RGBA)
	return Colour(fmt.Sprintf("#%02x%02x%02x", x.R, x.G, x.B))
}

func TestTextIsReadableIn256Colours(t *testing.T) {
	for _, p := range []Palette{Dark(), Light()} {
		for name, c := range texts(p) {
			for _, back := range []Colour{p.Bar, p.Selected, p.Backgrounds[0]} {
				if got := contrast(in256(c), in256(back)); got < 4.5 {
					t.Errorf("%s: %s %s on %s has a contrast of %.2f in 256 colours (%s on %s), want 4.5",
						p.Name, name, c, back, got, in256(c), in256(back))
				}
			}
		}
	}
}
