// Package splice writes one string of bytes as a recipe against another: runs
// copied from the base, with inserted bytes and jumps between them.
//
// A splice is a list of steps. Each step copies a run of the base from a
// cursor, then inserts bytes of its own, then moves the cursor:
//
//	copy n, insert "…", jump ±n
//
// There are two spellings of one list: a compact binary one for memory, and a
// JSON array `[copy,"insert",jump,copy,"insert",jump,…]` for files that people
// should be able to read with other programs.
//
// The package knows nothing of Kubernetes; what makes it fast is that two
// versions of an object differ in few places, and mostly by values of the same
// length (a time, a resourceVersion, the digits of a UID). So the encoder
// first looks for the next agreement at the same distance, and only where that
// fails does it index the base.
package splice

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"rewatch/model/jsonscan"
)

const (
	gram       = 8       // bytes that must agree to begin a run
	diagonal   = 48      // how far to look for agreement at the same distance
	minRun     = 12      // a run that costs a jump must save more than the jump
	candidates = 8       // positions of one hash that are tried
	leastStep  = 3       // bytes of a step beside what it inserts, in the binary spelling
	maxIndexed = 1 << 15 // indexed positions, so that the tables stay small
)

// step is one step of a splice; the insert is target[from:to].
type step struct {
	copied   int
	from, to int
	jump     int
}

// Encoder makes splices. It keeps its tables between calls, so that a call
// allocates nothing once they have grown. The zero value is ready; an Encoder
// must not be used from two goroutines at a time.
type Encoder struct {
	// Words makes inserts whole words where that can be, though a splice of
	// fewer bytes exists: siblings that differ in the same values then differ by
	// splices of the same counts. It is quicker between siblings.
	Words bool

	steps  []step
	heads  []int32 // hash → newest indexed position + 1
	chain  []int32 // per indexed position: the previous one with that hash + 1
	shift  uint
	stride int
	room   int // bytes that the splice may still have; see EncodeWithin
}

func load(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// agree returns the length of the common beginning of a and b.
func agree(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := load(a, i) ^ load(b, i); x != 0 {
			return i + bits.TrailingZeros64(x)>>3
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// agreeBack returns the length of the common end of a and b.
func agreeBack(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := load(a, len(a)-i-8) ^ load(b, len(b)-i-8); x != 0 {
			return i + bits.LeadingZeros64(x)>>3
		}
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}

// diff fills e.steps with the steps from base to target. It gives up when
// e.room has been used up, and leaves it negative.
func (e *Encoder) diff(base, target []byte) {
	e.steps = e.steps[:0]
	head := agree(base, target)
	if e.Words {
		head -= wordBefore(target[:head], base[head:], target[head:])
	}
	tail := agreeBack(base[head:], target[head:])
	if e.Words {
		tail -= wordAfter(target[len(target)-tail:], base[:len(base)-tail], target[:len(target)-tail])
	}
	// The common end is one run of its own; the search sees the middle only.
	b, t := base[:len(base)-tail], target[:len(target)-tail]
	indexed := false
	copied, bi, ti := head, head, head
	for ti < len(t) && e.room >= 0 {
		var mb, mt, n int
		if e.Words {
			mb, mt, n = nextWord(b, t, bi, ti)
		}
		if n == 0 {
			mb, mt, n = e.nextOnDiagonal(b, t, bi, ti)
		}
		if n == 0 && len(b) >= gram {
			if !indexed {
				e.index(b)
				indexed = true
			}
			mb, mt, n = e.nextIndexed(b, t, bi, ti)
		}
		if n == 0 {
			break
		}
		e.steps = append(e.steps, step{copied, ti, mt, mb - bi})
		e.room -= mt - ti + leastStep
		copied, bi, ti = n, mb+n, mt+n
	}
	e.room -= len(t) - ti
	switch {
	case tail == 0:
		e.steps = append(e.steps, step{copied, ti, len(t), len(b) - bi})
	case ti == len(t) && bi == len(b):
		e.steps = append(e.steps, step{copied + tail, len(target), len(target), 0})
	default:
		e.steps = append(e.steps, step{copied, ti, len(t), len(b) - bi}, step{tail, len(target), len(target), 0})
	}
}

// nextOnDiagonal looks for the next agreement at the same distance between
// base and target: a value replaced by one of the same length.
func (e *Encoder) nextOnDiagonal(b, t []byte, bi, ti int) (mb, mt, n int) {
	last := min(diagonal, len(b)-bi-gram, len(t)-ti-gram)
	for k := 1; k <= last; k++ {
		if load(b, bi+k) == load(t, ti+k) {
			mb, mt, n = bi+k, ti+k, gram+agree(b[bi+k+gram:], t[ti+k+gram:])
			if e.Words {
				mb, mt, n = wholeWords(b, t, mb, mt, n)
			}
			if n >= gram {
				return mb, mt, n
			}
		}
	}
	return 0, 0, 0
}

// index enters every stride-th gram of the base into the tables.
func (e *Encoder) index(b []byte) {
	e.stride = max(4, len(b)/maxIndexed+1)
	n := len(b)/e.stride + 1
	size := 1 << bits.Len(uint(n))
	e.shift = uint(64 - bits.Len(uint(size-1)))
	if cap(e.heads) < size {
		e.heads = make([]int32, size)
	}
	e.heads = e.heads[:size]
	clear(e.heads)
	if cap(e.chain) < n {
		e.chain = make([]int32, n)
	}
	e.chain = e.chain[:n]
	// From the end to the beginning, so that the chains ascend and a run is
	// looked for first near the beginning.
	for k := (len(b) - gram) / e.stride; k >= 0 && len(b) >= gram; k-- {
		h := hash(load(b, k*e.stride)) >> e.shift
		e.chain[k] = e.heads[h]
		e.heads[h] = int32(k + 1)
	}
}

func hash(x uint64) uint64 { return x * 0x9E3779B185EBCA87 }

// nextIndexed looks for the next run of target, from ti, anywhere in base.
func (e *Encoder) nextIndexed(b, t []byte, bi, ti int) (mb, mt, n int) {
	// A run may begin up to a stride before the place where it is found.
	end := len(t) - gram
	if e.room < end-ti-e.stride {
		end = ti + e.room + e.stride
	}
	for j := ti; j <= end; j++ {
		g := load(t, j)
		k := e.heads[hash(g)>>e.shift]
		for tries := 0; k != 0 && tries < candidates; k = e.chain[k-1] {
			i := int(k-1) * e.stride
			if load(b, i) != g {
				continue
			}
			tries++
			back := agreeBack(b[:i], t[ti:j])
			length := back + gram + agree(b[i+gram:], t[j+gram:])
			// Of two equal runs the one that lies ahead: text goes on in order.
			if length > n || length == n && mb < bi && i-back >= bi {
				mb, mt, n = i-back, j-back, length
			}
		}
		if n >= minRun && e.Words {
			mb, mt, n = wholeWords(b, t, mb, mt, n)
		}
		if n >= minRun {
			return mb, mt, n
		}
		n = 0
	}
	return 0, 0, 0
}

// Encode appends to dst the binary splice that makes target from base.
func (e *Encoder) Encode(dst, base, target []byte) []byte {
	dst, _ = e.EncodeWithin(dst, base, target, math.MaxInt)
	return dst
}

// EncodeWithin is Encode for a caller that has no use for a splice of more
// than most bytes, and saves the time that making it would take: ok is false
// and dst comes back as it was. A splice that is slightly longer may be
// returned all the same.
func (e *Encoder) EncodeWithin(dst, base, target []byte, most int) (out []byte, ok bool) {
	e.room = most
	if e.diff(base, target); e.room < 0 {
		return dst, false
	}
	return e.AppendLast(dst, target), true
}

// AppendLast appends to dst the binary spelling of the newest splice that was
// made, in whichever spelling, given its target once more. It saves looking
// for the splice again.
func (e *Encoder) AppendLast(dst, target []byte) []byte {
	for k, s := range e.steps {
		dst = binary.AppendUvarint(dst, uint64(s.copied))
		last := k == len(e.steps)-1
		if last && s.from == s.to {
			break
		}
		dst = binary.AppendUvarint(dst, uint64(s.to-s.from))
		dst = append(dst, target[s.from:s.to]...)
		if !last {
			// Relative to a replacement of the same length, which is the
			// common case and so becomes 0.
			dst = binary.AppendVarint(dst, int64(s.jump-(s.to-s.from)))
		}
	}
	return dst
}

// ErrNotText is returned by EncodeJSON for a target that is not valid UTF-8.
var ErrNotText = errors.New("splice: not valid UTF-8")

// EncodeJSON appends to dst the JSON spelling of the splice that makes target
// from base. JSON holds text only, so that target must be valid UTF-8
// (ErrNotText otherwise) and inserts begin and end between characters; counts
// are of bytes all the same.
func (e *Encoder) EncodeJSON(dst, base, target []byte) ([]byte, error) {
	if !utf8.Valid(target) {
		return dst, ErrNotText
	}
	e.room = math.MaxInt
	e.diff(base, target)
	e.snap(target)
	dst = append(dst, '[')
	for k, s := range e.steps {
		last := k == len(e.steps)-1
		if last && s.from == s.to && s.jump == 0 { // the rest of the base
			break
		}
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(s.copied), 10)
		dst = jsonscan.AppendQuote(append(dst, ','), string(target[s.from:s.to]))
		if !last || s.jump != 0 {
			dst = strconv.AppendInt(append(dst, ','), int64(s.jump), 10)
		}
	}
	return append(dst, ']'), nil
}

// snap widens the inserts to whole characters, at the cost of the runs beside
// them. Runs inside are longer than two characters; the first one begins and
// the last one ends where the target does.
func (e *Encoder) snap(target []byte) {
	for k := range e.steps {
		s := &e.steps[k]
		if s.from == s.to {
			continue
		}
		for s.from < len(target) && !utf8.RuneStart(target[s.from]) {
			s.from--
			s.copied--
			s.jump++
		}
		for s.to < len(target) && !utf8.RuneStart(target[s.to]) {
			s.to++
			s.jump++
			e.steps[k+1].copied--
		}
	}
}
