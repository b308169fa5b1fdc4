package moment

import (
	"fmt"
	"strings"
	"time"
)

// scanner reads the parts of a moment from left to right.
type scanner struct {
	s []rune
	i int
}

func (m *scanner) end() bool      { return m.i >= len(m.s) }
func (m *scanner) is(r rune) bool { return !m.end() && m.s[m.i] == r }
func (m *scanner) digit() bool    { return !m.end() && m.s[m.i] >= '0' && m.s[m.i] <= '9' }

func (m *scanner) bad(text string) *Error { return &Error{m.i, text} }

// dated reports whether four digits and a - follow.
func (m *scanner) dated() bool {
	n := scanner{s: m.s, i: m.i}
	for n.digit() {
		n.i++
	}
	return n.i-m.i >= 3 && n.is('-') || n.i-m.i == 4 && n.end()
}

// number reads one to most digits, the value at most top.
func (m *scanner) number(most, top int, what string) (int, *Error) {
	from, v := m.i, 0
	for m.digit() && m.i-from < most {
		v = 10*v + int(m.s[m.i]-'0')
		m.i++
	}
	switch {
	case m.i == from:
		return 0, m.bad("the " + what + " is missing")
	case v > top:
		return 0, &Error{from, fmt.Sprintf("the %s is at most %d", what, top)}
	}
	return v, nil
}

func (m *scanner) expect(r rune, before string) *Error {
	if !m.is(r) {
		return m.bad(string(r) + " is expected before the " + before)
	}
	m.i++
	return nil
}

func (m *scanner) date() (year int, month time.Month, day int, err *Error) {
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
		return 0, 0, 0, &Error{from, "there is no such day"}
	}
	if !m.end() && !m.is('T') && !m.is('t') && !m.is(' ') {
		return 0, 0, 0, m.bad("a space or T is expected before the time")
	}
	m.i++
	return year, month, day, nil
}

// clock reads 15:04, 15:04:05 or 15:04:05.678, and how exact that is.
func (m *scanner) clock() (d, unit time.Duration, err *Error) {
	hour, err := m.number(2, 23, "hour")
	if err != nil {
		return 0, 0, err
	}
	if err = m.expect(':', "minute"); err != nil {
		return 0, 0, err
	}
	minute, err := m.number(2, 59, "minute")
	if err != nil {
		return 0, 0, err
	}
	d = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
	if !m.is(':') {
		return d, time.Minute, nil
	}
	m.i++
	second, err := m.number(2, 59, "second")
	if err != nil {
		return 0, 0, err
	}
	d += time.Duration(second) * time.Second
	if !m.is('.') {
		return d, time.Second, nil
	}
	m.i++
	unit = time.Second
	if !m.digit() {
		return 0, 0, m.bad("digits are expected after the point")
	}
	for ; m.digit(); m.i++ {
		unit /= 10
		d += time.Duration(m.s[m.i]-'0') * unit
	}
	return d, max(unit, 1), nil
}

// zone reads Z, +01:00 or -01:00.
func (m *scanner) zone() (*time.Location, *Error) {
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

// signed reads +1h30m or -2.5s.
func (m *scanner) signed() (time.Duration, *Error) {
	sign := time.Duration(1)
	if m.is('-') {
		sign = -1
	}
	m.i++
	d, err := m.duration()
	return sign * d, err
}

// duration reads 1h30m or 2.5s, to the end.
func (m *scanner) duration() (time.Duration, *Error) {
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
			return 0, m.bad("a number is expected, as in 5m or 1h30m")
		}
		unit := m.unit()
		if unit == 0 {
			return 0, m.bad("a unit is expected: d, h, m, s or ms")
		}
		if total += value * float64(unit); total > float64(durationLimit) {
			return 0, &Error{from, "no tape is that long"}
		}
	}
	return time.Duration(total), nil
}

// unit reads the name of a unit; 0 if there is none.
func (m *scanner) unit() time.Duration {
	for _, u := range units {
		if strings.HasPrefix(string(m.s[m.i:]), u.name) {
			m.i += len(u.name)
			return u.d
		}
	}
	return 0
}
