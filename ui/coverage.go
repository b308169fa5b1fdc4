package ui

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/themes"
)

// watched is when the streams of a log were current, read from its rows in order.
type watched map[model.StreamID]*watchedStream

type watchedStream struct {
	steps []watchedStep
	gaps  []watchedGap
}

// watchedStep says that a stream is current from a moment on, or no longer.
type watchedStep struct {
	at    int64
	fresh bool
}

type watchedGap struct{ from, to int64 }

// watchedLimit bounds what is kept of a stream: then the older half goes.
const watchedLimit = 4096

func (w watched) add(e model.Event) {
	s := w[e.Stream]
	if s == nil {
		s = &watchedStream{}
		w[e.Stream] = s
	}
	switch d := e.Detail.(type) {
	case model.Transition:
		if n := len(s.steps); !d.Bare() && (n == 0 || s.steps[n-1].fresh != d.To.Fresh()) {
			if n == watchedLimit {
				s.steps = slices.Delete(s.steps, 0, n/2)
			}
			s.steps = append(s.steps, watchedStep{e.Time, d.To.Fresh()})
		}
	case model.Gap:
		from := e.Time - int64(d.Took)
		if !d.Since.IsZero() {
			from = min(from, d.Since.UnixNano())
		}
		if n := len(s.gaps); n == watchedLimit {
			s.gaps = slices.Delete(s.gaps, 0, n/2)
		}
		s.gaps = append(s.gaps, watchedGap{from, e.Time})
	}
}

func (w watched) clone() watched {
	out := watched{}
	for id, s := range w {
		out[id] = &watchedStream{slices.Clone(s.steps), slices.Clone(s.gaps)}
	}
	return out
}

// current is for how long a stream was, within a span, and how much of the span
// is known.
func (s *watchedStream) current(from, to int64) (fresh, known int64) {
	first, _ := slices.BinarySearchFunc(s.steps, from, func(x watchedStep, t int64) int { return cmp.Compare(x.at, t) })
	for i := max(first-1, 0); i < len(s.steps); i++ {
		x, end := s.steps[i], to
		if x.at >= to {
			break
		}
		if i+1 < len(s.steps) {
			end = min(end, s.steps[i+1].at)
		}
		if d := end - max(x.at, from); d > 0 {
			known += d
			if x.fresh {
				fresh += d
			}
		}
	}
	return fresh, known
}

// missed reports for each of n parts of a span whether a gap reaches into it.
func (s *watchedStream) missed(from, to int64, n int) []bool {
	out := make([]bool, n)
	for _, g := range s.gaps {
		if g.to <= from || g.from >= to || g.from >= g.to {
			continue
		}
		first := sort.Search(n, func(x int) bool { return partAt(from, to, x+1, n) > g.from })
		for x := first; x < n && partAt(from, to, x, n) < g.to; x++ {
			out[x] = true
		}
	}
	return out
}

// partAt is where the x-th of n parts of a span begins.
func partAt(from, to int64, x, n int) int64 { return from + (to-from)*int64(x)/int64(n) }

// share writes how much of what is known a stream was current, rounded down:
// only what is whole is 100.0 %.
func share(fresh, known int64) string {
	tenths := min(int64(1000*(float64(fresh)/float64(known))), 999)
	if fresh == known {
		tenths = 1000
	}
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + "%"
}

// coverage is the page of what was watched when: a line for each stream with a
// bar over time, its counts, and the share of the time in which it was current.
type coverage struct {
	pageBase
	top   int
	shown int // streams that there is room for
	know  *understanding
	seen  watched
	asked bool
	at    time.Time
}

func openCoverage(*App) page { return &coverage{} }

func (c *coverage) lack(a *App) tea.Cmd {
	if c.asked || c.know == a.timeline.know && a.clock.Sub(c.at) < problemsPause {
		return nil
	}
	c.asked = true
	know := a.timeline.know
	return func() tea.Msg {
		know.mu.Lock()
		defer know.mu.Unlock()
		return pageMsg{to: c, data: coverageData{know, know.watched.clone()}}
	}
}

type coverageData struct {
	know *understanding
	seen watched
}

func (c *coverage) take(a *App, m pageMsg) {
	d := m.data.(coverageData)
	c.asked, c.at = false, a.clock
	c.know, c.seen = d.know, d.seen
}

func (c *coverage) move(a *App, n int) {
	c.top = max(min(c.top+n, len(a.all.streams)-c.shown), 0)
}

func (c *coverage) edge(a *App, dir int) { c.move(a, dir*len(a.all.streams)) }

// span is what the bars are about: the rows held.
func (c *coverage) span(a *App) (from, to int64) {
	if a.last.Len() == 0 {
		return 0, 0
	}
	return a.last.At(a.last.First()).Time, a.now.UnixNano()
}

func (c *coverage) info(a *App) string {
	from, _ := c.span(a)
	if from == 0 {
		return "nothing yet"
	}
	return plural(len(a.all.streams), "stream") + " · " + a.clockText(time.Unix(0, from)) + " to " + a.clockText(a.now)
}

func (c *coverage) draw(a *App, r rect) []string {
	out := make([]string, 0, r.h)
	head := newLine("")
	head.cell(a.st.Dim, " stream", 20)
	bar := max(r.w-20-48, 8)
	head.cell(a.st.Dim, "█ current ░ not ═ gap", bar)
	for _, s := range []string{"current", "added", "modified", "deleted", "gaps", "read"} {
		head.right(a.st.Dim, s, map[string]int{"current": 9, "gaps": 5, "read": 9, "added": 8, "modified": 9, "deleted": 8}[s])
	}
	out = append(out, head.end(r.w))
	from, to := c.span(a)
	c.shown = r.h - 2
	c.move(a, 0)
	for i := c.top; i < len(a.all.streams) && len(out) < r.h-1; i++ {
		out = append(out, c.line(a, &a.all.streams[i], bar, from, to, r.w))
	}
	for blank := newLine("").end(r.w); len(out) < r.h-1; {
		out = append(out, blank)
	}
	l := newLine("")
	text := " Counted from the first row held; blank is before the stream said anything."
	if a.replay != nil {
		text = " Of what is loaded of the tape, up to this moment; rewatch info FILE tells of all of it."
	}
	l.upTo(a.st.Dim, text, r.w)
	return append(out, l.end(r.w))[:r.h]
}

func (c *coverage) line(a *App, s *model.StreamStatus, bar int, from, to int64, w int) string {
	l := newLine("")
	name, where := a.streams.label(s)
	l.glyphs("", " ", 1)
	l.upTo(a.st.Text, name, 18-min(len(where), 9))
	if where != "" {
		l.glyphs("", " ", 1)
		l.upTo(a.st.Dim, middle(where, 19-l.w), 19-l.w)
	}
	l.pad(20)
	seen := c.seen[s.ID]
	if c.know != a.timeline.know {
		seen = nil
	}
	percent := "?"
	if seen == nil || to <= from {
		l.pad(20 + bar)
	} else {
		for x, missed := range seen.missed(from, to, bar) {
			st, glyph := seen.cell(&a.st, partAt(from, to, x, bar), partAt(from, to, x+1, bar), missed)
			l.glyphs(st, glyph, 1)
		}
		if fresh, known := seen.current(from, to); known > 0 {
			percent = share(fresh, known)
		}
	}
	l.right(a.st.Text, percent, 9)
	l.right(a.st.Dim, count(s.Added), 8)
	l.right(a.st.Dim, count(s.Modified), 9)
	l.right(a.st.Dim, count(s.Deleted), 8)
	l.right(a.st.Dim, count(s.Gaps), 5)
	l.right(a.st.Dim, size(s.Bytes), 9)
	return l.end(w)
}

// cell is the sign of a part of the bar: a gap counts most, then that nobody
// watched for a part of it.
func (s *watchedStream) cell(st *themes.Styles, from, to int64, missed bool) (themes.Style, string) {
	fresh, known := s.current(from, to)
	switch {
	case missed:
		return st.WarnBold, "═"
	case known == 0:
		return st.Dim, " "
	case fresh < known:
		return st.Dim, "░"
	}
	return st.Good, "█"
}
