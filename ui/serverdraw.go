package ui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
)

const (
	chartWidth  = 38 // cells that a chart takes at least
	chartHeight = 2  // lines
)

// draw is a line about the reading, the charts side by side, and what the one
// under the cursor means.
func (s *server) draw(a *App, r rect) []string {
	out := append(make([]string, 0, r.h), s.status(a, r.w))
	foot := []string(nil)
	if len(s.charts) == 0 {
		out = append(out, s.advice(a, r.w)...)
	} else {
		out = append(out, s.grid(a, rect{w: r.w, h: r.h - 2})...)
		foot = append(foot, s.meaning(a, r.w))
	}
	out = out[:min(len(out), r.h-len(foot))]
	for blank := newLine("").end(r.w); len(out) < r.h-len(foot); {
		out = append(out, blank)
	}
	return append(out, foot...)
}

// status is the newest reading in a line.
func (s *server) status(a *App, w int) string {
	l := newLine("")
	l.pad(1)
	read := s.last.At.In(a.o.Location).Format("15:04:05")
	switch {
	case s.last.At.IsZero():
		l.upTo(a.st.Info, "reading /metrics of "+s.context+" …", w-l.w)
	case s.last.Err != "":
		l.upTo(a.st.WarnBold, "! ", 2)
		again := ", again "
		if d := s.last.At.Add(s.last.Every).Sub(a.clock); d > time.Second {
			again += "in " + seconds(d)
		} else {
			again += "now"
		}
		l.upTo(a.st.Dim, read+again+": ", w-l.w)
		l.upTo(a.st.Warn, s.last.Err, w-l.w)
	case s.anew:
		l.upTo(a.st.Warn, "! "+read+" the server counts anew: it was restarted, or another one answered", w-l.w)
	case !s.compared():
		l.upTo(a.st.Dim, read+" rates and percentiles follow with the second reading", w-l.w)
	default:
		l.upTo(a.st.Dim, read+" rates and percentiles are those between two readings; lowest to highest beside each chart", w-l.w)
	}
	return l.end(w)
}

// compared reports whether any rate is known.
func (s *server) compared() bool {
	for i := range s.charts {
		if c := &s.charts[i]; c.Unit == model.UnitRate && c.Known {
			return true
		}
	}
	return false
}

// advice is the error in full and what to do about it, where there is nothing
// else to show.
func (s *server) advice(a *App, w int) (out []string) {
	if s.last.Err == "" {
		return nil
	}
	add := func(text string) {
		l := newLine("")
		l.pad(3)
		l.upTo(a.st.Text, text, w-l.w)
		out = append(out, l.end(w))
	}
	add("")
	text, _ := safe(s.last.Err)
	for part := range strings.SplitSeq(ansi.Wrap(text, max(w-4, 8), ""), "\n") {
		add(part)
	}
	add("")
	for _, x := range s.last.Advice {
		add(x)
	}
	return out
}

// grid is the charts in as many columns as fit, scrolled to the cursor.
func (s *server) grid(a *App, r rect) []string {
	s.cols = max(r.w/chartWidth, 1)
	all := (len(s.charts) + s.cols - 1) / s.cols
	s.high = chartHeight
	if r.h >= all*(chartHeight+1) {
		s.high++ // room for a line between them
	}
	s.rows = max(r.h/s.high, 1)
	at := s.cursor / s.cols
	s.top = max(min(s.top, at, all-s.rows), at-s.rows+1, 0)
	var out []string
	for row := s.top; row < all && row < s.top+s.rows; row++ {
		first, second := newLine(""), newLine("")
		for col := range s.cols {
			if i := row*s.cols + col; i < len(s.charts) {
				left, right := col*r.w/s.cols, (col+1)*r.w/s.cols
				s.chart(a, i, first, second, left, right)
			}
		}
		out = append(out, first.end(r.w), second.end(r.w))
		if s.high > chartHeight {
			out = append(out, newLine("").end(r.w))
		}
	}
	return out
}

// chart draws a chart into two lines, from one column to before another.
func (s *server) chart(a *App, i int, first, second *line, left, right int) {
	c := &s.charts[i]
	name, mark := a.st.Strong, " "
	if i == s.cursor {
		name, mark = a.st.Title, "▸"
	}
	first.pad(left)
	second.pad(left + 1)
	first.glyphs(a.st.Title, mark, 1)
	right-- // a gap
	if !c.Given {
		first.upTo(a.st.Dim, c.Name, right-first.w)
		first.right(a.st.Dim, "not given", right-first.w)
		return
	}
	value, n := safe(c.value())
	first.upTo(name, c.Name, right-first.w-n-1)
	first.pad(right - n)
	first.glyphs(a.st.Text, value, n)
	low, high, ok := c.bounds()
	if !ok {
		second.upTo(a.st.Dim, c.silence(), right-second.w)
		return
	}
	span := quantity(low, c.Unit) + "–" + quantity(high, c.Unit)
	if low == high {
		span = ""
	}
	_, n = safe(span)
	cells := min(right-second.w-n-1, len(c.past))
	second.pad(right - n - 1 - cells)
	second.glyphs(a.st.Info, curve(c.past[len(c.past)-cells:], high), cells)
	second.pad(right - n)
	second.text(a.st.Dim, span)
}

// value is the newest value in words.
func (c *chart) value() string {
	switch {
	case !c.Known && c.Spread:
		return "–"
	case !c.Known:
		return "…"
	case c.Spread:
		return "p50 " + quantity(c.Median, c.Unit) + "  p99 " + quantity(c.Value, c.Unit)
	}
	return quantity(c.Value, c.Unit)
}

// silence is why a chart is empty.
func (c *chart) silence() string {
	if c.Spread {
		return "nothing to measure yet"
	}
	return "with the second reading"
}

// meaning tells what the figure under the cursor is.
func (s *server) meaning(a *App, w int) string {
	l := newLine("")
	l.pad(1)
	if s.cursor < len(s.charts) {
		c := &s.charts[s.cursor]
		l.upTo(a.st.Strong, c.Name, w-l.w)
		text := ": " + c.Help
		if c.Spread && c.Known {
			text += "; " + quantity(c.PerSecond, model.UnitRate) + ". The chart is the p99"
		}
		l.upTo(a.st.Dim, text, w-l.w)
	}
	return l.end(w)
}

// quantity writes a value with its unit: "6.5/s", "1.2 MB", "0.7 ms".
func quantity(v float64, u model.Unit) string {
	switch u {
	case model.UnitBytes:
		return size(int64(v))
	case model.UnitFlow:
		return size(int64(v)) + "/s"
	case model.UnitSeconds:
		switch {
		case v == 0:
			return "0 ms"
		case v < 0.0095:
			return strconv.FormatFloat(v*1000, 'f', 1, 64) + " ms"
		case v < 1:
			return strconv.FormatFloat(v*1000, 'f', 0, 64) + " ms"
		}
		return strconv.FormatFloat(v, 'f', 1, 64) + " s"
	}
	if v == math.Trunc(v) || v >= 10 {
		return count(int64(math.Round(v))) + string(u)
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + string(u)
}

// curve draws values, high as a full block and 0 as a flat line; what is not
// known is blank. It is as many cells as values.
func curve(values []float64, high float64) string {
	b := make([]byte, 0, 3*len(values))
	for _, v := range values {
		switch {
		case math.IsNaN(v):
			b = append(b, ' ')
		case high <= 0:
			b = append(b, bars[0]...)
		default:
			b = append(b, bars[max(min(int(math.Ceil(v/high*float64(len(bars)-1))), len(bars)-1), 0)]...)
		}
	}
	return string(b)
}
