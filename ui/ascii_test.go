package ui

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// onLinux draws as on the Linux console; latin1 as where the locale is not UTF-8.
func onLinux() *asciiWriter { return ASCII("auto").writer(Options{Environ: []string{"TERM=linux"}}) }
func latin1() *asciiWriter {
	return ASCII("auto").writer(Options{Environ: []string{"LANG=de_DE.ISO-8859-1"}})
}

func TestASCIIByEnvironment(t *testing.T) {
	for _, c := range []struct {
		mode        ASCII
		environ     string
		glyphs, all bool
	}{
		{"", "", false, false},
		{"auto", "TERM=xterm LANG=en_US.UTF-8", false, false},
		{"auto", "LC_CTYPE=UTF-8", false, false}, // macOS
		{"auto", "LANG=C.utf8", false, false},
		{"auto", "TERM=linux LANG=en_US.UTF-8", true, false},
		{"auto", "LANG=C", true, true},
		{"auto", "LANG=en_US", true, true},
		{"auto", "LC_ALL=POSIX LANG=en_US.UTF-8", true, true}, // LC_ALL wins
		{"auto", "LC_ALL= LC_CTYPE=en_US.UTF-8 LANG=C", false, false},
		{"on", "LANG=en_US.UTF-8", true, false},
		{"on", "", true, false},
		{"on", "LANG=C", true, true},
		{"off", "TERM=linux LANG=C", false, false},
	} {
		w := c.mode.writer(Options{Environ: strings.Fields(c.environ)})
		if (w != nil) != c.glyphs || w != nil && w.texts != c.all {
			t.Errorf("%q with %q: %+v", c.mode, c.environ, w)
		}
	}
}

func TestGlyphsBecomeASCII(t *testing.T) {
	var none *asciiWriter
	for _, c := range []struct{ in, glyphs, all string }{
		{"plain \x1b[31m~\x1b[m", "plain \x1b[31m~\x1b[m", "plain \x1b[31m~\x1b[m"},
		{"\x1b[2m─▸2\x1b[m ♥ 2s ▁▂▃▄▅▆▇█ ░═◆┃", "\x1b[2m->2\x1b[m * 2s .,:;+x%# /=*|", "\x1b[2m->2\x1b[m * 2s .,:;+x%# /=*|"},
		{"größe 名前 é x", "größe 名前 é x", "gr??e ???? ? x"},
		{"e\u0301", "e\u0301", "e"},                            // a combining mark has no cell
		{"~ Pod cut o… x", "~ Pod cut o$ x", "~ Pod cut o$ x"}, // what was modified is not what was cut
		{"12:03…12:05 a…b 7…x …1", "12:03~12:05 a$b 7$x $1", "12:03~12:05 a$b 7$x $1"},
	} {
		if got := none.line(c.in); got != c.in {
			t.Errorf("off: %q became %q", c.in, got)
		}
		if got := onLinux().line(c.in); got != c.glyphs {
			t.Errorf("%q became %q, want %q", c.in, got, c.glyphs)
		}
		if got := latin1().line(c.in); got != c.all {
			t.Errorf("where the locale is not UTF-8 %q became %q, want %q", c.in, got, c.all)
		}
	}
}

// Glyphs that mean different things in the same place stay different.
func TestGlyphsStayDistinct(t *testing.T) {
	for _, place := range []string{"+-=~±»♥i", "▁▂▃▄▅▆▇█", "░═◆┃", "▌▏ ", "▾▸"} {
		seen := map[string]string{}
		for _, g := range strings.Split(place, "") {
			a := onLinux().line(g)
			if seen[a] != "" && !(g == "♥" || g == "»") {
				t.Errorf("of %q both %s and %s are %q", place, seen[a], g, a)
			}
			seen[a] = g
		}
	}
}

func TestEveryGlyphHasOneCell(t *testing.T) {
	seen := map[rune]bool{}
	for _, row := range asciiGlyphs() {
		n := utf8.RuneCountInString(row.glyphs)
		if len(row.as) > n || row.as == "" {
			t.Errorf("%q for %q", row.as, row.glyphs)
		}
		for _, b := range []byte(row.as) {
			if b < ' ' || b > '~' {
				t.Errorf("%q for %q is not ASCII", row.as, row.glyphs)
			}
		}
		for _, r := range row.glyphs {
			if w, wc := ansi.StringWidth(string(r)), ansi.StringWidthWc(string(r)); r < 0x80 || w != 1 || wc != 1 || seen[r] {
				t.Errorf("%q (%U) has %d or %d cells, is ASCII, or is there twice", r, r, w, wc)
			}
			seen[r] = true
		}
	}
}

// chrome are the runes beyond ASCII in the texts of the sources under a
// directory, with a place where each is.
func chrome(t *testing.T, root string) map[rune]string {
	found := map[rune]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "ascii") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // half written; the compiler tells
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING && lit.Kind != token.CHAR {
				return true
			}
			text := lit.Value
			if s, err := strconv.Unquote(text); err == nil {
				text = s
			} else if r, _, _, err := strconv.UnquoteChar(strings.Trim(text, "'"), '\''); err == nil {
				text = string(r)
			}
			for _, r := range text {
				if r >= utf8.RuneSelf && r != utf8.RuneError {
					found[r] = fset.Position(lit.Pos()).String()
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Whoever draws a new glyph says what it is in ASCII.
func TestAllChromeIsInTheTable(t *testing.T) {
	w := onLinux()
	all := chrome(t, ".")
	if all['─'] == "" || all['♥'] == "" {
		t.Fatalf("the sources are not read: %v", all)
	}
	for r, at := range all {
		if int(r) >= len(w.glyphs) || w.glyphs[r] == 0 {
			t.Errorf("%s draws %q (%U), which asciiGlyphs (ascii.go) does not have", at, r, r)
		}
	}
	// What the sanitiser puts in place of others is drawn too.
	for _, r := range "·␣␤␛␀␉␡" {
		if w.glyphs[r] == 0 {
			t.Errorf("%q of the sanitiser is not in the table", r)
		}
	}
}

// In ASCII the screen has the same cells.
func TestScreensInASCII(t *testing.T) {
	for _, name := range []string{"trouble", "owners", "help", "recording"} {
		for _, scene := range scenes {
			if scene.name != name {
				continue
			}
			for _, size := range sizes {
				d := newDriver(t, size[0], size[1], "mono")
				scene.do(d)
				want := d.lines()
				d.app.skin.ascii = latin1()
				for i, line := range d.lines() {
					if ansi.StringWidth(line) != size[0] || ascii(line) != len(line) {
						t.Errorf("%s at %v: line %d is not ASCII in %d cells:\n%q\n%q", name, size, i, size[0], line, want[i])
					}
				}
				if size == sizes[0] && name == "trouble" {
					golden(t, fmt.Sprintf("ascii-%s-%dx%d.txt", name, size[0], size[1]), trimRight(d.screen()))
				}
			}
		}
	}
}

func FuzzASCII(f *testing.F) {
	f.Add("─▸2 größe 名前")
	f.Fuzz(func(t *testing.T, s string) {
		s, n := safe(s)
		got := latin1().line(s)
		if ascii(got) != len(got) || len(got) != n {
			t.Errorf("%q of %d cells became %q", s, n, got)
		}
		if got := onLinux().line(s); ansi.StringWidth(got) != n {
			t.Errorf("%q of %d cells became %q", s, n, got)
		}
	})
}

func BenchmarkASCII(b *testing.B) {
	d := newDriver(b, 200, 50, "dark")
	d.script()
	d.trouble()
	frame := d.app.View().Content
	for _, w := range []struct {
		name string
		w    *asciiWriter
	}{{"glyphs", onLinux()}, {"texts", latin1()}} {
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.w.line(frame)
			}
		})
	}
}

// An arrow key is a word in ASCII: > and < are keys of their own.
func TestArrowKeysAreWordsInASCII(t *testing.T) {
	d := newDriver(t, 120, 60, "mono")
	d.press("?")
	if got := d.screen(); !strings.Contains(got, "↑ k ") || strings.Contains(got, "up k ") {
		t.Errorf("with glyphs:\n%s", got)
	}
	d.app.skin.ascii = latin1()
	if got := d.screen(); !strings.Contains(got, "up k ") || strings.Contains(got, "^ k ") {
		t.Errorf("in ASCII:\n%s", got)
	}
}
