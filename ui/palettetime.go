package ui

import (
	"sort"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// momentItems go to a moment, if the text is one, or to a row by its number. One
// that cannot be gone to says why.
func (a *App) momentItems(text string) []paletteItem {
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || len(text)-len(digits) > 1 || digits[0] < '0' || digits[0] > '9' {
		return nil
	}
	if n, err := strconv.Atoi(text); err == nil && digits == text && n > 0 {
		return []paletteItem{{group: "row", text: text, given: meantScore, help: "go to this row of those listed", key: text + a.keys.key("last"),
			do: act(func(a *App) { a.toTimeline(); a.timeline.edge(-1); a.timeline.move(n - 1) })}}
	}
	it := paletteItem{group: "time", text: text, given: meantScore}
	p := Playback{}
	if a.replay != nil {
		p, it.key = a.replay.play, a.keys.key("go-to")
	} else if p = a.held(); p.From.IsZero() {
		return nil
	}
	t, err := parseMoment(text, p, a.o.Location)
	if err != nil {
		it.help, it.given = err.Text, 1
		if d, bad := time.ParseDuration(text); bad == nil && digits == text { // ago, or from now on?
			it.help, it.given = "type -"+text+" for "+d.String()+" ago, +"+text+", or a time as "+p.Now.In(a.o.Location).Format("15:04"), meantScore
		}
		if err.Text == notThere(p, a.o.Location) && a.replay == nil {
			it.help = "not among the rows held, which are from " + stamp(p.From, p.To, a.o.Location) + " on"
		}
		it.off = func(*App) string { return it.help }
		return []paletteItem{it}
	}
	it.help = "go to " + t.In(a.o.Location).Format("2006-01-02 15:04:05.000")
	it.do = act(func(a *App) { a.seek(t) })
	if a.replay == nil {
		it.help += " in the timeline, and stop following"
		it.do = func(a *App) tea.Cmd { a.showMoment(t); return nil }
	}
	return []paletteItem{it}
}

// held is the span of the rows that the log holds, as if it were a tape.
func (a *App) held() Playback {
	s := a.timeline.snap
	if s.First() == s.End() {
		return Playback{}
	}
	return Playback{From: s.At(s.First()).When(), To: a.now, Now: a.now}
}

// toTimeline goes to the timeline, whatever is open.
func (a *App) toTimeline() {
	a.setFocus(paneTimeline)
	a.timeline.follow, a.timeline.anchor = false, noRow
}

// showMoment goes to the first row of a moment or after it.
func (a *App) showMoment(t time.Time) {
	s := a.timeline.snap
	n := sort.Search(int(s.End()-s.First()), func(i int) bool { return !s.At(s.First() + model.Seq(i)).When().Before(t) })
	a.toTimeline()
	a.timeline.show(min(s.First()+model.Seq(n), s.End()-1))
	text := t.In(a.o.Location).Format("15:04:05")
	if key := a.keys.key("follow"); key != "" {
		text += ": " + key + " follows the newest row again"
	}
	a.say(text)
}
