package splice

import (
	"encoding/binary"
	"errors"
)

var (
	// ErrMalformed is returned for a splice that is no splice, or that was
	// made against another base.
	ErrMalformed = errors.New("splice: malformed")
	// ErrTooLarge is returned for a splice whose result passes the limit.
	ErrTooLarge = errors.New("splice: result is larger than the limit")
)

// Apply appends to dst the target of a binary splice. limit is the most bytes
// that the target may have: splices from strangers can be bombs. On an error
// it returns dst as it was.
func Apply(dst, base, splice []byte, limit int) ([]byte, error) {
	out, cursor, limit := dst, 0, limit+len(dst)
	for len(splice) > 0 {
		n, w := binary.Uvarint(splice)
		if w <= 0 || n > uint64(len(base)-cursor) {
			return dst, ErrMalformed
		}
		splice = splice[w:]
		if int(n) > limit-len(out) {
			return dst, ErrTooLarge
		}
		out = append(out, base[cursor:cursor+int(n)]...)
		cursor += int(n)
		if len(splice) == 0 {
			break
		}
		n, w = binary.Uvarint(splice)
		if w <= 0 || n > uint64(len(splice)-w) {
			return dst, ErrMalformed
		}
		if int(n) > limit-len(out) {
			return dst, ErrTooLarge
		}
		out = append(out, splice[w:w+int(n)]...)
		splice = splice[w+int(n):]
		if len(splice) == 0 {
			break
		}
		jump, w := binary.Varint(splice)
		if w <= 0 || !inside(cursor, jump, int64(n), len(base)) {
			return dst, ErrMalformed
		}
		cursor += int(jump) + int(n)
		splice = splice[w:]
	}
	return out, nil
}

// inside reports whether cursor+jump+n is a place in a base of that size,
// whatever the values, without overflow.
func inside(cursor int, jump, n int64, size int) bool {
	const far = 1 << 40
	return jump > -far && jump < far && n < far && int64(cursor)+jump+n >= 0 && int64(cursor)+jump+n <= int64(size)
}
