package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// choices are what there is to choose from, as the clusters and the kubeconfig
// said last.
type choices struct {
	types                []TypeChoice
	namespaces, contexts []string
	whole                bool   // all clusters have told their types
	problem              string // what could not be asked
	asked                bool   // a command asks
}

// choicesMsg brings them.
type choicesMsg choices

// fetchChoices asks for what there is to choose from; what was known is shown
// meanwhile.
func (a *App) fetchChoices() tea.Cmd {
	w, ctx := a.o.Watcher, a.ctx
	if w == nil || a.palette.choices.asked {
		return nil
	}
	a.palette.choices.asked = true
	return func() tea.Msg {
		var m choicesMsg
		var errs [3]error
		m.contexts, errs[0] = w.Contexts(ctx)
		m.namespaces, errs[1] = w.Namespaces(ctx)
		m.types, errs[2] = w.Types(ctx)
		m.whole = errs[2] == nil
		if err := errors.Join(errs[:]...); err != nil {
			m.problem, _, _ = strings.Cut(err.Error(), "\n")
		}
		return m
	}
}

func (a *App) takeChoices(m choicesMsg) {
	p := &a.palette
	old := p.choices
	p.choices = choices(m)
	if !m.whole && len(m.types) == 0 {
		p.choices.types = old.types
	}
	if p.shown && p.tabs == 0 {
		var chosen string
		if p.at > 0 && p.at < len(p.items) {
			chosen = p.items[p.at].text
		}
		a.paletteEdited()
		if i := slices.IndexFunc(p.items, func(it paletteItem) bool { return it.text == chosen }); chosen != "" && i >= 0 {
			p.at = i
		}
	}
}

// choiceProblem says what is not known of the choices.
func (a *App) choiceProblem() string {
	c := &a.palette.choices
	switch {
	case c.asked && c.types == nil:
		return "asking which types there are…"
	case c.problem != "":
		return c.problem
	case a.replay != nil:
		return "a tape: types, namespaces and contexts show what it has of them"
	}
	return ""
}

// changeMsg answers a wish.
type changeMsg struct {
	Change
	err  error
	show func(Change) string // the filter that shows it alone; nil is not
}

// wish asks for a change of what is watched, one at a time.
func (a *App) wish(what string, show func(Change) string, do func(context.Context, Watcher) (Change, error)) tea.Cmd {
	w, ctx := a.o.Watcher, a.ctx
	if w == nil {
		a.tell(noWatcher(a))
		return nil
	}
	if a.palette.doing != "" {
		a.tell("not done: " + a.palette.doing + " is still under way")
		return nil
	}
	a.palette.doing = what
	a.tell(what + "…")
	return func() tea.Msg {
		c, err := do(ctx, w)
		return changeMsg{c, err, show}
	}
}

func (a *App) takeChange(m changeMsg) {
	a.palette.doing = ""
	if m.Title != "" { // also of what was done before a mistake
		a.o.Title, a.header.title = m.Title, m.Title
	}
	if m.err != nil {
		a.tell(m.err.Error())
		return
	}
	a.refresh()
	text := m.Text
	if m.show != nil {
		a.showAlone(m.show(m.Change))
		text += "; esc shows all again"
	}
	a.tell(text)
}

// showAlone sets a filter, as if it had been typed and kept.
func (a *App) showAlone(filter string) {
	a.closePage()
	a.filter.editing = false
	a.editFilterBy(func() { a.filter.set(filter) })
	a.filter.past.add(filter)
	a.setFocus(paneTimeline)
}

// filterOf is the filter for the rows of some streams, and of those the ones of
// further terms.
func filterOf(streams []model.StreamInfo, further ...string) string {
	var kinds, terms []string
	for _, s := range streams {
		kind := strings.ToLower(s.Kind)
		rest, single := strings.CutPrefix(s.Field, "metadata.name=")
		if single {
			name, _, _ := strings.Cut(rest, ",")
			if t := "(kind:" + kind + " name:=" + name + ")"; !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		} else if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > 0 {
		terms = slices.Insert(terms, 0, "kind:"+strings.Join(kinds, ","))
	}
	filter := strings.Join(terms, " OR ")
	switch {
	case len(terms) == 1:
		filter = strings.Trim(filter, "()")
	case len(further) > 0:
		filter = "(" + filter + ")"
	}
	return strings.Join(append([]string{filter}, further...), " ")
}

// addTypes watches types, and shows them alone if that is wanted.
func (a *App) addTypes(words string, show bool) tea.Cmd {
	var alone func(Change) string
	if show {
		alone = func(c Change) string { return filterOf(c.About) }
	}
	return a.wish("looking for "+words, alone, func(ctx context.Context, w Watcher) (Change, error) {
		return w.Add(ctx, strings.Fields(words))
	})
}

func (a *App) dropTypes(words string) tea.Cmd {
	return a.wish("removing "+words, nil, func(ctx context.Context, w Watcher) (Change, error) {
		return w.Drop(ctx, strings.Fields(words))
	})
}

// showTypes shows a type alone that is watched.
func (a *App) showTypes(name string) tea.Cmd {
	about := a.watchedAs(name)
	if len(about) == 0 { // only single objects of it
		return a.addTypes(name, true)
	}
	a.showAlone(filterOf(about))
	return nil
}

func (a *App) switchNamespaces(text string) tea.Cmd {
	if a.replay != nil {
		filter := termsOf("ns", text)
		if isAll(text) {
			filter = ""
		}
		a.showAlone(filter)
		return nil
	}
	return a.wish("ns "+text, nil, func(ctx context.Context, w Watcher) (Change, error) {
		return w.SetNamespaces(ctx, func(now []string) ([]string, error) { return changedNamespaces(now, text) })
	})
}

func isAll(text string) bool { return text == allNamespaces || text == "*" }

func (a *App) switchContexts(text string) tea.Cmd {
	if a.replay != nil {
		a.showAlone(termsOf("context", text))
		return nil
	}
	var now []string
	for _, w := range a.watching() {
		now = append(now, w.Context)
	}
	names := changed(now, text)
	return a.wish("ctx "+text, nil, func(ctx context.Context, w Watcher) (Change, error) { return w.SetContexts(ctx, names) })
}

// termsOf is what shows "a,b", "+c" or "-a" of a tape: a - leaves out, all others
// are shown.
func termsOf(field, text string) string {
	var shown, out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch name := strings.TrimLeft(w, "+-"); {
		case name == "":
		case w[0] == '-':
			out = append(out, "-"+field+":"+name)
		default:
			shown = append(shown, name)
		}
	}
	if len(shown) > 0 {
		out = slices.Insert(out, 0, field+":"+strings.Join(shown, ","))
	}
	return strings.Join(out, " ")
}

// changed is a list of names after "a,b", "+c" or "-a".
func changed(now []string, text string) []string {
	out := slices.Clone(now)
	fresh := true // the first name without a sign replaces all
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name := strings.TrimLeft(w, "+-")
		switch {
		case name == "":
		case w[0] == '-':
			out, fresh = slices.DeleteFunc(out, func(s string) bool { return s == name }), false
		default:
			if w[0] != '+' && fresh {
				out = nil
			}
			fresh = false
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func (a *App) canRemoveStream() (bool, string) {
	if why := noWatcher(a); why != "" {
		return false, why
	}
	_, ok := a.streams.selected()
	return ok, "no stream"
}

// offHere says why an action can do nothing now, wherever it belongs.
func (a *App) offHere(b *binding) string {
	if b.live && a.replay != nil {
		return "not in a replay"
	}
	if i := int(b.scope - scopePage); i >= 0 && (a.page.page == nil || a.page.at != i) {
		p := pages()[i] // it knows the rest, once it is open
		if p.live && a.replay != nil {
			return "not in a replay"
		}
		return a.off(&binding{when: p.when})
	}
	return a.off(b)
}

// doHere does what a key would, in the place where it would.
func (a *App) doHere(b *binding) tea.Cmd {
	if b.scope == scopeTimeline || b.scope == scopeStreams || b.scope == scopeObject {
		a.closePage()
	}
	switch {
	case b.scope == scopeTimeline:
		a.setFocus(paneTimeline)
	case b.scope == scopeStreams:
		a.setFocus(paneStreams)
	case b.scope == scopeObject:
		a.setFocus(paneObject)
	case b.scope >= scopePage:
		if i := int(b.scope - scopePage); a.page.page == nil || a.page.at != i {
			a.openPage(opened{page: pages()[i].open(a), at: i})
		}
	}
	if why := a.off(b); why != "" {
		a.say(why)
		return nil
	}
	return b.do(a)
}
