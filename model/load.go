package model

import (
	"iter"
	"math"
)

// How a log begins with a large state
//
// Most of what Append takes is to keep the newest version of an object that
// was not used lately as a splice. Where a state of a hundred thousand objects
// comes first, and somebody waits to see it, that is put off: the texts stay
// in hand until Pack packs them, or until they take a third of the budget.

// Load appends records as [Log.Append] does, but leaves packing them, and what
// is appended after them, to Pack. It is for the state that a log begins with.
func (l *Log) Load(records iter.Seq[Record]) {
	defer l.notify()
	for r := range records {
		l.loadOne(&r)
	}
}

func (l *Log) loadOne(r *Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unpacked = true
	l.append(r)
	l.settleAfter()
	l.evict()
}

// packWithAppend is how many objects an Append packs when too many are in hand.
const packWithAppend = 4

// Pack packs up to n objects that Load has left, and reports whether there are
// more. The log is locked meanwhile, for some microseconds each.
func (l *Log) Pack(n int) (more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unpacked {
		l.unpacked = l.settle(n)
	}
	return l.unpacked
}

// settleAfter is settle for an Append.
func (l *Log) settleAfter() {
	switch {
	case !l.unpacked:
		l.settle(math.MaxInt)
	case l.history.hands.memory > l.budget/3: // the rest of it is needed
		l.unpacked = l.settle(packWithAppend)
	}
}
