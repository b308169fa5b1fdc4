package cli

import (
	"fmt"
	"strings"
	"time"
)

// momentHelp names the forms that parseMoment takes, for the help of flags.
const momentHelp = "a time as 2026-12-01T15:04:05Z, 2026-12-01 15:04, 15:04:05 or 15:04 (local), +5m after the start or -5m before the end"

// parseMoment reads a moment of a tape that holds from to to.
//
//   - RFC 3339, and "2026-12-01 15:04[:05[.000]]" in loc, which may lie outside
//     of the tape: what that means is the caller's to decide.
//   - "15:04[:05[.000]]": when that clock in loc showed so during the tape. On a
//     tape of several days this can be twice, which is an error.
//   - "+5m" is after the start, "-5m" before the end, of the tape.
//
// A text that names the second or minute in which the tape begins means its
// beginning. Errors are failures with the next step.
func parseMoment(text string, from, to time.Time, loc *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if from.IsZero() || to.Before(from) {
		return time.Time{}, failed("check it with: rewatch info", "nothing was recorded, so there is no moment %q", text)
	}
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
		return relativeMoment(text, from, to, loc)
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return snap(t, from, granule(strings.TrimRight(text, "Zz"))), nil
	}
	day, clock, dated := strings.Cut(strings.Replace(text, "T", " ", 1), " ")
	if !dated {
		day, clock = "", text
	}
	layout := "15:04:05"
	if strings.Count(clock, ":") == 1 {
		layout = "15:04"
	}
	if dated {
		t, err := time.ParseInLocation("2006-01-02 "+layout, day+" "+clock, loc)
		if err != nil {
			return time.Time{}, noMoment(text)
		}
		return snap(t, from, granule(clock)), nil
	}
	c, err := time.Parse(layout, clock)
	if err != nil {
		return time.Time{}, noMoment(text)
	}
	return clockMoment(text, c, granule(clock), from, to, loc)
}

func relativeMoment(text string, from, to time.Time, loc *time.Location) (time.Time, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return time.Time{}, noMoment(text)
	}
	base := from
	if text[0] == '-' {
		base = to
	}
	t := base.Add(d)
	if t.Before(from) || t.After(to) {
		return time.Time{}, outside(text, from, to, loc)
	}
	return t, nil
}

// clockMoment finds when the clock showed c. It looks at each day that the
// tape touches.
func clockMoment(text string, c time.Time, unit time.Duration, from, to time.Time, loc *time.Location) (time.Time, error) {
	var found []time.Time
	y, m, d := from.In(loc).Date()
	for ; len(found) < 2; d++ {
		t := time.Date(y, m, d, c.Hour(), c.Minute(), c.Second(), c.Nanosecond(), loc)
		if t.After(to) {
			break
		}
		if t = snap(t, from, unit); !t.Before(from) {
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

// granule is what a clock of this precision leaves open: a minute, a second, a
// fraction.
func granule(clock string) time.Duration {
	_, fraction, fine := strings.Cut(clock, ".")
	if !fine {
		if strings.Count(clock, ":") == 1 {
			return time.Minute
		}
		return time.Second
	}
	unit := time.Second
	for _, r := range fraction {
		if r < '0' || r > '9' {
			break
		}
		unit /= 10
	}
	return max(unit, 1)
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
