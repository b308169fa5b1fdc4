package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// KeyError says what is wrong with the keys of a user.
type KeyError struct {
	ID      string // the binding that is wrong, as KeyIDs has it
	Message string
}

func (e *KeyError) Error() string { return e.ID + ": " + e.Message }

// KeyIDs are the names of the bindings, for Options.Keys.
func KeyIDs() []string {
	var ids []string
	for _, b := range bindings() {
		ids = append(ids, b.id)
	}
	slices.Sort(ids)
	return ids
}

// CheckKeys reports whether keys can take the place of those that the bindings
// have: they can be typed, each does one thing in one place, and there is one to
// quit. The error is a *KeyError.
func CheckKeys(keys map[string][]string) error {
	table := bindings()
	known := map[string]*binding{}
	for i := range table {
		known[table[i].id] = &table[i]
	}
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		b := known[id]
		if b == nil {
			return &KeyError{id, "there is no such key; docs/keys.md lists them"}
		}
		if len(keys[id]) == 0 && (id == "quit" || strings.HasSuffix(id, "-quit")) {
			return &KeyError{id, "there must be a key to quit"}
		}
		for i, k := range keys[id] {
			if problem := typeable(b.scope, k); problem != "" {
				return &KeyError{id, fmt.Sprintf("%q %s", k, problem)}
			}
			if slices.Contains(keys[id][:i], k) {
				return &KeyError{id, fmt.Sprintf("%q is there twice", k)}
			}
		}
	}
	before := clashes(table)
	after := clashes(rebind(table, keys))
	for _, c := range slices.SortedFunc(maps.Keys(after), func(a, b clash) int { return strings.Compare(a.id+" "+a.other, b.id+" "+b.other) }) {
		if _, ours := before[c]; ours {
			continue
		}
		id, other, both := c.id, c.other, after[c]
		if _, theirs := keys[id]; !theirs {
			id, other, both = other, id, [2]string{both[1], both[0]}
		}
		how := "is also the key of"
		if both[0] != both[1] {
			how = "does not go with " + both[1] + ", the key of"
		}
		return &KeyError{id, fmt.Sprintf("%q %s %s (%v); give that another key, or [] for none", both[0], how, other, known[other].scope)}
	}
	return nil
}

// rebind gives bindings other keys; none is a binding that the palette alone
// can do.
func rebind(table []binding, keys map[string][]string) []binding {
	out := slices.Clone(table)
	for i := range out {
		if own, ok := keys[out[i].id]; ok {
			out[i].keys = slices.Clone(own)
		}
	}
	return out
}

// first is the key that is shown where there is room for one.
func (b binding) first() string {
	if len(b.keys) == 0 {
		return ""
	}
	return keyName(b.keys[0])
}

// namedTyped are the keys with names that terminals have without enhancements.
var namedTyped = strings.Fields("up down left right home end pgup pgdown enter esc tab space backspace delete insert " +
	"f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12 shift+tab shift+up shift+down shift+left shift+right " +
	"ctrl+up ctrl+down ctrl+left ctrl+right alt+up alt+down alt+left alt+right")

// typeable says why a key, or a sequence of keys, cannot be used in a scope; ""
// if it can.
func typeable(s scope, keys string) string {
	parts := strings.Split(keys, " ")
	for i, k := range parts {
		switch letter, ctrl := strings.CutPrefix(k, "ctrl+"); {
		case k == "":
			return "is not spelled as a key: keys of a sequence have one space between, the space bar is space"
		case slices.Contains(namedTyped, k):
		case ctrl && len(letter) == 1 && letter[0] >= 'a' && letter[0] <= 'z':
			if same := map[string]string{"i": "tab", "m": "enter"}[letter]; same != "" {
				return "cannot be told from " + same + " by a terminal"
			}
		case strings.HasPrefix(k, "alt+") && utf8.RuneCountInString(k) == len("alt+x"):
		case utf8.RuneCountInString(k) != 1 || !unicode.IsPrint([]rune(k)[0]):
			return "is no key that every terminal has; those are letters and signs, ctrl+a to ctrl+z, alt+a, " + strings.Join(namedTyped[:15], " ") + " f1…"
		case s == scopeFilter || s == scopePrompt || s == scopePalette:
			return "is text there"
		case i == 0 && !s.modal() && k >= "1" && k <= "9":
			return "begins a number"
		}
	}
	return ""
}

// clash is two bindings that want the same key in the same place.
type clash struct{ id, other string }

// clashes finds keys that are another binding's as well, or that begin a
// sequence of one, where both are looked up. What comes earlier in the order of
// scopes hides the other. The keys are in the order of the bindings.
func clashes(table []binding) map[clash][2]string {
	out := map[clash][2]string{}
	for i, b := range table {
		for _, c := range table[i+1:] {
			if !meet(b, c) {
				continue
			}
			for _, k := range b.keys {
				for _, l := range c.keys {
					if k == l || strings.HasPrefix(k, l+" ") || strings.HasPrefix(l, k+" ") {
						out[clash{b.id, c.id}] = [2]string{k, l}
					}
				}
			}
		}
	}
	return out
}

// meet reports whether two bindings are looked up for the same key: in the same
// scope, or one of them in a scope that is asked after that of the other.
func meet(a, b binding) bool {
	if a.live && b.scope == scopeReplay || b.live && a.scope == scopeReplay {
		return false
	}
	shared := func(s scope) bool { return s == scopeGlobal || s == scopeReplay }
	return a.scope == b.scope || !a.scope.modal() && !b.scope.modal() && (shared(a.scope) || shared(b.scope))
}
