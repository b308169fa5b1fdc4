package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// palette is a line for all that can be done, with a list above it of what is
// meant so far: types, namespaces, contexts, themes, views, times, and each
// action with its key. The best of the list is nearest to the line.
type palette struct {
	editor
	shown bool
	all   []paletteItem // that fit the kind of the text; the texts are looked up in these
	items []paletteItem // those that the text means, the best first
	at    int           // the chosen one
	typed string        // the text before tab put another in
	tabs  int           // how often it has, 0 is not
	past  pastTexts

	choices choices
	watched []Watched // as the list was made
	doing   string    // what goes on in the background, "" is nothing
}

// paletteItem is something that can be done.
type paletteItem struct {
	group string // "type", "namespace", …
	text  string // what is matched
	also  []string
	words []string // of an action: what people call it who do not know its help
	help  string
	key   string // that does it as well
	fill  string // what tab puts into the line; one that ends with a space asks for more
	on    bool   // it is so now: the theme in use, a type that is watched
	rank  int    // of those that are as good, the lower one is meant rather
	loose bool   // a sentence: letters far from each other mean nothing in it
	off   func(*App) string
	do    func(*App) tea.Cmd

	given int // its score, whatever the text; 0 is to be found
	score int
	marks []int // letters of the text that matched
}

// maxPaletteItems bounds the list; nobody reads further.
const maxPaletteItems = 500

func (a *App) openPalette() tea.Cmd {
	p := &a.palette
	p.shown = true
	p.past.rewind()
	p.set("")
	a.flash = "" // it was about something else
	a.paletteEdited()
	return a.fetchChoices()
}

func (a *App) closePalette() { a.palette.shown, a.palette.all, a.palette.items = false, nil, nil }

// editPalette edits the text, and looks up anew what it means.
func (a *App) editPalette(edit func()) {
	edit()
	a.flash = ""
	a.palette.past.rewind()
	a.paletteEdited()
}

func (a *App) paletteEdited() {
	p := &a.palette
	p.typed, p.tabs, p.at = string(p.text), 0, 0
	p.all = a.paletteItems(p.typed)
	if p.items = ranked(p.all, paletteWord(p.typed)); len(p.items) == 0 {
		p.items = a.nothingMeant(p.typed)
	} else if it, guessed := a.guessed(p.typed, &p.items[0]); guessed {
		p.items = slices.Insert(p.items, 0, it)
	}
}

// paletteWord is the part of the text that is looked up: what stands behind the
// name of a command and behind the last comma.
func paletteWord(text string) string {
	if _, rest, ok := paletteCommand(text); ok {
		text = rest
	}
	text = text[strings.LastIndexByte(text, ',')+1:]
	return strings.TrimLeft(text, " +-")
}

// ranked returns the items that a pattern means, the best first. Without a
// pattern they stay in their order.
func ranked(all []paletteItem, pattern string) []paletteItem {
	var out []paletteItem
	for _, it := range all {
		if it.score = it.given; it.given > 0 {
			out = append(out, it)
			continue
		}
		score, marks, ok := fuzzy(pattern, it.text)
		for _, other := range it.also {
			if s, _, found := fuzzy(pattern, other); found && (!ok || s > score) {
				score, marks, ok = s, nil, true
			}
		}
		if it.loose && ok {
			ok = holdsWords(it.text, pattern)
		}
		for _, word := range it.words {
			if s, _, _ := fuzzy(pattern, word); strings.HasPrefix(word, strings.ToLower(pattern)) && pattern != "" && (!ok || s > score) {
				score, marks, ok = s, nil, true
			}
		}
		if !ok {
			continue
		}
		it.score, it.marks = score, marks
		out = append(out, it)
	}
	if strings.TrimSpace(pattern) != "" {
		slices.SortStableFunc(out, func(x, y paletteItem) int {
			return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.rank, y.rank), cmp.Compare(len(x.text), len(y.text)))
		})
	}
	return out[:min(len(out), maxPaletteItems)]
}

// holdsWords reports whether each word of a pattern stands in a sentence as it is:
// letters that are far from each other mean nothing there.
func holdsWords(text, pattern string) bool {
	text = strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(pattern)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// meantScore is that of an item that is the text itself, and no other can be.
const meantScore = 2 * fuzzyExact

// typedScore is that of an item that is the text itself where another may be
// meant: one that has the letters in a row.
func typedScore(word string) int {
	return max(len([]rune(word))*(fuzzyHit+fuzzyRow)-fuzzyRow, 1)
}

func (a *App) hasPaletteItem() (bool, string) {
	return len(a.palette.items) > 0, "nothing is meant by this; backspace takes letters back"
}

// choosePaletteItem goes through the list.
func (a *App) choosePaletteItem(n int) {
	p := &a.palette
	k := len(p.items)
	p.at = ((p.at+n)%k + k) % k
}

// completePalette puts the chosen item into the line, and then the next ones.
func (a *App) completePalette(n int) {
	p := &a.palette
	for i := range p.items {
		if i > 0 || p.tabs > 0 {
			a.choosePaletteItem(n)
		}
		if p.items[p.at].fill != "" { // what is typed needs no completion
			break
		}
	}
	p.tabs++
	it := p.items[p.at]
	if it.fill == "" {
		return
	}
	p.set(a.paletteHead(p.typed) + it.fill)
	if strings.HasSuffix(it.fill, " ") || len(p.items) == 1 {
		a.paletteEdited()
	}
}

// paletteHead is the part of the text that completion leaves as it is.
func (a *App) paletteHead(text string) string {
	return text[:len(text)-len(paletteWord(text))]
}

// doPalette does what is chosen.
func (a *App) doPalette() tea.Cmd {
	p := &a.palette
	it := p.items[p.at]
	if strings.HasSuffix(it.fill, " ") { // it needs more
		a.editPalette(func() { p.set(it.fill) })
		return nil
	}
	if it.off != nil {
		if why := it.off(a); why != "" {
			a.tell(why)
			return nil
		}
	}
	text := string(p.text)
	switch {
	case it.given > 0 || p.tabs > 0:
	case it.fill != "":
		text = a.paletteHead(text) + it.fill
	default:
		text = it.text
	}
	p.past.add(text)
	a.closePalette()
	return it.do(a)
}

// recallPalette brings back what was done before.
func (a *App) recallPalette(n int) {
	p := &a.palette
	if text, ok := p.past.recall(n, string(p.text)); ok {
		p.set(text)
		a.paletteEdited()
	}
}

// pastTexts is the history of an editor: of this session, each text once.
type pastTexts struct {
	texts []string
	at    int    // 0 is the text that is being typed, 1 the newest of the others
	draft string // that text
}

// maxPast bounds a history.
const maxPast = 100

func (h *pastTexts) add(text string) {
	h.rewind()
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	h.texts = slices.DeleteFunc(h.texts, func(s string) bool { return s == text })
	h.texts = append(h.texts, text)
	if len(h.texts) > maxPast {
		h.texts = slices.Delete(h.texts, 0, 1)
	}
}

func (h *pastTexts) rewind() { h.at, h.draft = 0, "" }

// recall goes n texts back, forwards if negative; ok is false at the ends.
func (h *pastTexts) recall(n int, text string) (string, bool) {
	to := h.at + n
	if to < 0 || to > len(h.texts) {
		return "", false
	}
	if h.at == 0 {
		h.draft = text
	}
	if h.at = to; to == 0 {
		return h.draft, true
	}
	return h.texts[len(h.texts)-to], true
}

// tell shows a message that is longer than most for as long as it takes to read.
func (a *App) tell(s string) {
	a.say(s)
	a.flashEnd = a.clock.Add(max(3*time.Second, time.Duration(len(s))*70*time.Millisecond))
}

// paletteKeys are those of the palette, and the one that opens it.
func paletteKeys() []binding {
	return []binding{
		{id: "palette", keys: []string{":"}, help: "do anything by name: pods, ns shop, ctx prod, theme …, a time, an action", hint: "palette", do: (*App).openPalette},
		{id: "remove-stream", scope: scopeStreams, live: true, keys: []string{"x"}, help: "stop watching this stream; what it has told stays", hint: "stop",
			when: (*App).canRemoveStream, do: (*App).removeStream},
		{id: "palette-do", scope: scopePalette, keys: []string{"enter"}, help: "do it", hint: "do it", when: (*App).hasPaletteItem, do: (*App).doPalette},
		{id: "palette-close", scope: scopePalette, keys: []string{"esc"}, help: "close the palette", hint: "close", do: act((*App).closePalette)},
		{id: "palette-complete", scope: scopePalette, keys: []string{"tab"}, help: "complete: what is chosen, then the next", hint: "complete",
			when: (*App).hasPaletteItem, do: act(func(a *App) { a.completePalette(1) })},
		{id: "palette-complete-back", scope: scopePalette, keys: []string{"shift+tab"}, help: "complete: the one before",
			when: (*App).hasPaletteItem, do: act(func(a *App) { a.completePalette(-1) })},
		{id: "palette-up", scope: scopePalette, keys: []string{"ctrl+p"}, help: "one up in the list", when: (*App).hasPaletteItem, do: act(func(a *App) { a.choosePaletteItem(1) })},
		{id: "palette-down", scope: scopePalette, keys: []string{"ctrl+n"}, help: "one down in the list", when: (*App).hasPaletteItem, do: act(func(a *App) { a.choosePaletteItem(-1) })},
		{id: "palette-recall", scope: scopePalette, keys: []string{"up"}, help: "what was done before", do: act(func(a *App) { a.recallPalette(1) })},
		{id: "palette-recall-back", scope: scopePalette, keys: []string{"down"}, help: "what was done after that", do: act(func(a *App) { a.recallPalette(-1) })},
		{id: "palette-kill", scope: scopePalette, keys: []string{"ctrl+u"}, help: "clear what is typed", do: act(func(a *App) { a.editPalette(func() { a.palette.remove(0, a.palette.pos) }) })},
		{id: "palette-quit", scope: scopePalette, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},
	}
}
