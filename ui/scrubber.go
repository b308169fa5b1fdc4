package ui

import (
	"math"
	"slices"
	"sort"
	"time"

	"rewatch/themes"
)

// scrubber is the row that shows the whole of the tapes: how much happened
// when, where nobody watched, what may be missing, marks, and where the replay
// is. Its cells are worked out when the tape or the width changes; a frame only
// writes them.
type scrubber struct {
	st   *themes.Styles
	loc  *time.Location
	r    rect
	over Overview

	bar   rect // the cells that stand for times
	cells []scrubCell
}

// scrubCell is one cell before the position is laid over it.
type scrubCell struct {
	sign  scrubSign
	dark  bool  // nobody watched, whatever else there is
	level uint8 // of density: 0 is nothing, then 1 to 7
}

// scrubSign is what a cell shows, the more important the higher.
type scrubSign uint8

const (
	scrubDensity scrubSign = iota
	scrubUnwatched
	scrubGap
	scrubMark
)

// The glyphs of the scrubber, told apart without colour.
const (
	glyphUnwatched = "░"
	glyphGap       = "═"
	glyphMark      = "◆"
	glyphPosition  = "┃"
)

// labelsFrom is the width from which the ends of the tape are labelled.
const labelsFrom = 60

// place puts the scrubber into a rectangle.
func (s *scrubber) place(r rect, session []Span) {
	s.r = r
	s.build(session)
}

// show takes another view of the tapes, with the marks of the session.
func (s *scrubber) show(o Overview, session []Span) {
	s.over = o
	s.build(session)
}

// label writes an end of the tape.
func (s *scrubber) label(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	from, to := s.over.From.In(s.loc), s.over.To.In(s.loc)
	switch t = t.In(s.loc); {
	case sameDay(from, to):
		return t.Format("15:04:05")
	case from.Year() == to.Year():
		return t.Format("01-02 15:04")
	}
	return t.Format("2006-01-02")
}

// build works the cells out.
func (s *scrubber) build(session []Span) {
	s.bar = rect{s.r.x + 1, s.r.y, max(s.r.w-2, 0), s.r.h}
	if n := len(s.label(s.over.From)); s.r.w >= labelsFrom && n > 0 {
		s.bar.x += n + 1
		s.bar.w -= 2*n + 2
	}
	s.cells = make([]scrubCell, max(s.bar.w, 0))
	if s.bar.w <= 0 || s.over.To.IsZero() {
		return
	}
	s.density()
	s.spans(s.over.Unwatched, scrubUnwatched)
	s.spans(s.over.Gaps, scrubGap)
	s.spans(s.over.Marks, scrubMark)
	s.spans(session, scrubMark)
}

// density brings the parts of the overview to the cells. The scale is that of
// the roots, and ends where all but the highest bursts do: the initial lists
// must not make all the rest look like nothing.
func (s *scrubber) density() {
	parts, w := s.over.Density, s.bar.w
	if len(parts) == 0 {
		return
	}
	sums := make([]float64, w)
	for i, n := range parts {
		sums[i*w/len(parts)] += float64(n)
	}
	if len(parts) < w {
		for x := range sums {
			sums[x] = float64(parts[x*len(parts)/w])
		}
	}
	var some []float64
	for _, v := range sums {
		if v > 0 {
			some = append(some, v)
		}
	}
	if len(some) == 0 {
		return
	}
	slices.Sort(some)
	top := max(some[(len(some)-1)*95/100], 7) // a few events are not a full block
	for x, v := range sums {
		if v > 0 {
			s.cells[x].level = uint8(1 + math.Round(6*math.Sqrt(min(v/top, 1))))
		}
	}
}

// spans writes a sign over the cells of some spans, at least one for each.
func (s *scrubber) spans(spans []Span, sign scrubSign) {
	for _, p := range spans {
		for x := s.column(p.From); x <= s.column(p.To) && x < len(s.cells); x++ {
			s.cells[x].sign = max(s.cells[x].sign, sign)
			s.cells[x].dark = s.cells[x].dark || sign == scrubUnwatched
		}
	}
}

// hatched reports whether a cell of a gap has its sign: every other one has,
// that what the other streams told in a long gap can be seen between.
func (s *scrubber) hatched(x int) bool {
	n := 0
	for ; n <= x && s.cells[x-n].sign == scrubGap; n++ {
	}
	return n%2 == 1
}

// column is the cell of a moment.
func (s *scrubber) column(t time.Time) int {
	whole := s.over.To.Sub(s.over.From)
	if whole <= 0 {
		return 0
	}
	x := float64(t.Sub(s.over.From)) / float64(whole) * float64(s.bar.w)
	return max(min(int(x), s.bar.w-1), 0)
}

// moment is what a column of the screen stands for; beside the bar it is the
// nearest end.
func (s *scrubber) moment(x int) time.Time {
	switch x -= s.bar.x; {
	case x <= 0 || s.bar.w <= 1:
		return s.over.From
	case x >= s.bar.w-1:
		return s.over.To
	}
	whole := float64(s.over.To.Sub(s.over.From))
	return s.over.From.Add(time.Duration(whole * (float64(x) + 0.5) / float64(s.bar.w)))
}

// unwatched returns the span without any watch that a moment is in.
func (s *scrubber) unwatched(t time.Time) (Span, bool) {
	spans := s.over.Unwatched
	i := sort.Search(len(spans), func(i int) bool { return spans[i].From.After(t) }) - 1
	if i < 0 || !t.Before(spans[i].To) {
		return Span{}, false
	}
	return spans[i], true
}

// draw writes the row with the position of a moment.
func (s *scrubber) draw(now time.Time) string {
	l := newLine("")
	l.glyphs("", " ", 1)
	labels := s.bar.x > s.r.x+1
	if labels {
		l.text(s.st.Dim, s.label(s.over.From))
		l.glyphs("", " ", 1)
	}
	at := s.column(now)
	for x, c := range s.cells {
		switch {
		case x == at && !now.IsZero():
			l.glyphs(s.st.Title, glyphPosition, 1)
		case c.sign == scrubMark:
			l.glyphs(s.st.Accent, glyphMark, 1)
		case c.sign == scrubGap && s.hatched(x):
			l.glyphs(s.st.WarnBold, glyphGap, 1)
		case c.dark:
			l.glyphs(s.st.Dim, glyphUnwatched, 1)
		case c.level == 0:
			l.glyphs(s.st.Rule, bars[0], 1)
		case x < at:
			l.glyphs(s.st.Info, bars[c.level], 1)
		default:
			l.glyphs(s.st.Dim, bars[c.level], 1)
		}
	}
	if labels {
		l.glyphs("", " ", 1)
		l.text(s.st.Dim, s.label(s.over.To))
	}
	return l.end(s.r.w)
}
