package ui

import (
	"github.com/charmbracelet/colorprofile"

	"rewatch/themes"
)

// Sample draws a few rows of a screen in a theme, for whoever chooses one.
type Sample struct {
	terminal themes.Terminal
	ascii    *asciiWriter
}

// NewSample returns the one for a terminal, by its environment.
func NewSample(environ []string, p colorprofile.Profile) Sample {
	o := Options{Environ: environ}
	return Sample{terminal: themes.Terminal{Profile: p, Plain: o.plain()}, ascii: ASCII("").writer(o)}
}

// Draw returns the rows, each of w cells, on the background that the theme is
// made for.
func (s Sample) Draw(p themes.Palette, w int) []string {
	st := p.Styles(s.terminal)
	var rows []string
	add := func(base themes.Style, cells ...sampleCell) {
		l := newLine(base)
		for _, c := range cells {
			if c.to > 0 {
				l.pad(min(c.to, w))
			}
			l.upTo(c.st, c.s, w-l.w)
		}
		rows = append(rows, s.ascii.line(l.end(w)))
	}
	base := p.Ground(s.terminal)
	add(base, sampleCell{st.Strong, " rewatch", 0}, sampleCell{st.Dim, "  prod-eu  shop", 0}, sampleCell{st.GoodBold, "LIVE", 30},
		sampleCell{st.Dim, " 9 of 11", 0}, sampleCell{st.WarnBold, "LATE", 46}, sampleCell{st.Dim, " nodes", 0}, sampleCell{st.BadBold, "LOST", 60}, sampleCell{st.Dim, " configmaps", 0})
	title := newLine(base)
	title.fill(st.Rule, "─", 1)
	title.upTo(st.Title, "▸2 Timeline ", w-1)
	title.fill(st.Rule, "─", w)
	rows = append(rows, s.ascii.line(title.end(w)))
	for _, r := range sampleRows(st) {
		ground := base
		mark := sampleCell{"", " ", 0}
		if r.selected {
			ground, mark = st.Selected, sampleCell{st.Title, "▌", 0}
		}
		add(ground, mark, sampleCell{st.Dim, r.time, 0}, sampleCell{r.sign, r.glyph, 14}, sampleCell{st.Text, r.kind, 16},
			sampleCell{st.Strong, r.name, 28}, sampleCell{st.Text, r.says, 48}, sampleCell{st.Dim, r.who, 70})
	}
	add(st.Bar, sampleCell{st.Good, " ♥ 2s", 0}, sampleCell{st.Rule, " │ ", 0}, sampleCell{st.Text, "pods 412", 0}, sampleCell{st.Rule, " │ ", 0},
		sampleCell{st.Warn, "nodes: trying again in 4s", 0}, sampleCell{st.Rule, " │ ", 0}, sampleCell{st.Bad, "configmaps: forbidden", 0})
	add(base, sampleCell{st.Accent, " /", 0}, sampleCell{st.Dim, " filter  ", 0}, sampleCell{st.Accent, "enter", 0}, sampleCell{st.Dim, " open  ", 0}, sampleCell{st.Accent, "?", 0}, sampleCell{st.Dim, " help", 0})
	return rows
}

// sampleCell is a text from a column on; 0 is where the last one ended.
type sampleCell struct {
	st themes.Style
	s  string
	to int
}

type sampleRow struct {
	time              string
	sign              themes.Style
	glyph, kind, name string
	says, who         string
	selected          bool
}

func sampleRows(st themes.Styles) []sampleRow {
	return []sampleRow{
		{"12:03:41.112", st.Good, "+", "Pod", "checkout-x2k9p", "Pending", "kubelet", false},
		{"12:03:41.422", st.Info, "~", "Deployment", "checkout", "replicas 9 → 8", "hpa", true},
		{"12:03:42.010", st.Bad, "-", "Pod", "cart-77d8b", "Succeeded", "job", false},
		{"12:03:44.500", st.Odd, "±", "Node", "node-07", "Ready → Unknown", "(relist)", false},
	}
}
