package ui

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"
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

// finder is a search in the lines of the object pane. They are looked through
// outside of the event loop, from the cursor on and around the end, a step at a
// time: the first hit is shown as soon as there is one, and a text that is typed
// on ends what was under way.
type finder struct {
	text  []rune // none is no search; in small letters unless exact
	exact bool   // it has capital letters, and they count

	doc     []docLine // the lines that are looked through
	from    int       // the first of them
	seen    int       // how many have been, from there on
	hits    []int     // those that have the text, in order
	request int       // of the search
	busy    bool      // a step is taken
	want    wantedHit
}

// wantedHit is where to go when it is known: n hits on from a line, back if
// negative; 0 is nowhere. here lets that line be the first.
type wantedHit struct {
	from int
	here bool
	n    int
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

// done reports whether all lines have been looked at.
func (f *finder) done() bool { return f.seen >= len(f.doc) }

// of reports whether it is these lines that are looked through: each view makes
// lines of its own.
func (f *finder) of(doc []docLine) bool {
	return len(f.doc) == len(doc) && (len(doc) == 0 || &f.doc[0] == &doc[0])
}

// count says how many lines have been found.
func (f *finder) count() string {
	if !f.done() {
		return count(len(f.hits)) + "…"
	}
	return count(len(f.hits))
}

// findStep is how long a step takes at most, findAtOnce how many lines it looks
// at between two looks at the clock.
const (
	findStep   = 10 * time.Millisecond
	findAtOnce = 128
)

// findMsg answers which of the next lines have the text.
type findMsg struct {
	request, seen int
	hits          []int
}

// step looks at the next lines: until there is a first hit, and as long as it
// may.
func (f finder) step(ctx context.Context) tea.Cmd {
	text := string(f.text)
	return func() tea.Msg {
		m, begin := findMsg{request: f.request}, time.Now()
		for ; f.seen+m.seen < len(f.doc); m.seen++ {
			if n := m.seen; n > 0 && n%findAtOnce == 0 && (ctx.Err() != nil || time.Since(begin) > findStep) {
				break
			}
			i := (f.from + f.seen + m.seen) % len(f.doc)
			line := docPlain(f.doc[i])
			if !f.exact {
				line = strings.Map(unicode.ToLower, line)
			}
			if strings.Contains(line, text) {
				if m.hits = append(m.hits, i); len(f.hits) == 0 && len(m.hits) == 1 {
					m.seen++
					break
				}
			}
		}
		return m
	}
}

func (m findMsg) take(a *App) tea.Cmd {
	for _, f := range []*finder{&a.object.find, a.object.trial} {
		if f == nil || f.request != m.request || !f.busy {
			continue
		}
		f.busy = false
		f.seen += m.seen
		f.hits = append(f.hits, m.hits...)
		slices.Sort(f.hits)
		if f == &a.object.find && f.want.n != 0 {
			a.goToHit()
		}
		return nil
	}
	return nil
}

// searching is the search that is typed, else the one that is in force.
func (a *App) searching() *finder {
	p := &a.object
	if p.trial == nil {
		return &p.find
	}
	if !a.prompt.shown {
		p.trial = nil
		return &p.find
	}
	if text := string(a.prompt.text); text != p.typed {
		p.typed = text
		*p.trial = newFinder(text)
	}
	return p.trial
}

// lookOn takes the next step of a search, from its start if the lines have
// become others.
func (a *App) lookOn() tea.Cmd {
	f, p := a.searching(), &a.object
	if len(f.text) == 0 || p.hasRow {
		return nil
	}
	if f.request == 0 || !f.of(p.doc) {
		p.finds++
		f.doc, f.from, f.seen, f.hits, f.busy, f.request = p.doc, max(p.cursor, 0), 0, nil, false, p.finds
	}
	if f.busy || f.done() {
		return nil
	}
	f.busy = true
	return f.step(a.ctx)
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

// askFind asks what to search for.
func (a *App) askFind() {
	a.object.trial, a.object.typed = &finder{}, ""
	a.ask(prompt{label: "search", hint: "a text of this view; capital letters count if there are any",
		means: func(string) string {
			f := a.searching()
			if !f.done() {
				return f.count() + " lines"
			}
			return plural(len(f.hits), "line")
		},
		done: func(text string) *moment.Error {
			f := a.searching()
			if text != "" && f.request != 0 && f.done() && len(f.hits) == 0 {
				return &moment.Error{Text: "no line of this view has it"}
			}
			a.object.find, a.object.trial = *f, nil
			if text != "" {
				a.object.find.want = wantedHit{a.object.cursor, true, 1}
				a.goToHit()
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
	if a.focus != paneObject {
		return a.findRow(n)
	}
	f := &a.object.find
	if f.want.n == 0 {
		f.want = wantedHit{from: a.object.cursor}
	}
	if f.want.n += n; f.of(a.object.doc) {
		a.goToHit()
	}
	return nil
}

// goToHit goes to the hit that is wanted, around at the end. While not all lines
// have been looked at, that is known only of the next one, if none can be between.
func (a *App) goToHit() {
	p, f := &a.object, &a.object.find
	w := f.want
	i := sort.Search(len(f.hits), func(i int) bool { return f.hits[i] > w.from || w.here && f.hits[i] == w.from })
	if !f.done() {
		if w.n == 1 && w.from >= f.from && i < len(f.hits) {
			f.want = wantedHit{}
			p.goToLine(f.hits[i])
		}
		return
	}
	f.want = wantedHit{}
	if len(f.hits) == 0 {
		a.say("no line of this view has it")
		return
	}
	if w.n > 0 {
		i += w.n - 1
	} else {
		for i > 0 && f.hits[i-1] >= w.from {
			i--
		}
		i += w.n
	}
	if i < 0 || i >= len(f.hits) {
		a.say("around the end")
	}
	p.goToLine(f.hits[(i%len(f.hits)+len(f.hits))%len(f.hits)])
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
	at := "–"
	if i, ok := slices.BinarySearch(p.find.hits, p.cursor); ok && p.find.done() {
		at = count(i + 1)
	}
	return []string{"/" + string(p.find.text) + " " + at + "/" + p.find.count()}
}

// forget ends a search; false if there is none.
func (p *objectPane) forget() bool {
	had := len(p.find.text) > 0
	p.find = finder{}
	return had
}
