package ui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// ASCII says when the glyphs of the screen are drawn in ASCII: "on", "off", or
// "auto" (or ""), which is on the Linux console, whose fonts lack most of them,
// and where the locale is not UTF-8.
type ASCII string

// asciiWriter brings a finished frame to ASCII. A nil one leaves it as it is.
type asciiWriter struct {
	glyphs []byte // by rune; 0 is none of ours
	// texts is set where the locale is not UTF-8: then what came from the
	// cluster cannot be shown either, and is ? in as many cells.
	texts bool
}

// writer returns what brings frames to ASCII in an environment, nil if nothing
// has to.
func (m ASCII) writer(o Options) *asciiWriter {
	known, utf := locale(o)
	other := known && !utf
	if m == "off" || m != "on" && !other && o.env("TERM") != "linux" {
		return nil
	}
	w := &asciiWriter{glyphs: make([]byte, 0x2900), texts: other}
	for _, row := range asciiGlyphs() {
		for i, r := range []rune(row.glyphs) {
			w.glyphs[r] = row.as[min(i, len(row.as)-1)]
		}
	}
	return w
}

// locale reports whether the environment names one, and whether that is UTF-8.
// POSIX calls what is not named C, but containers and macOS name none, and have
// terminals of UTF-8.
func locale(o Options) (known, utf bool) {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(o.env(name)); v != "" {
			return true, strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false, false
}

// keys writes names of keys: an arrow is a word in ASCII, since what stands for
// it is a key of its own.
func (s *skin) keys(names string) string {
	if s.ascii == nil {
		return names
	}
	return strings.NewReplacer("↑", "up", "↓", "down", "←", "left", "→", "right").Replace(names)
}

// asciiRow is a family of glyphs and what stands for each; the last byte stands
// for all the others.
type asciiRow struct{ glyphs, as string }

// asciiGlyphs are the glyphs of one cell that the screen draws, and some that
// it may.
func asciiGlyphs() []asciiRow {
	return []asciiRow{
		{"▁▂▃▄▅▆▇█", ".,:;+x%#"}, // a chart's bars, none of which is a mark or a gap
		{"░▒▓", "/%#"},           // what nobody watched is hatched
		{"─━╌╍┄┅┈┉╴╶╸╺╼╾▔▀", "-"},
		{"═", "="},
		{"│┃║╎╏┆┇┊┋╵╷╹╻╽╿▏▎▍▕▐", "|"},
		{"┌┍┎┏┐┑┒┓├┝┠┣┤┥┨┫┬┯┳┴┷┻┼┿╂╋╒╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬╭╮╯╰┘┙┚┛", "+"},
		{"└┕┖┗", "`"}, // of a tree
		{"╱╲╳", `/\X`},
		{"▌▸▶►▹▷»›→⇒↦≥", ">"}, // the cursor's row, the focus, what leads somewhere
		{"◂◀◄◃◁«‹←⇐≤", "<"},
		{"▴▲△↑⇧", "^"},
		{"▾▼▽↓⇩", "v"},
		{"↔⇄⇆≈", "~"},
		{"…⋯", "$"}, // what was cut off: ~ is what was modified
		{"±", "?"},  // not + or - or = or ~, which stand beside it
		{"✓✔√", "v"},
		{"✗✘×", "x"},
		{"♥♡◆◈★●◉■▪•", "*"},
		{"◇○◌◯□▫☆∘°", "o"},
		{"·∙‧", "."},
		{"–—−‐‑‒―", "-"},
		{"≠⚠", "!"}, {"≡", "="}, {"∞", "8"}, {"∅", "0"}, {"µ", "u"}, {"¶§", "S"}, {"⋮", ":"}, {"↻⟳↺", "@"}, {"↵⏎↩", "<"},
		{"‘’‚", "'"}, {"“”„", `"`},
		{"␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡␤", "^"}, {"␣␠", "_"}, // see package clean
		{"⣀⣤⣶⣿", "_-=#"}, // other dots are :
	}
}

// line returns a frame, or a part of one, in ASCII. Every rune becomes as many
// cells as it has.
func (w *asciiWriter) line(s string) string {
	n := ascii(s)
	if w == nil || n == len(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	for {
		b = append(b, s[:n]...)
		if s = s[n:]; s == "" {
			return string(b)
		}
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '…' && digit(b, len(b)-1) && digit([]byte(s[size:min(size+1, len(s))]), 0):
			b = append(b, '~') // from one figure to another
		case int(r) < len(w.glyphs) && w.glyphs[r] != 0:
			b = append(b, w.glyphs[r])
		case w.texts:
			// Cleaned text is as wide by runes as it is by clusters.
			for range ansi.StringWidthWc(s[:size]) {
				b = append(b, '?')
			}
		default:
			b = append(b, s[:size]...)
		}
		s = s[size:]
		n = ascii(s)
	}
}

// digit reports whether there is one at a place.
func digit(b []byte, i int) bool { return i >= 0 && i < len(b) && b[i] >= '0' && b[i] <= '9' }

// ascii is the number of bytes of ASCII that s begins with.
func ascii(s string) int {
	n := 0
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}
