package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// typed is what has been typed of a command: a number, and the first keys of a
// sequence such as gg.
type typed struct {
	count int    // 0 is none
	keys  string // "" is none
}

// maxCount bounds the numbers before motions.
const maxCount = 99_999

// digit takes a key that is part of a number. 0 begins none: it is a key of its
// own.
func (t *typed) digit(key string) bool {
	if len(key) != 1 || key[0] < '0' || key[0] > '9' || key == "0" && t.count == 0 || t.keys != "" {
		return false
	}
	t.count = min(t.count*10+int(key[0]-'0'), maxCount)
	return true
}

// String is what the footer shows of it.
func (t *typed) String() string {
	s := spelled(t.keys)
	if t.count > 0 {
		s = count(t.count) + s
	}
	return s
}

// spelled writes a sequence of keys that may be none of the table: with a space
// between them, as their names can be long.
func spelled(keys string) string {
	parts := strings.Fields(keys)
	for i, k := range parts {
		parts[i] = keyName(k)
	}
	return strings.Join(parts, " ")
}

// times is the number that was typed before a motion, 1 without one.
func (a *App) times() int { return max(a.typed.count, 1) }

// key dispatches a key by the table of bindings.
func (a *App) key(k tea.KeyPressMsg) tea.Cmd {
	s, key := a.scope(), k.String()
	if a.typed != (typed{}) && key == "esc" {
		a.typed = typed{}
		return nil
	}
	if !s.modal() && a.typed.digit(key) {
		return nil
	}
	if a.typed.keys != "" {
		key = a.typed.keys + " " + key
	}
	b := a.keys.find(s, key, a.replay != nil)
	if b == nil && len(a.keys.begin(s, key, a.replay != nil)) > 0 {
		a.unsay()
		a.typed.keys = key
		return nil
	}
	begun := a.typed
	defer func() { a.typed = typed{} }()
	if b != nil || s == scopeFilter || s == scopePrompt {
		a.unsay()
	}
	switch {
	case b != nil:
		if reason := a.off(b); reason != "" {
			a.say(reason)
			return nil
		}
		return b.do(a)
	case begun.keys != "":
		text := spelled(key) + " is no key"
		if help := a.keys.key("help"); help != "" {
			text += "; " + help + " shows all"
		}
		a.say(text)
	case s == scopeFilter:
		a.editFilterBy(func() { a.filter.key(k) })
	case s == scopePrompt:
		a.editPrompt(func() { a.prompt.key(k) })
	case s == scopePalette:
		a.editPalette(func() { a.palette.key(k) })
	case a.replay == nil && !s.modal() && a.keys.by[scopeReplay][key] != nil:
		a.say(key + " is for the replay of a tape: rewatch replay FILE")
	}
	return nil
}

// toRow goes to the first or the last row, or to the one of the number that was
// typed, counted from 1.
func (a *App) toRow(dir int) {
	if a.typed.count == 0 {
		a.edge(dir)
		return
	}
	a.edge(-1)
	a.move(a.typed.count - 1)
}
