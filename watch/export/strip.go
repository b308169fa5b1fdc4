package export

import (
	"fmt"
	"math"
	"time"

	"rewatch/model/clean"
)

// Drawings over the time of an export: 1000 units wide.
const (
	stripWidth  = 1000.0
	stripHeight = 56.0
	laneHeight  = 8.0
)

// rect is a rectangle of a drawing.
type rect struct {
	Class      string
	X, Y, W, H string
}

func newRect(class string, x, y, w, h float64) rect {
	n := func(f float64) string { return fmt.Sprintf("%.1f", f) }
	return rect{class, n(x), n(y), n(w), n(h)}
}

// x is where a moment lies.
func (s *survey) x(t time.Time) float64 {
	if !s.to.After(s.from) {
		return 0
	}
	return min(max(float64(t.Sub(s.from))/float64(s.to.Sub(s.from)), 0), 1) * stripWidth
}

// width of a span that begins at x, wide enough to be seen.
func (s *survey) width(x float64, to time.Time) float64 { return max(s.x(to)-x, 2) }

func gapRects(s *survey) []rect {
	var out []rect
	for _, g := range s.gaps {
		x := s.x(g.from)
		out = append(out, newRect("gap", x, 0, s.width(x, g.to), stripHeight))
	}
	return out
}

// bars are the changes over time, by type. Heights go with the square root, so
// that a single change can be seen beside a rollout.
func bars(s *survey) []rect {
	var most int64 = 1
	for i := range s.density {
		most = max(most, s.density[i].changes())
	}
	var out []rect
	const step = stripWidth / buckets
	for i := range s.density {
		b := &s.density[i]
		sum := b.changes()
		if sum == 0 {
			continue
		}
		scale := (3 + (stripHeight-5)*math.Sqrt(float64(sum)/float64(most))) / float64(sum)
		y := stripHeight
		for _, part := range []struct {
			class string
			n     int64
		}{{"d", b.Deleted}, {"a", b.Added}, {"m", b.Modified}} {
			if part.n == 0 {
				continue
			}
			h := float64(part.n) * scale
			y -= h
			out = append(out, newRect(part.class, float64(i)*step, y, step-0.6, h))
		}
	}
	return out
}

// ticks are five moments, evenly.
func ticks(s *survey) []string {
	if !s.to.After(s.from) {
		return nil
	}
	layout, d := "15:04:05", s.to.Sub(s.from)
	switch {
	case d < 10*time.Second:
		layout = shortClock
	case clockFormat(s.from, s.to) == longClock:
		layout = "02 Jan 15:04"
	}
	var out []string
	const parts = 4
	for i := range parts + 1 {
		out = append(out, s.from.Add(d*time.Duration(i)/parts).Format(layout))
	}
	return out
}

// lane is a stream over time.
type lane struct {
	Class, State, Name, Numbers, Text string
	Spans                             []rect
}

var healthNames = [...]string{unknown: "seen", down: "down", starting: "starting", suspect: "suspect", up: "up"}

func laneOf(s *survey, w *watched, many bool) lane {
	l := lane{Name: clean.Line(streamName(&w.info)), Numbers: count(w.tally.changes())}
	if many {
		l.Name = clean.Line(w.info.Context) + " " + l.Name
	}
	if share, ok := w.coverage(s.from, s.to); ok {
		l.State, l.Class = w.final.To.String(), healthNames[healthOf(w.final.To)]
		l.Text = fmt.Sprintf("watching %.1f %% of the time, %s, %s", 100*share, plural(w.failures, "failure"), plural(w.gaps, "gap"))
	} else {
		l.Text = "no state was recorded"
		if !w.first.IsZero() {
			x := s.x(w.first)
			l.Spans = append(l.Spans, newRect(healthNames[unknown], x, 2, s.width(x, w.last), laneHeight-4))
		}
	}
	for _, p := range w.stretches {
		x := s.x(p.from)
		l.Spans = append(l.Spans, newRect(healthNames[p.health], x, 1, s.x(p.to)-x, laneHeight-2))
	}
	return l
}
