package ui

import (
	"slices"
	"strings"

	"rewatch/model"
	"rewatch/model/health"
)

// checkedLines say what the page is about: what was looked at and since when, and
// what is not known, so that an empty page is not taken for a healthy cluster.
func (a *App) checkedLines(pending int) (out []problem) {
	say := func(text string) {
		key := problemKey{reason: "checked", seq: model.Seq(len(out))}
		out = append(out, problem{key: key, show: func(*App) problemText { return problemText{text: text} }})
	}
	if pending > unreadWorthTelling { // what is told below is of all rows
		say("Still reading: what was checked is told when all rows have been read.")
		return out
	}
	var objects, stale, loading, polled, unwatched []string
	var since string
	for _, kind := range health.Kinds() {
		n, found := int64(0), false
		for i := range a.all.streams {
			s := &a.all.streams[i]
			if s.Kind != kind || s.Removed() {
				continue
			}
			found = true
			n += s.Objects
			switch {
			case s.State == model.Polling:
				polled = append(polled, a.all.name(s.StreamInfo))
			case s.State == model.Connecting && !unwell(s), s.State == model.Syncing, s.State == model.Idle && s.Objects == 0:
				loading = append(loading, a.all.name(s.StreamInfo))
			case unwell(s), s.State == model.Paused:
				stale = append(stale, a.all.name(s.StreamInfo)+" since "+a.clockText(s.Onset()))
			}
		}
		if found {
			objects = append(objects, plural(n, kind))
		} else {
			unwatched = append(unwatched, kind)
		}
	}
	if s := a.last; s.Len() > 0 {
		since = ", of what came since " + a.clockText(s.At(s.First()).When())
	}
	if len(objects) > 0 {
		say("Looked at: " + strings.Join(objects, ", ") + since + " up to " + a.clockText(a.now))
	}
	if len(stale) > 0 {
		say("Not known, the watch is not current: " + strings.Join(slices.Compact(stale), ", "))
	}
	if len(polled) > 0 {
		say("Listed from time to time, not watched, so not current: " + strings.Join(polled, ", "))
	}
	if len(loading) > 0 {
		say("Not known yet: " + strings.Join(loading, ", "))
	}
	if len(unwatched) > 0 {
		say("Not watched, so nothing is said of: " + strings.Join(unwatched, ", "))
	}
	if n := a.stats.Evicted; n > 0 {
		say(plural(int(n), "older row") + " left the log; objects that exist are still known")
	}
	if len(a.all.troubles) == 0 && len(stale)+len(loading)+len(polled) == 0 && len(objects) > 0 {
		say("All that is watched is current.")
	}
	return out
}
