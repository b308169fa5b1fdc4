package jsonscan

import (
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// view is b as a string without a copy. Whoever keeps it keeps b, and sees b
// change.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// plain reports whether the body of a string stands for itself: printable
// ASCII without escapes.
func plain(body []byte) bool {
	for _, c := range body {
		if c < 0x20 || c >= utf8.RuneSelf || c == '\\' {
			return false
		}
	}
	return true
}

// Unquote returns the text of a JSON string, given with its quotes. The result
// is a view of quoted where nothing was escaped, so a caller that keeps it
// clones it ([strings.Clone]). Invalid UTF-8 and unpaired surrogates become
// U+FFFD, as in encoding/json.
func Unquote(quoted []byte) (string, error) {
	n := len(quoted)
	if n < 2 || quoted[0] != '"' || quoted[n-1] != '"' {
		return "", ErrNotString
	}
	return unquoteBody(quoted[1 : n-1])
}

func unquoteBody(body []byte) (string, error) {
	if plain(body) {
		return view(body), nil
	}
	escaped := false
	for _, c := range body {
		if c < 0x20 {
			return "", ErrSyntax
		}
		escaped = escaped || c == '\\'
	}
	if !escaped && utf8.Valid(body) {
		return view(body), nil
	}
	out, err := appendUnquoted(make([]byte, 0, len(body)), nil, body)
	return view(out), err
}

// UnquoteMapped is Unquote for a caller that changes the text and wants to put
// the change back into the quoted form: offsets[i] is where in quoted the
// bytes begin that gave text[i], and offsets[len(text)] is the closing quote.
func UnquoteMapped(quoted []byte) (text []byte, offsets []int, err error) {
	n := len(quoted)
	if n < 2 || quoted[0] != '"' || quoted[n-1] != '"' {
		return nil, nil, ErrNotString
	}
	offsets = make([]int, 0, n)
	text, err = appendUnquoted(make([]byte, 0, n), &offsets, quoted[1:n-1])
	if err != nil {
		return nil, nil, err
	}
	for i := range offsets {
		offsets[i]++ // past the opening quote
	}
	return text, append(offsets, n-1), nil
}

// appendUnquoted appends the text of body to dst and, unless offsets is nil,
// the place in body of each byte appended.
func appendUnquoted(dst []byte, offsets *[]int, body []byte) ([]byte, error) {
	for i := 0; i < len(body); {
		var (
			r    rune
			size int
		)
		switch c := body[i]; {
		case c == '\\':
			if r, size = escape(body[i:]); size == 0 {
				return dst, ErrSyntax
			}
		case c < 0x20 || c == '"':
			return dst, ErrSyntax
		case c < utf8.RuneSelf:
			r, size = rune(c), 1
		default:
			r, size = utf8.DecodeRune(body[i:])
		}
		n := len(dst)
		dst = utf8.AppendRune(dst, r)
		if offsets != nil {
			for ; n < len(dst); n++ {
				*offsets = append(*offsets, i)
			}
		}
		i += size
	}
	return dst, nil
}

// escape decodes the escape at the start of b and returns its length, 0 if it
// is none.
func escape(b []byte) (rune, int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(b)
		if r < 0 {
			return 0, 0
		}
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(b) >= 12 {
			if p := utf16.DecodeRune(r, hex4(b[6:])); p != utf8.RuneError {
				return p, 12
			}
		}
		return utf8.RuneError, 6
	}
	return 0, 0
}

// hex4 reads the number of a \uXXXX at the start of b, -1 if there is none.
func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// AppendQuote appends s as a JSON string. What is invalid UTF-8 becomes
// U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
