package ui

import (
	"strings"

	"rewatch/model/clean"
	"rewatch/themes"
)

// line writes one row of cells. Every text that it is given passes the
// sanitiser, so that no pane can forget to. It emits an SGR sequence only where
// the style changes: the renderer parses each of them again in every frame.
type line struct {
	b    []byte
	w    int          // cells written
	base themes.Style // background under every cell
	cur  themes.Style // style in effect, meaningful if on
	on   bool

	// signs is set where a text is not written as it is, by the sanitiser and not
	// for want of room; nil where nobody asks.
	signs *bool
}

// saw looks whether what is written of a text is what it is.
func (l *line) saw(s, written string) {
	if l.signs != nil && !strings.HasPrefix(s, strings.TrimSuffix(written, "…")) {
		*l.signs = true
	}
}

// newLine returns a line over a background.
func newLine(base themes.Style) *line {
	return &line{b: make([]byte, 0, 256), base: base}
}

func (l *line) style(st themes.Style) {
	if l.base == themes.Reversed {
		st = ""
	}
	if l.on && l.cur == st || !l.on && st == "" && l.base == "" {
		return
	}
	l.b = append(l.b, "\x1b["...)
	if l.on && (l.base != "" || st != "") {
		l.b = append(l.b, "0;"...)
	}
	l.b = append(l.b, l.base...)
	if l.base != "" && st != "" {
		l.b = append(l.b, ';')
	}
	l.b = append(l.b, st...)
	l.b = append(l.b, 'm')
	l.cur, l.on = st, true
}

// glyphs writes chrome of our own, of known width.
func (l *line) glyphs(st themes.Style, s string, w int) {
	l.style(st)
	l.b = append(l.b, s...)
	l.w += w
}

// text writes all of s.
func (l *line) text(st themes.Style, s string) {
	out, w := safe(s)
	l.saw(s, out)
	l.glyphs(st, out, w)
}

// upTo writes s in at most w cells.
func (l *line) upTo(st themes.Style, s string, w int) {
	if w <= 0 {
		return
	}
	out, n := fit(s, w)
	l.saw(s, out)
	l.glyphs(st, out, n)
}

// cell writes s in exactly w cells, aligned to the left.
func (l *line) cell(st themes.Style, s string, w int) {
	to := l.w + max(w, 0)
	l.upTo(st, s, w)
	l.pad(to)
}

// right writes s in exactly w cells, aligned to the right.
func (l *line) right(st themes.Style, s string, w int) {
	if w <= 0 {
		return
	}
	out, n := fit(s, w)
	l.saw(s, out)
	l.pad(l.w + w - n)
	l.glyphs(st, out, n)
}

// pad writes spaces until the line is w cells wide.
func (l *line) pad(w int) {
	if w <= l.w {
		return
	}
	if l.on {
		l.style("")
	} else if l.base != "" {
		l.style("")
	}
	for ; l.w < w; l.w++ {
		l.b = append(l.b, ' ')
	}
}

// fill writes a glyph of one cell until the line is w cells wide.
func (l *line) fill(st themes.Style, glyph string, w int) {
	if w <= l.w {
		return
	}
	l.style(st)
	for ; l.w < w; l.w++ {
		l.b = append(l.b, glyph...)
	}
}

// end closes the line at w cells and returns it.
func (l *line) end(w int) string {
	l.pad(w)
	if l.on && (l.cur != "" || l.base != "") {
		l.b = append(l.b, "\x1b[m"...)
	}
	return string(l.b)
}

// safe returns s fit to draw, and its width in cells.
func safe(s string) (string, int) {
	s = clean.Line(s)
	return s, clean.Width(s)
}

// fit returns s fit to draw in at most w cells, the last one "…" where it was
// cut, and its width.
func fit(s string, w int) (string, int) {
	s = clean.Cell(s, w)
	return s, clean.Width(s)
}

// middle returns s in at most w cells, cut in its middle: the names of pods
// differ at their ends.
func middle(s string, w int) string {
	s, n := safe(s)
	if n <= w || w < 12 || n != len(s) {
		return s
	}
	const tail = 6
	return s[:w-tail-1] + "…" + s[len(s)-tail:]
}

// pathMiddle returns the path of a field in at most w cells, cut before its last
// step: fields beside each other differ in that.
func pathMiddle(s string, w int) string {
	s, n := safe(s)
	if n <= w || n != len(s) {
		return s
	}
	last := s[strings.LastIndexByte(s, '.')+1:]
	const head = 8 // cells that must be left before it
	if len(last) > w-head-1 {
		return s
	}
	return s[:w-len(last)-1] + "…" + last
}
