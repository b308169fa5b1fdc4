package diff

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rewatch/model/cputest"
)

// bracketed is a line with its marks in brackets.
func bracketed(s string, marks []Mark) string {
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(s[at:m.From] + "[" + s[m.From:m.To] + "]")
		at = m.To
	}
	return b.String() + s[at:]
}

func TestMarks(t *testing.T) {
	for _, x := range [][4]string{
		{"timeout=30s", "timeout=45s", "timeout=[30]s", "timeout=[45]s"},
		{"level: info", "level: info # for now", "level: info", "level: info[ # for now]"},
		{"größe=1", "größe=12", "größe=1", "größe=1[2]"},
		{"abcdefgh", "zyxwvuts", "abcdefgh", "zyxwvuts"},
		{"", "x", "", "x"},
		{"a\xffb", "a\xfec", "a\xffb", "a\xfec"},
	} {
		was, is := Marks(x[0], x[1])
		if a, b := bracketed(x[0], was), bracketed(x[1], is); a != x[2] || b != x[3] {
			t.Errorf("%q → %q: %q %q", x[0], x[1], a, b)
		}
	}
}

// TestTextDiffMarks: lines that took the place of others are marked, others
// are not.
func TestTextDiffMarks(t *testing.T) {
	d := TextDiff("a\nport=80\nhost=x\nz\nlast", "a\nport=8080\nhost=y\nz\nnew\nlast")
	var got []string
	for _, c := range d.Changes {
		if c.Op != Same {
			got = append(got, bracketed(c.Text, c.Marks))
		}
	}
	if s := strings.Join(got, " "); s != "port=80 host=[x] port=80[80] host=[y] new" {
		t.Error(s)
	}
}

// TestMarksTakeNoLongerThanTexts: whatever the lines are, the bound stands. To
// compare all of the long ones character by character would take seconds.
func TestMarksTakeNoLongerThanTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ lines, letters int }{{4000, 200}, {250, 2000}, {240, 4000}} {
		line := func() string {
			b := make([]byte, c.letters)
			for i := range b {
				b[i] = byte('a' + r.IntN(26))
			}
			return string(b) + "\n"
		}
		var old, new strings.Builder
		for range c.lines {
			old.WriteString(line())
			new.WriteString(line())
		}
		start := cputest.Process()
		d := TextDiff(old.String(), new.String())
		used, most := cputest.Process()-start, cputest.Bound(400*time.Millisecond) // 50 ms
		t.Logf("%d lines of %d letters: %v", c.lines, c.letters, used)
		if used > most || len(d.Changes) == 0 {
			t.Errorf("%d lines of %d letters: %v for %d changes, want %v at the most", c.lines, c.letters, used, len(d.Changes), most)
		}
	}
}

// FuzzMarks: marks are in order, within the line, and all else is in both.
func FuzzMarks(f *testing.F) {
	f.Add("timeout=30s", "timeout=45s")
	f.Add("größe", "grösse\xff")
	f.Fuzz(func(t *testing.T, old, new string) {
		was, is := Marks(old, new)
		rest := func(s string, marks []Mark) string {
			var b strings.Builder
			at := 0
			for _, m := range marks {
				if m.From < at || m.To <= m.From || m.To > len(s) {
					t.Fatalf("%q has %v", s, marks)
				}
				b.WriteString(s[at:m.From])
				at = m.To
			}
			return b.String() + s[at:]
		}
		if a, b := rest(old, was), rest(new, is); (was != nil || is != nil) && a != b {
			t.Fatalf("%q %v and %q %v leave %q and %q", old, was, new, is, a, b)
		}
	})
}
