// Package jsonscan reads what is needed of a Kubernetes object from its JSON
// bytes, without decoding it: where one frame ends, what object it is about,
// and where the members of an object lie.
//
// Nothing here builds a tree. The readers ([FrameReader], [ListReader]) hold
// one value at a time, the other functions work on spans of the bytes given.
// Only [Valid] checks a value in full; everything else checks what it walks
// over and no more, since the history keeps bytes as they came and the cost of
// a whole check would be paid for every event.
//
// Keys are compared exactly, as the API server does, not without regard to
// case as encoding/json does. Of a key that occurs twice the first counts:
// what comes later may never be read. The API server writes no such objects.
package jsonscan

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// MaxDepth is the deepest nesting that [Valid] accepts, the same as
// encoding/json's, so that a recursive reader of valid bytes cannot exhaust
// the stack.
const MaxDepth = 10000

// Errors of the scanning functions. They carry nothing of the input, which may
// be a Secret.
var (
	ErrTruncated = errors.New("JSON value is cut short")
	ErrSyntax    = errors.New("not valid JSON")
	ErrNotObject = errors.New("not a JSON object")
	ErrNotArray  = errors.New("not a JSON array")
	ErrNotString = errors.New("not a JSON string")
)

const (
	swarOnes  = 0x0101010101010101
	swarHighs = 0x8080808080808080
	swarQuote = '"' * swarOnes
	swarSlash = '\\' * swarOnes
)

// stops marks the quotes and backslashes among eight bytes. The lowest mark is
// exact; above it there may be false ones.
func stops(x uint64) uint64 {
	q, s := x^swarQuote, x^swarSlash
	return ((q-swarOnes)&^q | (s-swarOnes)&^s) & swarHighs
}

// stringStop returns the index of the first quote or backslash at or after i,
// or len(b). Eight bytes at a time: strings are most of what there is, and the
// short ones are not worth a call of bytes.IndexByte.
func stringStop(b []byte, i int) int {
	for i+8 <= len(b) {
		if m := stops(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// stringEnd returns the index past the closing quote of the string whose
// opening quote is before i, or -1.
func stringEnd(b []byte, i int) int {
	for {
		i = stringStop(b, i)
		if i >= len(b) {
			return -1
		}
		if b[i] == '"' {
			return i + 1
		}
		i += 2
	}
}

// What a byte outside of strings means to boundary.
const (
	opensString = iota + 1
	opens
	closes
)

var kinds = [256]uint8{'"': opensString, '{': opens, '[': opens, '}': closes, ']': closes}

// boundary finds the end of an object, array or string that may arrive in
// pieces. The zero value is before the first byte.
type boundary struct {
	depth    int
	inString bool
}

// scan goes on from b[i]. It returns the index past the value and true, or the
// index from which to go on when b has grown, and false.
func (s *boundary) scan(b []byte, i int) (int, bool) {
	depth := s.depth // in a register: this is the hot loop
	if s.inString {
		goto inString
	}
outside:
	for i < len(b) {
		c := b[i]
		i++
		switch kinds[c] {
		case opensString:
			goto inString
		case opens:
			depth++
		case closes:
			if depth--; depth <= 0 {
				return i, true
			}
		}
	}
	s.depth, s.inString = depth, false
	return i, false

inString:
	for i+8 <= len(b) { // stringStop, without the cost of a call for each string
		m := stops(binary.LittleEndian.Uint64(b[i:]))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) >> 3
		if b[i] == '"' {
			i++
			if depth == 0 {
				return i, true
			}
			if i+1 < len(b) && b[i+1] == '"' && (b[i] == ':' || b[i] == ',') { // what mostly comes
				i += 2
				goto inString
			}
			goto outside
		}
		if i += 2; i > len(b) {
			i -= 2 // come back when it is known what is escaped
			s.depth, s.inString = depth, true
			return i, false
		}
	}
	for i < len(b) {
		switch b[i] {
		case '"':
			i++
			if depth == 0 {
				return i, true
			}
			goto outside
		case '\\':
			if i+1 >= len(b) {
				s.depth, s.inString = depth, true
				return i, false
			}
			i++
		}
		i++
	}
	s.depth, s.inString = depth, true
	return i, false
}

// skipNested returns the index past the container that was entered depth
// levels deep before i, or -1.
func skipNested(b []byte, i, depth int) int {
	s := boundary{depth: depth}
	if i, ok := s.scan(b, i); ok {
		return i
	}
	return -1
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// endsScalar reports whether c ends a number or literal.
func endsScalar(c byte) bool { return c == ',' || c == '}' || c == ']' || isSpace(c) }

// skipValue returns the index past the value at b[i], which must not be space.
func skipValue(b []byte, i int) (int, error) {
	if i >= len(b) {
		return i, ErrTruncated
	}
	end := -1
	switch b[i] {
	case '{', '[':
		end = skipNested(b, i+1, 1)
	case '"':
		end = stringEnd(b, i+1)
	default:
		end = i
		for end < len(b) && !endsScalar(b[end]) {
			end++
		}
		if end == i {
			return i, ErrSyntax
		}
	}
	if end < 0 {
		return i, ErrTruncated
	}
	return end, nil
}
