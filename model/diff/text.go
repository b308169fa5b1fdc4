package diff

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Same is the Op of a line that a [LineChange] shows for context.
const Same Op = 0

// LineChange is one line of the comparison of two texts.
type LineChange struct {
	Op       Op  // Add, Remove or Same
	Old, New int // line numbers from 1; 0 where the line is not in that text
	Text     string
	// Marks are the characters of a changed line that its counterpart, the line
	// that it took the place of, has not; nil where it has none, or hardly anything
	// in common with it.
	Marks []Mark
}

// Lines is the comparison of two texts, line by line.
type Lines struct {
	// Changes are the changed lines in order, with up to three lines of
	// context around them. Where line numbers jump, equal lines were left out.
	Changes []LineChange
	// Cut is set when the texts differ in more than was worth comparing: then
	// lines that could have been matched are shown as removed and added, and
	// not all of those.
	Cut bool
}

const (
	contextLines = 3
	maxLines     = 4000   // in one answer
	maxCompared  = 20_000 // lines, after what is common at both ends
	// timeLimit bounds the search, which is quadratic in what differs. Up to
	// surelyCompared lines take less at worst: there no clock decides, which runs
	// on while a busy machine does something else.
	timeLimit      = 20 * time.Millisecond
	surelyCompared = 4000 // of both texts together
	noLimit        = time.Hour
)

// TextDiff compares two texts by lines. It takes no longer than about 50 ms for
// any two texts of up to 1 MB.
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
	} else {
		script, late := compare(number(w.a, w.b))
		w.write(script)
		w.lines.Cut = w.lines.Cut || late
	}
	w.same(firstLines(after, contextLines))
	w.lines.mark()
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

// number replaces equal lines by equal runes, none of which is a surrogate:
// those do not survive in a string.
func number(a, b []string) (x, y []rune) {
	const surrogates, afterSurrogates = 0xD800, 0xE000
	ids := make(map[string]rune, len(a)+len(b))
	next := rune(1)
	of := func(lines []string) []rune {
		out := make([]rune, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				if next == surrogates {
					next = afterSurrogates
				}
				id, next = next, next+1
				ids[l] = id
			}
			out[i] = id
		}
		return out
	}
	return of(a), of(b)
}

// compare returns the operations that make y of x, one for each line kept,
// removed or added. late reports that time was up: the script is right all the
// same, but longer than it had to be.
func compare(x, y []rune) (script []Op, late bool) {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = timeLimit
	if len(x)+len(y) <= surelyCompared {
		dmp.DiffTimeout = noLimit
	}
	start := time.Now()
	for _, d := range dmp.DiffMainRunes(x, y, false) {
		op := Same
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			op = Remove
		case diffmatchpatch.DiffInsert:
			op = Add
		}
		for range utf8.RuneCountInString(d.Text) {
			script = append(script, op)
		}
	}
	return script, time.Since(start) >= dmp.DiffTimeout
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
		w.add(LineChange{Op: Same, Old: w.old, New: w.new, Text: l})
		w.old, w.new = w.old+1, w.new+1
	}
}

// take adds one line as removed or added.
func (w *lineWriter) take(op Op) {
	if op == Remove {
		w.add(LineChange{Op: Remove, Old: w.old, Text: w.a[0]})
		w.a, w.old = w.a[1:], w.old+1
	} else {
		w.add(LineChange{Op: Add, New: w.new, Text: w.b[0]})
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

// write adds what a script does. The texts differ in their first line and in
// their last, so equal lines have edits on both sides.
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
