package ui

import (
	"slices"
	"sort"

	"rewatch/model"
)

// seqList is a sorted list of rows of which any may go and come: groups move to
// the end one by one, and a list in one piece would be made anew for each. It
// is in blocks, so that a change costs a search and the move of at most a
// block; the place of a block in the whole is counted when somebody asks.
type seqList struct {
	blocks [][]model.Seq // none is empty
	before []int         // rows before each block, of the first known blocks
	known  int
	n      int
}

// seqBlock is how many rows a block has at most.
const seqBlock = 512

func (l *seqList) len() int { return l.n }

// block is the last block that begins at or before a row, 0 if none does.
func (l *seqList) block(seq model.Seq) int {
	n := len(l.blocks)
	if n > 0 && l.blocks[n-1][0] <= seq {
		return n - 1
	}
	return max(sort.Search(n, func(i int) bool { return l.blocks[i][0] > seq })-1, 0)
}

// insert takes a row in, unless it is there.
func (l *seqList) insert(seq model.Seq) {
	if len(l.blocks) == 0 {
		l.put(0, []model.Seq{seq})
		l.n++
		return
	}
	at := l.block(seq)
	b := l.blocks[at]
	i, ok := slices.BinarySearch(b, seq)
	if ok {
		return
	}
	l.n++
	l.known = min(l.known, at+1)
	switch {
	case len(b) < seqBlock:
		l.blocks[at] = slices.Insert(b, i, seq)
	case i == len(b): // rows come at the end
		l.put(at+1, append(make([]model.Seq, 0, seqBlock), seq))
	default:
		half := slices.Clone(b[seqBlock/2:])
		l.blocks[at] = b[:seqBlock/2]
		l.put(at+1, half)
		if i > seqBlock/2 {
			l.blocks[at+1] = slices.Insert(half, i-seqBlock/2, seq)
		} else {
			l.blocks[at] = slices.Insert(l.blocks[at], i, seq)
		}
	}
}

// put makes a block the one at a place.
func (l *seqList) put(at int, b []model.Seq) {
	l.blocks = slices.Insert(l.blocks, at, b)
	l.known = min(l.known, at)
}

// remove takes a row out, if it is there. What is left of two neighbours that
// fit into half a block becomes one.
func (l *seqList) remove(seq model.Seq) {
	if len(l.blocks) == 0 {
		return
	}
	at := l.block(seq)
	i, ok := slices.BinarySearch(l.blocks[at], seq)
	if !ok {
		return
	}
	l.n--
	l.known = min(l.known, at+1)
	b := slices.Delete(l.blocks[at], i, i+1)
	l.blocks[at] = b
	switch next := at + 1; {
	case len(b) == 0:
		l.drop(at)
	case next < len(l.blocks)-1 && len(b)+len(l.blocks[next]) <= seqBlock/2:
		l.blocks[at] = append(b, l.blocks[next]...)
		l.drop(next)
	}
}

func (l *seqList) drop(at int) {
	l.blocks = slices.Delete(l.blocks, at, at+1)
	l.known = min(l.known, at)
}

// evict forgets the rows before one.
func (l *seqList) evict(first model.Seq) {
	if len(l.blocks) == 0 || l.blocks[0][0] >= first {
		return
	}
	at := l.block(first)
	for _, b := range l.blocks[:at] {
		l.n -= len(b)
	}
	i, _ := slices.BinarySearch(l.blocks[at], first)
	l.n -= i
	l.blocks[at] = l.blocks[at][i:]
	if len(l.blocks[at]) == 0 {
		at++
	}
	l.blocks = slices.Delete(l.blocks, 0, at)
	l.known = 0
}

// count brings the places of the blocks up to date.
func (l *seqList) count() {
	for ; l.known < len(l.blocks); l.known++ {
		n := 0
		if i := l.known; i > 0 {
			n = l.before[i-1] + len(l.blocks[i-1])
		}
		l.before = append(l.before[:l.known], n)
	}
}

// at is the row at a position.
func (l *seqList) at(pos int) model.Seq {
	l.count()
	i := sort.Search(l.known, func(i int) bool { return l.before[i] > pos }) - 1
	return l.blocks[i][pos-l.before[i]]
}

// upTo counts the rows up to one, that one included; has is whether it is there.
func (l *seqList) upTo(seq model.Seq) (n int, has bool) {
	if len(l.blocks) == 0 {
		return 0, false
	}
	l.count()
	at := l.block(seq)
	i, has := slices.BinarySearch(l.blocks[at], seq)
	if has {
		i++
	}
	return l.before[at] + i, has
}
