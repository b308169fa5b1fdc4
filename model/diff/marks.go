package diff

import (
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Mark is a part of a line, in bytes: [From, To).
type Mark struct{ From, To int }

const (
	maxMarked  = 200     // pairs of lines of one answer
	maxMarks   = 4096    // bytes of a line whose characters are compared
	leastAlike = 4       // of a line at least one part in so many must be as it was
	maxWork    = 1 << 20 // of two lines: about 2 ms at worst
	maxWorks   = 8 << 20 // of all lines of one answer
	markTime   = 2 * time.Millisecond
)

// Marks tells which characters of two lines differ. Both are nil where the lines
// are too long, or have so little in common that it would say nothing.
func Marks(old, new string) (was, is []Mark) {
	if len(old) > maxMarks || len(new) > maxMarks || old == "" || new == "" {
		return nil, nil
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = noLimit
	if work(old, new) > maxWork {
		dmp.DiffTimeout = markTime
	}
	same, i, j := 0, 0, 0
	for _, d := range dmp.DiffCleanupSemantic(dmp.DiffMain(old, new, false)) {
		switch n := len(d.Text); d.Type {
		case diffmatchpatch.DiffDelete:
			was, i = append(was, Mark{i, i + n}), i+n
		case diffmatchpatch.DiffInsert:
			is, j = append(is, Mark{j, j + n}), j+n
		default:
			same, i, j = same+n, i+n, j+n
		}
	}
	if i != len(old) || j != len(new) || same*leastAlike < max(len(old), len(new)) { // the first: it was not UTF-8
		return nil, nil
	}
	return was, is
}

// work is how many steps it takes at worst to compare two lines: it is quadratic
// in what is between their common ends.
func work(old, new string) int {
	n := min(len(old), len(new))
	head, tail := 0, 0
	for head < n && old[head] == new[head] {
		head++
	}
	for tail < n-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	half := (len(old)+len(new))/2 - head - tail
	return half * half
}

// mark compares lines that were removed with those that took their places,
// where they are as many.
func (l *Lines) mark() {
	pairs, spent := 0, 0
	for i := 0; i < len(l.Changes); {
		n, m := run(l.Changes[i:], Remove), 0
		if n > 0 {
			m = run(l.Changes[i+n:], Add)
		}
		for k := 0; k < n && n == m && pairs < maxMarked && spent < maxWorks; k++ {
			a, b := &l.Changes[i+k], &l.Changes[i+n+k]
			a.Marks, b.Marks = Marks(a.Text, b.Text)
			spent += min(work(a.Text, b.Text), maxWork) // a clock bounds what is more
			pairs++
		}
		i += max(n+m, 1)
	}
}

// run is how many changes of one kind come first.
func run(changes []LineChange, op Op) int {
	n := 0
	for n < len(changes) && changes[n].Op == op {
		n++
	}
	return n
}
