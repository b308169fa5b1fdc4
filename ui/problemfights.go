package ui

import (
	"strings"
	"time"

	"rewatch/model/fights"
)

// alike are findings that differ in the object alone: one line stands for them,
// which enter opens.
type alike struct {
	kind         fights.Kind
	object, path string // the kind of the objects, and what goes to and fro in them
}

// found adds a section of what goes to and fro, kind by kind and the newest of
// each first; dropped findings are told as a number.
func (p *problems) found(a *App, title string, dropped int, kinds ...fights.Kind) {
	var lines []problem
	n := 0
	for _, kind := range kinds {
		var order []alike
		groups := map[alike][]*fights.Finding{}
		for i := len(a.findings) - 1; i >= 0; i-- {
			f := &a.findings[i]
			if f.Kind != kind {
				continue
			}
			k := alike{kind, a.log.Identity(f.Object).Kind, f.Path}
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], f)
			n++
		}
		for _, k := range order {
			list := groups[k]
			if len(list) > 1 {
				key := problemKey{reason: kind.String() + k.path + "\x00" + k.object}
				lines = append(lines, problem{key: key, alike: k, show: func(a *App) problemText { return a.alikeText(k, list) }})
			}
			if len(list) == 1 || p.opened[k] {
				for _, f := range list {
					lines = append(lines, findingLine(f, len(list) > 1))
				}
			}
		}
	}
	p.section(title, n+dropped, dropped, lines)
}

func findingLine(f *fights.Finding, inner bool) problem {
	d := problem{key: problemKey{reason: f.Kind.String() + f.Path, object: f.Object}, to: f.Object, seq: noRow, inner: inner, show: func(a *App) problemText { return a.findingText(f) }}
	if n := len(f.Rows); n > 0 {
		d.seq = f.Rows[n-1]
	}
	return d
}

// alikeText tells of findings that are alike, the newest of them first.
func (a *App) alikeText(k alike, list []*fights.Finding) problemText {
	changes := 0
	since, until := list[0].Since, list[0].Until
	for _, f := range list {
		changes += f.Count
		since, until = min(since, f.Since), max(until, f.Until)
	}
	what := "change"
	if k.kind == fights.RestartLoop {
		what = "restart"
	}
	return problemText{
		reason: strings.ToUpper(k.kind.String()) + " ×" + count(len(list)), age: age(a.now.Sub(time.Unix(0, until))),
		name: plural(len(list), k.object), bad: k.kind != fights.Flap,
		text: k.path + "  " + plural(changes, what) + "  " + a.clockText(time.Unix(0, since)) + "…" + a.clockText(time.Unix(0, until)) + "  enter lists them",
	}
}

func (a *App) findingText(f *fights.Finding) problemText {
	t := problemText{reason: strings.ToUpper(f.Kind.String()), age: age(a.now.Sub(time.Unix(0, f.Until))), name: a.nameOn(a.log.Identity(f.Object), true), bad: f.Kind != fights.Flap}
	t.text = f.Path
	if len(f.Also) > 0 {
		t.text += " +" + count(len(f.Also))
	}
	if f.Kind == fights.RestartLoop {
		t.text = plural(f.Count, "restart") + "  " + t.text
	} else {
		var values []string
		for _, v := range f.Values {
			values = append(values, value(v))
		}
		t.text += "  " + strings.Join(values, " ↔ ") + "  " + plural(f.Count, "change")
	}
	if len(f.Managers) > 0 {
		t.text += " by " + strings.Join(f.Managers, ", ")
	}
	t.text += "  " + a.clockText(time.Unix(0, f.Since)) + "…" + a.clockText(time.Unix(0, f.Until))
	return t
}
