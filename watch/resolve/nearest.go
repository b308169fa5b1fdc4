package resolve

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns the names of up to n types that the typed word may have been
// meant for, the nearest first.
func (c *Catalog) nearest(typ string, n int) []string {
	word, _, _ := strings.Cut(typ, ".")
	var guesses []guess
	for _, e := range c.entries {
		if !e.canList && !e.canWatch {
			continue
		}
		best := distance(word, e.resource)
		for _, w := range append([]string{e.singular, strings.ToLower(e.kind)}, e.shortNames...) {
			best = min(best, distance(word, w))
		}
		guesses = append(guesses, guess{c.shortest(e), best})
	}
	return rank(word, guesses, n)
}

// shortest is the plural alone where that means this type, else with its group.
func (c *Catalog) shortest(e entry) string {
	if first := c.find(e.resource); len(first) == 1 && first[0].group == e.group {
		return e.resource
	}
	return e.name()
}

// Nearest returns up to n of the candidates that the word may have been meant
// for, the nearest first.
func Nearest(word string, candidates []string, n int) []string {
	var guesses []guess
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if len(word) > 2 && strings.Contains(strings.ToLower(c), strings.ToLower(word)) {
			d = min(d, 1)
		}
		guesses = append(guesses, guess{c, d})
	}
	return rank(word, guesses, n)
}

type guess struct {
	name string
	dist int
}

// rank keeps what is near enough: a third of the letters may be wrong.
func rank(word string, guesses []guess, n int) []string {
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(a.dist, b.dist) })
	var out []string
	for _, g := range guesses {
		if g.dist <= max(1, len(word)/3) && len(out) < n && !slices.Contains(out, g.name) {
			out = append(out, g.name)
		}
	}
	return out
}

// distance is the number of letters to insert, delete, replace or swap with
// their neighbour to make a from b (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
