package ui

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model/moment"
)

func findKeys() []binding {
	return []binding{
		{id: "find", scope: scopeObject, keys: []string{"/"}, help: "search this text; n and N go on; esc forgets it", hint: "search", do: act((*App).askFind)},
		{id: "find-next", counts: true, keys: []string{"n"}, help: "the next match of the search; in the timeline, of the last filter", when: (*App).canFind,
			do: func(a *App) tea.Cmd { return a.findNext(a.times()) }},
		{id: "find-previous", counts: true, keys: []string{"N"}, help: "the match before", when: (*App).canFind,
			do: func(a *App) tea.Cmd { return a.findNext(-a.times()) }},
	}
}

// finder is a search in the text of the object pane.
type finder struct {
	text  []rune // none is no search; in small letters unless exact
	exact bool   // it has capital letters, and they count
	hits  []int  // the lines that have it, of the lines of stamp
	stamp *docLine
	lines int
}

func newFinder(text string) finder {
	f := finder{exact: strings.IndexFunc(text, unicode.IsUpper) >= 0}
	f.text = f.fold(text)
	return f
}

// fold is a text as it is compared, a letter for each of its own.
func (f *finder) fold(s string) []rune {
	out := []rune(s)
	if !f.exact {
		for i, r := range out {
			out[i] = unicode.ToLower(r)
		}
	}
	return out
}

// count finds the lines that have the text, unless that is known.
func (f *finder) count(p *objectPane) []int {
	var stamp *docLine // each view makes lines of its own
	if len(p.doc) > 0 {
		stamp = &p.doc[0]
	}
	if f.stamp == stamp && f.lines == len(p.doc) {
		return f.hits
	}
	f.stamp, f.lines, f.hits = stamp, len(p.doc), nil
	text := string(f.text)
	for i, d := range p.doc {
		line := docPlain(d)
		if !f.exact {
			line = strings.Map(unicode.ToLower, line)
		}
		if strings.Contains(line, text) {
			f.hits = append(f.hits, i)
		}
	}
	return f.hits
}

// in returns where the text is in s, from a position on, -1 if nowhere.
func (f *finder) in(s []rune, from int) int {
	for i := from; i+len(f.text) <= len(s); i++ {
		if slices.Equal(s[i:i+len(f.text)], f.text) {
			return i
		}
	}
	return -1
}

// mark makes matches stand out in a drawn line, by reverse and underline: not by
// a colour.
func (f *finder) mark(s string) string {
	if len(f.text) == 0 {
		return s
	}
	plain := f.fold(ansi.Strip(s))
	at := f.in(plain, 0)
	if at < 0 {
		return s
	}
	var b strings.Builder
	style, n := "", 0
	for len(s) > 0 {
		if strings.HasPrefix(s, "\x1b[") {
			end := strings.IndexByte(s, 'm') + 1
			if end == 0 {
				break
			}
			style, s = s[:end], s[end:]
			if b.WriteString(style); at >= 0 && n > at {
				b.WriteString(matchStyle)
			}
			continue
		}
		if n == at {
			b.WriteString(matchStyle)
		}
		_, size := utf8.DecodeRuneInString(s)
		b.WriteString(s[:size])
		s = s[size:]
		if n++; at >= 0 && n == at+len(f.text) {
			b.WriteString("\x1b[m" + style)
			at = f.in(plain, n)
		}
	}
	return b.String() + s
}

const matchStyle = "\x1b[4;7m"

// askFind asks what to search for. What is typed is counted once, not for each
// frame.
func (a *App) askFind() {
	var f finder
	typed := ""
	find := func(text string) *finder {
		if text != typed {
			f, typed = newFinder(text), text
		}
		return &f
	}
	a.ask(prompt{label: "search", hint: "a text of this view; capital letters count if there are any",
		means: func(text string) string {
			return plural(len(find(text).count(&a.object)), "line")
		},
		done: func(text string) *moment.Error {
			f := find(text)
			if text != "" && len(f.count(&a.object)) == 0 {
				return &moment.Error{Text: "no line of this view has it"}
			}
			if a.object.find = *f; text != "" {
				a.showHit(a.object.cursor, true, 1)
			}
			return nil
		}})
}

func (a *App) canFind() (bool, string) {
	switch {
	case a.page.page != nil:
		return false, "n and N go through the object pane and the timeline"
	case a.focus == paneObject:
		return len(a.object.find.text) > 0, "nothing was searched for: / does"
	}
	return a.lastQuery() != nil, "nothing was filtered for: / does"
}

// findNext goes n matches on, or back.
func (a *App) findNext(n int) tea.Cmd {
	if a.focus == paneObject {
		a.showHit(a.object.cursor, false, n)
		return nil
	}
	return a.findRow(n)
}

// showHit goes to a match n further, from a line on, and around at the end.
func (a *App) showHit(from int, here bool, n int) {
	p := &a.object
	hits := p.find.count(p)
	if len(hits) == 0 {
		a.say("no line of this view has it")
		return
	}
	i := 0 // the first hit behind, or at, from
	for i < len(hits) && (hits[i] < from || !here && hits[i] == from && n > 0) {
		i++
	}
	if n > 0 {
		i += n - 1
	} else {
		i += n
	}
	if i < 0 || i >= len(hits) {
		a.say("around the end")
	}
	i = (i%len(hits) + len(hits)) % len(hits)
	p.goToLine(hits[i])
}

// goToLine moves the cursor to a line, with some lines around it.
func (p *objectPane) goToLine(i int) {
	p.cursor = i
	if i < p.top || i >= p.top+p.rows() {
		p.top = i - p.rows()/3
	}
	p.settle()
}

// findInfo tells of the search in the title.
func (p *objectPane) findInfo() []string {
	if len(p.find.text) == 0 || p.hasRow {
		return nil
	}
	hits := p.find.count(p)
	at := "–"
	for i, line := range hits {
		if line == p.cursor {
			at = count(i + 1)
		}
	}
	return []string{"/" + string(p.find.text) + " " + at + "/" + count(len(hits))}
}

// forget ends a search; false if there is none.
func (p *objectPane) forget() bool {
	had := len(p.find.text) > 0
	p.find = finder{}
	return had
}
