package splice

// How inserts come to be whole words
//
// Where two objects of a kind differ, values differ: a name, a number, a time.
// A splice in whole values says so in the same way for each of them, whatever
// their digits have in common by chance.

const (
	maxWord  = 80 // bytes of a word; longer runs of letters are no words
	sameWord = 8  // bytes that must agree behind two values with digits
	likeWord = 24 // and behind other words
)

// isWord holds the bytes that words are made of.
var isWord = [256]bool{'-': true, '.': true, ':': true, '_': true,
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true,
	'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true}

// starts reports whether b begins with a byte of a word.
func starts(b []byte) bool { return len(b) > 0 && isWord[b[0]] }

// wordBefore returns how many bytes at the end of common belong to a word that
// goes on in base or in target; 0 if it is too long for one.
func wordBefore(common, base, target []byte) int {
	if !starts(base) && !starts(target) {
		return 0
	}
	n := 0
	for n < len(common) && isWord[common[len(common)-1-n]] {
		if n++; n > maxWord {
			return 0
		}
	}
	return n
}

// wordAfter is wordBefore for a word that began in base or target.
func wordAfter(common, base, target []byte) int {
	ends := func(b []byte) bool { return len(b) > 0 && isWord[b[len(b)-1]] }
	if !ends(base) && !ends(target) {
		return 0
	}
	n := 0
	for n < len(common) && isWord[common[n]] {
		if n++; n > maxWord {
			return 0
		}
	}
	return n
}

// wordEnd returns where the word at i ends; -1 if there is none.
func wordEnd(b []byte, i int) int {
	const most = maxWord + 2
	word := b[i:min(len(b), i+most)]
	n := 0
	for n < len(word) && isWord[word[n]] {
		n++
	}
	if n == 0 || n == most {
		return -1
	}
	return i + n
}

func hasDigit(word []byte) bool {
	for _, c := range word {
		if c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}

// nextWord looks for the agreement behind one value in place of another.
func nextWord(b, t []byte, bi, ti int) (mb, mt, n int) {
	mb, mt = wordEnd(b, bi), wordEnd(t, ti)
	if mb < 0 || mt < 0 || len(b)-mb < gram || len(t)-mt < gram || load(b, mb) != load(t, mt) {
		return 0, 0, 0
	}
	n = agree(b[mb:], t[mt:])
	if n < sameWord || n < likeWord && !(hasDigit(b[bi:mb]) && hasDigit(t[ti:mt])) {
		return 0, 0, 0
	}
	return mb, mt, n - min(n-1, wordBefore(t[mt:mt+n], b[mb+n:], t[mt+n:]))
}

// wholeWords shortens a run of agreement to where words begin and end.
func wholeWords(b, t []byte, mb, mt, n int) (int, int, int) {
	from := wordAfter(t[mt:mt+n], b[:mb], t[:mt])
	mb, mt, n = mb+from, mt+from, n-from
	return mb, mt, n - wordBefore(t[mt:mt+n], b[mb+n:], t[mt+n:])
}

// Alike reports whether target is base with other values: whether one leads to
// the other without a search for what moved. reached is how much of target
// agrees until then, values aside, and changed is the size of those.
func (e *Encoder) Alike(base, target []byte) (reached, changed int, alike bool) {
	n := agree(base, target)
	n -= wordBefore(target[:n], base[n:], target[n:])
	bi, ti := n, n
	for ti < len(target) {
		mb, mt, n := nextWord(base, target, bi, ti)
		if n == 0 {
			if len(target)-ti < maxWord && len(base)-bi < maxWord { // the end
				return ti, changed + len(target) - ti, true
			}
			if mb, mt, n = e.nextOnDiagonal(base, target, bi, ti); n == 0 {
				return ti, changed, false
			}
		}
		changed += mt - ti
		bi, ti = mb+n, mt+n
	}
	return ti, changed, true
}
