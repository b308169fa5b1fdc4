package model

import (
	"math/bits"
	"strings"
)

// maxWords is how many words PlainWords tells apart; the words beyond it
// are looked for as one, with the spaces between them.
const maxWords = 16

// Filter decides whether a row is shown. It may be called for rows in any
// order, by one goroutine at a time.
type Filter func(Event) bool

// PlainWords makes a filter of words separated by spaces: all of them must be
// found, whatever the case, in the kind, namespace, name, type, stream or
// context of a row; of notes and changes of streams also in their text. Gaps
// always match: a gap must never be hidden. ok is false if the query has no
// words, when every row would match.
//
// What an object contributes is found out once for each object, so the filter
// remembers; it belongs to one goroutine.
func PlainWords(query string, l *Log) (match Filter, ok bool) {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil, false
	}
	if len(words) > maxWords {
		words = append(words[:maxWords-1:maxWords-1], strings.Join(words[maxWords-1:], " "))
	}
	w := &wordFilter{log: l, words: words, all: 1<<len(words) - 1}
	for t := range w.types {
		w.types[t] = w.find(Type(t).String())
	}
	for i, word := range flagWords {
		w.flagged[i] = w.find(word)
	}
	return w.match, true
}

// wordFilter keeps, for each thing a row refers to, the set of the words that
// it contains, as a mask; those of objects and streams plus 1<<maxWords as the
// sign that they were found out.
type wordFilter struct {
	log     *Log
	words   []string
	all     uint32
	types   [Noted + 1]uint32
	flagged [len(flagWords)]uint32
	objects []uint32
	streams []uint32
}

const found = 1 << maxWords

func (w *wordFilter) find(texts ...string) (mask uint32) {
	for _, t := range texts {
		t = strings.ToLower(t)
		for i, word := range w.words {
			if strings.Contains(t, word) {
				mask |= 1 << i
			}
		}
	}
	return mask
}

func (w *wordFilter) match(e Event) bool {
	if e.Type == GapFound {
		return true
	}
	mask := w.stream(e.Stream)
	if int(e.Type) < len(w.types) {
		mask |= w.types[e.Type]
	}
	if e.Object != 0 {
		mask |= w.object(e.Object)
	}
	if e.Flags != 0 && mask&w.all != w.all {
		mask |= w.flags(e.Flags)
	}
	switch d := e.Detail.(type) {
	case Note:
		mask |= w.find(d.Text, string(d.Cause))
	case Transition:
		mask |= w.find(d.Text, string(d.Cause), d.To.String())
	}
	return mask&w.all == w.all
}

func (w *wordFilter) object(id ObjectID) uint32 {
	for int(id) >= len(w.objects) {
		w.objects = append(w.objects, make([]uint32, max(1024, len(w.objects)/4))...)
	}
	if m := w.objects[id]; m != 0 {
		return m
	}
	x := w.log.Identity(id)
	if x == (Identity{}) {
		return 0 // it has left: no reason to remember
	}
	w.objects[id] = found | w.find(x.Kind, x.Namespace, x.Name, x.Context)
	return w.objects[id]
}

func (w *wordFilter) stream(id StreamID) uint32 {
	if int(id) >= len(w.streams) {
		w.streams = append(w.streams, make([]uint32, int(id)+1-len(w.streams))...)
	}
	if m := w.streams[id]; m != 0 {
		return m
	}
	s, _ := w.log.Stream(id)
	w.streams[id] = found | w.find(s.Name(), s.Kind, s.Context)
	return w.streams[id]
}

var flagWords = [...]string{"initial", "relist", "replayed", "recreated", "selection"}

func (w *wordFilter) flags(f Flag) (mask uint32) {
	for f &= 1<<len(flagWords) - 1; f != 0; f &= f - 1 {
		mask |= w.flagged[bits.TrailingZeros16(uint16(f))]
	}
	return mask
}
