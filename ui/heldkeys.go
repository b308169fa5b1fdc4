package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// heldKeys are keys that were typed while what they are about was still being
// looked for: they wait for it, in the order in which they were typed, so that
// none acts on a row that its user did not mean or cannot see.
type heldKeys struct {
	keys     []tea.KeyPressMsg
	answered int // the newest search for a row that has come to its end: see App.hitRequest
}

// heldLimit bounds them; more are lost.
const heldLimit = 32

// rowKeys are the actions on the row under the cursor of the timeline, or how the
// names of several begin.
var rowKeys = [...]string{"open", "fold-like", "into-group", "copy-", "hide-", "page-Lanes"}

// hold keeps a key back that has to wait, and whatever comes after it. esc forgets
// them and gives up the search for a row; ctrl+c waits for nothing.
func (a *App) hold(k tea.KeyPressMsg) bool {
	waits := len(a.waiting.keys) > 0
	switch k.String() {
	case "ctrl+c":
		a.forgetHeld()
		return false
	case "esc":
		if !waits && !a.finding() {
			return false
		}
		a.forgetHeld()
		a.hitRequest++ // what is found comes too late
		a.waiting.answered = a.hitRequest
		a.say("given up")
		return true
	}
	if !waits && !a.mustWait(k) {
		return false
	}
	if len(a.waiting.keys) < heldLimit {
		a.waiting.keys = append(a.waiting.keys, k)
	}
	a.say(keyName(a.waiting.keys[0].String()) + " waits for the row that is looked for; esc gives up")
	return true
}

// letGo does what the keys that waited stand for, as far as they need wait no
// longer.
func (a *App) letGo() tea.Cmd {
	var cmds []tea.Cmd
	for len(a.waiting.keys) > 0 && !a.quitting && !a.mustWait(a.waiting.keys[0]) {
		k := a.waiting.keys[0]
		if a.waiting.keys = a.waiting.keys[1:]; len(a.waiting.keys) == 0 {
			a.unsay()
		}
		cmds = append(cmds, a.key(k))
	}
	return tea.Batch(cmds...)
}

func (a *App) forgetHeld() {
	if len(a.waiting.keys) > 0 {
		a.unsay()
	}
	a.waiting.keys, a.typed = nil, typed{}
}

// finding reports whether a row is being looked for that the cursor will go to.
func (a *App) finding() bool { return a.waiting.answered != a.hitRequest }

// mustWait reports whether a key is about what is not there yet: any key, while
// the cursor is about to go to another row; one that acts on the row under the
// cursor, while other rows are about to be listed.
func (a *App) mustWait(k tea.KeyPressMsg) bool {
	s := a.scope()
	if s.modal() {
		return false
	}
	if a.finding() {
		return true
	}
	if s != scopeTimeline || !a.timeline.stale() && !a.jumping() {
		return false
	}
	key := k.String()
	if a.typed.keys != "" {
		key = a.typed.keys + " " + key
	}
	b := a.keys.find(s, key, a.replay != nil)
	if b == nil {
		return false
	}
	for _, id := range rowKeys {
		if b.id == id || strings.HasSuffix(id, "-") && strings.HasPrefix(b.id, id) {
			return true
		}
	}
	return false
}

// stale reports whether the rows listed are those of the filter before.
func (t *timeline) stale() bool {
	if t.search != nil && !t.sought && (t.listed != t.search || t.index.first() == t.index.end()) {
		return true
	}
	return t.building != nil
}

// jumping reports whether the rows listed are those of another moment of the tape
// than the one that was asked for.
func (a *App) jumping() bool {
	r := a.replay
	if r == nil {
		return false
	}
	p := r.deck.Playback()
	return r.deck.Log() != a.log || p.Seeking && !(r.partial() && p.Target.Equal(r.play.Target))
}
