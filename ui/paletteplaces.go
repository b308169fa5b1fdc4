package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// What the palette offers of namespaces and contexts.

// watching is what is watched now, context by context.
func (a *App) watching() []Watched {
	if a.o.Watcher == nil {
		return nil
	}
	return a.o.Watcher.Watching()
}

// watchesAll reports whether namespaces are watched in all contexts.
func (a *App) watchesAll(namespaces []string) bool {
	for _, w := range a.palette.watched {
		for _, ns := range namespaces {
			if !w.has(ns) {
				return false
			}
		}
	}
	return true
}

// has reports whether a namespace is watched.
func (w Watched) has(ns string) bool {
	return len(w.Namespaces) == 0 || slices.Contains(w.Namespaces, ns)
}

// namespaceNames are those to choose from; without a list of the clusters, those
// of streams and, of a tape, of its objects.
func (a *App) namespaceNames() []string {
	names := a.palette.choices.namespaces
	if names == nil && a.replay != nil {
		for _, g := range a.log.Groups() {
			if g.Namespace != "" && !slices.Contains(names, g.Namespace) {
				names = append(names, g.Namespace)
			}
		}
		slices.Sort(names)
	}
	if names == nil {
		for i := range a.all.streams {
			if ns := a.all.streams[i].Namespace; ns != "" && !slices.Contains(names, ns) {
				names = append(names, ns)
			}
		}
	}
	return names
}

// namespaceItems are for a text behind "ns". A name that the clusters have not
// told is offered as well: it may come to be, or be hidden from this user.
func (a *App) namespaceItems(text string) (out []paletteItem) {
	word := paletteWord(text)
	head := text[:len(text)-len(word)]
	names := a.namespaceNames()
	if word = strings.TrimSpace(word); word != "" && !slices.Contains(names, word) && word != allNamespaces {
		it := a.namespaceItem(head, word)
		it.given, it.fill, it.on = typedScore(word), "", false
		it.help += ", as typed"
		if a.palette.choices.namespaces != nil {
			it.help += "; none of this name is listed"
		}
		out = append(out, it)
	}
	if head == "" {
		out = append(out, a.namespaceItem("", allNamespaces))
	}
	for _, ns := range names {
		out = append(out, a.namespaceItem(head, ns))
	}
	return out
}

// allNamespaces is what is typed for all of them.
const allNamespaces = "all"

// namespaceItem is about a namespace and those before it in the text, head.
func (a *App) namespaceItem(head, name string) paletteItem {
	it := paletteItem{group: "namespace", text: name, help: watchHelp(head, "namespace"), fill: name}
	it.do = func(a *App) tea.Cmd { return a.switchNamespaces(head + name) }
	if name == allNamespaces {
		it.also, it.help = []string{"*"}, "watch all namespaces"
	}
	if a.replay != nil {
		it.help = "show this namespace alone"
		return it
	}
	it.off = noWatcher
	var with, without, contexts []string
	for _, w := range a.palette.watched {
		contexts = append(contexts, w.Context)
		if it.on = it.on || slices.Contains(w.Namespaces, name) || len(w.Namespaces) == 0 && name == allNamespaces; w.has(name) {
			with = append(with, w.Context)
		} else {
			without = append(without, w.Context)
		}
	}
	if len(contexts) < 2 {
		return it
	}
	switch head { // each context has namespaces of its own
	case "+":
		if it.help += ", in " + strings.Join(without, ", "); len(without) == 0 {
			it.help = "watched already in " + strings.Join(with, ", ")
		}
	case "-":
		if it.help += ", in " + strings.Join(with, ", "); len(with) == 0 {
			it.help = "not watched in any context"
		}
	default:
		it.help += ", in " + strings.Join(contexts, ", ")
	}
	return it
}

// watchHelp says what a name does behind the text before it.
func watchHelp(head, one string) string {
	switch {
	case strings.HasSuffix(head, "+"):
		return "watch this " + one + " besides"
	case strings.HasSuffix(head, "-"):
		return "stop watching this " + one
	case head != "":
		return "and this " + one
	}
	return "watch this " + one + " instead"
}

// changedNamespaces is what a context watches, none being all, after "a,b", "+c",
// "-a" or "all".
func changedNamespaces(now []string, text string) ([]string, error) {
	if isAll(text) {
		return nil, nil
	}
	adds, drops := strings.HasPrefix(text, "+"), strings.HasPrefix(text, "-")
	if len(now) == 0 && adds {
		return nil, nil
	}
	if len(now) == 0 && drops {
		return nil, errors.New("all namespaces are watched: name those to keep, as ns shop,pay, or hide one by the filter -ns:" + strings.TrimLeft(text, "-"))
	}
	names := changed(now, text)
	if len(names) == 0 {
		return nil, errors.New("one namespace has to stay; ns all watches all")
	}
	return names, nil
}

// contextNames are those to choose from; of a tape those that it has.
func (a *App) contextNames() []string {
	if a.o.Watcher != nil {
		return a.palette.choices.contexts
	}
	var out []string
	for i := range a.all.streams {
		if c := a.all.streams[i].Context; !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// contextItems are for a text behind "ctx".
func (a *App) contextItems(text string) (out []paletteItem) {
	word := paletteWord(text)
	head := text[:len(text)-len(word)]
	names := a.contextNames()
	if word = strings.TrimSpace(word); word != "" && len(names) == 0 { // not known yet
		it := a.contextItem(head, word)
		it.given, it.fill, it.on = typedScore(word), "", false
		it.help += ", as typed"
		out = append(out, it)
	}
	for _, c := range names {
		out = append(out, a.contextItem(head, c))
	}
	return out
}

// contextItem is about a context and those before it in the text, head.
func (a *App) contextItem(head, name string) paletteItem {
	it := paletteItem{group: "context", text: name, help: watchHelp(head, "cluster"), fill: name, off: noWatcher}
	it.on = slices.ContainsFunc(a.palette.watched, func(w Watched) bool { return w.Context == name })
	if a.replay != nil {
		it.help, it.off = "show this cluster alone", nil
	}
	it.do = func(a *App) tea.Cmd { return a.switchContexts(head + name) }
	return it
}
