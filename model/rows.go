package model

import "sync/atomic"

const rowsPerChunk = 1024

// row is one row of the log, 32 bytes without pointers. Once appended it does
// not change: readers of snapshots look at it without a lock.
type row struct {
	time    int64
	rv      uint64
	object  ObjectID
	version uint32 // of other rows than those of objects: 1 + index into chunk.details
	stream  uint16
	flags   Flag
	typ     Type
}

// brought is what the history keeps of the rows of a chunk, 12 bytes a row.
// Only the holder of the log's lock may look.
type brought struct {
	refs  [rowsPerChunk]ref    // bytes of the version that the row brought; 0 if it brought none
	prevs [rowsPerChunk]uint32 // low bits of the Seq of the row that brought the version before
}

// chunk is a fixed run of rows.
type chunk struct {
	rows    *[rowsPerChunk]row
	brought *brought
	details atomic.Pointer[[]any]
}

const chunkMemory = rowsPerChunk*(32+12) + 32

func newChunk() *chunk {
	return &chunk{rows: new([rowsPerChunk]row), brought: new(brought)}
}

// addDetail keeps a detail and returns 1 + its index. What readers may hold of
// the list is never written to.
func (c *chunk) addDetail(d any) uint32 {
	var list []any
	if p := c.details.Load(); p != nil {
		list = *p
	}
	list = append(list, d)
	c.details.Store(&list)
	return uint32(len(list))
}

func (c *chunk) event(seq Seq) Event {
	r := &c.rows[seq%rowsPerChunk]
	e := Event{Seq: seq, Time: r.time, Stream: StreamID(r.stream), Type: r.typ, Flags: r.flags, RV: r.rv}
	if r.typ.IsObject() {
		e.Object, e.Version = r.object, r.version
	} else if r.version > 0 {
		e.Detail = (*c.details.Load())[r.version-1]
	}
	return e
}

// rows is the append-only sequence of rows, in chunks. The list of chunks is
// only ever appended to or copied, so that a snapshot may keep it.
type rows struct {
	chunks []*chunk
	first  Seq // of chunks[0]; a multiple of rowsPerChunk
	end    Seq
}

func (r *rows) chunk(seq Seq) *chunk { return r.chunks[(seq-r.first)/rowsPerChunk] }

func (r *rows) holds(seq Seq) bool { return seq >= r.first && seq < r.end }

func (r *rows) row(seq Seq) *row { return &r.chunk(seq).rows[seq%rowsPerChunk] }

// ref is where the bytes of the version are that a row brought.
func (r *rows) ref(seq Seq) *ref { return &r.chunk(seq).brought.refs[seq%rowsPerChunk] }

// prev is the row that brought the version before the one that seq brought.
func (r *rows) prev(seq Seq) Seq { return r.full(r.chunk(seq).brought.prevs[seq%rowsPerChunk]) }

// full makes a Seq of its low bits: the newest one that ends in them.
func (r *rows) full(low uint32) Seq { return r.end - Seq(uint32(r.end)-low) }

// drop lets the oldest chunk go.
func (r *rows) drop() {
	r.chunks = append([]*chunk(nil), r.chunks[1:]...)
	r.first += rowsPerChunk
}

// Snapshot is an immutable view of the log at one moment. It is a small value,
// it costs the same however much is held, and it may be used from any
// goroutine without a lock. Its rows stay readable after they have left the
// log; their bytes do not.
type Snapshot struct{ r rows }

// Snapshot returns the log as it is now.
func (l *Log) Snapshot() Snapshot {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Snapshot{r: l.rows}
}

// First is the oldest row held; it equals End if none is.
func (s Snapshot) First() Seq { return s.r.first }

// End is one past the newest row.
func (s Snapshot) End() Seq { return s.r.end }

// Len is the number of rows held.
func (s Snapshot) Len() int { return int(s.r.end - s.r.first) }

// Evicted is the number of rows that have left the log since it began.
func (s Snapshot) Evicted() uint64 { return uint64(s.r.first) }

// At returns a row; seq must be in [First, End).
func (s Snapshot) At(seq Seq) Event {
	if !s.r.holds(seq) {
		panic("model: Snapshot.At: no such row")
	}
	return s.r.chunk(seq).event(seq)
}
