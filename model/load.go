package model

import (
	"iter"
	"math"
	"slices"
)

// How a log begins with a large state
//
// Most of what Append takes is to keep the newest version of an object that
// was not used lately as a splice. Where a state of a hundred thousand objects
// comes first, and somebody waits to see it, that is put off: the texts stay
// where they came from, or in hand where that cannot be, until Pack packs them,
// or until they take a third of the budget.

// Text is the text of an object somewhere else than in the log.
type Text interface {
	// AppendText appends it to dst. It may be called from any goroutine, at any
	// time, and the result is always the same.
	AppendText(dst []byte) ([]byte, error)
	// Size is how much memory is held for the text.
	Size() int
}

// Load appends records as [Log.Append] does, but leaves packing them, and what
// is appended after them, to Pack. It is for the state that a log begins with.
// Where a record comes with a Text, that is its Raw, which need not be copied
// then; nor even be there, where the record has its identity. n is about how many
// records there are.
func (l *Log) Load(n int, records iter.Seq2[Record, Text]) {
	defer l.notify()
	l.mu.Lock()
	l.objects.names.reserve(n)
	l.history.elsewhere.list = slices.Grow(l.history.elsewhere.list, n)
	l.mu.Unlock()
	for r, text := range records {
		l.loadOne(&r, text)
	}
}

func (l *Log) loadOne(r *Record, text Text) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpacked = true
	l.append(r, text)
	l.settleAfter()
	l.evict()
}

// raw makes the text of a record that came without.
func (l *Log) raw(text Text) []byte {
	raw, err := text.AppendText(nil)
	if err != nil { // see Text
		raw = []byte(`{}`)
	}
	return raw
}

// packWithAppend is how many objects an Append packs when too many are not.
const packWithAppend = 4

// Pack packs up to n objects that Load has left, and reports whether there are
// more. The log is locked meanwhile, for some microseconds each.
func (l *Log) Pack(n int) (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pack(n)
}

func (l *Log) pack(n int) (more bool) {
	if l.unpacked {
		l.unpacked = l.fetch(n) || l.settle(n)
	}
	return l.unpacked
}

// settleAfter is settle for an Append.
func (l *Log) settleAfter() {
	switch {
	case !l.unpacked:
		l.settle(math.MaxInt)
	case l.history.hands.memory+l.history.elsewhere.memory > l.budget/3: // the rest of it is needed
		l.pack(packWithAppend)
	}
}

// elsewhere are the versions whose texts are somewhere else. Their refs are
// places in the list.
type elsewhere struct {
	list   []borrowed
	next   int   // those before it have been fetched
	memory int64 // of the texts that have not
}

type borrowed struct {
	text   Text // nil once it is not needed any more
	object ObjectID
	row    uint32 // low bits of the Seq of the row that brought it
}

const borrowedMemory = 32

// borrow makes a text that is somewhere else the first version of an object,
// brought by row seq.
func (l *Log) borrow(id ObjectID, seq Seq, text Text) ref {
	e := &l.history.elsewhere
	e.list = append(e.list, borrowed{text, id, uint32(seq)})
	e.memory += int64(text.Size())
	return ref(len(e.list)-1)<<templateBits | isElsewhere
}

// of returns the text of a ref to elsewhere.
func (e *elsewhere) of(r ref) *borrowed { return &e.list[r>>templateBits] }

// free lets a text go.
func (e *elsewhere) free(b *borrowed) {
	e.memory -= int64(b.text.Size())
	b.text = nil
}

// fetch packs the first n texts that are somewhere else, and reports whether
// there are more.
func (l *Log) fetch(n int) (more bool) {
	e := &l.history.elsewhere
	for ; e.next < len(e.list); e.next++ {
		b := &e.list[e.next]
		if b.text == nil {
			continue
		}
		if n--; n < 0 {
			return true
		}
		raw, err := b.text.AppendText(l.scratch[:0])
		if l.scratch = raw; err != nil { // its text was there when it was appended: cannot happen
			raw = []byte(`{}`)
		}
		o := l.objects.get(b.object)
		at := ref(e.next)<<templateBits | isElsewhere
		h := hand{id: b.object, text: raw}
		if o.bits&rowless != 0 {
			o.ref = l.writeOut(&h, &l.history.survivors)
		} else {
			packed := l.writeOut(&h, &l.history.current)
			*l.rows.ref(l.rows.full(b.row)) = packed
			if o.ref == at {
				o.ref = packed
			}
		}
		e.free(b)
	}
	*e = elsewhere{}
	return false
}
