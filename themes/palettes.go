package themes

import "slices"

// Builtin are the themes that come with rewatch.
func Builtin() []Palette {
	onDark := func(own Colour) []Colour { return []Colour{own, "#000000", "#16181d", "#1e1e2e", "#282c34"} }
	onLight := func(own Colour) []Colour { return []Colour{own, "#ffffff", "#fafafa", "#fdf6e3"} }
	return []Palette{
		{Name: "dark", About: "cool and quiet", Grounds: onDark("#16181d"), Few: fewDark(), Roles: Roles{
			Bar: "#22262e", Selected: "#2a2f45",
			Text: "#d3d8e2", Strong: "#f2f4f8", Dim: "#9aa3b2", Rule: "#4b5363", Accent: "#7fb0ff",
			Good: "#9ece6a", Warn: "#e5b567", Bad: "#ff8a98", Info: "#7dcfff", Odd: "#c3a6ff",
		}},
		{Name: "light", About: "cool and quiet", Light: true, Grounds: onLight("#ffffff"), Few: fewLight(), Roles: Roles{
			Bar: "#e8edf0", Selected: "#dce6f8",
			Text: "#30303b", Strong: "#0b0d12", Dim: "#555c69", Rule: "#b4bac5", Accent: "#1f4fbf",
			Good: "#23651a", Warn: "#6b4300", Bad: "#a8182a", Info: "#005a70", Odd: "#5527a8",
		}},
		{Name: "dusk", About: "violet and rose", Grounds: onDark("#1b1826"), Few: fewDark(), Roles: Roles{
			Bar: "#26222f", Selected: "#34304a",
			Text: "#dad5e6", Strong: "#f5f2fb", Dim: "#a8a1bb", Rule: "#544e66", Accent: "#c4a7f5",
			Good: "#a3d0a6", Warn: "#ecc48a", Bad: "#f495ab", Info: "#93c5e6", Odd: "#e2abd9",
		}},
		{Name: "dawn", About: "violet and rose", Light: true, Grounds: onLight("#fbf9fd"), Few: fewLight(), Roles: Roles{
			Bar: "#efebf4", Selected: "#e4dcf2",
			Text: "#35303f", Strong: "#17131f", Dim: "#5c556b", Rule: "#c3bccf", Accent: "#5a2ca0",
			Good: "#285f22", Warn: "#724500", Bad: "#a31a2c", Info: "#1b5478", Odd: "#852b77",
		}},
		{Name: "ember", About: "warm, for late hours", Grounds: onDark("#1c1814"), Few: fewDark(), Roles: Roles{
			Bar: "#2a251f", Selected: "#3d3226",
			Text: "#e3d9c8", Strong: "#fbf3e4", Dim: "#b3a58f", Rule: "#5c5142", Accent: "#f0a860",
			Good: "#b9c36e", Warn: "#ecc968", Bad: "#fb917b", Info: "#92c4b3", Odd: "#d8a6be",
		}},
		{Name: "paper", About: "warm, as on paper", Light: true, Grounds: onLight("#fbf5e6"), Few: fewLight(), Roles: Roles{
			Bar: "#f0e8d6", Selected: "#e7dcc0",
			Text: "#3a3126", Strong: "#1a150d", Dim: "#5f5443", Rule: "#c9bda6", Accent: "#7a2e00",
			Good: "#455809", Warn: "#6d4800", Bad: "#9c2517", Info: "#1b5470", Odd: "#6c2c5c",
		}},
		{Name: "colourblind-dark", About: "blue and orange in place of green and red", Grounds: onDark("#14171c"), Few: fewBlindDark(), Roles: Roles{
			Bar: "#22262e", Selected: "#303040",
			Text: "#d6dae2", Strong: "#f4f6fa", Dim: "#a0a7b4", Rule: "#4d5564", Accent: "#b9d6ff",
			Good: "#6fb4ff", Warn: "#f3e6a0", Bad: "#ff9a3c", Info: "#a8c4d8", Odd: "#d3c2ea",
		}},
		{Name: "colourblind-light", About: "blue and orange in place of green and red", Light: true, Grounds: onLight("#ffffff"), Few: fewLight(), Roles: Roles{
			Bar: "#ebedf2", Selected: "#dfe7f5",
			Text: "#30303b", Strong: "#0b0d12", Dim: "#555c69", Rule: "#b4bac5", Accent: "#123c8c",
			Good: "#0a55b5", Warn: "#482400", Bad: "#c02400", Info: "#2c5068", Odd: "#52287e",
		}},
		{Name: "contrast-dark", About: "as much contrast as there is", Grounds: onDark("#000000"), Few: fewContrastDark(), Roles: Roles{
			Bar: "#1f1f1f", Selected: "#00005f",
			Text: "#ffffff", Strong: "#ffffff", Dim: "#d6d6d6", Rule: "#9a9a9a", Accent: "#8ecbff",
			Good: "#8df58d", Warn: "#ffe066", Bad: "#ffb3b3", Info: "#8fe6ff", Odd: "#e6ccff",
		}},
		{Name: "contrast-light", About: "as much contrast as there is", Light: true, Grounds: onLight("#ffffff"), Few: fewContrastLight(), Roles: Roles{
			Bar: "#ececec", Selected: "#d6e4ff",
			Text: "#000000", Strong: "#000000", Dim: "#303030", Rule: "#767676", Accent: "#0a2a8a",
			Good: "#0b3d0b", Warn: "#472700", Bad: "#780014", Info: "#003a4d", Odd: "#3a0f7a",
		}},
		{Name: "few", About: "the sixteen colours that the terminal has", Few: fewDark()},
		{Name: "few-light", About: "the sixteen colours that the terminal has, on a light background", Light: true, Few: fewLight()},
		{Name: "mono", About: "no colour: bold, faint, italic and reverse", Few: Roles{Selected: Reverse}},
	}
}

// What follows is written for terminals of sixteen colours. Their values are the
// terminal's, so what can be read is what can be read with all the usual ones:
// on black not red, blue, magenta, brown and dark grey; on white only black, red
// and blue.

func fewDark() Roles {
	return Roles{Selected: Reverse, Text: Own, Dim: Own, Accent: "cyan",
		Good: "green", Warn: "bright-yellow", Bad: "bright-red", Info: "cyan", Odd: "bright-magenta"}
}

func fewLight() Roles {
	return Roles{Selected: Reverse, Text: Own, Dim: Own, Accent: "blue",
		Good: "blue", Warn: Own, Bad: "red", Info: "blue", Odd: Own}
}

func fewBlindDark() Roles {
	return Roles{Selected: Reverse, Text: Own, Dim: Own, Accent: "cyan",
		Good: "bright-cyan", Warn: "bright-yellow", Bad: "bright-red", Info: "cyan", Odd: Own}
}

func fewContrastDark() Roles {
	return Roles{Selected: Reverse, Text: "bright-white", Strong: "bright-white", Dim: Own, Accent: "bright-cyan",
		Good: "bright-green", Warn: "bright-yellow", Bad: "bright-red", Info: "bright-cyan", Odd: "bright-magenta"}
}

func fewContrastLight() Roles {
	return Roles{Selected: Reverse, Text: "black", Strong: "black", Dim: "black", Accent: "blue",
		Good: "blue", Warn: Own, Bad: "red", Info: "blue", Odd: "black"}
}

// Find returns the theme of a name. "none" is another for "mono".
func Find(all []Palette, name string) (Palette, bool) {
	if name == "none" {
		name = "mono"
	}
	i := slices.IndexFunc(all, func(p Palette) bool { return p.Name == name })
	if i < 0 {
		return Palette{}, false
	}
	return all[i], true
}
