package tape

import (
	"bytes"
	"time"
)

// What in a line is a value, and of which kind. This decides how short lines
// become, not what they say.

const (
	secondLayout = "2006-01-02T15:04:05"
	farAway      = 1e8 // seconds between a time in a text and its record, over three years
)

// inValue holds the bytes that values are made of.
var inValue = [256]bool{'-': true, '.': true, ':': true, '_': true,
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true,
	'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true}

// valueAt finds the end of the word at i and the kind of its hole, 0 for none.
// If tail is not 0, that many bytes at its end are a hyphen and the end of a
// generated name, and the kind is that of what is before them.
func valueAt(line []byte, i int, at int64) (end int, kind byte, tail int) {
	if t, ok := parseSecond(line[i:]); ok {
		if d := t - floorSecond(at); d < farAway && d > -farAway {
			return i + len(secondLayout), holeTime, 0
		}
	}
	digits := 0
	for end = i; end < len(line) && inValue[line[end]]; end++ {
		c := line[end]
		if c >= '0' && c <= '9' {
			digits++
		} else if c == '.' && !octet(line[end+1:]) { // what follows is a word of its own
			if end == i {
				return i + 1, 0, 0
			}
			break
		}
	}
	if end-i > longestVal {
		return end, 0, 0
	}
	for end > i+1 && (line[end-1] == '-' || line[end-1] == '.' || line[end-1] == ':') {
		end--
	}
	if w := line[i:end]; fromServer(w) {
		return end, holeWord, 6
	} else if digits > 0 {
		return end, kindOf(w, digits), 0
	}
	return end, 0, 0
}

// octet reports whether b begins with a number of at most three digits, as in
// addresses and versions.
func octet(b []byte) bool {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n > 0 && n <= 3 && (n == len(b) || !inValue[b[n]] || b[n] == '.')
}

// fromServer reports whether a name ends as those do that a server makes of
// generateName.
func fromServer(w []byte) bool {
	n := len(w) - 6
	if n < 1 || w[n] != '-' {
		return false
	}
	for _, c := range w[n+1:] {
		switch c {
		case 'b', 'c', 'd', 'f', 'g', 'h', 'j', 'k', 'l', 'm', 'n', 'p', 'q', 'r', 's', 't', 'v', 'w', 'x', 'z', '2', '4', '5', '6', '7', '8', '9':
		default:
			return false
		}
	}
	return true
}

func kindOf(w []byte, digits int) byte {
	n := len(w)
	switch {
	case digits == n && n >= 4 && n <= 15 && w[0] != '0':
		return holeDelta
	case n == 16 && w[0] == '1' && parseHex(w) >= 0:
		return holeStamp
	case isUUID(w):
		return holeUUID
	case digits == 1 && n > 1 && w[n-1] >= '0' && w[n-1] <= '9' && bytes.IndexByte(w, '-') < 0: // v1, FieldsV1
		return 0
	case n >= leastTwin:
		return holeWord
	}
	return holeText
}

func isUUID(w []byte) bool {
	if len(w) != 36 {
		return false
	}
	for i, c := range w {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
				return false
			}
		}
	}
	return true
}

// parseHex reads lower-case hexadecimal digits, at most 16 of them with the
// first below 8; -1 for anything else.
func parseHex(w []byte) (n int64) {
	for _, c := range w {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | int64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | int64(c-'a'+10)
		default:
			return -1
		}
	}
	return n
}

// parseDigits reads a number of at most 18 digits.
func parseDigits(w []byte) (n int64) {
	for _, c := range w {
		n = n*10 + int64(c-'0')
	}
	return n
}

// floorSecond is the Unix time of a nanosecond.
func floorSecond(t int64) int64 {
	s := t / int64(time.Second)
	if t%int64(time.Second) < 0 {
		s--
	}
	return s
}

// parseSecond reads a time in the secondLayout at the start of b, in Unix
// seconds. What it reads appendSecond writes as it was.
func parseSecond(b []byte) (unix int64, ok bool) {
	if len(b) < len(secondLayout) || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	two := func(i int) int64 {
		x, y := b[i]-'0', b[i+1]-'0'
		if x > 9 || y > 9 {
			ok = false
		}
		return int64(x)*10 + int64(y)
	}
	ok = true
	year, month, day, hour, minute, second := two(0)*100+two(2), two(5), two(8), two(11), two(14), two(17)
	if !ok || year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	days, long := daysBefore(year, month)
	if day > long {
		return 0, false
	}
	return ((days+day-1)*24+hour)*3600 + minute*60 + second, true
}

// daysBefore counts the days from 1970 to the first of a month, and those of
// the month.
func daysBefore(year, month int64) (days, long int64) {
	leap := int64(0)
	if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		leap = 1
	}
	before := [...]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}
	days, long = before[month-1], before[month]-before[month-1]
	if month > 2 {
		days += leap
	} else if month == 2 {
		long += leap
	}
	y := year - 1
	return days + 365*(year-1970) + y/4 - y/100 + y/400 - (1969/4 - 1969/100 + 1969/400), long
}

// appendSecond appends a time in the secondLayout.
func appendSecond(dst []byte, unix int64) []byte {
	t := time.Unix(unix, 0).UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(dst, secondLayout)
	}
	hour, minute, second := t.Clock()
	two := func(before byte, n int) { dst = append(dst, before, byte('0'+n/10), byte('0'+n%10)) }
	dst = append(dst, byte('0'+year/1000), byte('0'+year/100%10), byte('0'+year/10%10), byte('0'+year%10))
	two('-', int(month))
	two('-', day)
	two('T', hour)
	two(':', minute)
	two(':', second)
	return dst
}
