package query

import (
	"math"
	"strconv"
	"strings"
	"time"

	"rewatch/model/moment"
)

// span is a span of time, not yet related to a clock. A nil end is open.
type span struct{ from, to *point }

// point is a moment, or a while ago.
type point struct {
	ago time.Duration
	moment.Moment
	given bool // Moment is
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

func (p *parser) moment(at int, text string) (point, error) {
	if d, err := moment.Duration(text); err == nil {
		return point{ago: d}, nil
	}
	m, err := moment.Parse(text)
	switch {
	case err != nil:
		return point{}, p.fail(at, momentForms, "%s is no moment", strconv.Quote(text))
	case m.Relative:
		return point{}, p.fail(at, momentForms, "a while ago has no sign")
	}
	return point{Moment: m, given: true}, nil
}

// bounds are the ends of a span in nanoseconds since the epoch, [from, to). A
// time of day is the last one before now, and that of the beginning of a span
// the last one before its end.
func (s span) bounds(now time.Time) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if s.to != nil {
		end := s.to.resolve(now)
		to = end.UnixNano()
		if s.from != nil && s.from.given && !s.from.Dated {
			return s.from.resolve(end).UnixNano(), to
		}
	}
	if s.from != nil {
		from = s.from.resolve(now).UnixNano()
	}
	return from, to
}

func (p point) resolve(now time.Time) time.Time {
	switch {
	case !p.given:
		return now.Add(-p.ago)
	case p.Dated:
		return p.In(now.Location())
	}
	if t := p.On(now); !t.After(now) {
		return t
	}
	return p.On(now.AddDate(0, 0, -1))
}
