package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
)

// factIndent is where the text of a fact begins.
const factIndent = 14

// build makes the lines of the page.
func (c *coverage) build(a *App) {
	c.items, c.streams = nil, nil
	if c.report != nil {
		c.buildTapes(a)
	} else {
		c.buildLog(a)
	}
	c.longest = 0
	for _, s := range c.streams {
		if strings.Contains(s.where, "/") { // of several contexts: the middle is not to be cut out
			_, name := safe(s.name)
			_, where := safe(s.where)
			c.longest = max(c.longest, name+where)
		}
	}
	c.cursor = max(min(c.cursor, len(c.items)-1), 0)
}

// facts are lines with a name and a text that may take several.
func (c *coverage) facts(list []Fact) (out []coverageItem) {
	for _, f := range list {
		text, _ := safe(f.Text)
		d := coverageItem{name: f.Name, bad: f.Bad, full: f.Name + "  " + f.Text, seq: noRow}
		for _, part := range strings.Split(ansi.Wrap(text, max(c.w-factIndent-1, 20), ""), "\n") {
			d.text = part
			out = append(out, d)
			d.name = ""
		}
	}
	return out
}

// buildTapes tells of the tapes of a replay.
func (c *coverage) buildTapes(a *App) {
	r := c.report
	if !r.from.IsZero() {
		c.from, c.to = r.from.UnixNano(), r.to.UnixNano()
	}
	when := func(t time.Time) string { return t.In(a.o.Location).Format("2006-01-02 15:04:05.000 MST") }
	for i := range r.tapes {
		t := &r.tapes[i]
		c.section("Tape "+t.Name, -1, c.facts(t.Facts(when)))
		title := "Streams"
		if len(r.tapes) > 1 {
			title += " of " + t.Name
		}
		var lines []coverageItem
		for j := range r.streams[i] {
			s := &r.streams[i][j]
			c.streams = append(c.streams, s)
			lines = append(lines, coverageItem{stream: len(c.streams), full: s.full, seq: noRow})
		}
		c.section(title, len(lines), lines)
	}
	unwatched := a.scrub.over.Unwatched
	c.section("Not current, or not watched", len(r.lapses)+len(unwatched), c.lapses(a, r.firstLapses(unwatched)))
	c.section("Gaps: changes may be missing", len(r.gaps)+int(r.moreGaps), c.moments(a, r.gaps))
	if r.moreGaps > 0 && !c.folded["Gaps: changes may be missing"] {
		c.items[len(c.items)-1].text = "the bars show the first " + count(len(r.gaps)) + " gaps alone"
	}
	c.section("Damaged: it cannot be read", len(r.damages), c.moments(a, r.damages))
	c.section("Marks", len(r.marks)+int(r.moreMarks), c.moments(a, r.marks))
}

// moments are lines of what a tape says of moments, as many as a section shows.
func (c *coverage) moments(a *App, list []tapeMoment) (out []coverageItem) {
	for _, m := range list[:min(len(list), lineLimit)] {
		d := coverageItem{name: "?", text: strings.TrimSpace(m.name + "  " + m.Text), at: m.From, seq: noRow}
		if !m.From.IsZero() {
			d.name = c.between(a, m.From, m.To)
		}
		out = append(out, d)
	}
	return out
}

// between is a span, or a moment if it has no length that shows.
func (c *coverage) between(a *App, from, to time.Time) string {
	first, last := stamp(from, a.now, a.o.Location), to.In(a.o.Location).Format("15:04:05")
	if to.Sub(from) < time.Second || to.IsZero() {
		return first
	}
	return first + "…" + last
}

// lapses are lines of times in which streams were not current.
func (c *coverage) lapses(a *App, list []lapse) (out []coverageItem) {
	for _, x := range list[:min(len(list), lineLimit)] {
		d := coverageItem{name: c.between(a, x.From, x.To), at: x.From, seq: noRow}
		who := "nobody watched"
		if len(x.names) > 0 {
			who = x.names[0]
		}
		if n := len(x.names); n > 1 {
			who += " +" + strconv.Itoa(n-1)
			d.full = d.name + "  " + x.Why + "  " + strings.Join(x.names, ", ")
		}
		d.text = strings.TrimSpace(who + "  " + seconds(x.To.Sub(x.From)) + "  " + x.Why)
		out = append(out, d)
	}
	return out
}

// buildLog tells of what the log holds: live, or until the tapes are read.
func (c *coverage) buildLog(a *App) {
	c.from, c.to = 0, 0
	if a.last.Len() > 0 {
		c.from, c.to = a.last.At(a.last.First()).Time, a.now.UnixNano()
	}
	if c.know != a.timeline.know {
		c.seen = watched{}
	}
	c.section("Log", -1, c.facts(a.logFacts(c)))
	if r := a.recording.now; r.Path != "" {
		c.section("Recording", -1, c.facts(a.recordingFacts(r)))
	}
	var streams, not []coverageItem
	for i := range a.all.streams {
		s := &a.all.streams[i]
		x := c.logStream(a, s)
		c.streams = append(c.streams, &x)
		streams = append(streams, coverageItem{stream: len(c.streams), full: x.full, seq: noRow})
		if s.Removed() {
			not = append(not, coverageItem{name: a.clockText(s.Onset()), text: a.logName(s.StreamInfo) + "  not watched since: " + s.Last.Text, at: s.Onset(), seq: noRow})
		} else if unwell(s) {
			when, why := a.all.plight(s, a.now)
			text := a.logName(s.StreamInfo) + "  " + word(s).String() + "  " + strings.TrimSuffix(when+": "+why, ": ")
			if s.State == model.Denied {
				text += " · needs: " + permission(s)
			}
			not = append(not, coverageItem{name: a.clockText(s.Onset()), text: text, bad: true, at: s.Onset(), seq: noRow})
		}
	}
	c.section("Streams", len(streams), streams)
	c.section("Not current, or not watched", len(not), not)
	gaps := c.logGaps(a)
	c.section("Gaps: changes may be missing", len(gaps), gaps)
	marks := c.logMarks(a)
	c.section("Marks", len(marks), marks)
}

// logStream is what the log knows of a stream.
func (c *coverage) logStream(a *App, s *model.StreamStatus) (x coverageStream) {
	x.name, x.where = a.streams.label(s)
	x.gone = s.Removed()
	if x.seen = c.seen.streams[s.ID]; x.seen != nil && c.to > c.from {
		x.fresh, x.known = x.seen.current(c.from, c.to)
	}
	added := max(s.Added-s.Initial, 0)
	x.counts = [...]string{count(s.Initial), count(added), count(s.Modified), count(s.Deleted), count(s.Objects), count(s.Gaps), size(s.Bytes)}
	parts := []string{a.all.name(s.StreamInfo), s.Context, s.State.String() + " since " + a.clockText(s.Onset())}
	if x.gone {
		parts[2] = "not watched since " + a.clockText(s.Onset())
	}
	x.full = strings.Join(append(parts, plural(s.Initial, "initial object"), count(added)+" added", count(s.Modified)+" modified", count(s.Deleted)+" deleted",
		plural(s.Objects, "object")+" now", plural(s.Gaps, "gap"), size(s.Bytes)+" read"), " · ")
	return x
}

// logName is the name of a stream, with its context where there are several.
func (a *App) logName(s model.StreamInfo) string {
	if a.all.contexts > 1 {
		return a.all.name(s) + " @" + s.Context
	}
	return a.all.name(s)
}

// logGaps are the gaps whose rows are held, the newest last.
func (c *coverage) logGaps(a *App) (out []coverageItem) {
	for _, s := range c.seen.streams {
		for _, g := range s.gaps {
			if g.seq < a.last.First() || g.seq >= a.last.End() {
				continue
			}
			e := a.last.At(g.seq)
			d, _ := e.Detail.(model.Gap)
			out = append(out, coverageItem{name: c.between(a, time.Unix(0, g.from), e.When()), at: e.When(), seq: g.seq,
				text: a.logName(a.all.stream(e.Stream)) + "  rv " + d.FromRV + "…" + d.ToRV + relisted(d)})
		}
	}
	slices.SortFunc(out, func(a, b coverageItem) int { return int(int64(a.seq) - int64(b.seq)) })
	return out
}

// logMarks are the marks whose rows are held.
func (c *coverage) logMarks(a *App) (out []coverageItem) {
	for _, seq := range c.seen.marks {
		if seq >= a.last.First() && seq < a.last.End() {
			e := a.last.At(seq)
			d, _ := e.Detail.(model.Note)
			out = append(out, coverageItem{name: a.clockText(e.When()), text: d.Text, at: e.When(), seq: seq})
		}
	}
	return out
}

// logFacts are what the log holds, and what has left it.
func (a *App) logFacts(c *coverage) (out []Fact) {
	switch {
	case c.failed != "":
		out = append(out, Fact{"tape", "cannot be told of: " + c.failed, true})
	case c.reading:
		out = append(out, Fact{"tape", "being read; until then this is of what is loaded of it, up to this moment", false})
	case a.replay != nil:
		out = append(out, Fact{"tape", "this is of what is loaded of it, up to this moment", false})
	}
	s := a.stats
	held := plural(s.Rows, "row") + ", " + plural(s.Versions, "version") + " of " + plural(s.Objects, "object") + ", " + size(s.Bytes)
	if s.Budget > 0 {
		held += " of at most " + size(s.Budget)
	}
	out = append(out, Fact{"holds", held, false})
	evicted := Fact{"evicted", "nothing: all since the start is held", false}
	if s.Evicted > 0 || s.EvictedVersions > 0 {
		evicted = Fact{"evicted", plural(s.Evicted, "row") + " and " + plural(s.EvictedVersions, "version") + ", the oldest", true}
		if c.from > 0 {
			evicted.Text += ": what was before " + a.clockText(time.Unix(0, c.from)) + " is not told any more"
		}
	}
	out = append(out, evicted)
	if r := a.recording; a.replay == nil && r.recorder != nil && r.now.Path == "" {
		out = append(out, Fact{"recording", "none: R begins one", false})
	}
	return out
}

// recordingFacts are how a recording stands.
func (a *App) recordingFacts(r Recording) (out []Fact) {
	say := func(name, text string, bad bool) { out = append(out, Fact{name, text, bad}) }
	since := ", since " + stamp(r.Since, a.clock, a.o.Location)
	if !r.On {
		since = ", ended"
	}
	say("file", r.Path+since, false)
	text := size(r.Bytes)
	if r.Wire > 0 {
		text += ", " + strconv.FormatFloat(100*float64(r.Bytes)/float64(r.Wire), 'f', 1, 64) + " % of the " + size(r.Wire) + " of its frames alone"
	}
	say("size", text, false)
	switch {
	case r.On && r.Unsafe > 0:
		say("lag", plural(r.Unsafe, "record")+" not on the disk yet, the oldest for "+seconds(r.Behind), r.Behind > lateDisk)
	case r.Unsafe > 0:
		say("lost", plural(r.Unsafe, "record")+" never reached the disk", true)
	case r.On:
		say("lag", "none: all is on the disk", false)
	}
	if !r.Safe.IsZero() {
		say("last sync", a.clockText(r.Safe)+", "+age(a.clock.Sub(r.Safe))+" ago", r.On && a.clock.Sub(r.Safe) > lateDisk && r.Unsafe > 0)
	}
	if r.Lost > 0 {
		say("lost", plural(r.Lost, "frame")+": the disk could not follow", true)
	}
	if r.Failed != "" {
		say("failed", r.Failed, true)
	}
	if !r.On {
		say("replay", ReplayCommand(r.Path), false)
	}
	return out
}

// lateDisk is how long the disk may take before that is something wrong; a
// recorder writes about once a second.
const lateDisk = 5 * time.Second

// ReplayCommand is what to type into a shell to play a recording.
func ReplayCommand(path string) string {
	if strings.HasPrefix(path, "-") { // it would be a flag
		path = "./" + path
	}
	return "rewatch replay " + shellWord(path)
}
