package ui

import (
	"strings"
	"time"

	"rewatch/model/fights"
)

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
			k := alike{title, kind.String() + " " + f.Path, a.log.Identity(f.Object).Kind}
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], f)
			n++
		}
		for _, k := range order {
			list := groups[k]
			grouped := len(list) > fewAlike
			if grouped {
				key := problemKey{reason: k.what + "\x00" + k.kind}
				lines = append(lines, problem{key: key, alike: k, show: func(a *App) problemText { return a.alikeText(k, list) }})
			}
			if !grouped || p.opened[k] {
				for _, f := range list {
					lines = append(lines, findingLine(f, grouped))
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
	f, what := list[0], "change"
	if f.Kind == fights.RestartLoop {
		what = "restart"
	}
	return problemText{
		reason: strings.ToUpper(f.Kind.String()) + " ×" + count(len(list)), age: age(a.now.Sub(time.Unix(0, until))),
		name: naming(len(list), k.kind, func(i int) string { return a.nameOn(a.log.Identity(list[i].Object), false) }), bad: f.Kind != fights.Flap,
		text: a.spanText(time.Unix(0, since), time.Unix(0, until)) + "  " + plural(changes, what) + "  " + f.Path,
	}
}

func (a *App) findingText(f *fights.Finding) problemText {
	t := problemText{reason: strings.ToUpper(f.Kind.String()), age: age(a.now.Sub(time.Unix(0, f.Until))), name: a.nameOn(a.log.Identity(f.Object), true), bad: f.Kind != fights.Flap}
	t.text = f.Path
	if len(f.Also) > 0 {
		t.text += " and " + count(len(f.Also)) + " more"
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
	t.text += "  " + a.spanText(time.Unix(0, f.Since), time.Unix(0, f.Until))
	return t
}
