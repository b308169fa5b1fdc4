package diff

import (
	"time"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Mark is a part of a line, in bytes: [From, To).
type Mark struct{ From, To int }

const (
	maxMarked  = 200  // pairs of lines of one answer
	maxMarks   = 4096 // bytes of a line whose characters are compared
	markTime   = 2 * time.Millisecond
	marksTime  = 15 * time.Millisecond // of all lines of one answer
	leastAlike = 4                     // of a line at least one part in so many must be as it was
)

// Marks tells which characters of two lines differ. Both are nil where the lines
// are too long, or have so little in common that it would say nothing.
func Marks(old, new string) (was, is []Mark) { return marks(old, new, markTime) }

func marks(old, new string, limit time.Duration) (was, is []Mark) {
	if len(old) > maxMarks || len(new) > maxMarks || old == "" || new == "" {
		return nil, nil
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = limit
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

// mark compares lines that were removed with those that took their places,
// where they are as many.
func (l *Lines) mark() {
	begin := time.Now()
	pairs := 0
	for i := 0; i < len(l.Changes); {
		n, m := run(l.Changes[i:], Remove), 0
		if n > 0 {
			m = run(l.Changes[i+n:], Add)
		}
		for k := 0; k < n && n == m && pairs < maxMarked && time.Since(begin) < marksTime; k++ {
			a, b := &l.Changes[i+k], &l.Changes[i+n+k]
			a.Marks, b.Marks = marks(a.Text, b.Text, markTime)
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
