package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rewatch/model"
)

// timeMode says which times the screen shows.
type timeMode uint8

const (
	timeLocal    timeMode = iota // of receipt, in the zone of the user
	timeUTC                      // of receipt
	timeRelative                 // how long ago it was received
	timeServer                   // when the server says that it was
	timeModes
)

// TimeModes are the names of the ways to show times.
func TimeModes() []string { return []string{"local", "utc", "relative", "server"} }

// timeModeOf is the mode of a name; local of one that is none.
func timeModeOf(name string) timeMode {
	return timeMode(max(slices.Index(TimeModes(), name), 0)) //nolint:gosec // there are four
}

// title is what the title of the timeline says of it.
func (m timeMode) title() string { return [...]string{"", "UTC", "ago", "server time"}[m] }

// help says it in a line.
func (m timeMode) help() string {
	return [...]string{"when rewatch received it, in your time zone", "when rewatch received it, in UTC", "how long ago rewatch received it",
		"when the server says it was; ~ where it does not say: received"}[m]
}

// width is how many cells times take in a timeline of a width.
func (m timeMode) width(w int) int {
	switch {
	case m == timeRelative:
		return 7
	case w >= narrowTimeline:
		return 12
	case m == timeServer:
		return 9
	}
	return 8
}

// shown is how a timeline shows its rows.
type shown struct {
	set  columnSet
	mode timeMode
	now  time.Time // what is so long ago is counted from; moves once a second at most
}

// move takes the time in.
func (s *shown) move(now time.Time) {
	if d := now.Sub(s.now); d >= time.Second || d < 0 {
		s.now = now
	}
}

// key is what the texts of times depend on, besides the row.
func (s *shown) key() int64 {
	if s.mode != timeRelative {
		return 0
	}
	return s.now.UnixNano()
}

// ago writes how long ago something was, in seven cells at most: "3.2s", "12s",
// "4m10s", "2h05m", "3d".
func ago(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%d.%ds", d/time.Second, d%time.Second/(time.Second/10))
	case d < 100*time.Second:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < 100*time.Minute:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return age(d)
}

// timeText is the time of a row in a number of cells. Of a row that has not
// been read yet it is not known what the server says.
func (t *timeline) timeText(e model.Event, info rowInfo, read bool, w int) string {
	at := e.When().In(t.loc)
	clock := "15:04:05.000"
	if w < len(clock) {
		clock = "15:04:05"
	}
	switch t.how.mode {
	case timeRelative:
		s := ago(t.how.now.Sub(at))
		return strings.Repeat(" ", max(w-len(s), 0)) + s
	case timeServer:
		switch said := info.server.In(t.loc); {
		case e.Type.IsObject() && !read:
			return ""
		case info.server.IsZero():
			return "~" + at.Format("15:04:05")
		case sameDay(said, at):
			return " " + said.Format("15:04:05")
		case w < len(clock):
			return " " + said.Format("Jan _2")
		case said.Year() == at.Year():
			return " " + said.Format("Jan _2 15h")
		default:
			return " " + said.Format("2006-01-02")
		}
	}
	return at.Format(clock)
}

// setTimes changes which times are shown. This is the one place that knows
// everything that shows any.
func (a *App) setTimes(m timeMode) {
	loc := a.home
	if m == timeUTC {
		loc = time.UTC
	}
	for _, l := range []**time.Location{&a.o.Location, &a.timeline.loc, &a.header.loc, &a.scrub.loc, &a.object.loc, &a.status.loc} {
		*l = loc
	}
	a.timeline.how.mode = m
	a.timeline.how.now = a.now
	a.timeline.rows.clear()
	a.object.stale = true // it has been read with times of the other zone
	a.relayout()
}

// nextTimes goes on to the next way to show times.
func (a *App) nextTimes() {
	m := (a.timeline.how.mode + 1) % timeModes
	a.setTimes(m)
	a.say("times: " + m.help())
}
