package ui

import (
	"strings"
	"time"
	"unicode"
)

// inputError says what is wrong with a typed text, and at which code point.
type inputError struct {
	at   int
	text string
}

// momentForms is what parseMoment takes, for people.
const momentForms = "15:04:05, +5m or -30s from here, 2026-12-01 15:04, or RFC 3339"

// parseMoment reads a moment of a tape: RFC 3339, also with a space and without
// seconds or zone, which then is loc; a time of the clock, on the day of now or
// else the nearest that the tape has; or how far from now, as in +5m or -1h30m,
// which ends at the start or the end of the tape.
func parseMoment(text string, p Playback, loc *time.Location) (time.Time, *inputError) {
	s := momentScanner{s: []rune(strings.TrimRightFunc(text, unicode.IsSpace))}
	for s.is(' ') {
		s.i++
	}
	start := s.i
	if s.is('+') || s.is('-') {
		d, err := s.duration()
		t := p.Now.Add(d)
		switch {
		case t.Before(p.From):
			t = p.From
		case t.After(p.To):
			t = p.To
		}
		return t, err
	}
	now := p.Now.In(loc)
	year, month, day := now.Date()
	dated := s.dated()
	if dated {
		var err *inputError
		if year, month, day, err = s.date(); err != nil {
			return time.Time{}, err
		}
	}
	var clock time.Duration
	zone := loc
	if !dated || !s.end() {
		var err *inputError
		if clock, err = s.clock(); err != nil {
			return time.Time{}, err
		}
		if dated && !s.end() {
			if zone, err = s.zone(); err != nil {
				return time.Time{}, err
			}
		}
	}
	if !s.end() {
		return time.Time{}, s.bad("nothing more is expected here")
	}
	at := func(days int) time.Time {
		return time.Date(year, month, day+days, 0, 0, int(clock/time.Second), int(clock%time.Second), zone)
	}
	found := at(0)
	if !dated && !onTape(p, found) {
		found = nearest(p, at(-1), at(1), onDay(p.From.In(loc), clock), onDay(p.To.In(loc), clock))
	}
	if !onTape(p, found) {
		return time.Time{}, &inputError{start, "not on the tape, which is from " + stamp(p.From, p.To, loc) + " to " + stamp(p.To, p.From, loc)}
	}
	if found.Before(p.From) {
		return p.From, nil
	}
	return found, nil
}

// onTape reports whether the tape has a moment. It begins within the first
// second that can be typed of it.
func onTape(p Playback, t time.Time) bool {
	return !t.Before(p.From.Truncate(time.Second)) && !t.After(p.To)
}

// onDay is a time of the clock on the day of t.
func onDay(t time.Time, clock time.Duration) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, int(clock/time.Second), int(clock%time.Second), t.Location())
}

// nearest returns the moment on the tape that is nearest to now; the first one
// if none is on it.
func nearest(p Playback, moments ...time.Time) time.Time {
	best, found := moments[0], false
	for _, t := range moments {
		if onTape(p, t) && (!found || t.Sub(p.Now).Abs() < best.Sub(p.Now).Abs()) {
			best, found = t, true
		}
	}
	return best
}

// stamp writes a moment, with its date if that is not the one of another.
func stamp(t, other time.Time, loc *time.Location) string {
	t, other = t.In(loc), other.In(loc)
	if sameDay(t, other) {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}

func sameDay(a, b time.Time) bool { return a.YearDay() == b.YearDay() && a.Year() == b.Year() }

// momentScanner reads the parts of a moment from left to right.
type momentScanner struct {
	s []rune
	i int
}

func (m *momentScanner) end() bool      { return m.i >= len(m.s) }
func (m *momentScanner) is(r rune) bool { return !m.end() && m.s[m.i] == r }
func (m *momentScanner) digit() bool    { return !m.end() && m.s[m.i] >= '0' && m.s[m.i] <= '9' }

func (m *momentScanner) bad(text string) *inputError { return &inputError{m.i, text} }

// dated reports whether four digits and a - follow.
func (m *momentScanner) dated() bool {
	n := momentScanner{s: m.s, i: m.i}
	for n.digit() {
		n.i++
	}
	return n.i-m.i >= 3 && n.is('-') || n.i-m.i == 4 && n.end()
}

// number reads one to most digits, the value at most top.
func (m *momentScanner) number(most, top int, what string) (int, *inputError) {
	from, v := m.i, 0
	for m.digit() && m.i-from < most {
		v = 10*v + int(m.s[m.i]-'0')
		m.i++
	}
	switch {
	case m.i == from:
		return 0, m.bad("the " + what + " is missing: " + momentForms)
	case v > top:
		return 0, &inputError{from, "the " + what + " is at most " + count(top)}
	}
	return v, nil
}

func (m *momentScanner) expect(r rune, before string) *inputError {
	if !m.is(r) {
		return m.bad(string(r) + " is expected before the " + before)
	}
	m.i++
	return nil
}

func (m *momentScanner) date() (year int, month time.Month, day int, err *inputError) {
	from := m.i
	if year, err = m.number(4, 9999, "year"); err != nil {
		return
	}
	if err = m.expect('-', "month"); err != nil {
		return
	}
	mon, err := m.number(2, 12, "month")
	if err != nil {
		return
	}
	if err = m.expect('-', "day"); err != nil {
		return
	}
	if day, err = m.number(2, 31, "day"); err != nil {
		return
	}
	month = time.Month(mon)
	if t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC); t.Day() != day || t.Month() != month {
		return 0, 0, 0, &inputError{from, "there is no such day"}
	}
	if !m.end() && !m.is('T') && !m.is('t') && !m.is(' ') {
		return 0, 0, 0, m.bad("a space or T is expected before the time")
	}
	m.i++
	return year, month, day, nil
}

// clock reads 15:04, 15:04:05 or 15:04:05.678.
func (m *momentScanner) clock() (time.Duration, *inputError) {
	hour, err := m.number(2, 23, "hour")
	if err != nil {
		return 0, err
	}
	if err = m.expect(':', "minute"); err != nil {
		return 0, err
	}
	minute, err := m.number(2, 59, "minute")
	if err != nil {
		return 0, err
	}
	d := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
	if !m.is(':') {
		return d, nil
	}
	m.i++
	second, err := m.number(2, 59, "second")
	if err != nil {
		return 0, err
	}
	d += time.Duration(second) * time.Second
	if !m.is('.') {
		return d, nil
	}
	m.i++
	unit := time.Second
	if !m.digit() {
		return 0, m.bad("digits are expected after the point")
	}
	for ; m.digit(); m.i++ {
		unit /= 10
		d += time.Duration(m.s[m.i]-'0') * unit
	}
	return d, nil
}

// zone reads Z, +01:00 or -01:00.
func (m *momentScanner) zone() (*time.Location, *inputError) {
	sign := 1
	switch {
	case m.is('Z') || m.is('z'):
		m.i++
		return time.UTC, nil
	case m.is('-'):
		sign = -1
	case !m.is('+'):
		return nil, m.bad("Z or a zone such as +01:00 is expected, or nothing")
	}
	m.i++
	hour, err := m.number(2, 23, "hour of the zone")
	if err != nil {
		return nil, err
	}
	if err = m.expect(':', "minute of the zone"); err != nil {
		return nil, err
	}
	minute, err := m.number(2, 59, "minute of the zone")
	if err != nil {
		return nil, err
	}
	return time.FixedZone("", sign*(hour*3600+minute*60)), nil
}

// units of durations, in the order in which they are tried.
var units = [...]struct {
	name string
	d    time.Duration
}{{"ms", time.Millisecond}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}

// durationLimit is more than any tape lasts.
const durationLimit = 100 * 365 * 24 * time.Hour

// duration reads +1h30m or -2.5s.
func (m *momentScanner) duration() (time.Duration, *inputError) {
	sign := time.Duration(1)
	if m.is('-') {
		sign = -1
	}
	m.i++
	var total float64
	for first := true; first || !m.end(); first = false {
		from, value, scale, point := m.i, 0.0, 1.0, false
		for ; m.digit() || m.is('.') && !point; m.i++ {
			switch {
			case m.is('.'):
				point = true
			case point:
				scale /= 10
				value += float64(m.s[m.i]-'0') * scale
			default:
				value = 10*value + float64(m.s[m.i]-'0')
			}
		}
		if m.i == from {
			return 0, m.bad("a number is expected, as in +5m or -1h30m")
		}
		unit := m.unit()
		if unit == 0 {
			return 0, m.bad("a unit is expected: d, h, m, s or ms")
		}
		if total += value * float64(unit); total > float64(durationLimit) {
			return 0, &inputError{from, "no tape is that long"}
		}
	}
	return sign * time.Duration(total), nil
}

// unit reads the name of a unit; 0 if there is none.
func (m *momentScanner) unit() time.Duration {
	for _, u := range units {
		if strings.HasPrefix(string(m.s[m.i:]), u.name) {
			m.i += len(u.name)
			return u.d
		}
	}
	return 0
}
