package query

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// required is a text, in lower case, that every match of a regular expression
// has in it; "" if none is known. To look for it first takes a fraction of what
// the expression takes.
func required(source string) string {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return ""
	}
	text := literal(re)
	if !ascii(text) {
		return ""
	}
	return text
}

func literal(re *syntax.Regexp) (longest string) {
	switch re.Op {
	case syntax.OpLiteral:
		return strings.ToLower(string(re.Rune))
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			if text := literal(sub); len(text) > len(longest) {
				longest = text
			}
		}
	}
	return longest
}

// lacks reports whether a text in lower case has not what is required. Of other
// letters than those of ASCII it cannot tell, as more than one may count as the
// same in lower case.
func lacks(lower, required string) bool {
	if required == "" || strings.Contains(lower, required) {
		return false
	}
	return ascii(lower)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
