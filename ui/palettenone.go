package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model/near"
	"rewatch/model/query"
)

// nothingMeant is offered where a text means nothing: why, and what is spelled
// nearly so; of a few things all.
func (a *App) nothingMeant(text string) []paletteItem {
	lack, nearest, ok := a.lacking(text)
	if !ok {
		return nil
	}
	out := []paletteItem{lack}
	if lack.group == "theme" || lack.group == "context" {
		return append(out, a.palette.all...)
	}
	for _, name := range nearest {
		i := slices.IndexFunc(a.palette.all, func(it paletteItem) bool { return it.isNamed(name) })
		if it := a.palette.all[i]; !slices.ContainsFunc(out, func(o paletteItem) bool { return o.text == it.text }) {
			out = append(out, it)
		}
	}
	return out
}

// lacking is the row that says that there is nothing of the name in a text, with
// the names that are near.
func (a *App) lacking(text string) (it paletteItem, nearest []string, ok bool) {
	word := strings.TrimSpace(paletteWord(text))
	group := map[string]string{"ctx": "context", "theme": "theme"}
	what := "type"
	if name, _, ok := paletteCommand(text); ok {
		what = group[name]
	}
	if word == "" || what == "" || strings.Contains(word, " ") {
		return it, nil, false
	}
	var guesses []near.Guess
	for _, it := range a.palette.all {
		if !it.loose {
			guesses = append(guesses, near.Of(word, it.text, it.also...))
		}
		for _, w := range it.words {
			guesses = append(guesses, near.Of(word, w))
		}
	}
	nearest = near.Rank(word, guesses, 5)
	why := a.noSuch(what, word, nearest)
	it = paletteItem{group: what, text: word, help: why}
	if what == "type" && a.o.Watcher != nil {
		it.help += askAgain
		it.do = func(a *App) tea.Cmd { return a.addTypes(word, true) }
	} else {
		it.off = func(*App) string { return why }
	}
	return it, nearest, true
}

// shortWord is how long a word is of which letters apart mean too much.
const shortWord = 4

// guessed reports whether the best of a list is no more than a guess: for a name
// of a built-in type that is not here, or a short word whose letters it has apart.
// Then the row that says so stands before it, and a guess is done only if it is
// chosen.
func (a *App) guessed(text string, best *paletteItem) (lack paletteItem, guessed bool) {
	word := strings.TrimSpace(paletteWord(text))
	if best.given > 0 || best.isNamed(word) {
		return lack, false
	}
	_, _, command := paletteCommand(text)
	_, known := a.knowsType(word)
	builtin := !command && query.Builtin(word) != "" && (known || a.o.Watcher == nil)
	if !builtin && (len(word) > shortWord || best.holds(word)) {
		return lack, false
	}
	lack, _, guessed = a.lacking(text)
	return lack, guessed
}

// holds reports whether a word stands in a name of an item as it is.
func (it *paletteItem) holds(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(slices.Concat([]string{it.text}, it.also, it.words), func(s string) bool { return strings.Contains(strings.ToLower(s), word) })
}

// noSuch says that there is nothing of a name, and which names are near.
func (a *App) noSuch(what, word string, nearest []string) string {
	why := "no " + what + " " + word
	switch resource := query.Builtin(word); {
	case what == "type" && resource == strings.ToLower(word):
		return why + " here"
	case what == "type" && resource != "":
		return why + " (" + resource + ") here"
	case len(nearest) > 0:
		return why + "; nearest: " + strings.Join(nearest[:min(len(nearest), 3)], ", ")
	case what == "theme" || what == "context":
		return why + "; these are there"
	case a.replay != nil:
		return why + " on this tape, and nothing else is called so"
	}
	return why + ", and nothing else is called so"
}

// wrapped is a text as lines of a list.
func wrapped(text string, w int) []listLine {
	var out []listLine
	for line := range strings.SplitSeq(ansi.Wrap(text, max(w, 20), ""), "\n") {
		out = append(out, listLine{text: line})
	}
	return out
}

// withShortNames lets types be found by the short names that kubectl knows: a tape
// does not say them.
func withShortNames(items []paletteItem) []paletteItem {
	for i := range items {
		resource, group, _ := strings.Cut(items[i].text, ".")
		if group == "" || !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") { // no type of somebody else
			items[i].also = append(slices.Clip(items[i].also), query.ShortNames(resource)...)
		}
	}
	return items
}
