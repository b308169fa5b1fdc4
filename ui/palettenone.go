package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model/near"
)

// nothingMeant is offered where a text means nothing: why, and what is spelled
// nearly so; of a few things all.
func (a *App) nothingMeant(text string) []paletteItem {
	word := strings.TrimSpace(paletteWord(text))
	group := map[string]string{"ctx": "context", "theme": "theme"}
	what := "type"
	if name, _, ok := paletteCommand(text); ok {
		what = group[name]
	}
	if word == "" || what == "" || strings.Contains(word, " ") {
		return nil
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
	nearest := near.Rank(word, guesses, 5)
	why := a.noSuch(what, word, nearest)
	out := []paletteItem{{group: what, text: word, help: why, off: func(*App) string { return why }}}
	if what == "theme" || what == "context" {
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

// noSuch says that there is nothing of a name, and which names are near.
func (a *App) noSuch(what, word string, nearest []string) string {
	why := "no " + what + " " + word
	switch {
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
