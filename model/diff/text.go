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
	maxLines     = 4000   // in one answer
	maxCompared  = 20_000 // lines, after what is common at both ends
	// maxEdits bounds the search, whose time and memory grow with its square:
	// 1,000 edits take some milliseconds and 8 MB.
	maxEdits = 1000
)

// TextDiff compares two texts by lines. It takes no longer than about 50 ms for
// any two texts of up to 1 MB, and the same pair gives the same answer on any
// machine: its bounds are numbers of lines and edits, and not a time.
func TextDiff(old, new string) Lines {
	old, new = endLine(old), endLine(new)
	head, tail := commonEnds(old, new)
	before, after := old[:head], old[len(old)-tail:]
	old, new = old[head:len(old)-tail], new[head:len(new)-tail]
	if old == "" && new == "" {
		return Lines{}
	}
	first := strings.Count(before, "\n") + 1
	context := lastLines(before, contextLines)
	w := lineWriter{a: firstLines(old, maxCompared), b: firstLines(new, maxCompared), old: first - len(context), new: first - len(context)}
	w.same(context)
	if n, m := strings.Count(old, "\n"), strings.Count(new, "\n"); max(n, m) > maxCompared {
		w.replace(n, m)
	} else if script, ok := shortestEdit(number(w.a, w.b)); ok {
		w.write(script)
	} else {
		w.replace(n, m)
	}
	w.same(firstLines(after, contextLines))
	return w.lines
}

// endLine puts a newline to the end of a text that has none there.
func endLine(s string) string {
	if s == "" || s[len(s)-1] == '\n' {
		return s
	}
	return s + "\n"
}

// commonEnds returns the length of the whole lines that two texts begin with and,
// behind those, end with.
func commonEnds(a, b string) (head, tail int) {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	head = strings.LastIndexByte(a[:i], '\n') + 1
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	begins := func(s string) bool { return len(s)-tail == head || s[len(s)-tail-1] == '\n' }
	if !begins(a) || !begins(b) { // in the middle of a line: not that one
		tail -= strings.IndexByte(a[len(a)-tail:]+"\n", '\n') + 1
		tail = max(tail, 0)
	}
	return head, tail
}

func lastLines(s string, n int) []string {
	from := len(s)
	for ; n > 0 && from > 0; n-- {
		from = strings.LastIndexByte(s[:from-1], '\n') + 1
	}
	return splitLines(s[from:])
}

func firstLines(s string, n int) []string {
	to := 0
	for ; n > 0 && to < len(s); n-- {
		to += strings.IndexByte(s[to:], '\n') + 1
	}
	return splitLines(s[:to])
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
// they are too many it reports false.
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
	return nil, false
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

// lineWriter puts the lines of an answer together. old and new are the numbers
// of the lines that come next.
type lineWriter struct {
	a, b     []string // not written yet
	old, new int
	lines    Lines
}

func (w *lineWriter) add(c LineChange) {
	if len(w.lines.Changes) >= maxLines {
		w.lines.Cut = true
		return
	}
	w.lines.Changes = append(w.lines.Changes, c)
}

// same adds equal lines.
func (w *lineWriter) same(lines []string) {
	for _, l := range lines {
		w.add(LineChange{Same, w.old, w.new, l})
		w.old, w.new = w.old+1, w.new+1
	}
}

// take adds one line as removed or added.
func (w *lineWriter) take(op Op) {
	if op == Remove {
		w.add(LineChange{Remove, w.old, 0, w.a[0]})
		w.a, w.old = w.a[1:], w.old+1
	} else {
		w.add(LineChange{Add, 0, w.new, w.b[0]})
		w.b, w.new = w.b[1:], w.new+1
	}
}

// replace shows n lines as removed and m as added, half of the answer each.
func (w *lineWriter) replace(n, m int) {
	w.lines.Cut = true
	old, new := w.old+n, w.new+m
	for range min(len(w.a), maxLines/2-contextLines) {
		w.take(Remove)
	}
	for range min(len(w.b), maxLines/2-contextLines) {
		w.take(Add)
	}
	w.old, w.new = old, new
}

// write adds what a script does. At its ends there are edits, so a run of equal
// lines has them on both sides.
func (w *lineWriter) write(script []Op) {
	for len(script) > 0 {
		if script[0] != Same {
			w.take(script[0])
			script = script[1:]
			continue
		}
		run := 0
		for run < len(script) && script[run] == Same {
			run++
		}
		lines := w.a[:run]
		w.a, w.b, script = w.a[run:], w.b[run:], script[run:]
		if left := run - 2*contextLines; left > 0 {
			w.same(lines[:contextLines])
			w.old, w.new = w.old+left, w.new+left
			lines = lines[run-contextLines:]
		}
		w.same(lines)
	}
}
