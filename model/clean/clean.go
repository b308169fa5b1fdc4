// Package clean is the one sanitiser: every string that came from a cluster or
// from a tape passes it before it is drawn or printed.
//
// Nothing is dropped in silence. What may not reach a terminal is replaced by
// something that can be seen, so that a reader notices that it was there:
//
//	control characters     their pictures: ␛ ␍ ␊ ␉ ␀ ␡, so that an escape
//	                       sequence stands there as text, "␛[31m"
//	C1 controls            \u009b
//	invalid UTF-8          \xff, a byte each
//	blanks but the space   ␣ (no-break space, fillers, the empty Braille cell)
//	U+2028, U+2029         ␤
//	all else that is not   · (bidi overrides and isolates, zero-width
//	printed on its own     characters, tags, variation selectors, private use);
//	                       one for all in a cluster
//
// The only exception is one variation selector for text or emoji behind a
// character that stands for itself: "⚠️" becomes "⚠".
//
// Terminals disagree about the width of some clusters: joined emoji, skin
// tones, flags, the conjuncts of Indic scripts. The renderer counts runes
// until the terminal says that it counts grapheme clusters (mode 2027). A
// cluster on which the two disagree is taken apart with · until they agree, and
// one with more than three combining marks is cut, so that a cleaned string
// has one width everywhere: [Width].
package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	mark     = "·"
	maxMarks = 3 // combining marks in one cluster
)

// Line returns s as one line that is safe to draw. Plain ASCII is returned as
// it is, without a copy. Line(Line(s)) is Line(s).
func Line(s string) string { return line(s, len(s)*maxGrowth) }

// maxGrowth is more than the columns that one byte may come to.
const maxGrowth = 6

// plainPrefix is the number of printable ASCII bytes that s begins with.
func plainPrefix(s string) int {
	i := 0
	for i < len(s) && s[i] >= ' ' && s[i] <= '~' {
		i++
	}
	return i
}

// line is Line up to the first cluster that goes beyond cols.
func line(s string, cols int) string {
	n := plainPrefix(s)
	if n == len(s) {
		return s
	}
	out := make([]byte, 0, min(len(s), 4*cols)+16)
	for width := 0; s != "" && width <= cols; n = plainPrefix(s) {
		if n > 0 && n < len(s) && s[n] >= utf8.RuneSelf {
			n-- // it may carry a combining mark
		}
		out = append(out, s[:n]...)
		s, width = s[n:], width+n
		if s == "" {
			break
		}
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		from := len(out)
		out = appendCluster(out, cluster)
		width += Width(string(out[from:]))
		s = s[len(cluster):]
	}
	return string(out)
}

// appendCluster appends a cluster, or what is shown of it.
func appendCluster(out []byte, cluster string) []byte {
	if acceptable(cluster) {
		return append(out, cluster...)
	}
	var (
		part   string // that is acceptable so far
		last   rune
		marked bool // out ends with a mark of this cluster
	)
	for s := cluster; s != ""; {
		r, size := utf8.DecodeRuneInString(s)
		text := s[:size]
		s = s[size:]
		switch {
		case part != "" && acceptable(part+text):
			part += text
		case part != "" && selectsStyle(r) && !selectsStyle(last):
		case acceptable(text):
			if part != "" {
				out = append(append(out, part...), mark...)
			}
			part = text
		default:
			out = append(out, part...)
			shown := picture(r, text)
			if !marked || part != "" || shown != mark {
				out = append(out, shown...)
			}
			part, marked = "", shown == mark
		}
		last = r
	}
	return append(out, part...)
}

// selectsStyle reports whether r asks for text or for emoji style.
func selectsStyle(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

// acceptable reports whether s is one cluster that may be drawn as it is: it
// is printed, has the same width however a terminal counts, and joins with
// nothing before or behind it.
func acceptable(s string) bool {
	marks := 0
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") || !printed(r) {
			return false
		}
		if unicode.Is(unicode.M, r) {
			marks++
		}
	}
	if r, size := utf8.DecodeRuneInString(s); size == len(s) && simple(r) {
		return true
	}
	w := ansi.GraphemeWidth.StringWidth(s)
	if marks > maxMarks || w == 0 || w != ansi.WcWidth.StringWidth(s) {
		return false
	}
	rest := mark + s + mark
	for _, want := range []string{mark, s, mark} {
		if first, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth); first != want {
			return false
		}
		rest = rest[len(want):]
	}
	return true
}

// simple reports whether r is of the scripts and symbols that are seen most and
// join with nothing, to save looking closer.
func simple(r rune) bool {
	return r >= ' ' && r <= '~' || r >= 0xc0 && r <= 0x24f || r >= 0x3b1 && r <= 0x3c9 || r >= 0x410 && r <= 0x44f || // Latin, Greek, Cyrillic
		r >= 0x2500 && r <= 0x259f || r >= 0x4e00 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 // boxes and blocks, Han, Hangul
}

// printed reports whether r has a shape that can be seen.
func printed(r rune) bool {
	return unicode.IsPrint(r) && !blank(r) && !unicode.Is(unicode.Variation_Selector, r) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// blank reports whether r is empty space, and not the space.
func blank(r rune) bool {
	switch r {
	case ' ':
		return false
	case 0x115f, 0x1160, 0x2800, 0x3164, 0xffa0: // Hangul fillers, the empty Braille cell
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// picture is what is shown for a rune that may not be drawn. text is its
// encoding, to tell invalid UTF-8.
func picture(r rune, text string) string {
	const hex = "0123456789abcdef"
	switch {
	case r == utf8.RuneError && len(text) == 1:
		return `\x` + string(hex[text[0]>>4]) + string(hex[text[0]&15])
	case r < ' ':
		return string('\u2400' + r)
	case r == 0x7f:
		return "␡"
	case r >= 0x80 && r < 0xa0:
		return `\u00` + string(hex[r>>4]) + string(hex[r&15])
	case r == 0x2028 || r == 0x2029:
		return "␤"
	case blank(r):
		return "␣"
	}
	return mark
}
