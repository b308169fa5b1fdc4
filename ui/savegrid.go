package ui

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// look is how a cell is drawn.
type look struct {
	fg, bg                                          string // "#rrggbb"; "" is the terminal's own
	bold, faint, italic, underline, reverse, struck bool
}

// run is text of one look: the cells [x, x+w) of a row.
type run struct {
	look
	x, w int
	text string
}

// sheet is what a picture of the screen needs besides its cells.
type sheet struct {
	title string
	light bool
}

func (p sheet) colours() (fg, bg string) {
	if p.light {
		return "#1f2328", "#ffffff"
	}
	return "#d8dee9", "#16181d"
}

// lightScreen reports whether the theme is one for a light background.
func (a *App) lightScreen() bool {
	var l look
	l.sgr(strings.Split(string(a.st.Text), ";"))
	c, err := strconv.ParseUint(strings.TrimPrefix(l.fg, "#"), 16, 32)
	return err == nil && 299*(c>>16)+587*(c>>8&255)+114*(c&255) < 128_000
}

// readGrid reads a frame of our own: text and SGR sequences.
func readGrid(frame string) [][]run {
	var rows [][]run
	for line := range strings.SplitSeq(frame, "\n") {
		rows = append(rows, readRow(line))
	}
	return rows
}

func readRow(line string) (row []run) {
	var now look
	x, state := 0, byte(0)
	for len(line) > 0 {
		seq, w, n, next := ansi.DecodeSequence(line, state, nil)
		line, state = line[n:], next
		switch {
		case w > 0:
			// Wide characters stand alone, so that the others keep their columns.
			last := len(row) - 1
			if last >= 0 && row[last].look == now && len(seq) == 1 && len(row[last].text) == row[last].w {
				row[last].text += seq
				row[last].w += w
			} else {
				row = append(row, run{now, x, w, seq})
			}
			x += w
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			now.sgr(strings.Split(seq[2:len(seq)-1], ";"))
		}
	}
	return row
}

// sgr changes a look by the parameters of a sequence.
func (l *look) sgr(params []string) {
	for i := 0; i < len(params); i++ {
		n, _ := strconv.Atoi(params[i]) // "" is 0
		switch {
		case n == 0:
			*l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 3:
			l.italic = true
		case n == 4:
			l.underline = true
		case n == 7:
			l.reverse = true
		case n == 9:
			l.struck = true
		case n == 22:
			l.bold, l.faint = false, false
		case n == 24:
			l.underline = false
		case n == 27:
			l.reverse = false
		case n == 38 || n == 48:
			c, used := colour(params[i+1:])
			if i += used; n == 38 {
				l.fg = c
			} else {
				l.bg = c
			}
		case n >= 30 && n <= 37:
			l.fg = indexed(n - 30)
		case n == 39:
			l.fg = ""
		case n >= 40 && n <= 47:
			l.bg = indexed(n - 40)
		case n == 49:
			l.bg = ""
		case n >= 90 && n <= 97:
			l.fg = indexed(n - 90 + 8)
		case n >= 100 && n <= 107:
			l.bg = indexed(n - 100 + 8)
		}
	}
}

// colour reads what follows 38 or 48, and how many parameters that took.
func colour(params []string) (c string, used int) {
	at := func(i int) int {
		if i >= len(params) {
			return 0
		}
		n, _ := strconv.Atoi(params[i])
		return min(max(n, 0), 255)
	}
	switch at(0) {
	case 2:
		return fmt.Sprintf("#%02x%02x%02x", at(1), at(2), at(3)), 4
	case 5:
		return indexed(at(1)), 2
	}
	return "", 1
}

// indexed is a colour of the 256.
func indexed(n int) string {
	r, g, b, _ := ansi.IndexedColor(n).RGBA() //nolint:gosec // below 256
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// paint returns the colours that a look has over those of the picture.
func (l look) paint(p sheet) (fg, bg string) {
	ownFg, ownBg := p.colours()
	if fg, bg = l.fg, l.bg; l.reverse {
		if fg = l.bg; fg == "" {
			fg = ownBg
		}
		if bg = l.fg; bg == "" {
			bg = ownFg
		}
	}
	if fg == "" {
		fg = ownFg
	}
	return fg, bg
}

// htmlOf is a page that looks as the screen does.
func htmlOf(rows [][]run, p sheet) string {
	fg, bg := p.colours()
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n<style>\n"+
		"body{margin:1em;background:%s}\npre{color:%s;font:14px/1.25 \"DejaVu Sans Mono\",Menlo,Consolas,monospace}\n"+
		".w{display:inline-block;width:2ch;overflow:hidden;vertical-align:bottom}\n</style></head>\n<body><pre>\n", html.EscapeString(p.title), bg, fg)
	for _, row := range rows {
		for _, r := range row {
			style := r.css(p)
			class := ""
			if r.w == 2 && len(r.text) > 2 {
				class = ` class="w"`
			}
			if style == "" && class == "" {
				b.WriteString(html.EscapeString(r.text))
				continue
			}
			if style != "" {
				style = ` style="` + style + `"`
			}
			b.WriteString("<span" + class + style + ">" + html.EscapeString(r.text) + "</span>")
		}
		b.WriteString("\n")
	}
	b.WriteString("</pre></body></html>\n")
	return b.String()
}

// css is the style of a run, "" for that of the page.
func (l look) css(p sheet) string {
	fg, bg := l.paint(p)
	var out []string
	if own, _ := p.colours(); fg != own {
		out = append(out, "color:"+fg)
	}
	if bg != "" {
		out = append(out, "background:"+bg)
	}
	if l.bold {
		out = append(out, "font-weight:bold")
	}
	if l.faint {
		out = append(out, "opacity:.65")
	}
	if l.italic {
		out = append(out, "font-style:italic")
	}
	switch {
	case l.underline:
		out = append(out, "text-decoration:underline")
	case l.struck:
		out = append(out, "text-decoration:line-through")
	}
	return strings.Join(out, ";")
}

// The grid of an SVG, in pixels.
const (
	cellWidth, cellHeight = 8.4, 18
	baseline              = 13.5
	margin                = 12
)

// svgOf is a picture in which each run stands at its column: a font that is a
// little wider or narrower moves nothing.
func svgOf(rows [][]run, p sheet) string {
	cols := 0
	for _, row := range rows {
		if n := len(row); n > 0 {
			cols = max(cols, row[n-1].x+row[n-1].w)
		}
	}
	fg, bg := p.colours()
	w, h := float64(cols)*cellWidth+2*margin, float64(len(rows)*cellHeight)+2*margin
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.1f %.1f\">\n<title>%s</title>\n"+
		"<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n"+
		"<g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"%s\" xml:space=\"preserve\">\n", w, h, w, h, html.EscapeString(p.title), bg, fg)
	for y, row := range rows {
		top := float64(y*cellHeight) + margin
		for _, r := range row {
			svgRun(&b, r, top, p)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

func svgRun(b *strings.Builder, r run, top float64, p sheet) {
	fg, bg := r.paint(p)
	x, w := float64(r.x)*cellWidth+margin, float64(r.w)*cellWidth
	if bg != "" {
		_, _ = fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", x, top, w, cellHeight, bg)
	}
	if strings.TrimSpace(r.text) == "" {
		return
	}
	style := ""
	if own, _ := p.colours(); fg != own {
		style += " fill=\"" + fg + "\""
	}
	if r.bold {
		style += " font-weight=\"bold\""
	}
	if r.faint {
		style += " opacity=\".65\""
	}
	if r.italic {
		style += " font-style=\"italic\""
	}
	if r.underline {
		style += " text-decoration=\"underline\""
	}
	_, _ = fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\"%s>%s</text>\n", x, top+baseline, w, style, html.EscapeString(r.text))
}
