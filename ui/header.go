package ui

import (
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/themes"
)

// header is the first line of the screen.
type header struct {
	title  string
	st     *themes.Styles
	loc    *time.Location
	now    time.Time
	all    *overall
	paused bool
	missed uint64 // rows that came while paused
	stats  model.Stats

	clock     time.Time
	replay    *replay // nil: live
	recording *recording
	keys      *keymap
	wide      bool // there is room for more than words
}

// state says what the whole screen is: LIVE only if every stream is. Neither a
// pause nor a replay hides that streams are not well.
func (h *header) state() (themes.Style, string) {
	switch {
	case h.replay != nil:
		st, s := h.replay.state(h.st, h.loc, h.clock)
		if h.all.stale > 0 && !h.replay.play.Seeking {
			return h.st.WarnBold, s + " · " + h.stale()
		}
		return st, s
	case h.paused:
		s := "PAUSED +" + count(h.missed)
		if h.all.stale > 0 || h.all.suspect > 0 {
			st, why := h.health()
			return st, s + " · " + why
		}
		return h.st.WarnBold, s
	}
	return h.health()
}

// stale says how many streams are lost or behind.
func (h *header) stale() string {
	return "STALE " + strconv.Itoa(h.all.stale) + "/" + strconv.Itoa(h.all.watched)
}

// health says how the streams are.
func (h *header) health() (themes.Style, string) {
	n := h.all.watched
	switch {
	case n == 0:
		return h.st.WarnBold, "NO STREAMS"
	case h.all.stale > 0:
		t := h.all.troubles[0]
		s := h.stale() + " " + t.name(h.all)
		if t.State == model.Denied { // to wait for the next try does not help
			return h.st.BadBold, s + " " + t.State.String()
		}
		if c := countdown(t.StreamStatus, h.now); c != "" && t.probed() {
			if c != "now" {
				c = "in " + c
			}
			return h.st.BadBold, s + " retry " + c
		}
		if unanswered(t.StreamStatus, h.now) != "" {
			s += " no answer for " + seconds(t.silent(h.now))
			if why, _, _ := strings.Cut(cause(t.StreamStatus), ":"); why != "" { // its first words
				s += ": " + why
			}
			return h.st.BadBold, s + orEmpty(h.wide, t.from())
		}
		return h.st.BadBold, s + " " + t.State.String()
	case h.all.suspect > 0:
		t := h.all.troubles[0]
		return h.st.WarnBold, "SUSPECT " + strconv.Itoa(h.all.suspect) + "/" + strconv.Itoa(n) + " " + t.name(h.all) + ": " + silence(t.StreamStatus, h.now)
	case h.all.syncing > 0:
		return h.st.WarnBold, "SYNC " + strconv.Itoa(n-h.all.syncing) + "/" + strconv.Itoa(n)
	case !h.all.live():
		return h.st.WarnBold, "PARTIAL " + strconv.Itoa(h.all.fresh) + "/" + strconv.Itoa(n)
	}
	return h.st.GoodBold, "LIVE " + h.now.In(h.loc).Format("15:04:05")
}

// draw returns the line: what is watched to the left, its figures to the
// right, and between them the state, which is never left out.
func (h *header) draw(w int) string {
	h.wide = w >= 100
	st, state := h.state()
	recStyle, rec := h.recording.part(h.st)
	rec, recWidth := safe(rec)
	if recWidth > 0 {
		recWidth += 2
	}
	stateText, stateWidth := fit(state, w-10-recWidth)
	// From the right, as far as they fit beside a title of twelve cells.
	type part struct {
		st themes.Style
		s  string
		w  int
	}
	var parts []part
	room := w - stateWidth - recWidth - 26
	add := func(st themes.Style, s string) {
		s, n := safe(s)
		if room -= n + 2; room >= 0 {
			parts = append(parts, part{st, s, n})
		}
	}
	if help := h.keys.key("help"); help != "" {
		add(h.st.Dim, help+" help")
	}
	rate := h.all.perSecond()
	text := strconv.FormatFloat(rate, 'f', 0, 64)
	if rate > 0 && rate < 10 {
		text = strconv.FormatFloat(rate, 'f', 1, 64)
	}
	add(h.st.Text, text+" ev/s")
	if w >= 100 {
		add(h.st.Info, spark(h.all.rate[:model.RateSeconds-1], 16))
	}
	if w >= 130 {
		add(h.st.Dim, size(h.stats.Bytes))
		if h.stats.Evicted > 0 {
			add(h.st.Dim, count(h.stats.Evicted)+" evicted")
		}
	}
	right := 1 + recWidth
	for _, p := range parts {
		right += p.w + 2
	}
	l := newLine("")
	l.text(h.st.Title, " rewatch")
	title := h.title
	if s := h.all.selected(); s != "" {
		title += "  " + s
	}
	l.upTo(h.st.Text, "  "+title, w-l.w-stateWidth-right-2)
	// The state stands still while figures change: it is placed from the
	// right edge, whose parts have fixed places.
	l.pad(w - right - stateWidth - 2)
	l.text("", "  ")
	l.glyphs(st, stateText, stateWidth)
	if recWidth > 0 {
		l.text("", "  ")
		l.text(recStyle, rec)
	}
	for i := len(parts) - 1; i >= 0; i-- {
		l.text("", "  ")
		l.glyphs(parts[i].st, parts[i].s, parts[i].w)
	}
	return l.end(w)
}
