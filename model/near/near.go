// Package near finds the names that a mistyped word may have been meant for.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// Guess is a name, and how many letters the word is from it.
type Guess struct {
	Name string
	Dist int
}

// Names returns up to n of the names that the word may have been meant for, the
// nearest first.
func Names(word string, names []string, n int) []string {
	var guesses []Guess
	for _, c := range names {
		guesses = append(guesses, Of(word, c))
	}
	return Rank(word, guesses, n)
}

// Of is the guess that a word is meant for what has a name, or others as well. A
// word that is a part of one is near it.
func Of(word, name string, others ...string) Guess {
	g := Guess{name, len(word) + len(name)}
	word = strings.ToLower(word)
	for _, s := range append([]string{name}, others...) {
		s = strings.ToLower(s)
		d := Distance(word, s)
		if len(word) > 2 && strings.Contains(s, word) {
			d = min(d, 1)
		}
		g.Dist = min(g.Dist, d)
	}
	return g
}

// Rank keeps up to n of the guesses that are near enough, the nearest first: a
// third of the letters may be wrong.
func Rank(word string, guesses []Guess, n int) []string {
	slices.SortStableFunc(guesses, func(a, b Guess) int { return cmp.Compare(a.Dist, b.Dist) })
	var out []string
	for _, g := range guesses {
		if g.Dist <= max(1, len(word)/3) && len(out) < n && !slices.Contains(out, g.Name) {
			out = append(out, g.Name)
		}
	}
	return out
}

// Distance is the number of letters to insert, delete, replace or swap with
// their neighbour to make a from b (optimal string alignment).
func Distance(a, b string) int {
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
