package ui

import (
	"math/bits"

	"rewatch/model"
)

// rowSet is a set of rows, a bit for each of those from first on.
type rowSet struct {
	first model.Seq
	bits  []uint64
}

// add puts a row in.
func (r *rowSet) add(seq model.Seq) {
	i := int(seq - r.first)
	if n := i/64 + 1 - len(r.bits); n > 0 {
		r.bits = append(r.bits, make([]uint64, max(n, 64))...)
	}
	r.bits[i/64] |= 1 << (i % 64)
}

// has reports whether a row is in.
func (r *rowSet) has(seq model.Seq) bool {
	i := int(seq - r.first)
	return i/64 < len(r.bits) && r.bits[i/64]>>(i%64)&1 != 0
}

// from is the first row in the set from one on; noRow if there is none.
func (r *rowSet) from(seq model.Seq) model.Seq {
	i := int(max(seq, r.first) - r.first)
	for skip := i % 64; i/64 < len(r.bits); i, skip = i/64*64+64, 0 {
		if w := r.bits[i/64] >> skip; w != 0 {
			return r.first + model.Seq(i+bits.TrailingZeros64(w))
		}
	}
	return noRow
}
