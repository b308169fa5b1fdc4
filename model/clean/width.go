package clean

import "github.com/charmbracelet/x/ansi"

// Width is the number of columns of a cleaned string, as the renderer counts.
func Width(s string) int {
	if plainPrefix(s) == len(s) {
		return len(s)
	}
	return ansi.GraphemeWidth.StringWidth(s)
}

// Cell is Line of s, cut as by Truncate to cols columns. It reads no more of a
// long s than that takes.
func Cell(s string, cols int) string { return Truncate(line(s, max(cols, 0)), cols) }

// Truncate returns a cleaned string that has cols columns at the most. What is
// cut is marked by "…" in the last column; a wide character that straddles the
// edge goes too. Not for text with styles: cut first, then style.
func Truncate(s string, cols int) string {
	switch n := plainPrefix(s); {
	case cols <= 0:
		return ""
	case n == len(s) && n <= cols:
		return s
	case n >= cols && n == len(s):
		return s[:cols-1] + "…"
	case Width(s) <= cols:
		return s
	}
	end, width := 0, 0
	for {
		cluster, w := ansi.FirstGraphemeCluster(s[end:], ansi.GraphemeWidth)
		if width += w; width > cols-1 {
			return s[:end] + "…"
		}
		end += len(cluster)
	}
}
