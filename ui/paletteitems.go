package ui

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// What the palette offers. A text may begin with the name of a command; then
// only what that takes is offered.

// paletteCommands are the commands, by the names that people know them by.
var paletteCommands = [...]struct {
	names       []string
	form, about string
}{
	{[]string{"ns", "namespace"}, "ns …", "watch other namespaces: ns shop · ns shop,pay · ns +pay · ns all"},
	{[]string{"ctx", "context", "contexts", "cluster", "clusters"}, "ctx …", "watch other clusters: ctx prod · ctx +prod · ctx -prod"},
	{[]string{"theme", "themes", "skin", "colours", "colors"}, "theme …", "other colours"},
}

// paletteCommand splits a text that begins with the name of a command.
func paletteCommand(text string) (name, rest string, ok bool) {
	text = strings.TrimLeft(text, " ")
	word, rest, found := strings.Cut(text, " ")
	if !found {
		return "", "", false
	}
	for _, c := range paletteCommands {
		if slices.Contains(c.names, word) {
			return c.names[0], strings.TrimLeft(rest, " "), true
		}
	}
	return "", "", false
}

// paletteItems are all that fit the kind of a text.
func (a *App) paletteItems(text string) []paletteItem {
	a.palette.watched = a.watching()
	switch name, rest, _ := paletteCommand(text); name {
	case "ns":
		return a.namespaceItems(rest)
	case "ctx":
		return a.contextItems(rest)
	case "theme":
		return a.themeItems()
	}
	text = strings.TrimSpace(text)
	items := a.momentItems(text)
	if slices.ContainsFunc(items, func(it paletteItem) bool { return it.given == meantScore }) {
		return items
	}
	if text != "" && (text[0] == '+' || text[0] == '-' || strings.ContainsAny(text, ",/")) && !strings.Contains(text, " ") {
		return slices.Concat(items, a.typedType(text), withShortNames(a.typeItems(text)))
	}
	for _, c := range paletteCommands {
		items = append(items, paletteItem{group: "command", text: c.form, also: c.names, help: c.about, fill: c.names[0] + " "})
	}
	items = slices.Concat(items, withShortNames(a.typeItems(text)), a.typesOfItems(text), a.actionItems())
	for _, it := range a.themeItems() {
		items = append(items, named("theme ", it))
	}
	if text == "" || strings.Contains(text, " ") {
		return items
	}
	for _, ns := range a.palette.choices.namespaces {
		items = append(items, named("ns ", a.namespaceItem("", ns)))
	}
	for _, c := range a.contextNames() {
		items = append(items, named("ctx ", a.contextItem("", c)))
	}
	if a.replay == nil && !slices.ContainsFunc(items, func(it paletteItem) bool { return it.isNamed(text) }) {
		if _, known := a.knowsType(text); !known {
			items = append(items, a.typedType(text)...)
		}
	}
	return items
}

// isNamed reports whether a word is a name of an item.
func (it *paletteItem) isNamed(word string) bool {
	return slices.ContainsFunc(slices.Concat([]string{it.text}, it.also, it.words), func(s string) bool { return strings.EqualFold(s, word) })
}

// named is an item outside of its command, which completion puts before it.
func named(command string, it paletteItem) paletteItem {
	it.fill = command + it.fill
	return it
}

// themeItems are the themes; those of files with a mistake say it.
func (a *App) themeItems() []paletteItem {
	var out []paletteItem
	about := map[string]string{"auto": "dark or light, as the terminal's background is"}
	for _, p := range a.skin.look.palettes() {
		about[p.Name] = p.About
	}
	for _, name := range a.themeNames() {
		out = append(out, paletteItem{group: "theme", text: name, help: about[name], fill: name, on: name == a.skin.name,
			do: act(func(a *App) {
				if err := a.setTheme(name); err != nil {
					a.tell(err.Error())
				}
			})})
	}
	for _, name := range slices.Sorted(maps.Keys(a.skin.look.User.Refused)) {
		why := a.skin.look.User.Refused[name].Error()
		out = append(out, paletteItem{group: "theme", text: name, help: why, fill: name, do: act(func(a *App) { a.list.open("The theme "+name+" cannot be used", wrapped(why, a.lay.w-24)) })})
	}
	return out
}

// actionItems are all actions of the table of bindings that are none of a text
// that is being typed.
func (a *App) actionItems() []paletteItem {
	var out []paletteItem
	words := paletteWords()
	for i := range a.keys.all {
		b := &a.keys.all[i]
		if b.scope.modal() || b.id == "palette" || b.scope == scopeReplay && a.replay == nil {
			continue
		}
		group := "action"
		if strings.HasPrefix(b.id, "view-") || slices.ContainsFunc(pages(), func(p pageInfo) bool { return b.id == "page-"+p.name }) {
			group = "view"
		}
		rank := 1
		if b.scope != scopeGlobal && b.scope != scopeReplay {
			rank = 2
		}
		out = append(out, paletteItem{group: group, text: b.help, rank: rank, loose: true, words: words[b.id], help: where(b.scope), key: b.first(), off: func(a *App) string { return a.offHere(b) },
			do: func(a *App) tea.Cmd { return a.doHere(b) }})
	}
	return out
}

// where names the place of an action that is not everywhere.
func where(s scope) string {
	if s == scopeGlobal || s == scopeReplay {
		return ""
	}
	return "in " + s.String()
}
