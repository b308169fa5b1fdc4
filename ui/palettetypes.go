package ui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/near"
)

// What the palette offers of types.

// noWatcher says why what is watched cannot be changed.
func noWatcher(a *App) string {
	switch {
	case a.replay != nil:
		return "a tape has what was recorded: nothing can be watched besides"
	case a.o.Watcher == nil:
		return "what is watched cannot be changed here"
	}
	return ""
}

// typeItems are the types that the clusters serve, of which those that are
// watched come first; of a tape only those. sign is the text, of which + and -
// matter.
func (a *App) typeItems(text string) []paletteItem {
	var out []paletteItem
	seen := map[string]bool{}
	sign, types := typeSign(text)
	head := types[:strings.LastIndexByte(types, ',')+1]
	for i := range a.all.streams {
		s := &a.all.streams[i]
		name := a.all.name(model.StreamInfo{Group: s.Group, Resource: s.Resource})
		if s.Removed() || seen[name] || sign == '+' {
			continue
		}
		seen[name], seen[s.Name()] = true, true
		out = append(out, a.typeItem(head, name, []string{s.Kind}, sign, true))
	}
	for _, c := range a.palette.choices.types {
		if i := slices.IndexFunc(out, func(it paletteItem) bool { return it.text == c.Name }); i >= 0 {
			out[i].also = append(out[i].also, c.Short...)
			continue
		}
		if !seen[c.Name] && sign != '-' && a.o.Watcher != nil {
			out = append(out, a.typeItem(head, c.Name, append([]string{c.Kind}, c.Short...), sign, false))
		}
	}
	return out
}

// typeItem is about a type and those before it in the text, head.
func (a *App) typeItem(head, name string, also []string, sign byte, on bool) paletteItem {
	it := paletteItem{group: "type", text: name, also: also, on: on, fill: name}
	name = head + name
	all := ""
	if head != "" {
		all = " " + name
	}
	switch {
	case sign == '-':
		it.help, it.off = "stop watching"+all, noWatcher
		it.do = func(a *App) tea.Cmd { return a.dropTypes(name) }
	case sign == '+':
		it.help, it.off = "watch"+all+" besides", noWatcher
		it.do = func(a *App) tea.Cmd { return a.addTypes(name, false) }
	case on && head == "":
		it.help = "show these alone"
		it.do = func(a *App) tea.Cmd { return a.showTypes(name) }
	default:
		it.help, it.off = "watch"+all+", and show these alone", noWatcher
		it.do = func(a *App) tea.Cmd { return a.addTypes(name, true) }
	}
	it.lacks(a, sign, a.noTypes(head))
	return it
}

// askAgain is what becomes of a type that the list does not have: it is from
// before a CRD that has just come.
const askAgain = "; enter asks the cluster again"

// lacks says of an item which of its types the list does not have, "" is none.
// They are asked for all the same, but for those that are to be removed.
func (it *paletteItem) lacks(a *App, sign byte, why string) {
	switch {
	case why == "":
	case sign == '-' || noWatcher(a) != "":
		it.off = func(*App) string { return why }
	default:
		it.help = why + askAgain
	}
}

// noTypes says which of the types that stand in a text are none, "" if all are
// or that cannot be told.
func (a *App) noTypes(text string) string {
	var none []string
	for word := range strings.SplitSeq(text, ",") {
		word, _, _ = strings.Cut(word, "/")
		if is, known := a.knowsType(word); word != "" && known && !is {
			none = append(none, word)
		}
	}
	switch len(none) {
	case 0:
		return ""
	case 1:
		var guesses []near.Guess
		for _, t := range a.palette.choices.types {
			guesses = append(guesses, near.Of(none[0], t.Name, append([]string{t.Kind}, t.Short...)...))
		}
		return a.noSuch("type", none[0], near.Rank(none[0], guesses, 3))
	}
	return "no types " + strings.Join(none, ", ") + " here"
}

// typeSign splits a text into + or -, 0 for neither, and the types.
func typeSign(text string) (sign byte, types string) {
	text = strings.TrimSpace(text)
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return text[0], strings.TrimSpace(text[1:])
	}
	return 0, text
}

// typedType is the text itself, as types: of several, of one object, of one that
// is not known here. What is there by its name is offered by that alone.
func (a *App) typedType(text string) []paletteItem {
	sign, types := typeSign(text)
	word := paletteWord(types)
	if types == "" || word == "" || !strings.Contains(types, "/") && slices.ContainsFunc(a.typeItems(text), func(it paletteItem) bool { return it.isNamed(word) }) {
		return nil
	}
	it := a.typeItem("", types, nil, sign, false)
	it.text, it.given, it.fill, it.off = text, meantScore, "", noWatcher
	if !strings.Contains(types, "/") {
		it.given = typedScore(word)
		it.help += ", as typed" + a.unlisted()
	}
	if why := a.noTypes(types); why != "" {
		it.lacks(a, sign, cmp.Or(noWatcher(a), why))
	} else if is, known := a.knowsType(types); sign == '-' && known && is && !strings.ContainsAny(types, ",/") {
		it.off = func(*App) string { return types + " is not watched" }
	}
	return []paletteItem{it}
}

// unlisted says why it is not known whether there is what was typed.
func (a *App) unlisted() string {
	switch c := &a.palette.choices; {
	case a.replay != nil || a.o.Watcher == nil || c.whole:
		return ""
	case c.asked:
		return "; still asking which types there are"
	case c.types != nil:
		return "; not all clusters say which types there are"
	}
	return "; which types there are cannot be asked"
}

// knowsType reports whether a word, TYPE[.VERSION][.GROUP][/NAME], is a type of
// one of the clusters; known is false while they have not all said what they have.
func (a *App) knowsType(word string) (is, known bool) {
	word, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(word)), "/")
	first, _, _ := strings.Cut(word, ".")
	same := func(name string) bool {
		name = strings.ToLower(name)
		plural, _, _ := strings.Cut(name, ".")
		return name == word || plural == first
	}
	is = word == "all" || slices.ContainsFunc(a.palette.choices.types, func(t TypeChoice) bool {
		return same(t.Name) || same(t.Kind) || slices.ContainsFunc(t.Short, same)
	}) || slices.ContainsFunc(a.all.streams, func(s model.StreamStatus) bool { return same(s.Name()) || same(s.Kind) })
	return is, is || a.palette.choices.whole
}

// typesOfItems are for a type with a namespace behind it, as in k9s; a word
// behind / is looked for, and one behind @ is a context.
func (a *App) typesOfItems(text string) []paletteItem {
	name, rest, more := strings.Cut(text, " ")
	if is, _ := a.knowsType(name); !more || !is {
		return nil
	}
	watched := len(a.watchedAs(name)) > 0
	item := func(rest string) paletteItem {
		it := paletteItem{group: "type", text: name + " " + rest, fill: name + " " + rest, help: "show these of " + rest + " alone",
			do: func(a *App) tea.Cmd { return a.showTypesOf(name, rest) }}
		if _, namespaces := termsBehind(rest); !watched || !a.watchesAll(namespaces) {
			it.help, it.off = "watch these of "+rest+" too, and show them alone", noWatcher
		}
		return it
	}
	rest = strings.TrimSpace(rest)
	names := a.namespaceNames()
	var out []paletteItem
	for _, ns := range names {
		out = append(out, item(ns))
	}
	if rest != "" && !slices.Contains(names, rest) && (len(names) == 0 || strings.ContainsAny(rest, "/@ ")) {
		it := item(rest)
		it.given, it.fill = typedScore(text), ""
		out = append(out, it)
	}
	return out
}

// showTypesOf shows a type alone, of a namespace or of what else was typed.
func (a *App) showTypesOf(name, rest string) tea.Cmd {
	terms, namespaces := termsBehind(rest)
	if len(namespaces) > 0 {
		terms = slices.Insert(terms, 0, "ns:"+strings.Join(namespaces, ","))
	}
	if about := a.watchedAs(name); len(about) > 0 && (a.replay != nil || a.o.Watcher == nil || a.watchesAll(namespaces)) {
		a.showAlone(filterOf(about, terms...))
		return nil
	}
	all := a.watchesAll(namespaces)
	return a.wish("looking for "+name, func(c Change) string { return filterOf(c.About, terms...) }, func(ctx context.Context, w Watcher) (Change, error) {
		if all {
			return w.Add(ctx, []string{name})
		}
		set, err := w.SetNamespaces(ctx, func(now []string) ([]string, error) {
			return changedNamespaces(now, "+"+strings.Join(namespaces, ",+"))
		})
		if err != nil {
			return Change{}, err
		}
		c, err := w.Add(ctx, []string{name})
		if err != nil { // the namespaces have changed all the same
			return set, fmt.Errorf("%w; the namespaces have changed: %s", err, set.Text)
		}
		return c, nil
	})
}

// termsBehind splits what stands behind a type: namespaces, and terms of a filter.
func termsBehind(rest string) (terms, namespaces []string) {
	for _, w := range strings.Fields(rest) {
		switch {
		case w == "/" || w == "@": // the word has yet to be typed
		case w[0] == '/':
			terms = append(terms, w[1:])
		case w[0] == '@':
			terms = append(terms, "context:"+w[1:])
		default:
			namespaces = append(namespaces, w)
		}
	}
	return terms, namespaces
}

// watchedAs are the streams of a type that is watched whole, by any name of it.
func (a *App) watchedAs(word string) (about []model.StreamInfo) {
	it := paletteItem{}
	for _, x := range a.typeItems("") {
		if x.on && x.isNamed(word) {
			it = x
		}
	}
	for _, s := range a.all.streams {
		if n := a.all.name(model.StreamInfo{Group: s.Group, Resource: s.Resource}); n == it.text && s.Field == "" && !s.Removed() {
			about = append(about, s.StreamInfo)
		}
	}
	return about
}
