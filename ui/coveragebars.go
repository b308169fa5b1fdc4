package ui

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"time"

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

// Share writes how much of a whole a part is, in percent without the sign,
// rounded down: only what is whole is 100.0.
func Share[T int64 | time.Duration](part, whole T) string {
	high, low := bits.Mul64(1000, uint64(part))
	tenths, _ := bits.Div64(high, low, uint64(whole))
	return strconv.FormatUint(tenths/10, 10) + "." + strconv.FormatUint(tenths%10, 10)
}

// barSign is what a part of a bar says.
type barSign uint8

const (
	barUnknown barSign = iota
	barCurrent
	barNot
	barMissed
)

// bar is a span in n parts. A gap counts most, then that a stream was not
// current, or nobody watched, for a part of a part.
func (s *watchedStream) bar(from, to int64, n int) []barSign {
	out := make([]barSign, n)
	for x, missed := range s.missed(from, to, n) {
		fresh, known := s.current(partAt(from, to, x, n), partAt(from, to, x+1, n))
		switch {
		case missed:
			out[x] = barMissed
		case known == 0:
		case fresh < known:
			out[x] = barNot
		default:
			out[x] = barCurrent
		}
	}
	return out
}

func (b barSign) look(st *themes.Styles) (themes.Style, string) {
	switch b {
	case barMissed:
		return st.WarnBold, "═"
	case barNot:
		return st.Dim, "░"
	case barCurrent:
		return st.Good, "█"
	}
	return st.Dim, " "
}
