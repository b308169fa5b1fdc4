package clean

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

var lines = []struct{ in, want string }{
	{"", ""}, {"plain ASCII ~", "plain ASCII ~"},
	{"\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
	{"\x1b]52;c;aGk=\x07\x1b]8;;http://x\x1b\\", "␛]52;c;aGk=␇␛]8;;http://x␛\\"},
	{"\x1bPq\x1b\\\x1b_G\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\", "␛Pq␛\\␛_G␛\\␛^x␛\\␛Xx␛\\"},
	{"a\r\nb\tc\x00\x7f\b", "a␍␊b␉c␀␡␈"},
	{"\u009b31m\u0085", `\u009b31m\u0085`}, {"\x9b31m\xff\xc3", `\x9b31m\xff\xc3`}, {"\xed\xa0\x80", `\xed\xa0\x80`},
	{"a\u202eb\u202c\u2066c\u2069\u200e\u200f\u061c", "a·b··c····"},
	{"a\u200bb\u200c\u200d\u2060\ufeff\u00ad", "a·b····"},
	{"a\u2028b\u2029", "a␤b␤"},
	{"a\u00a0b\u3000c\u3164\u2800", "a␣b␣c␣␣"},
	{"a\U000e0041\U000e007fb", "a·b"}, {"\U000f0000\ue0b0\U0010ffff\ufff9", "····"},
	{"A\ufe00B\U000e0100C\ufe0f\ufe0fD", "A·B·C·D"},
	{"e\u0301 o\u0302\u0323", "e\u0301 o\u0302\u0323"},
	{"z" + strings.Repeat("\u0334", 50) + "!", "z\u0334\u0334\u0334·!"},
	{"\u0301x", "·x"}, {"\x1b\u0301", "␛·"},
	{"äöü ß 漢字 한글 のカ Ж λ ─│█ …", "äöü ß 漢字 한글 のカ Ж λ ─│█ …"},
	{"\u26a0\ufe0f ok \u2714\ufe0e", "\u26a0 ok \u2714"},
	{"👍 👍🏽 👩\u200d💻 🇩🇪", "👍 👍· 👩·💻 🇩🇪"}, {"🇩", "·"},
	{"क्ष", "क\u094d·ष"}, {"\ufffd", "\ufffd"}, {"กี่", "กี่"},
}

func TestLine(t *testing.T) {
	for _, c := range lines {
		if got := Line(c.in); got != c.want {
			t.Errorf("%+q:\n got %+q\nwant %+q", c.in, got, c.want)
		}
		checkLine(t, c.in)
	}
}

func TestPlainDoesNotAllocate(t *testing.T) {
	s := strings.Repeat("Back-off restarting failed container ", 10)
	if n := testing.AllocsPerRun(10, func() { _, _ = Line(s), Width(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in   string
		cols int
		cut  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 2, ""},
		{"漢字漢字", 8, "漢字漢字"}, {"漢字漢字", 7, "漢字漢…"}, {"漢字漢字", 6, "漢字…"}, {"漢", 1, "…"},
		{"abcé", 4, "abcé"}, {"abcdé", 4, "abc…"}, {"ae\u0301xy", 3, "ae\u0301…"}, {"äb", 5, "äb"},
	} {
		if got := Truncate(c.in, c.cols); got != c.cut {
			t.Errorf("Truncate(%q, %d): %q, want %q", c.in, c.cols, got, c.cut)
		}
	}
}

// Cell must not read all of a long text to show its beginning.
func TestCellOfLongText(t *testing.T) {
	for _, unit := range []string{"x\n", "漢", "z\u0301\u0301\u0301\u0301\u0301", "\x9b"} {
		s := strings.Repeat(unit, 1<<20)
		if got := Cell(s, 40); Width(got) > 40 || Width(got) < 38 || !strings.HasSuffix(got, "…") {
			t.Errorf("%q", got)
		}
	}
	s := strings.Repeat("ä\n", 1<<20)
	if n := testing.AllocsPerRun(1, func() { _ = Cell(s, 40) }); n > 200 {
		t.Errorf("%v allocations", n)
	}
}

// checkLine checks what is promised of every line.
func checkLine(t *testing.T, s string) {
	t.Helper()
	got := Line(s)
	if !utf8.ValidString(got) {
		t.Errorf("%+q: not UTF-8: %+q", s, got)
	}
	for _, r := range got {
		if !unicode.IsPrint(r) || r == 0x85 || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			t.Errorf("%+q: %U in %+q", s, r, got)
		}
	}
	if again := Line(got); again != got {
		t.Errorf("%+q: %+q is not stable: %+q", s, got, again)
	}
	w := Width(got)
	if wc := ansi.WcWidth.StringWidth(got); w != wc {
		t.Errorf("%+q: %+q has the width %d or %d", s, got, w, wc)
	}
	if w < min(1, len(s)) {
		t.Errorf("%+q: nothing to be seen of it", s)
	}
	if beside := ansi.GraphemeWidth.StringWidth("│" + got + "│"); beside != w+2 {
		t.Errorf("%+q: %+q joins with what is beside it", s, got)
	}
	for _, cols := range []int{1, 2, 7} {
		cell := Cell(s, cols)
		if want := Truncate(got, cols); cell != want || Width(cell) > cols || w >= cols && Width(cell) < cols-1 {
			t.Errorf("%+q: cell of %d is %+q, cut line is %+q", s, cols, cell, want)
		}
		if w := Width(cell); ansi.WcWidth.StringWidth(cell) != w || ansi.GraphemeWidth.StringWidth(cell) != w {
			t.Errorf("%+q: the cell %+q has not the width %d everywhere", s, cell, w)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, c := range lines {
		f.Add(c.in)
	}
	f.Add("🇩🇪🇩\ufe0f🇪🇩\u0301\u0301\u0301\u0301🇪🇪")
	f.Add("\u1100\u1161\u11a8\u0d4ea\U00011a3a\u0600\u0e33क्\u200dष\u0308\u200d\u00a9\u200d")
	f.Fuzz(checkLine)
}

// What a terminal does with a cleaned line: it prints it, in as many columns
// as Width says, and nothing else.
func FuzzLineOnTerminal(f *testing.F) {
	for _, c := range lines {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := Line(s)
		w := Width(line)
		if w > 5000 {
			return
		}
		e := vt.NewEmulator(w+2, 3)
		defer e.Close()
		if _, err := e.WriteString(line); err != nil {
			t.Fatal(err)
		}
		if at := e.CursorPosition(); at.X != w || at.Y != 0 {
			t.Errorf("%+q: the cursor is at %v, want %d", line, at, w)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":  "Successfully assigned shop/checkout-5b6f7d-x2x4z to node-07 and started container app",
		"umlaut": "Größe geändert: 3 → 8, weil das Ziel der Last überschritten wurde, sagt die Regel",
		"han":    strings.Repeat("已成功分配", 8),
		"escape": strings.Repeat("\x1b[31m", 16),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = Line(s)
			}
		})
	}
}
