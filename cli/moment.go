package cli

import (
	"fmt"
	"strings"
	"time"

	"rewatch/model/moment"
)

// momentHelp names the forms that parseMoment takes, for the help of flags.
const momentHelp = "a time as 2026-12-01T15:04:05Z, 2026-12-01 15:04, 15:04:05 or 15:04 (local), +5m after the start or -5m before the end"

// parseMoment reads a moment of a tape that holds from to to.
//
//   - RFC 3339, and "2026-12-01 [15:04[:05[.000]]]" in loc, which may lie outside
//     of the tape: what that means is the caller's to decide.
//   - "15:04[:05[.000]]": when that clock in loc showed so during the tape. On a
//     tape of several days this can be twice, which is an error.
//   - "+5m" is after the start, "-5m" before the end, of the tape.
//
// A text that names the second, minute or day in which the tape begins means its
// beginning. Errors are failures with the next step.
func parseMoment(text string, from, to time.Time, loc *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if from.IsZero() || to.Before(from) {
		return time.Time{}, failed("check it with: rewatch info", "nothing was recorded, so there is no moment %q", text)
	}
	m, err := moment.Parse(text)
	switch {
	case err != nil:
		return time.Time{}, noMoment(text)
	case m.Relative:
		base := from
		if m.By < 0 || text[0] == '-' {
			base = to
		}
		t := base.Add(m.By)
		if t.Before(from) || t.After(to) {
			return time.Time{}, outside(text, from, to, loc)
		}
		return t, nil
	case m.Dated:
		return snap(m.In(loc), from, m.Unit), nil
	}
	return clockMoment(text, m, from, to, loc)
}

// clockMoment finds when the clock showed m. It looks at each day that the
// tape touches.
func clockMoment(text string, m moment.Moment, from, to time.Time, loc *time.Location) (time.Time, error) {
	var found []time.Time
	y, month, d := from.In(loc).Date()
	for ; len(found) < 2; d++ {
		t := m.On(time.Date(y, month, d, 0, 0, 0, 0, loc))
		if t.After(to) {
			break
		}
		if t = snap(t, from, m.Unit); !t.Before(from) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 0:
		return time.Time{}, outside(text, from, to, loc)
	case 1:
		return found[0], nil
	}
	return time.Time{}, failed(fmt.Sprintf("name the day too: %q", found[0].In(loc).Format("2006-01-02 15:04:05")),
		"it was %s more than once during the recording", text)
}

// snap returns from for a moment less than a unit before it.
func snap(t, from time.Time, unit time.Duration) time.Time {
	if t.Before(from) && from.Sub(t) < unit {
		return from
	}
	return t
}

func noMoment(text string) *failure {
	return &failure{msg: fmt.Sprintf("%q is no moment", text), next: "it must be " + momentHelp, code: 2}
}

func outside(text string, from, to time.Time, loc *time.Location) *failure {
	f, t := from.In(loc), to.In(loc)
	layout := "15:04:05.000"
	if f.YearDay() != t.YearDay() || f.Year() != t.Year() {
		layout = "2006-01-02 15:04:05.000"
	}
	return failed("name a moment in between", "%s is not on the tape, which is from %s to %s (%s, %v)", text,
		f.Format(layout), t.Format(layout), f.Format("MST"), to.Sub(from).Round(time.Millisecond))
}
