package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model/cputest"
)

func TestTextDiff(t *testing.T) {
	old := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n"
	new := "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n12a\n13\n14\n15\n"
	var got strings.Builder
	for _, c := range TextDiff(old, new).Changes {
		fmt.Fprintf(&got, "%d %d %s%s\n", c.Old, c.New, [...]string{" ", "+", "-"}[c.Op], c.Text)
	}
	want := "2 2  2\n3 3  3\n4 4  4\n5 0 -5\n0 5 +five\n6 6  6\n7 7  7\n8 8  8\n10 10  10\n11 11  11\n12 12  12\n0 13 +12a\n13 14  13\n14 15  14\n15 16  15\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	for _, same := range []string{"", "a", "a\nb\n"} {
		if r := TextDiff(same, same); len(r.Changes) != 0 || r.Cut {
			t.Errorf("%q: %+v", same, r)
		}
	}
}

// checkText rebuilds both texts from their comparison: what is not shown is
// equal.
func checkText(t testing.TB, old, new string) {
	t.Helper()
	r := TextDiff(old, new)
	if r.Cut {
		return
	}
	a, b := splitLines(old), splitLines(new)
	var built []string
	i, j := 0, 0
	upTo := func(n int) {
		for ; i < n; i, j = i+1, j+1 {
			if a[i] != b[j] {
				t.Fatalf("%q, %q: line %d left out", old, new, i+1)
			}
			built = append(built, a[i])
		}
	}
	for _, c := range r.Changes {
		switch c.Op {
		case Same:
			upTo(c.Old - 1)
			if a[i] != c.Text || j != c.New-1 {
				t.Fatalf("%q, %q: %+v at %d, %d", old, new, c, i, j)
			}
			upTo(c.Old)
		case Remove:
			if c.Old != i+1 || a[i] != c.Text {
				t.Fatalf("%q, %q: %+v at %d, %d", old, new, c, i, j)
			}
			i++
		case Add:
			if c.New != j+1 {
				t.Fatalf("%q, %q: %+v at %d, %d", old, new, c, i, j)
			}
			built = append(built, c.Text)
			j++
		}
	}
	upTo(len(a))
	if !slices.Equal(built, b) {
		t.Fatalf("%q, %q: built %q", old, new, built)
	}
}

func FuzzTextDiff(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd\n")
	f.Add("", "x\n\n")
	f.Add("a\na\na\nb\na", "b\na\na")
	f.Fuzz(func(t *testing.T, old, new string) { checkText(t, old, new) })
}

func TestTextDiffOfManyTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		lines := make([]string, r.IntN(14))
		for i := range lines {
			lines[i] = string(rune('a' + r.IntN(4)))
		}
		return strings.Join(lines, "\n")
	}
	for range 3000 {
		checkText(t, text(), text())
	}
}

// More different lines than there are runes below the surrogates.
func TestTextDiffOfManyLines(t *testing.T) {
	var old, new strings.Builder
	for i := range 60_000 {
		fmt.Fprintln(&old, "common", i/3)
		fmt.Fprintln(&new, "common", i/3, i%7 == 0)
	}
	checkText(t, old.String(), new.String())
	x, y := number(splitLines(old.String()), splitLines(new.String()))
	if got := []rune(string(x)); !slices.Equal(got, x) {
		t.Error("the numbers of the lines do not survive in a string")
	}
	if got := []rune(string(y)); !slices.Equal(got, y) {
		t.Error("the numbers of the lines do not survive in a string")
	}
}

// hardTexts are pairs that are expensive to compare.
func hardTexts() map[string][2]string {
	lines := func(n int, f func(int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i) + "\n")
		}
		return b.String()
	}
	r := rand.New(rand.NewPCG(5, 6))
	return map[string][2]string{
		"1 MB unrelated":   {lines(20_000, func(i int) string { return fmt.Sprintf("%050d", i) }), lines(20_000, func(i int) string { return fmt.Sprintf("%051d", i) })},
		"8,000 lines":      {lines(8000, func(i int) string { return fmt.Sprint(i) }), lines(8000, func(i int) string { return fmt.Sprint(i, "'") })},
		"few words":        {lines(500_000, func(int) string { return string(rune('a' + r.IntN(2))) }), lines(500_000, func(int) string { return string(rune('a' + r.IntN(2))) })},
		"every tenth line": {lines(20_000, func(i int) string { return fmt.Sprint(i) }), lines(20_000, func(i int) string { return fmt.Sprint(i, i%10 == 0) })},
		"empty lines":      {strings.Repeat("\n", 1<<20), "x" + strings.Repeat("\n", 1<<19) + "y\n"},
	}
}

func TestTextDiffIsBounded(t *testing.T) {
	for name, p := range hardTexts() {
		start := cputest.Process()
		r := TextDiff(p[0], p[1])
		// 50 ms; without a bound the hardest would take seconds.
		if used, most := cputest.Process()-start, cputest.Bound(400*time.Millisecond); used > most {
			t.Errorf("%s: %v, want %v at the most", name, used, most)
		}
		if len(r.Changes) > maxLines {
			t.Errorf("%s: %d lines", name, len(r.Changes))
		}
	}
}

func BenchmarkTextDiff(b *testing.B) {
	for name, p := range hardTexts() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				TextDiff(p[0], p[1])
			}
		})
	}
}
