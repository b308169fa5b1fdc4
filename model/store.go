package model

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// slabSize is how much of splices is packed as one. Larger slabs pack better,
// smaller ones are sooner unpacked when a single version is asked for.
const slabSize = 8 << 10

// ref says where the bytes of a version are: a place in a slab, and the
// template that the splice there is against, or againstNext.
//
//	28 bits slab (low bits of its number) | 14 bits offset | 22 bits template
//
// 0 is "nowhere": no template has number 0.
type ref uint64

const (
	slabBits     = 28
	offsetBits   = 14
	templateBits = 22
)

func makeRef(slab uint64, offset int, template uint32) ref {
	return ref(slab<<(offsetBits+templateBits) | uint64(offset)<<templateBits | uint64(template))
}

func (r ref) slab() uint64     { return uint64(r >> (offsetBits + templateBits)) }
func (r ref) offset() int      { return int(r>>templateBits) & (1<<offsetBits - 1) }
func (r ref) template() uint32 { return uint32(r) & (1<<templateBits - 1) }

// stored reports whether a store has the version.
func (r ref) stored() bool { return r.template() != inHand && r.template() != isElsewhere }

// slab is a run of splices, each with its length before it. When it is full it
// is packed. It leaves as a whole when the last of its splices has left.
type slab struct {
	data   []byte
	packed bool
	live   int // splices that somebody still refers to
}

// store holds splices in slabs, in the order in which they came. It suits
// data that leaves in about that order, as a log's does.
type store struct {
	slabs  []*slab // nil where a slab has left; the last one is being filled
	first  uint64  // number of slabs[0]
	memory int64
	live   int // splices that somebody still refers to
	added  int // splices ever added
	packer *packer
}

// packer packs and unpacks slabs. It may be used from several goroutines.
type packer struct {
	enc    *zstd.Encoder
	dec    *zstd.Decoder
	memory int64

	scratch []byte // only for packing, which one goroutine does

	mu     sync.Mutex
	recent [4]unpacked // the slabs unpacked last: neighbours are often asked for together
	turn   int
}

type unpacked struct {
	slab *slab
	data []byte
}

func newPacker() *packer {
	// The options are constants, so that the errors cannot happen.
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(slabSize), zstd.WithEncoderCRC(false))
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	return &packer{enc: enc, dec: dec, memory: 512 << 10}
}

// pack returns the packed form, valid until the next call.
func (p *packer) pack(data []byte) []byte {
	p.scratch = p.enc.EncodeAll(data, p.scratch[:0])
	return p.scratch
}

// unpack returns the content of a slab; it must not be changed.
func (p *packer) unpack(s *slab) []byte {
	if !s.packed {
		return s.data
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.recent {
		if r.slab == s {
			return r.data
		}
	}
	data, err := p.dec.DecodeAll(s.data, make([]byte, 0, slabSize))
	if err != nil {
		return nil // memory that the process itself wrote: cannot happen
	}
	if len(data) <= 2*slabSize {
		p.recent[p.turn] = unpacked{s, data}
		p.turn = (p.turn + 1) % len(p.recent)
	}
	return data
}

// add keeps a splice against a template.
func (s *store) add(splice []byte, template uint32) ref {
	need := len(splice) + binary.MaxVarintLen32
	var last *slab
	if n := len(s.slabs); n > 0 {
		last = s.slabs[n-1]
	}
	if last == nil || cap(last.data)-len(last.data) < need {
		buffer := s.seal(last)
		if cap(buffer) < need {
			buffer = make([]byte, 0, max(slabSize, need))
			s.memory += int64(cap(buffer))
		}
		last = &slab{data: buffer[:0]}
		s.slabs = append(s.slabs, last)
	}
	r := makeRef(s.first+uint64(len(s.slabs)-1), len(last.data), template)
	last.data = binary.AppendUvarint(last.data, uint64(len(splice)))
	last.data = append(last.data, splice...)
	last.live++
	s.live++
	s.added++
	return r
}

// seal packs a full slab and returns the buffer that it was filled in.
func (s *store) seal(full *slab) []byte {
	if full == nil {
		return nil
	}
	buffer := full.data
	packed := s.packer.pack(buffer)
	if len(packed) < len(buffer) {
		full.packed = true
	} else {
		packed = buffer
	}
	full.data = append(make([]byte, 0, len(packed)), packed...)
	s.memory += slabMemory(full)
	if full.live == 0 {
		s.drop(len(s.slabs) - 1)
	}
	if cap(buffer) > slabSize {
		s.memory -= int64(cap(buffer))
		buffer = nil
	}
	return buffer
}

// slabMemory is what a sealed slab takes.
func slabMemory(s *slab) int64 { return rounded(cap(s.data)) + 64 }

// rounded is what n bytes take: the allocator rounds up, on average by about a
// sixteenth.
func rounded(n int) int64 { return int64(n + n/16) }

func (s *store) at(r ref) *slab {
	// Only the low bits of the number are kept.
	i := (r.slab() - s.first) & (1<<slabBits - 1)
	if i >= uint64(len(s.slabs)) {
		return nil
	}
	return s.slabs[i]
}

// splice returns a splice; it must not be changed, nor used after the lock
// that protects the store is given up.
func (s *store) splice(r ref) []byte {
	b := s.packer.unpack(s.at(r))[r.offset():]
	n, w := binary.Uvarint(b)
	return b[w : w+int(n)]
}

// free lets a splice go.
func (s *store) free(r ref) {
	x := s.at(r)
	x.live--
	s.live--
	if x.live > 0 || x == s.slabs[len(s.slabs)-1] {
		return
	}
	s.drop(int((r.slab() - s.first) & (1<<slabBits - 1)))
	for len(s.slabs) > 1 && s.slabs[0] == nil {
		s.slabs = s.slabs[1:]
		s.first++
	}
}

func (s *store) drop(i int) {
	s.memory -= slabMemory(s.slabs[i])
	s.slabs[i] = nil
}
