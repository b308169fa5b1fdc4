package splice

import (
	"encoding/binary"
	"errors"
)

var (
	// ErrMalformed is returned for what is no splice, or was made against
	// another base.
	ErrMalformed = errors.New("splice: malformed")
	// ErrTooLarge is returned for a splice whose result passes the limit.
	ErrTooLarge = errors.New("splice: result is larger than the limit")
)

// build is a target that is being made of a base.
type build struct {
	out, base []byte
	cursor    int
	room      int // bytes that the target may still grow by
}

// copyRun copies n bytes from the cursor.
func (b *build) copyRun(n uint64) error {
	if n > uint64(len(b.base)-b.cursor) {
		return ErrMalformed
	}
	run := b.base[b.cursor : b.cursor+int(n)]
	b.cursor += int(n)
	return b.insert(run)
}

func (b *build) insert(text []byte) error {
	if b.room -= len(text); b.room < 0 {
		return ErrTooLarge
	}
	b.out = append(b.out, text...)
	return nil
}

func (b *build) jump(n int64) error {
	if n < -int64(b.cursor) || n > int64(len(b.base)-b.cursor) {
		return ErrMalformed
	}
	b.cursor += int(n)
	return nil
}

// Apply appends to dst the target of a binary splice. limit is the most bytes
// that the target may have: splices from strangers can be bombs. The errors
// are ErrMalformed and ErrTooLarge; with an error dst comes back as it was.
func Apply(dst, base, splice []byte, limit int) ([]byte, error) {
	b := build{out: dst, base: base, room: limit}
	for len(splice) > 0 {
		n, w := binary.Uvarint(splice)
		if w <= 0 {
			return dst, ErrMalformed
		}
		if err := b.copyRun(n); err != nil {
			return dst, err
		}
		if splice = splice[w:]; len(splice) == 0 {
			break
		}
		n, w = binary.Uvarint(splice)
		if w <= 0 || n > uint64(len(splice)-w) {
			return dst, ErrMalformed
		}
		splice = splice[w:]
		if err := b.insert(splice[:n]); err != nil {
			return dst, err
		}
		if splice = splice[n:]; len(splice) == 0 {
			break
		}
		jump, w := binary.Varint(splice)
		// The first condition also keeps the sum from overflowing.
		if w <= 0 || jump > int64(len(base)) || b.jump(jump+int64(n)) != nil {
			return dst, ErrMalformed
		}
		splice = splice[w:]
	}
	return b.out, nil
}
