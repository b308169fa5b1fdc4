package ui

import (
	"strings"
	"time"

	"rewatch/model"
)

// What the timeline says where it has no rows, or few while its streams have
// yet to show anything: what is being waited for.

// waits is what the timeline needs to know for that.
type waits struct {
	now    time.Time
	paused bool
	replay bool
	absent absence
}

// waitedFor reports whether a stream has yet to show anything.
func waitedFor(s *model.StreamStatus) bool {
	if s.Removed() || s.State.Fresh() || s.State == model.Polling || s.State == model.Overdue {
		return false
	}
	return s.State == model.Syncing || s.Objects == 0 && s.Added == 0 && s.Bookmarks == 0
}

// rest fills the pane below its rows, n lines at most.
func (t *timeline) rest(n int) []string {
	if t.index.end() == t.index.first() {
		return t.empty(n)
	}
	if n < 3 || t.waits.replay || t.query != nil {
		return nil
	}
	if lines := t.waitLines(n-1, waitedFor); len(lines) > 0 {
		return append([]string{newLine("").end(t.cols.w)}, lines...)
	}
	if n := t.unchanged(); n > 0 && !t.waits.paused {
		l := newLine("")
		l.upTo(t.st.Dim, "  no change yet: "+currentWatches(n)+" current, and what changes appears here", t.cols.w)
		return []string{newLine("").end(t.cols.w), l.end(t.cols.w)}
	}
	return nil
}

func currentWatches(n int) string {
	switch n {
	case 1:
		return "the watch is"
	case 2:
		return "both watches are"
	}
	return "all " + count(n) + " watches are"
}

// unchanged is how many streams there are, 0 if one of them has had a change or is
// not current. A cluster where nothing happens must not look like a screen that
// does not work.
func (t *timeline) unchanged() int {
	n := 0
	for i := range t.all.streams {
		switch s := &t.all.streams[i]; {
		case s.Removed():
		case !s.State.Fresh() || s.Added-s.Initial+s.Modified+s.Deleted > 0:
			return 0
		default:
			n++
		}
	}
	return n
}

// empty is said where there is no row at all.
func (t *timeline) empty(n int) []string {
	if n <= 0 {
		return nil
	}
	say := func(text string) string {
		l := newLine("")
		l.upTo(t.st.Dim, "  "+text, t.cols.w)
		return l.end(t.cols.w)
	}
	if percent, looking := t.looking(); looking {
		return []string{say("looking through the log… " + count(percent) + "%")}
	}
	if t.query != nil {
		text := "no row matches /" + t.query.String()
		if t.problem != "" {
			text = "no row matches; " + t.problem
		}
		if held := t.snap.Len(); held > 0 {
			return []string{say(text), say(plural(held, "row") + " not shown; esc shows all again")}
		}
		return append([]string{say(text)}, t.waitLines(n-1, notRemoved)...)
	}
	var out []string
	switch {
	case t.all.watched == 0 && t.waits.replay:
		return []string{say("nothing yet: no stream has begun at this moment of the tape")}
	case t.all.watched == 0:
		return []string{say("nothing is watched: type : and what to watch, as pods or deploy,sts")}
	case t.waits.paused:
		out = append(out, say("paused before the first row; space goes on"))
	case t.index.hidden > 0:
		out = append(out, say(foldedText(t.index.hidden)))
	default:
		out = append(out, say("nothing yet; waiting for"))
	}
	return append(out, t.waitLines(n-len(out), notRemoved)...)
}

func notRemoved(s *model.StreamStatus) bool { return !s.Removed() }

// waitLines say what is waited for of some streams, in at most n lines: of those
// that are refused what is missing comes first.
func (t *timeline) waitLines(n int, which func(*model.StreamStatus) bool) []string {
	var of []*model.StreamStatus
	w := 8
	for _, bad := range []bool{true, false} {
		for i := range t.all.streams {
			if s := &t.all.streams[i]; which(s) && unwell(s) == bad {
				of = append(of, s)
				_, nw := safe(t.waitName(s))
				w = max(w, nw)
			}
		}
	}
	w = min(w, t.cols.w*35/100)
	var out []string
	for i, s := range of {
		lines := t.waitLine(s, w)
		if more := len(of) - i - 1; len(out)+len(lines) > n-min(more, 1) {
			if len(out) < n {
				l := newLine("")
				l.upTo(t.st.Dim, "  and "+plural(more+1, "more stream"), t.cols.w)
				out = append(out, l.end(t.cols.w))
			}
			break
		}
		out = append(out, lines...)
	}
	return out
}

func (t *timeline) waitName(s *model.StreamStatus) string {
	name := t.all.name(s.StreamInfo)
	if s.Namespace != "" && s.Namespace != t.all.namespace {
		name += " in " + s.Namespace
	}
	if t.all.contexts > 1 {
		name = s.Context + " " + name
	}
	return name
}

// waitLine is "SYNC  pods  ███░░░  1,204 of 5,000 objects", and for what is
// refused how to find out and what would help.
func (t *timeline) waitLine(s *model.StreamStatus, nameWidth int) []string {
	l := newLine("")
	l.pad(2)
	l.cell(stateStyle(t.st, s.State), s.State.String(), 8)
	l.cell(t.st.Strong, t.waitName(s), nameWidth)
	l.pad(l.w + 2)
	if s.State == model.Syncing && s.Total > 0 {
		const bar = 14
		done := int(min(s.Synced, s.Total) * bar / s.Total)
		l.glyphs(t.st.Info, strings.Repeat("█", done), done)
		l.glyphs(t.st.Rule, strings.Repeat("░", bar-done), bar-done)
		l.pad(l.w + 2)
	}
	l.upTo(t.st.Text, t.waitText(s), t.cols.w-l.w-1)
	out := []string{l.end(t.cols.w)}
	if d, ok := denied(s.StreamInfo, s.Last); ok {
		out = append(out, t.command("check: ", d.check())...)
		role, binding := d.grant()
		out = append(out, t.command("grant: ", role+" &&")...)
		out = append(out, t.command("       ", binding)...)
		if w := d.whoami(); w != "" {
			out = append(out, t.command("USER:  ", w)...)
		}
	}
	return out
}

// command writes a command that a user may copy, in two lines if it is too long
// for one.
func (t *timeline) command(label, command string) (out []string) {
	const indent = 4
	parts := []string{label + command}
	if at := strings.Index(command, " --"); at > 0 && indent+len(label)+len(command) > t.cols.w-1 {
		parts = []string{label + command[:at] + ` \`, strings.Repeat(" ", len(label)+2) + command[at+1:]}
	}
	for _, p := range parts {
		l := newLine("")
		l.pad(indent)
		l.upTo(t.st.Dim, p, t.cols.w-l.w-1)
		out = append(out, l.end(t.cols.w))
	}
	return out
}

// waitText says what a stream waits for.
func (t *timeline) waitText(s *model.StreamStatus) string {
	if d, ok := denied(s.StreamInfo, s.Last); ok {
		text := d.String()
		if c := countdown(s, t.waits.now); c != "" {
			text += "; asked again in " + c
		}
		return text
	}
	if unwell(s) {
		when, why := t.all.plight(s, t.waits.now)
		return strings.TrimSuffix(when+": "+why, ": ")
	}
	since := age(t.waits.now.Sub(s.Since))
	switch s.State {
	case model.Idle:
		return "has not begun"
	case model.Connecting:
		host := s.Server
		if host == "" {
			host = s.Context
		}
		return "an answer of " + host + ", for " + since
	case model.Syncing:
		switch {
		case s.Total > 0:
			return count(s.Synced) + " of " + count(s.Total) + " objects" + t.pages(s)
		case s.Synced > 0:
			return count(s.Synced) + " objects of the initial list so far" + t.pages(s)
		}
		return "the initial list, for " + since
	case model.Paused:
		return "paused; p in Streams goes on"
	case model.Polling:
		return strings.TrimSuffix("the next list, "+pollsEvery(s), ", ") + ": this server lets it not be watched"
	}
	if s.Objects > 0 {
		return "the first change; " + plural(s.Objects, "object") + " exist"
	}
	return t.waits.absent.nothing(s)
}

// pages says which page of the list arrives, where it is asked for in pages.
func (t *timeline) pages(s *model.StreamStatus) string {
	if s.Last.Request == nil || s.Last.Request.Verb != model.VerbList {
		return ""
	}
	var size int64
	for p := range strings.SplitSeq(s.Last.Request.Query, "&") {
		if n, ok := strings.CutPrefix(p, "limit="); ok {
			for _, r := range n {
				if r < '0' || r > '9' || size > 1e9 {
					return ""
				}
				size = size*10 + int64(r-'0')
			}
		}
	}
	if size == 0 || s.Total <= size {
		return ""
	}
	return ", page " + count(min(s.Synced/size+1, (s.Total+size-1)/size)) + " of " + count((s.Total+size-1)/size)
}

// foldedText says that there are rows, none of which is listed.
func foldedText(n int) string {
	if n == 1 {
		return "1 row says nothing and is folded; a shows it"
	}
	return count(n) + " rows say nothing and are folded; a shows them"
}
