package ui

import (
	"strings"
	"unicode"
)

// What makes one place of a letter better than another.
const (
	fuzzyHit   = 16  // a letter of the pattern is there
	fuzzyStart = 10  // at the start of a word
	fuzzyRow   = 8   // behind the letter before
	fuzzyGap   = -8  // letters were skipped
	fuzzySkip  = -1  // for each of those
	fuzzyHead  = 6   // the text begins with the pattern's first letter
	fuzzyExact = 500 // the pattern is the whole text
)

// fuzzy reports whether the letters of a pattern are in a text in their order,
// how well, and where. Words of the pattern are looked for one by one; case does
// not count. It takes time by the product of both lengths.
func fuzzy(pattern, text string) (score int, at []int, ok bool) {
	runes := []rune(strings.ToLower(text))
	words := strings.Fields(strings.ToLower(pattern))
	for _, w := range words {
		s, where, found := fuzzyWord([]rune(w), runes)
		if !found {
			return 0, nil, false
		}
		score += s
		at = append(at, where...)
	}
	if len(words) == 1 && words[0] == string(runes) {
		score += fuzzyExact
	}
	return score, at, true
}

// noScore is that of what cannot be.
const noScore = -1 << 30

// fuzzyWord finds the best places of the letters of a word.
func fuzzyWord(word, text []rune) (score int, at []int, ok bool) {
	n, m := len(text), len(word)
	if m == 0 || m > n {
		return 0, nil, m == 0
	}
	// best[i][j] is the best score with word[i] at text[j]; from[i][j] is where
	// word[i-1] is then.
	best, from := make([][]int, m), make([][]int, m)
	for i := range m {
		best[i], from[i] = make([]int, n), make([]int, n)
		// The best of word[i-1] with a gap behind it, as far as j.
		gap, gapAt := noScore, -1
		for j := range n {
			if j >= 2 && i > 0 {
				gap += fuzzySkip
				if s := best[i-1][j-2] + fuzzyGap; best[i-1][j-2] > noScore/2 && s > gap {
					gap, gapAt = s, j-2
				}
			}
			best[i][j] = noScore
			if text[j] != word[i] {
				continue
			}
			own := fuzzyHit
			if wordStart(text, j) {
				own += fuzzyStart
			}
			switch {
			case i == 0 && j == 0:
				best[i][j] = own + fuzzyHead
			case i == 0:
				best[i][j] = own
			default:
				if gapAt >= 0 {
					best[i][j], from[i][j] = gap+own, gapAt
				}
				if j > 0 && best[i-1][j-1] > noScore/2 && best[i-1][j-1]+fuzzyRow+own > best[i][j] {
					best[i][j], from[i][j] = best[i-1][j-1]+fuzzyRow+own, j-1
				}
			}
		}
	}
	end := 0
	for j, s := range best[m-1] {
		if s > best[m-1][end] {
			end = j
		}
	}
	if best[m-1][end] <= noScore/2 {
		return 0, nil, false
	}
	at = make([]int, m)
	for i, j := m-1, end; i >= 0; i-- {
		at[i] = j
		j = from[i][j]
	}
	return best[m-1][end], at, true
}

// wordStart reports whether a letter begins a word.
func wordStart(text []rune, j int) bool {
	return j == 0 || !unicode.IsLetter(text[j-1]) && !unicode.IsDigit(text[j-1])
}
