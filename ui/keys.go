package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// scope says where a key works. Each pane has its own, which is asked before
// the global one.
type scope int

const (
	scopeGlobal scope = iota
	scopeTimeline
	scopeStreams
	scopeObject
	scopeReplay  // in the replay of a tape, before the global one
	scopeFilter  // while the filter is edited: text keys are text
	scopePrompt  // while something is typed that is asked for
	scopeRecord  // while it is asked what a recording begins with
	scopeList    // while a list is laid over the screen
	scopeHelp    // while the help is open
	scopePalette // while the palette is open
	scopePage    // of the first of pages; the others follow
)

// scopes lists all of them, in the order of the help.
func scopes() []scope {
	out := []scope{scopeGlobal, scopeTimeline, scopeStreams, scopeObject}
	for i := range pages() {
		out = append(out, scopePage+scope(i))
	}
	return append(out, scopeReplay, scopeFilter, scopePrompt, scopePalette, scopeRecord, scopeList, scopeHelp)
}

func (s scope) String() string {
	if s >= scopePage {
		return pages()[s-scopePage].name
	}
	return [...]string{"Everywhere", "Timeline", "Streams", "Object", "Replay", "Filter", "Prompt", "Record", "List", "Help", "Palette"}[s]
}

// modal reports whether no other scope is asked.
func (s scope) modal() bool { return s >= scopeFilter && s < scopePage }

// binding is one row of the only table of keys: dispatch, the footer, the help
// and docs/keys.md are all made from it.
type binding struct {
	id    string // stable name, for user key maps
	scope scope
	// keys as Bubble Tea spells them; of a sequence there is a space between.
	keys   []string
	help   string // what it does, as in "follow the newest"
	hint   string // the same in a word, for the footer; "" is left out of it
	short  string // the same where a sequence has begun; "" is the hint
	live   bool   // it does nothing in a replay, and is not offered there
	counts bool   // a number typed before it says how often: see App.times
	// when reports whether the key can do anything now, and if not, why.
	// nil is always.
	when func(*App) (ok bool, reason string)
	// here reports whether what it acts on is on the screen: where not, it does
	// nothing and is not offered. nil is always.
	here func(*App) bool
	// says is the hint where it depends on what is there; nil or "" is hint.
	says func(*App) string
	do   func(*App) tea.Cmd
}

// names returns the keys as people write them.
func (b binding) names() string {
	out := make([]string, len(b.keys))
	for i, k := range b.keys {
		out[i] = keyName(k)
	}
	return strings.Join(out, " ")
}

func keyName(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "pgdn"
	}
	return strings.ReplaceAll(k, " ", "")
}

// key is the first key of a binding as people write it, "" if it has none.
func (m *keymap) key(id string) string {
	for i := range m.all {
		if b := &m.all[i]; b.id == id {
			return b.first()
		}
	}
	return ""
}

// keymap is the table made ready for look-ups.
type keymap struct {
	all []binding
	by  map[scope]map[string]*binding
}

func newKeymap(table []binding) *keymap {
	m := &keymap{all: table, by: map[scope]map[string]*binding{}}
	for i := range table {
		b := &table[i]
		if m.by[b.scope] == nil {
			m.by[b.scope] = map[string]*binding{}
		}
		for _, k := range b.keys {
			m.by[b.scope][k] = b
		}
	}
	return m
}

// order is where keys are looked up: in a scope, then in that of a replay, then
// in the global one unless the scope is modal.
func order(s scope, replay bool) []scope {
	switch {
	case s.modal():
		return []scope{s}
	case replay:
		return []scope{s, scopeReplay, scopeGlobal}
	}
	return []scope{s, scopeGlobal}
}

// find returns the binding of a key, or of a sequence of them.
func (m *keymap) find(s scope, keys string, replay bool) *binding {
	for _, s := range order(s, replay) {
		if b := m.by[s][keys]; b != nil {
			return b
		}
	}
	return nil
}

// begin returns the bindings of the sequences that begin with some keys, in the
// order of the table; each has only the keys that are still to come.
func (m *keymap) begin(s scope, keys string, replay bool) (out []binding) {
	for _, s := range order(s, replay) {
		for _, b := range m.all {
			if b.scope != s || b.live && replay {
				continue
			}
			for _, k := range b.keys {
				if rest, ok := strings.CutPrefix(k, keys+" "); ok && m.find(s, k, replay).id == b.id {
					b.keys = []string{rest}
					out = append(out, b)
					break
				}
			}
		}
	}
	return out
}

// hints returns the bindings of the footer for a scope, those of the pane
// first, then those of a replay.
func (m *keymap) hints(s scope, replay bool) []binding {
	var own, tape, global []binding
	for _, b := range m.all {
		if b.hint == "" || b.live && replay || len(b.keys) == 0 || strings.Contains(b.keys[0], " ") {
			continue // sequences are listed once they have begun
		}
		if o := m.find(s, b.keys[0], replay); o != nil && o.id != b.id {
			continue // here the key does something else
		}
		switch b.scope {
		case s:
			own = append(own, b)
		case scopeReplay:
			if replay {
				tape = append(tape, b)
			}
		case scopeGlobal:
			global = append(global, b)
		}
	}
	if s == scopeGlobal || s.modal() {
		return own
	}
	return slices.Concat(own, tape, global)
}
