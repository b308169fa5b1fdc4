package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// What the palette offers. A text may begin with the name of a command; then
// only what that takes is offered.

// paletteCommands are the commands, by the names that people know them by.
var paletteCommands = [...]struct {
	names       []string
	form, about string
}{
	{[]string{"ns", "namespace"}, "ns …", "watch other namespaces: ns shop · ns shop,pay · ns +pay · ns all"},
	{[]string{"ctx", "context"}, "ctx …", "watch other clusters: ctx prod · ctx +prod · ctx -prod"},
	{[]string{"theme"}, "theme …", "other colours"},
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
	if len(items) > 0 {
		return items
	}
	if text != "" && (text[0] == '+' || text[0] == '-' || strings.ContainsAny(text, ",/")) {
		return append(a.typedType(text), a.typeItems(text)...)
	}
	for _, c := range paletteCommands {
		items = append(items, paletteItem{group: "command", text: c.form, also: c.names, help: c.about, fill: c.names[0] + " "})
	}
	items = slices.Concat(items, a.typeItems(text), a.actionItems())
	for _, it := range a.themeItems() {
		items = append(items, named("theme ", it))
	}
	if text != "" && !strings.Contains(text, " ") {
		if a.replay == nil {
			items = append(items, a.typedType(text)...)
		}
		for _, ns := range a.palette.choices.namespaces {
			items = append(items, named("ns ", a.namespaceItem("", ns)))
		}
		for _, c := range a.contextNames() {
			items = append(items, named("ctx ", a.contextItem("", c)))
		}
	}
	return items
}

// named is an item outside of its command, which completion puts before it.
func named(command string, it paletteItem) paletteItem {
	it.fill = command + it.fill
	return it
}

// momentItems goes to a moment, if the text is one.
func (a *App) momentItems(text string) []paletteItem {
	if text == "" || !strings.ContainsAny(text[:1], "0123456789+-") {
		return nil
	}
	if a.replay == nil {
		return nil
	}
	t, err := parseMoment(text, a.replay.play, a.o.Location)
	if err != nil {
		return nil
	}
	return []paletteItem{{group: "time", text: text, given: meantScore, help: "go to " + t.In(a.o.Location).Format("2006-01-02 15:04:05.000"), key: "t",
		do: act(func(a *App) { a.seek(t) })}}
}

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
	switch {
	case sign == '-':
		it.help, it.off = "stop watching", noWatcher
		it.do = func(a *App) tea.Cmd { return a.dropTypes(name) }
	case sign == '+':
		it.help, it.off = "watch besides", noWatcher
		it.do = func(a *App) tea.Cmd { return a.addTypes(name, false) }
	case on && head == "":
		it.help = "show these alone"
		it.do = func(a *App) tea.Cmd { return a.showTypes(name) }
	default:
		it.help = "watch, and show these alone"
		it.do = func(a *App) tea.Cmd { return a.addTypes(name, true) }
	}
	return it
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
// is not known here.
func (a *App) typedType(text string) []paletteItem {
	sign, types := typeSign(text)
	if types == "" {
		return nil
	}
	it := a.typeItem("", types, nil, sign, false)
	it.text, it.given, it.fill = text, meantScore, ""
	it.off = noWatcher
	if !strings.Contains(types, "/") {
		it.given = typedScore(paletteWord(types))
		it.help += ", as typed"
	}
	return []paletteItem{it}
}

// namespaceItems are for a text behind "ns".
func (a *App) namespaceItems(text string) (out []paletteItem) {
	word := paletteWord(text)
	head := text[:len(text)-len(word)]
	if word = strings.TrimSpace(word); word != "" {
		it := a.namespaceItem(head, word)
		it.given, it.fill, it.on = typedScore(word), "", false
		it.help += ", as typed"
		out = append(out, it)
	}
	if head == "" {
		out = append(out, a.namespaceItem("", allNamespaces))
	}
	names := a.palette.choices.namespaces
	if names == nil {
		for i := range a.all.streams {
			if ns := a.all.streams[i].Namespace; ns != "" && !slices.Contains(names, ns) {
				names = append(names, ns)
			}
		}
	}
	for _, ns := range names {
		out = append(out, a.namespaceItem(head, ns))
	}
	return out
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

// allNamespaces is what is typed for all of them.
const allNamespaces = "all"

// namespaceItem is about a namespace and those before it in the text, head.
func (a *App) namespaceItem(head, name string) paletteItem {
	it := paletteItem{group: "namespace", text: name, help: watchHelp(head, "namespace"), fill: name}
	if name == allNamespaces {
		it.also, it.help = []string{"*"}, "watch all namespaces"
	}
	if a.replay != nil {
		it.help = "show this namespace alone"
	}
	if a.o.Watcher != nil {
		_, now := a.o.Watcher.Watching()
		it.on = slices.Contains(now, name) || len(now) == 0 && name == allNamespaces
	}
	it.off = func(a *App) string {
		if a.replay != nil {
			return ""
		}
		return noWatcher(a)
	}
	it.do = func(a *App) tea.Cmd { return a.switchNamespaces(head + name) }
	return it
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
	if word = strings.TrimSpace(word); word != "" {
		it := a.contextItem(head, word)
		it.given, it.fill, it.on = typedScore(word), "", false
		it.help += ", as typed"
		out = append(out, it)
	}
	for _, c := range a.contextNames() {
		out = append(out, a.contextItem(head, c))
	}
	return out
}

// contextItem is about a context and those before it in the text, head.
func (a *App) contextItem(head, name string) paletteItem {
	it := paletteItem{group: "context", text: name, help: watchHelp(head, "cluster"), fill: name, off: noWatcher}
	if a.o.Watcher != nil {
		now, _ := a.o.Watcher.Watching()
		it.on = slices.Contains(now, name)
	}
	if a.replay != nil {
		it.help, it.off = "show this cluster alone", nil
	}
	it.do = func(a *App) tea.Cmd { return a.switchContexts(head + name) }
	return it
}

func (a *App) themeItems() []paletteItem {
	var out []paletteItem
	for _, name := range a.themeNames() {
		out = append(out, paletteItem{group: "theme", text: name, help: "colours", fill: name, on: name == a.skin.name,
			do: act(func(a *App) {
				if err := a.setTheme(name); err != nil {
					a.tell(err.Error())
				}
			})})
	}
	return out
}

// actionItems are all actions of the table of bindings that are none of a text
// that is being typed.
func (a *App) actionItems() []paletteItem {
	var out []paletteItem
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
		out = append(out, paletteItem{group: group, text: b.help, rank: rank, loose: true, help: where(b.scope), key: b.first(), off: func(a *App) string { return a.offHere(b) },
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
