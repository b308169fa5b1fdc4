package recorder

import (
	"bytes"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"rewatch/model"
)

// queue holds records between the log, which must not wait, and the disk. It
// copies their bytes into chunks that are used again and again.
type queue struct {
	wake    chan struct{} // has a value pending when there may be something to take
	written atomic.Int64  // chunks given back
	records atomic.Int64  // that were taken and are not written yet

	mu     sync.Mutex
	max    int // bytes
	used   int // bytes queued or being written
	full   []*chunk
	fill   *chunk
	spare  []*chunk
	loss   *loss
	lost   int64    // frames, ever
	newest []uint64 // resourceVersion of the newest queued frame, by stream
	closed bool
}

const (
	chunkSize  = 256 << 10
	itemWeight = 320 // bytes of an item itself, about
	maxSpare   = 8
)

type chunk struct {
	data  []byte
	items []item
}

func (c *chunk) weight() int { return cap(c.data) + len(c.items)*itemWeight }

// item is one thing to write: a record, a new stream, or what was lost.
type item struct {
	record     model.Record // its Raw and Frame are in the chunk
	raw, frame span
	stream     *model.StreamInfo
	loss       *loss
	row        row
}

// row is what a filter must know of a record besides itself.
type row struct {
	seq     model.Seq
	object  model.ObjectID
	version uint32
}

type span struct{ from, to int }

func newQueue(limit int) *queue {
	return &queue{wake: make(chan struct{}, 1), max: limit}
}

// tap is what the log calls.
func (q *queue) tap() model.Tap {
	return model.Tap{Stream: q.addStream, Record: q.add}
}

func (q *queue) addStream(info model.StreamInfo) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.push(item{stream: &info}, nil, nil)
}

// add takes a record, or notes its loss.
func (q *queue) add(e model.Event, r model.Record) {
	raw, frame := r.Raw, r.Frame
	if r.Flags&model.Synthetic == 0 && canonical(r.Type, raw, frame) {
		frame = nil
	}
	r.Raw, r.Frame = nil, nil
	q.mu.Lock()
	defer q.mu.Unlock()
	isFrame := r.Type == 0 || r.Type.IsObject() || r.Type == model.Bookmark
	if q.closed {
		if isFrame {
			q.lost++
		}
		return
	}
	if q.loss != nil || isFrame && q.used+len(raw)+len(frame)+itemWeight > q.max || q.used > 2*q.max {
		if q.loss == nil {
			q.loss = newLoss()
		}
		if isFrame {
			q.lost++
			q.loss.frame(e, &r, q.rv(r.Stream))
		} else {
			q.loss.detail(r)
		}
		return
	}
	if e.RV != 0 {
		q.saw(r.Stream, e.RV)
	}
	q.push(item{record: r, row: row{e.Seq, e.Object, e.Version}}, raw, frame)
}

// canonical reports whether a frame is {"type":"…","object":raw}, which need
// not be kept beside raw.
func canonical(typ model.Type, raw, frame []byte) bool {
	if typ == 0 || len(frame) == 0 {
		return len(frame) == 0
	}
	const head, middle = `{"type":"`, `","object":`
	name := typ.String()
	at := len(head) + len(name) + len(middle)
	return len(frame) == at+len(raw)+1 && string(frame[:len(head)]) == head && string(frame[len(head):len(head)+len(name)]) == name &&
		string(frame[len(head)+len(name):at]) == middle && frame[len(frame)-1] == '}' && bytes.Equal(frame[at:at+len(raw)], raw)
}

func (q *queue) rv(s model.StreamID) uint64 {
	if int(s) < len(q.newest) {
		return q.newest[s]
	}
	return 0
}

func (q *queue) saw(s model.StreamID, rv uint64) {
	for int(s) >= len(q.newest) {
		q.newest = append(q.newest, 0)
	}
	q.newest[s] = rv
}

// push queues an item with its bytes; q.mu is held.
func (q *queue) push(x item, raw, frame []byte) {
	if q.closed {
		return
	}
	need := len(raw) + len(frame)
	if c := q.fill; c == nil || len(c.items) > 0 && (cap(c.data)-len(c.data) < need || len(c.items) == cap(c.items)) {
		if c != nil {
			q.full = append(q.full, c)
		}
		q.fill = q.chunk(need)
	}
	if x.stream == nil && x.loss == nil {
		q.records.Add(1)
	}
	c := q.fill
	before := c.weight()
	x.raw.from = len(c.data)
	c.data = append(c.data, raw...)
	x.raw.to, x.frame.from = len(c.data), len(c.data)
	c.data = append(c.data, frame...)
	x.frame.to = len(c.data)
	c.items = append(c.items, x)
	q.used += c.weight() - before
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// chunk returns an empty chunk with room; q.mu is held.
func (q *queue) chunk(need int) *chunk {
	if n := len(q.spare); n > 0 && need <= chunkSize {
		c := q.spare[n-1]
		q.spare = q.spare[:n-1]
		q.used += c.weight()
		return c
	}
	const items = 512
	c := &chunk{data: make([]byte, 0, max(need, chunkSize)), items: make([]item, 0, items)}
	q.used += c.weight()
	return c
}

// take returns the oldest chunk, nil if there is none. done has to be called
// when it was written. What was lost comes when there is room again.
func (q *queue) take() *chunk {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.loss != nil && q.used <= q.max/2 {
		l := q.loss
		q.loss = nil
		for s, n := range l.streams {
			if n.to != 0 {
				q.saw(s, n.to)
			}
		}
		q.push(item{loss: l}, nil, nil)
	}
	if len(q.full) > 0 {
		c := q.full[0]
		q.full = q.full[1:]
		return c
	}
	c := q.fill
	q.fill = nil
	return c
}

// done gives a chunk back.
func (q *queue) done(c *chunk) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= c.weight()
	q.written.Add(1)
	clear(c.items)
	c.items, c.data = c.items[:0], c.data[:0]
	if cap(c.data) == chunkSize && len(q.spare) < maxSpare {
		q.spare = append(q.spare, c)
	}
}

// roomy reports whether less than half of the limit is used.
func (q *queue) roomy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used < q.max/2 || q.closed
}

// close lets go of everything and takes nothing more. Frames that come all the
// same are lost.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.full, q.fill, q.spare, q.loss = nil, nil, nil, nil
}

// standing is how much is queued, the time of the oldest of that, and how much
// was lost since the beginning.
func (q *queue) standing() (used int, oldest time.Time, lost int64, losing bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range append(q.full[:len(q.full):len(q.full)], q.fill) {
		if c != nil {
			oldest = c.items[0].record.Time
			break
		}
	}
	return q.used, oldest, q.lost, q.loss != nil
}

// loss is a time in which the queue was full.
type loss struct {
	end     time.Time // of the newest record
	streams map[model.StreamID]*lostFrames
	objects map[lostKey]lostObject
	beyond  map[model.StreamID]int // changes of objects beyond maxObjects
	details []model.Record
	dropped int64 // details beyond maxDetails
}

// What is kept while frames are lost, however long that is: steps, gaps and
// notes, more than any engine makes while a disk hangs, and objects that changed.
const (
	maxDetails = 10_000
	maxObjects = 200_000
)

type lostFrames struct {
	n        int64
	from, to uint64 // resourceVersions before and at the end, 0 if not known
}

type lostKey struct {
	object model.ObjectID
	stream model.StreamID
}

// lostObject is what became of an object meanwhile.
type lostObject struct {
	version uint32
	born    bool // the first that was lost of it was an ADDED
	gone    bool
}

func newLoss() *loss {
	return &loss{streams: map[model.StreamID]*lostFrames{}, objects: map[lostKey]lostObject{}, beyond: map[model.StreamID]int{}}
}

func (l *loss) frame(e model.Event, r *model.Record, before uint64) {
	l.end = r.Time
	n := l.streams[r.Stream]
	if n == nil {
		n = &lostFrames{from: before}
		l.streams[r.Stream] = n
	}
	n.n++
	if e.RV != 0 {
		n.to = e.RV
	}
	if r.Type.IsObject() {
		key := lostKey{e.Object, r.Stream}
		o, known := l.objects[key]
		if !known && len(l.objects) == maxObjects {
			l.beyond[r.Stream]++
			return
		}
		if !known {
			o.born = r.Type == model.Added && !e.Has(model.Replayed)
		}
		o.version, o.gone = e.Version, r.Type == model.Deleted
		l.objects[key] = o
	}
}

func (l *loss) detail(r model.Record) {
	l.end = r.Time
	if len(l.details) == maxDetails {
		l.dropped++
		return
	}
	l.details = append(l.details, r)
}

// rvText is a resourceVersion as text, "" for none.
func rvText(rv uint64) string {
	if rv == 0 {
		return ""
	}
	return strconv.FormatUint(rv, 10)
}
