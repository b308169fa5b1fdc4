// Package moment reads moments as people type them. What a moment without a day
// or a zone means, and what one is that counts from another, is decided by who
// asks: the same words are taken everywhere.
package moment

import (
	"strings"
	"time"
	"unicode"
)

// Moment is what was typed, one of
//
//	+5m, -1h30m, +2d                        Relative
//	15:04, 15:04:05, 15:04:05.678           neither
//	2026-12-01, 2026-12-01 15:04, RFC 3339  Dated; the zone may be left out, and so may the seconds
type Moment struct {
	Relative bool
	By       time.Duration // of Relative, with its sign
	Dated    bool
	// Unit is what the text leaves open: a day, a minute, a second, or a
	// fraction of one.
	Unit time.Duration

	year  int
	month time.Month
	day   int
	clock time.Duration
	zone  *time.Location // nil if none was typed
}

// NoMoment is the Text of an Error about what does not even begin as a moment:
// who tells it adds what may be typed.
const NoMoment = "a moment is expected"

// Error says what is wrong with a text, and at which code point, from 0.
type Error struct {
	At   int
	Text string
}

func (e *Error) Error() string { return e.Text }

// In returns a dated moment; loc is its zone where none was typed.
func (m Moment) In(loc *time.Location) time.Time {
	if m.zone != nil {
		loc = m.zone
	}
	return time.Date(m.year, m.month, m.day, 0, 0, int(m.clock/time.Second), int(m.clock%time.Second), loc)
}

// On returns a moment that is not dated, on the day of t in the zone of t.
func (m Moment) On(t time.Time) time.Time {
	y, mo, d := t.Date()
	return time.Date(y, mo, d, 0, 0, int(m.clock/time.Second), int(m.clock%time.Second), t.Location())
}

// Parse reads a moment. White space around it does not count.
func Parse(text string) (Moment, *Error) {
	s := scanner{s: []rune(strings.TrimRightFunc(text, unicode.IsSpace))}
	for s.is(' ') {
		s.i++
	}
	if s.is('+') || s.is('-') {
		d, err := s.signed()
		return Moment{Relative: true, By: d}, err
	}
	if !s.digit() {
		return Moment{}, s.bad(NoMoment)
	}
	m := Moment{Dated: s.dated(), Unit: 24 * time.Hour}
	if m.Dated {
		var err *Error
		if m.year, m.month, m.day, err = s.date(); err != nil {
			return Moment{}, err
		}
	}
	if !m.Dated || !s.end() {
		var err *Error
		if m.clock, m.Unit, err = s.clock(); err != nil {
			return Moment{}, err
		}
		if m.Dated && !s.end() {
			if m.zone, err = s.zone(); err != nil {
				return Moment{}, err
			}
		}
	}
	if !s.end() {
		return Moment{}, s.bad("nothing more is expected here")
	}
	return m, nil
}

// Duration reads a duration without a sign: 90s, 1h30m, 2.5d.
func Duration(text string) (time.Duration, *Error) {
	s := scanner{s: []rune(text)}
	return s.duration()
}
