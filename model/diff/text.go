package diff

import "strings"

// Same is the Op of a line that a [LineChange] shows for context.
const Same Op = 0

// LineChange is one line of the comparison of two texts.
type LineChange struct {
	Op       Op  // Add, Remove or Same
	Old, New int // line numbers from 1; 0 where the line is not in that text
	Text     string
}

// Lines is the comparison of two texts, line by line.
type Lines struct {
	// Changes are the changed lines in order, with up to three lines of
	// context around them. Where line numbers jump, equal lines were left out.
	Changes []LineChange
	// Cut is set when the texts differ in more than was worth comparing: then
	// the part that differs is shown as all removed and all added, and not all
	// of that.
	Cut bool
}

const (
	contextLines = 3
	maxLines     = 4000 // in one answer
	// maxEdits bounds the search, whose time and memory grow with its square:
	// 1,000 edits take some milliseconds and 8 MB.
	maxEdits = 1000
)

// TextDiff compares two texts by lines. It takes no longer than about 50 ms for
// any two texts of up to 1 MB, and the same pair gives the same answer on any
// machine: its bound is a number of edits and not a time.
func TextDiff(old, new string) Lines {
	a, b := splitLines(old), splitLines(new)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	script, ok := shortestEdit(number(a[head:len(a)-tail], b[head:len(b)-tail]))
	w := lineWriter{a: a, b: b}
	w.lines.Cut = !ok
	if head < len(a)-tail || head < len(b)-tail {
		w.context(head-contextLines, head, 0)
		w.write(head, script)
		w.context(len(a)-tail, len(a)-tail+contextLines, (len(b))-len(a))
	}
	return w.lines
}

// splitLines splits text into lines without their ends. What follows the last
// newline is a line only if there is something.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// number replaces equal lines by equal numbers.
func number(a, b []string) (x, y []int32) {
	ids := make(map[string]int32, len(a)+len(b))
	of := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = int32(len(ids))
				ids[l] = id
			}
			out[i] = id
		}
		return out
	}
	return of(a), of(b)
}

// shortestEdit returns the operations that make y of x, one for each line
// kept, removed or added (E. Myers, An O(ND) Difference Algorithm, 1986). If
// they are too many it removes all and adds all, and reports false.
func shortestEdit(x, y []int32) (script []Op, ok bool) {
	n, m := len(x), len(y)
	limit := min(n+m, maxEdits)
	// reach[k+limit+1] is how far in x diagonal k got; trace keeps reach for
	// each number of edits, as the way back needs it.
	reach := make([]int32, 2*limit+3)
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			at := limit + 1 + k
			i := reach[at-1] + 1 // remove a line of x
			if k == -d || k != d && reach[at-1] < reach[at+1] {
				i = reach[at+1] // add a line of y
			}
			j := i - int32(k)
			for int(i) < n && int(j) < m && x[i] == y[j] {
				i, j = i+1, j+1
			}
			reach[at] = i
			if int(i) >= n && int(j) >= m {
				return backtrack(trace, n, m, d), true
			}
		}
		row := make([]int32, 2*d+1)
		copy(row, reach[limit+1-d:limit+2+d])
		trace = append(trace, row)
	}
	for range n {
		script = append(script, Remove)
	}
	for range m {
		script = append(script, Add)
	}
	return script, false
}

// backtrack walks from the end to the beginning, through the reach of each
// number of edits less than d.
func backtrack(trace [][]int32, n, m, d int) []Op {
	var reversed []Op
	i, j := n, m
	for ; d > 0; d-- {
		row := trace[d-1] // diagonals 1-d to d-1
		at := func(k int) int {
			if k < 1-d || k > d-1 {
				return -1
			}
			return int(row[k+d-1])
		}
		k := i - j
		added := k == -d || k != d && at(k-1) < at(k+1)
		from, op := at(k-1), Remove
		if added {
			from, op = at(k+1), Add
		}
		start := from // where the equal lines behind the edit begin
		if op == Remove {
			start++
		}
		for ; i > start; i, j = i-1, j-1 {
			reversed = append(reversed, Same)
		}
		reversed = append(reversed, op)
		if op == Remove {
			i--
		} else {
			j--
		}
	}
	for ; i > 0; i-- {
		reversed = append(reversed, Same)
	}
	for l, r := 0, len(reversed)-1; l < r; l, r = l+1, r-1 {
		reversed[l], reversed[r] = reversed[r], reversed[l]
	}
	return reversed
}

// lineWriter puts the lines of an answer together.
type lineWriter struct {
	a, b  []string
	lines Lines
}

func (w *lineWriter) add(c LineChange) {
	if len(w.lines.Changes) >= maxLines {
		w.lines.Cut = true
		return
	}
	w.lines.Changes = append(w.lines.Changes, c)
}

// context adds equal lines of the old text; shift is how many lines further
// down they stand in the new one.
func (w *lineWriter) context(from, to, shift int) {
	for i := max(from, 0); i < min(to, len(w.a)); i++ {
		w.add(LineChange{Same, i + 1, i + 1 + shift, w.a[i]})
	}
}

// write adds what a script does from line head of both texts on.
func (w *lineWriter) write(head int, script []Op) {
	i, j := head, head
	for at := 0; at < len(script); {
		switch script[at] {
		case Remove:
			w.add(LineChange{Remove, i + 1, 0, w.a[i]})
			i++
			at++
		case Add:
			w.add(LineChange{Add, 0, j + 1, w.b[j]})
			j++
			at++
		default:
			run := 0
			for at+run < len(script) && script[at+run] == Same {
				run++
			}
			// At the ends of the script there are edits, so a run has them on
			// both sides.
			if run <= 2*contextLines {
				w.context(i, i+run, j-i)
			} else {
				w.context(i, i+contextLines, j-i)
				w.context(i+run-contextLines, i+run, j-i)
			}
			i, j, at = i+run, j+run, at+run
		}
	}
}
