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
	chartWidth = 38 // cells that a chart takes at least
	maxCurve   = 4  // lines of a curve at most
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
		if len(s.charts) == 0 { // the error stands below, in full
			l.upTo(a.st.Dim, read+again, w-l.w)
			break
		}
		l.upTo(a.st.Dim, read+again+": ", w-l.w)
		l.upTo(a.st.Warn, s.last.Err, w-l.w)
	case s.anew:
		l.upTo(a.st.Warn, "! "+read+" the server counts anew: it was restarted, or another one answered", w-l.w)
	case !s.compared():
		l.upTo(a.st.Dim, read+" rates and percentiles follow with the second reading", w-l.w)
	default:
		l.upTo(a.st.Dim, read+" rates and percentiles are those between two readings; the lowest and the highest stand beside", w-l.w)
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
		text, _ := safe(x)
		for part := range strings.SplitSeq(ansi.Wrap(text, max(w-4, 8), ""), "\n") {
			add(part)
		}
	}
	return out
}

// grid is the charts in as many columns as fit, scrolled to the cursor.
func (s *server) grid(a *App, r rect) []string {
	s.cols = max(r.w/chartWidth, 1)
	all := (len(s.charts) + s.cols - 1) / s.cols
	s.high = 2
	if room := r.h / max(all, 1); room > 2 { // higher curves, and a line between them
		s.high = min(room, maxCurve+2)
	}
	s.rows = max(r.h/s.high, 1)
	at := s.cursor / s.cols
	s.top = max(min(s.top, at, all-s.rows), at-s.rows+1, 0)
	var out []string
	for row := s.top; row < all && row < s.top+s.rows; row++ {
		lines := make([]*line, s.high)
		for i := range lines {
			lines[i] = newLine("")
		}
		for col := range s.cols {
			if i := row*s.cols + col; i < len(s.charts) {
				s.chart(a, i, lines[:max(s.high-1, 2)], col*r.w/s.cols, (col+1)*r.w/s.cols-1)
			}
		}
		for _, l := range lines {
			out = append(out, l.end(r.w))
		}
	}
	return out
}

// chart draws a chart from one column to before another: its name and newest
// value, and a curve below.
func (s *server) chart(a *App, i int, lines []*line, left, right int) {
	c := &s.charts[i]
	head, below := lines[0], lines[1:]
	name, mark := a.st.Strong, " "
	if i == s.cursor {
		name, mark = a.st.Title, "▸"
	}
	head.pad(left)
	head.glyphs(a.st.Title, mark, 1)
	if !c.Given {
		head.upTo(a.st.Dim, c.Name, right-head.w-10)
		head.right(a.st.Dim, "not given", right-head.w)
		return
	}
	value, n := safe(c.value())
	head.upTo(name, c.Name, right-head.w-n-1)
	head.pad(right - n)
	head.glyphs(a.st.Text, value, n)
	low, high, ok := c.bounds()
	if !ok {
		below[0].pad(left + 1)
		below[0].upTo(a.st.Dim, c.silence(), right-left-1)
		return
	}
	labels := []string{between(low, high, c.Unit)}
	if len(below) > 1 {
		labels = make([]string, len(below))
		labels[0], labels[len(below)-1] = quantity(high, c.Unit), quantity(low, c.Unit)
		if low == high {
			labels[0] = ""
		}
	}
	scale := 0
	for _, text := range labels {
		_, n := safe(text)
		scale = max(scale, n)
	}
	cells := max(min(right-left-scale-2, len(c.past)), 0)
	curves := curve(c.past[len(c.past)-cells:], low, high, len(below))
	for i, l := range below {
		l.pad(right - scale - 1 - cells)
		l.glyphs(a.st.Info, curves[i], cells)
		l.pad(right - scale)
		l.right(a.st.Dim, labels[i], scale)
	}
}

// between is the lowest and the highest value with the unit once.
func between(low, high float64, u model.Unit) string {
	if low == high {
		return ""
	}
	a, b := quantity(low, u), quantity(high, u)
	unit := b[strings.LastIndexAny(b, "0123456789")+1:]
	if short, same := strings.CutSuffix(a, unit); same {
		a = short
	} else {
		a = strings.TrimSuffix(a, "/s")
	}
	return a + "–" + b
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
	v = max(min(v, 1e15), -1e15) // of a server that is out of its mind
	switch u {
	case model.UnitBytes:
		return size(int64(v))
	case model.UnitFlow:
		return size(int64(v)) + "/s"
	case model.UnitSeconds:
		switch {
		case v == 0:
			return "0 ms"
		case v < 0.0001:
			return strconv.FormatFloat(v*1e6, 'f', 0, 64) + " µs"
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

// curve draws values in some lines, a cell each; what is not known is blank. It
// stands on 0, or, where the values are far from that and do not differ much,
// half its height is for how they differ.
func curve(values []float64, low, high float64, lines int) []string {
	base := 0.0
	if low > high/2 {
		base = low - (high - low)
	}
	steps := lines * len(bars)
	out := make([][]byte, lines)
	for _, v := range values {
		n := 1
		switch {
		case math.IsNaN(v):
			n = 0
		case low == high && high > 0:
			n = len(bars) / 2
		case high > base:
			n = max(int(math.Ceil(max(min((v-base)/(high-base), 1), 0)*float64(steps))), 1)
		}
		for i := range out {
			switch part := n - (lines-1-i)*len(bars); {
			case part <= 0:
				out[i] = append(out[i], ' ')
			default:
				out[i] = append(out[i], bars[min(part, len(bars))-1]...)
			}
		}
	}
	texts := make([]string, lines)
	for i := range out {
		texts[i] = string(out[i])
	}
	return texts
}
