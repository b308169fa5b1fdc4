// Package clean is the one sanitiser: every string that came from a cluster or
// from a tape passes it before it is drawn or printed.
package clean

import (
	"strings"
	"unicode"
)

// Line returns s as one line that is safe to draw: no control characters, no
// escape sequences, no C1, no bidi overrides, no invalid UTF-8.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || (r >= 0x7f && r < 0xa0) || !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s)
}

// Text is Line for text of several lines: "\n" stays, tabs become spaces.
func Text(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Line(strings.ReplaceAll(l, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}
