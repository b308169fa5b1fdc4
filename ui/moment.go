package ui

import (
	"time"

	"rewatch/model/moment"
)

// momentForms is what parseMoment takes, for people.
const momentForms = "15:04:05, +5m or -30s from here, 2026-12-01 15:04, or RFC 3339"

// parseMoment reads a moment of a tape: one with a date; a time of the clock, on
// the day of now or else the nearest that the tape has; or how far from now,
// which ends at the start or the end of the tape.
func parseMoment(text string, p Playback, loc *time.Location) (time.Time, *moment.Error) {
	m, err := moment.Parse(text)
	switch {
	case err != nil && err.Text == moment.NoMoment:
		return time.Time{}, &moment.Error{At: err.At, Text: err.Text + ": " + momentForms}
	case err != nil:
		return time.Time{}, err
	}
	now := p.Now.In(loc)
	var found time.Time
	switch {
	case m.Relative:
		found = now.Add(m.By)
		switch {
		case found.Before(p.From):
			found = p.From
		case found.After(p.To):
			found = p.To
		}
		return found, nil
	case m.Dated:
		found = m.In(loc)
	default:
		if found = m.On(now); !onTape(p, found) {
			found = nearest(p, m.On(now.AddDate(0, 0, -1)), m.On(now.AddDate(0, 0, 1)), m.On(p.From.In(loc)), m.On(p.To.In(loc)))
		}
	}
	if !onTape(p, found) {
		return time.Time{}, &moment.Error{Text: notThere(p, loc)}
	}
	if found.Before(p.From) {
		return p.From, nil
	}
	return found, nil
}

// notThere says of a moment that the tape does not have it.
func notThere(p Playback, loc *time.Location) string {
	return "not on the tape, which is from " + stamp(p.From, p.To, loc) + " to " + stamp(p.To, p.From, loc)
}

// onTape reports whether the tape has a moment. It begins within the first
// second that can be typed of it.
func onTape(p Playback, t time.Time) bool {
	return !t.Before(p.From.Truncate(time.Second)) && !t.After(p.To)
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
