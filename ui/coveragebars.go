package ui

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"rewatch/model"
	"rewatch/themes"
)

// watched is when the streams of a log were current, and what was marked, read
// from its rows in order.
type watched struct {
	streams map[model.StreamID]*watchedStream
	marks   []model.Seq
}

type watchedStream struct {
	steps []watchedStep
	gaps  []watchedGap
}

// watchedStep says that a stream is current from a moment on, or no longer.
type watchedStep struct {
	at    int64
	fresh bool
}

type watchedGap struct {
	from, to int64
	seq      model.Seq // of its row
}

// watchedLimit bounds what is kept of a stream: then the older half goes.
const watchedLimit = 4096

func (w *watched) add(e model.Event) {
	s := w.streams[e.Stream]
	if s == nil {
		if w.streams == nil {
			w.streams = map[model.StreamID]*watchedStream{}
		}
		s = &watchedStream{}
		w.streams[e.Stream] = s
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
		s.gaps = append(s.gaps, watchedGap{from, e.Time, e.Seq})
	case model.Note:
		if d.Cause != model.CauseMark {
			break
		}
		if n := len(w.marks); n == watchedLimit {
			w.marks = slices.Delete(w.marks, 0, n/2)
		}
		w.marks = append(w.marks, e.Seq)
	}
}

func (w *watched) clone() watched {
	out := watched{streams: map[model.StreamID]*watchedStream{}, marks: slices.Clone(w.marks)}
	for id, s := range w.streams {
		out.streams[id] = &watchedStream{slices.Clone(s.steps), slices.Clone(s.gaps)}
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
