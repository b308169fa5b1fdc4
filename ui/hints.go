package ui

import (
	"cmp"
	"slices"
)

// inPanes reports whether the panes are on the screen.
func (a *App) inPanes() bool { return a.page.page == nil }

// inRows reports whether rows are: those of the timeline, or the lanes that are
// made of them by the same rules.
func (a *App) inRows() bool {
	_, lanes := a.page.page.(*lanesPage)
	return lanes || a.inPanes()
}

func (a *App) canFilter() (bool, string) {
	return a.inRows(), "this page has no filter: / searches it"
}

func (a *App) inTrouble() bool { return len(a.all.troubles) > 0 }

func (a *App) inContexts() bool { return len(a.contexts()) > 1 }

// inLinks reports whether lines of the object pane lead somewhere.
func (a *App) inLinks() bool { return a.object.leads }

// opens reports whether a key opens the page that is open: all pages end with
// esc, and the footer has more to say.
func (a *App) opens(b *binding) bool {
	return !a.inPanes() && b.id == "page-"+pages()[a.page.at].name
}

// lastHints are the keys that the footer always ends with, and that the others
// leave room for.
var lastHints = [...]string{"palette", "help", "quit"}

// firstHints are the keys that the footer begins with where they are offered, by
// use: what a narrow screen has no room for is what is used least.
var firstHints = [...]string{"leave-streams", "leave-object", "open", "jump", "play", "step", "start", "filter", "find", "follow", "page-Problems", "pause", "record", "next-error", "next-gap", "previous-error", "previous-gap", "page-Coverage", "page-Lanes", "noise"}

// streamHints are those of Streams, and notOfStreams what its footer leaves out:
// it is about the rows of the timeline.
var (
	streamHints  = [...]string{"details", "watch-again", "retry", "remove-stream", "zoom", "leave-streams", "pause-stream", "page-Problems"}
	notOfStreams = [...]string{"filter", "follow", "noise", "pause", "older", "newer", "page-Lanes", "page-Coverage"}
)

// endHints are the keys of a replay that lead back from the end of the tape; before
// it there are those that go on.
var endHints = [...]string{"start", "previous-error", "previous-gap"}

func (a *App) atEnd() bool { return a.replay != nil && a.replay.play.AtEnd }

// needless reports whether the footer has no use for a key though it does
// something: what it does is so already, or it is about another pane.
func (a *App) needless(b *binding) bool {
	if b.scope == scopeReplay && a.atEnd() != slices.Contains(endHints[:], b.id) {
		return b.id != "go-to" // at the end of a tape there is only the way back
	}
	if b.id == "page-Coverage" && a.typed.keys == "" && a.replay == nil && a.all.gaps == 0 {
		return true // all has been seen
	}
	return b.id == "follow" && a.timeline.follow || a.scope() == scopeStreams && slices.Contains(notOfStreams[:], b.id) || a.opens(b)
}

// byUse puts the hints in the order of their use.
func byUse(s scope, offered []binding) {
	first := firstHints[:]
	if s == scopeStreams {
		first = streamHints[:]
	}
	rank := func(b binding) int {
		if b.scope >= scopePage { // what a page has for itself
			return -1
		}
		if i := slices.Index(first, b.id); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(offered, func(x, y binding) int { return cmp.Compare(rank(x), rank(y)) })
}

// followers lays the keys that may follow what has been typed of a sequence over
// the end of the screen, in as many lines as they take. The status stays above.
func (a *App) followers(rows []string, w int) []string {
	if a.typed.keys == "" || a.flash != "" {
		return rows
	}
	h := len(rows)
	var lines []string
	var hot []hotspot
	offered := a.keys.begin(a.scope(), a.typed.keys, a.replay != nil)
	for len(offered) > 0 && len(lines) < h-2 {
		l := newLine("")
		l.glyphs("", " ", 1)
		if len(lines) == 0 {
			l.text(a.st.Title, a.typed.String()+"… ")
		}
		n := 0
		for ; n < len(offered) && (n == 0 || l.w+a.hintWidth(&offered[n])-2 <= w); n++ {
			from := l.w
			l.upTo(a.st.Accent, a.skin.keys(keyName(offered[n].keys[0])), w-l.w)
			l.upTo(a.st.Dim, " "+a.hintOf(&offered[n]), w-l.w)
			hot = append(hot, hotspot{from, len(lines), l.w - from, offered[n].id})
			l.pad(min(l.w+2, w))
		}
		offered, lines = offered[n:], append(lines, l.end(w))
	}
	if len(lines) < 2 {
		return rows
	}
	top := h - len(lines)
	a.hot.all = slices.DeleteFunc(a.hot.all, func(s hotspot) bool { return s.y >= top-1 })
	for _, s := range hot {
		s.y += top
		a.hot.all = append(a.hot.all, s)
	}
	return append(append(rows[:top-1], rows[h-2]), lines...)
}

// hints is the footer: what can be done here, made from the table of bindings,
// or a short message.
func (a *App) hints(w int) string {
	l := newLine("")
	l.glyphs("", " ", 1)
	if a.flash != "" {
		l.upTo(a.st.WarnBold, a.flash, w-2)
		return l.end(w)
	}
	a.hot.row(0, a.lay.hints.y)
	offered := a.keys.hints(a.scope(), a.replay != nil)
	byUse(a.scope(), offered)
	if s := a.typed.String(); s != "" {
		l.text(a.st.Title, s+"… ")
		if a.typed.keys != "" {
			offered = a.keys.begin(a.scope(), a.typed.keys, a.replay != nil)
		}
	}
	var last [len(lastHints)]*binding
	room := w
	for i := range offered {
		for j, id := range lastHints {
			if b := &offered[i]; b.id == id {
				last[j] = b
				room -= a.hintWidth(b)
			}
		}
	}
	for i := range offered {
		b := &offered[i]
		if (b.here == nil || b.here(a)) && !a.needless(b) {
			if last[0] != b && last[1] != b && last[2] != b {
				a.hint(l, b, room)
			}
		}
	}
	for _, b := range last {
		if b != nil {
			a.hint(l, b, w)
		}
	}
	return l.end(w)
}

// hint writes the key of a binding and what it does, if there is room for it.
func (a *App) hint(l *line, b *binding, w int) {
	if l.w+a.hintWidth(b) > w {
		return
	}
	st := a.st.Accent
	if a.off(b) != "" {
		st = a.st.Dim // stays where it is: a footer that jumps cannot be read
	}
	from := l.w
	l.text(st, a.skin.keys(keyName(b.keys[0])))
	l.text(a.st.Dim, " "+a.hintOf(b))
	a.hot.add(from, l.w, b.id)
	l.text(a.st.Dim, "  ")
}

func (a *App) hintOf(b *binding) string {
	if b.id == "play" && !a.still() {
		return "pause"
	}
	if b.id == "pause" && a.paused {
		return "resume"
	}
	if b.says != nil {
		return cmp.Or(b.says(a), b.hint)
	}
	return cmp.Or(b.hint, b.short, b.help)
}

// hintWidth is what a hint takes, the space behind it included.
func (a *App) hintWidth(b *binding) int {
	_, key := safe(a.skin.keys(keyName(b.keys[0])))
	_, hint := safe(a.hintOf(b))
	return key + hint + 3
}
