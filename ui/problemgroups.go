package ui

import (
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/health"
)

// alike are problems that differ in what they are about alone: one line stands
// for them, which enter opens.
type alike struct {
	section, what string // the reason, or what goes to and fro
	kind          string // of what they are about
}

// fewAlike is how many have a line each: a count would say no more than they do.
const fewAlike = 2

// problemPart is a section of what the log knows.
type problemPart struct {
	section health.Section
	total   int // with those that are not kept
	more    int // that are not kept
	groups  []problemGroup
}

// problemGroup is what is alike, or a problem that is like no other. What its
// line tells does not depend on how many they are.
type problemGroup struct {
	alike        alike
	list         []health.Problem // the newest first
	since, until time.Time
	times        int                    // of all of them
	text         string                 // that all have
	streams      map[model.StreamID]int // how many each has told of
}

// groupProblems finds what is alike in each section; a group stands where its
// newest problem would.
func groupProblems(log *model.Log, parts []health.Part) []problemPart {
	out := make([]problemPart, len(parts))
	for i, part := range parts {
		x := problemPart{section: part.Section, total: part.Total, more: part.Total - len(part.Problems)}
		keys := make([]alike, len(part.Problems))
		n, at := map[alike]int{}, map[alike]int{}
		for j := range part.Problems {
			keys[j] = alikeOf(log, &part.Problems[j])
			n[keys[j]]++
		}
		for j, p := range part.Problems {
			k := keys[j]
			if n[k] <= fewAlike || k.kind == "" {
				x.groups = append(x.groups, problemGroup{list: part.Problems[j : j+1]})
				continue
			}
			g, ok := at[k]
			if !ok {
				g = len(x.groups)
				at[k] = g
				x.groups = append(x.groups, problemGroup{alike: k, list: make([]health.Problem, 0, n[k]), since: p.When(), text: p.Text, streams: map[model.StreamID]int{}})
			}
			x.groups[g].add(p)
		}
		out[i] = x
	}
	return out
}

func (g *problemGroup) add(p health.Problem) {
	last := p.When()
	if p.Section == health.Gaps {
		last = p.Seen // when it was over
	}
	if g.list = append(g.list, p); p.When().Before(g.since) {
		g.since = p.When()
	}
	if last.After(g.until) {
		g.until = last
	}
	if g.text != p.Text {
		g.text = ""
	}
	g.times += p.Count
	g.streams[p.Stream]++
}

// alikeOf says what a problem has in common with others; it has no kind if it is
// about nothing that has a name.
func alikeOf(log *model.Log, p *health.Problem) alike {
	k := alike{section: p.Section.String(), what: p.Reason}
	switch {
	case p.About.Name != "":
		k.kind = p.About.Kind
	case p.Object != 0:
		k.kind = log.Identity(p.Object).Kind
	case p.Section == health.Gaps:
		k.kind = "stream"
	}
	return k
}

// part adds what the log knows of one section.
func (p *problems) part(part *problemPart) {
	var lines []problem
	for i := range part.groups {
		g := &part.groups[i]
		grouped := g.alike != (alike{})
		if grouped {
			lines = append(lines, problem{key: problemKey{reason: g.alike.what + "\x00" + g.alike.kind}, alike: g.alike, show: g.line})
			if !p.opened[g.alike] {
				continue
			}
		}
		for j := range g.list {
			x := &g.list[j]
			d := problem{key: problemKey{reason: x.Reason, object: x.Object, seq: x.Seq}, inner: grouped, to: x.Object, seq: x.Seq, about: x.About, ofRow: x.Object == 0,
				show: func(a *App) problemText { return a.problemText(x) }}
			if x.Section == health.Warnings { // its row and count change
				d.key = problemKey{reason: x.Reason + "\x00" + x.About.Namespace + "\x00" + x.About.Name}
			}
			lines = append(lines, d)
		}
	}
	p.section(part.section.String(), part.total, part.more, lines)
}

// line is what a group reads: how many, of what, from when to when.
func (g *problemGroup) line(a *App) problemText {
	t := problemText{reason: g.alike.what + " ×" + count(len(g.list)), age: age(a.now.Sub(g.until)), text: g.text, bad: badNow(g.list[0].Section)}
	t.name = naming(len(g.list), g.alike.kind, func(i int) string { return a.problemName(&g.list[i], false) })
	told := []string{a.spanText(g.since, g.until)}
	switch s := g.list[0].Section; {
	case s == health.Restarts:
		told = append(told, plural(g.times, "restart"))
	case s == health.Warnings && g.times > len(g.list):
		told = append(told, plural(g.times, "time"))
	}
	unknown := 0
	for id, n := range g.streams {
		if s := a.statusOf(id); s != nil && g.list[0].Object != 0 && unwell(s) {
			unknown += n
		}
	}
	switch {
	case unknown == len(g.list):
		told = append(told, "now unknown")
		t.bad = false
	case unknown > 0:
		told = append(told, count(unknown)+" of them now unknown")
	}
	if g.text != "" {
		told = append(told, g.text)
	}
	t.text = strings.Join(told, "  ")
	return t
}

// naming names a few of n things: "3 Nodes: node-03, node-04, node-05".
func naming(n int, kind string, name func(int) string) string {
	const few = 5
	var names []string
	for i := range min(n, few) {
		names = append(names, name(i))
	}
	if n > few {
		names = append(names, "…")
	}
	return plural(n, kind) + ": " + strings.Join(names, ", ")
}

// spanText is from when to when something was seen, with dates where they are
// not that of the clock.
func (a *App) spanText(since, until time.Time) string {
	from, to := stamp(since, a.now, a.o.Location), stamp(until, a.now, a.o.Location)
	if from == to {
		return from
	}
	return from + "…" + to
}

// badNow reports whether what a section tells is so until it is told otherwise.
func badNow(s health.Section) bool { return s >= health.Nodes && s < health.Volumes }

// row reports whether a line that is about no object leads to its row.
func (d *problem) row(a *App) bool {
	s := a.timeline.snap
	return d.ofRow && d.seq >= s.First() && d.seq < s.End()
}

// canEnterProblem reports whether the line under the cursor leads somewhere.
func (a *App) canEnterProblem() (bool, string) {
	p, ok := a.page.page.(*problems)
	if !ok || p.cursor >= len(p.items) {
		return false, "there is no line here"
	}
	d := &p.items[p.cursor]
	leads := d.section != "" || d.alike != (alike{}) || d.asked != nil || d.to != 0 || d.row(a)
	if !leads && d.about.Name != "" {
		k, _, found := a.log.Lookup(d.about)
		leads = found && k.Object != 0
	}
	return leads, "this line leads nowhere"
}

// saysProblem is what enter does on the line under the cursor.
func saysProblem(a *App) string {
	p, ok := a.page.page.(*problems)
	if !ok || p.cursor >= len(p.items) {
		return ""
	}
	switch d := &p.items[p.cursor]; {
	case d.section != "" && p.folded[d.section], d.alike != (alike{}) && !p.opened[d.alike]:
		return "unfold"
	case d.section != "", d.alike != (alike{}):
		return "fold"
	case d.asked != nil:
		return "requests"
	case d.row(a):
		return "go there"
	}
	return ""
}
