package query

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// span is a span of time, not yet related to a clock. A nil end is open.
type span struct{ from, to *moment }

// moment is a time as people write it: a while ago, a time of day, or a date.
type moment struct {
	ago   time.Duration
	clock bool      // at is a time of day
	local bool      // at has no zone
	at    time.Time // zero for "ago"
}

// forms of a moment, for messages.
const momentForms = "write 5m, 12:30, 2026-12-01, 2026-12-01T12:30:00Z"

func (p *parser) span(name string) (span, error) {
	at := p.at
	text := p.bare()
	if name != "between" {
		m, err := p.moment(at, text)
		if err != nil {
			return span{}, err
		}
		if name == "before" {
			return span{to: &m}, nil
		}
		return span{from: &m}, nil
	}
	first, second, ok := strings.Cut(text, "..")
	if !ok {
		return span{}, p.fail(at, "for example between:12:30..12:45", "between: needs two moments with .. between them")
	}
	from, err := p.moment(at, first)
	if err != nil {
		return span{}, err
	}
	to, err := p.moment(at+len([]rune(first))+2, second)
	return span{&from, &to}, err
}

func (p *parser) moment(at int, text string) (moment, error) {
	if d, ok := parseAgo(text); ok {
		return moment{ago: d}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return moment{at: t}, nil
	}
	for _, layout := range []string{"15:04:05.999999999", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{at: t, clock: true}, nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{at: t, local: true}, nil
		}
	}
	return moment{}, p.fail(at, momentForms, "%s is no moment", strconv.Quote(text))
}

// parseAgo reads a duration, in days as well: 90s, 1h30m, 2d.
func parseAgo(text string) (time.Duration, bool) {
	days := time.Duration(0)
	if n, rest, ok := strings.Cut(text, "d"); ok {
		d, err := strconv.ParseUint(n, 10, 16)
		if err != nil {
			return 0, false
		}
		days, text = time.Duration(d)*24*time.Hour, rest
		if text == "" {
			return days, true
		}
	}
	d, err := time.ParseDuration(text)
	return days + d, err == nil && d >= 0
}

// bounds are the ends of a span in nanoseconds since the epoch, [from, to). A
// time of day is the last one before now, and that of the beginning of a span
// the last one before its end.
func (s span) bounds(now time.Time) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if s.to != nil {
		end := s.to.resolve(now)
		to = end.UnixNano()
		if s.from != nil && s.from.clock {
			return s.from.resolve(end).UnixNano(), to
		}
	}
	if s.from != nil {
		from = s.from.resolve(now).UnixNano()
	}
	return from, to
}

func (m moment) resolve(now time.Time) time.Time {
	switch at := m.at; {
	case m.clock:
		y, mo, d := now.Date()
		t := time.Date(y, mo, d, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), now.Location())
		if t.After(now) {
			t = time.Date(y, mo, d-1, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), now.Location())
		}
		return t
	case m.local:
		return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), now.Location())
	case at.IsZero():
		return now.Add(-m.ago)
	}
	return m.at
}
