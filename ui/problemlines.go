package ui

import (
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/fights"
	"rewatch/model/health"
)

// build makes the lines of what is wrong: first what is wrong now, by harm, then
// what is over. The cursor stays on its line.
func (p *problems) build(a *App) {
	var at problemKey
	if p.cursor < len(p.items) {
		at = p.items[p.cursor].key
	}
	p.items, p.count = nil, 0
	p.section("Streams", len(a.all.troubles), 0, troubleLines(a))
	i := 0
	upTo := func(s health.Section) {
		for ; i < len(p.parts) && p.parts[i].section < s; i++ {
			p.part(&p.parts[i])
		}
	}
	upTo(health.Nodes)
	p.found(a, "Restart loops", 0, fights.RestartLoop)
	upTo(health.Refused)
	p.found(a, "Fights", 0, fights.Fight)
	upTo(health.Gaps + 1)
	p.found(a, "Flaps", a.dropped, fights.Flap) // of those that are dropped flaps are the first
	p.section("What was checked", 0, 0, a.checkedLines(p.pending))
	for i := range p.items {
		if p.items[i].key == at {
			p.cursor = i
		}
	}
}

// section adds a section of n problems, more of which have no line, unless there
// are none.
func (p *problems) section(title string, n, more int, lines []problem) {
	if n+len(lines) == 0 {
		return
	}
	p.count += n
	p.items = append(p.items, problem{section: title, n: n, key: problemKey{section: title}})
	if p.folded[title] {
		return
	}
	for i := range lines {
		lines[i].key.section = title
	}
	p.items = append(p.items, lines...)
	if more > 0 {
		text := "and " + count(more) + " older, which are not kept"
		p.items = append(p.items, problem{key: problemKey{section: title, reason: "more"}, show: func(*App) problemText { return problemText{text: text} }})
	}
}

// problemText is what a problem of the log reads.
func (a *App) problemText(x *health.Problem) problemText {
	t := problemText{reason: x.Reason, age: age(a.now.Sub(x.When())), text: x.Text, bad: badNow(x.Section)}
	if x.Count > 1 {
		t.reason += " ×" + count(x.Count)
	}
	t.name = a.problemName(x, x.About.Name != "" || x.Section == health.Workloads)
	if s := a.statusOf(x.Stream); s != nil && x.Object != 0 && unwell(s) {
		t.text, t.bad = strings.TrimSuffix("as of "+a.clockText(s.Onset())+", now unknown: "+t.text, ": "), false
	}
	return t
}

// problemName names what a problem is about, with its kind where that is not said
// beside it; "" where it is about nothing that has a name.
func (a *App) problemName(x *health.Problem, kind bool) string {
	switch {
	case x.About.Name != "":
		return a.nameOn(x.About, kind)
	case x.Object != 0:
		return a.nameOn(a.log.Identity(x.Object), kind)
	case x.Section == health.Gaps:
		return a.gapOf(x.Stream)
	}
	return ""
}

// gapOf names a stream with its namespace and context, where those are not said
// by what is watched.
func (a *App) gapOf(id model.StreamID) string {
	info := a.all.stream(id)
	name, where := a.streams.label(&model.StreamStatus{StreamInfo: info})
	if where != "" {
		name += " in " + where
	}
	return name
}

// nameOn is how an object is called on a page: with its kind where that is not
// said by the section, with its context where there are several.
func (a *App) nameOn(id model.Identity, kind bool) string {
	s := id.Name
	if id.Namespace != "" && id.Namespace != a.all.namespace {
		s = id.Namespace + "/" + s
	}
	if kind {
		s = id.Kind + " " + s
	}
	if a.all.contexts > 1 {
		s = id.Context + " " + s
	}
	return s
}

func (a *App) statusOf(id model.StreamID) *model.StreamStatus {
	if id < 0 || int(id) >= len(a.all.streams) {
		return nil
	}
	return &a.all.streams[id]
}

func (a *App) clockText(t time.Time) string { return t.In(a.o.Location).Format("15:04:05") }

// troubleLines tells of the streams that are not well: since when, the next try,
// the cause, and what this user would have to be allowed.
func troubleLines(a *App) (out []problem) {
	for _, t := range a.all.troubles {
		out = append(out, problem{key: problemKey{reason: t.name(&a.all)}, asked: t.StreamStatus, show: func(a *App) problemText {
			x := problemText{reason: word(t.StreamStatus).String(), name: t.name(&a.all), bad: t.State != model.Overdue}
			if t.alike > 0 {
				x.name += " and " + count(t.alike) + " more"
			}
			if at := t.Onset(); !at.IsZero() {
				x.age = age(a.now.Sub(at))
			}
			when, why := a.all.plight(t.StreamStatus, a.now)
			if strings.HasPrefix(when, "for ") && why != "" {
				when, why = why, "" // the age says it
			}
			x.text = strings.TrimSuffix(when+": "+why, ": ")
			if t.outage != nil {
				x.text += " · " + plural(len(t.outage.waiting), "stream") + " of this host wait for it"
			}
			if t.State == model.Denied {
				x.text += " · needs: " + permission(t.StreamStatus)
			}
			return x
		}})
	}
	return out
}

// permission is what must be allowed so that a stream can be read, as kubectl
// auth can-i takes it.
func permission(s *model.StreamStatus) string {
	verb := "list and watch"
	if r := s.Failure.Request; r != nil && r.Verb == model.VerbList {
		verb = "list"
	} else if r != nil {
		verb = "watch"
	}
	out := verb + " " + s.Name()
	switch {
	case s.Namespace != "":
		return out + " -n " + s.Namespace
	case s.Namespaced:
		return out + " -A"
	}
	return out
}
