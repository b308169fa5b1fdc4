package model

import (
	"iter"
	"slices"

	"rewatch/model/redact"
)

// Tap is who gets what is appended to a Log, in the order of its rows and
// redacted. Both functions are called while the log is locked: they must
// neither wait nor use the log.
type Tap struct {
	// Stream is called with each stream that is added.
	Stream func(StreamInfo)
	// Record is called with each row and the record it was made of. The record
	// has the flags of the row, so that another log makes the same row of it.
	// Its Raw and Frame are only valid during the call. Its Identity and RV are
	// empty where Raw says them.
	//
	// What is passed on without becoming a row (Log.Pass) comes with a record
	// of Type 0 and the zero Event.
	Record func(Event, Record)
}

// Held is what a log holds at the moment of a Tap.
type Held struct {
	Snapshot Snapshot
	Streams  []StreamStatus // without rates

	l       *Log
	objects []heldObject // by number; all below next have been yielded
	next    int
	saved   map[ObjectID]savedObject // those that changed before they were yielded
	memory  int                      // bytes of those
	over    bool
}

// maxSaved bounds what is kept of objects that change before they are yielded.
const maxSaved = 64 << 20

type heldObject struct {
	id      ObjectID
	version uint32
	stream  uint16
	rows    bool
}

type savedObject struct {
	identity Identity
	raw      []byte
}

// HeldObject is an object that exists in a stream.
type HeldObject struct {
	Stream   StreamID
	Object   ObjectID
	Version  uint32
	Identity Identity
	// Row reports whether the row that brought this version is in the snapshot.
	Row bool
	Raw []byte
}

// Tap lets t have everything that is appended from now on, until cancel is
// called. held is what came before: between the two there is neither a hole
// nor a repetition.
func (l *Log) Tap(t Tap) (held *Held, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := &Held{Snapshot: Snapshot{r: l.rows}, l: l, saved: map[ObjectID]savedObject{}}
	for _, s := range l.streams {
		h.Streams = append(h.Streams, s.StreamStatus)
	}
	for c, x := range l.objects.chunks {
		if x == nil {
			continue
		}
		for i := range x.objects {
			o := &x.objects[i]
			if o.bits&occupied == 0 || !o.exists() {
				continue
			}
			id := ObjectID(c*objectsPerChunk + i)
			h.objects = append(h.objects, heldObject{id, o.newest, o.stream, o.bits&rowless == 0})
			for _, s := range l.objects.shared[id] {
				h.objects = append(h.objects, heldObject{id, o.newest, s, o.bits&rowless == 0})
			}
		}
	}
	entry := &tap{Tap: t, held: h}
	l.taps = append(l.taps, entry)
	return h, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.taps = slices.DeleteFunc(l.taps, func(x *tap) bool { return x == entry })
	}
}

type tap struct {
	Tap
	held *Held
}

// Len is the number of objects that Objects yields. rowless counts only those
// whose newest version was brought by a row that has left the log.
func (h *Held) Len(rowless bool) int {
	if !rowless {
		return len(h.objects)
	}
	n := 0
	for i := range h.objects {
		if !h.objects[i].rows {
			n++
		}
	}
	return n
}

// heldBatch is how many objects are read at a time while appends wait.
const heldBatch = 32

// Objects yields the objects that existed in each stream at the moment of the
// Tap, as they were then, whatever has happened since. It may be called once,
// before the Tap is cancelled. Raw may be kept. Who takes so long that too much
// changes meanwhile does not get all of them: see Over.
func (h *Held) Objects() iter.Seq[HeldObject] {
	return func(yield func(HeldObject) bool) {
		var batch []HeldObject
		for {
			if batch = h.read(batch[:0]); len(batch) == 0 {
				return
			}
			for _, o := range batch {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// Over reports whether Objects ended early, because what had changed meanwhile
// took too much memory.
func (h *Held) Over() bool {
	h.l.mu.RLock()
	defer h.l.mu.RUnlock()
	return h.over
}

// Release lets go of the objects that Objects has not yielded. Until one of the
// two, the log keeps what changes as it was.
func (h *Held) Release() {
	h.l.mu.Lock()
	defer h.l.mu.Unlock()
	h.release()
}

func (h *Held) release() { h.objects, h.next, h.saved, h.memory = nil, 0, nil, 0 }

func (h *Held) read(batch []HeldObject) []HeldObject {
	h.l.mu.Lock()
	defer h.l.mu.Unlock()
	for ; h.next < len(h.objects) && len(batch) < heldBatch; h.next++ {
		x := h.objects[h.next]
		s, ok := h.saved[x.id]
		if !ok {
			s = h.l.saved(x.id)
		} else if last := h.next+1 == len(h.objects) || h.objects[h.next+1].id != x.id; last {
			delete(h.saved, x.id)
			h.memory -= len(s.raw)
		}
		batch = append(batch, HeldObject{StreamID(x.stream), x.id, x.version, s.identity, x.rows, s.raw})
	}
	return batch
}

// saved copies the newest version of an object.
func (l *Log) saved(id ObjectID) savedObject {
	o := l.objects.get(id)
	raw, err := l.bytes(nil, id, o, o.newest)
	if err != nil {
		raw = []byte(`{}`) // memory that the process itself wrote: cannot happen
	}
	return savedObject{l.objects.identity(id), raw}
}

// save keeps an object that is about to change for the taps that have yet to
// read it as it was.
func (l *Log) save(id ObjectID) {
	for _, t := range l.taps {
		h := t.held
		if h.next == len(h.objects) {
			continue
		}
		i, found := slices.BinarySearchFunc(h.objects, id, func(x heldObject, id ObjectID) int { return int(x.id) - int(id) })
		if !found {
			continue
		}
		for i+1 < len(h.objects) && h.objects[i+1].id == id { // the last of its streams
			i++
		}
		if _, ok := h.saved[id]; ok || i < h.next {
			continue
		}
		s := l.saved(id)
		h.saved[id] = s
		if h.memory += len(s.raw); h.memory > maxSaved {
			h.release()
			h.over = true
		}
	}
}

// hand gives a row and its record to the taps. given is whether the caller
// said the identity.
func (l *Log) hand(st *stream, e Event, r *Record, given bool) {
	out := *r
	if out.Flags = e.Flags; !given {
		out.Identity, out.RV = Identity{}, ""
	}
	reach := st.Secrecy(r.Identity)
	if r.Type == Bookmark && len(r.Raw) > 0 {
		out.Raw = l.redacted(r.Raw, reach)
	}
	if !r.Type.IsObject() && r.Type != Bookmark {
		reach = max(reach, redact.Inside)
	}
	if len(r.Frame) > 0 {
		out.Frame = l.redactedFrame(r.Frame, reach)
	}
	for _, t := range l.taps {
		t.Record(e, out)
	}
}

// Pass hands a frame that makes no row to the taps, in order with the rows:
// one of the type ERROR, or of a type that is not known. Of the record only
// Time, Stream and Frame count.
func (l *Log) Pass(r Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.taps) == 0 {
		return
	}
	out := Record{Time: r.Time, Stream: r.Stream, Frame: r.Frame, Bytes: len(r.Frame)}
	out.Frame = l.redactedFrame(r.Frame, max(l.streams[r.Stream].Secrecy(), redact.Inside))
	for _, t := range l.taps {
		t.Record(Event{}, out)
	}
}

// redactedFrame is redacted for a whole frame.
func (l *Log) redactedFrame(frame []byte, reach redact.Reach) []byte {
	return l.redactor.ApplyFrame(l.redactor.Within(frame, reach))
}
