package ui

import (
	"strings"

	"rewatch/model"
	"rewatch/model/query"
)

// hideKeys leave rows out of the timeline. What they hide stands in the filter
// as what could have been typed, and can be taken back.
func hideKeys() []binding {
	return []binding{
		{id: "hide-object", keys: []string{"H o"}, help: "hide this object: adds to the filter", hint: "object", when: (*App).hasSubject, do: act(func(a *App) { a.hide(hideObject) })},
		{id: "hide-kind", keys: []string{"H k"}, help: "hide objects of this kind", hint: "kind", when: (*App).hasSubject, do: act(func(a *App) { a.hide(hideKind) })},
		{id: "hide-namespace", keys: []string{"H n"}, help: "hide this namespace", hint: "namespace", when: (*App).hasNamespace, do: act(func(a *App) { a.hide(hideNamespace) })},
		{id: "hide-manager", keys: []string{"H m"}, help: "hide changes by this manager", hint: "manager", when: (*App).hasManager, do: act(func(a *App) { a.hide(hideManager) })},
		{id: "filter-undo", scope: scopeTimeline, counts: true, keys: []string{"u"}, help: "the filter before: takes back what was hidden or typed", when: (*App).canUndo, do: act(func(a *App) { a.undoFilter(a.times()) })},
		{id: "filter-redo", scope: scopeTimeline, counts: true, keys: []string{"ctrl+r"}, help: "the filter after, again", when: (*App).canRedo, do: act(func(a *App) { a.undoFilter(-a.times()) })},
	}
}

// hide adds a term to the filter.
func (a *App) hide(term func(id model.Identity, manager string) string) {
	k, _ := a.subject()
	id := a.log.Identity(k.id)
	if a.all.contexts < 2 {
		id.Context = "" // no need to say which
	}
	t := term(id, a.managerOf(k))
	a.setFilter(without(a.filter.value(), t))
	a.say("hidden: " + t + "  (u in the timeline takes it back)")
}

func hideObject(id model.Identity, _ string) string {
	terms := []string{"kind:" + queryValue(strings.ToLower(id.Kind))}
	if id.Namespace != "" {
		terms = append(terms, "ns:"+queryValue(id.Namespace))
	}
	if id.Context != "" {
		terms = append(terms, "context:"+queryValue(id.Context))
	}
	return "-(" + strings.Join(append(terms, "name:="+queryValue(id.Name)), " ") + ")"
}

func hideKind(id model.Identity, _ string) string {
	return "-kind:" + queryValue(strings.ToLower(id.Kind))
}
func hideNamespace(id model.Identity, _ string) string { return "-ns:" + queryValue(id.Namespace) }
func hideManager(_ model.Identity, m string) string    { return "-manager:" + queryValue(m) }

// queryValue is a value as the query language takes it, of names that nobody
// has checked.
func queryValue(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_' || r == '/'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && s[0] != '/' && s[0] != '-' {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// without is a filter with a term before it. What binds less than the space
// between is put in parentheses.
func without(filter, term string) string {
	if filter == "" {
		return term
	}
	if q, err := query.Parse(filter); err == nil && q.Alternatives() {
		return term + " (" + filter + ")"
	}
	return term + " " + filter
}

func (a *App) hasNamespace() (bool, string) {
	k, ok := a.subject()
	return ok && a.log.Identity(k.id).Namespace != "", "no object with a namespace is selected here"
}

func (a *App) hasManager() (bool, string) {
	k, ok := a.subject()
	if !ok {
		return false, "no row of an object is selected"
	}
	return a.managerOf(k) != "", "it is not known who made this change"
}

// managerOf is who made the change that a version is, as far as it is on the
// screen.
func (a *App) managerOf(k objectKey) string {
	who := ""
	if seq, ok := a.log.VersionSeq(k.id, k.version); ok {
		info, _ := a.timeline.infos.get(seq)
		who = info.manager
	}
	if d := a.object.data; who == "" && d != nil && d.key.id == k.id && d.key.version == k.version {
		who = d.by
	}
	who, _, _ = strings.Cut(who, ",")
	return strings.TrimSuffix(who, "?")
}

// filterPast is the filters that were in force, for undo.
type filterPast struct {
	back, on []string // the newest last
	now      string
}

// note takes in which filter is in force, unless that is no other.
func (h *filterPast) note(text string) {
	if text == h.now {
		return
	}
	h.back, h.on, h.now = append(h.back, h.now), nil, text
	if len(h.back) > maxPast {
		h.back = h.back[1:]
	}
}

// step goes back, or on.
func (h *filterPast) step(back bool) (text string, ok bool) {
	from, to := &h.back, &h.on
	if !back {
		from, to = to, from
	}
	n := len(*from) - 1
	if n < 0 {
		return "", false
	}
	*to = append(*to, h.now)
	h.now, *from = (*from)[n], (*from)[:n]
	return h.now, true
}

// setFilter puts a filter in force, and keeps it.
func (a *App) setFilter(text string) {
	a.editFilterBy(func() { a.filter.set(text) })
	a.keepFilter()
}

func (a *App) canUndo() (bool, string) {
	return len(a.undo.back) > 0, "there was no other filter before"
}

func (a *App) canRedo() (bool, string) {
	return len(a.undo.on) > 0, "no filter was taken back"
}

// undoFilter goes n filters back, on if negative.
func (a *App) undoFilter(n int) {
	text, ok := a.undo.now, false
	for range max(n, -n) {
		next, more := a.undo.step(n > 0)
		if !more {
			break
		}
		text, ok = next, true
	}
	if !ok {
		return
	}
	past := a.undo
	a.editFilterBy(func() { a.filter.set(text) })
	a.undo = past
	if text == "" {
		text = "none"
	}
	a.say("filter: " + text)
}
