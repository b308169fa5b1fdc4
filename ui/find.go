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

// searched is what can be searched: the object pane, or a page.
type searched interface {
	// lines are its lines; others than before are another slice.
	lines(a *App) []docLine
	// place is the line under the cursor.
	place() int
	goToLine(a *App, i int)
}

// hunt is what is searched for somewhere, and what is typed of another search.
type hunt struct {
	find  finder
	trial *finder // of a text that is being typed
	typed string  // that text
}

// hunting is the search of what has the focus, and that.
func (a *App) hunting() (*hunt, searched) {
	if a.page.searchable() {
		return &a.page.hunt, &a.page
	}
	return &a.object.hunt, &a.object
}

// finder is a search in lines. They are looked through outside of the event
// loop unless they are few, from the cursor on and around the end, a step at a
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

// of reports whether it is these lines that are looked through: each view, and
// each page, makes lines of its own.
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
	findNow    = 1000 // so few lines are all looked at before the next frame
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
	for _, f := range []*finder{&a.object.find, a.object.trial, &a.page.find, a.page.trial} {
		if f == nil || f.request != m.request || !f.busy {
			continue
		}
		f.busy = false
		f.seen += m.seen
		f.hits = append(f.hits, m.hits...)
		slices.Sort(f.hits)
		if h, _ := a.hunting(); f == &h.find && f.want.n != 0 {
			a.goToHit()
		}
		return nil
	}
	return nil
}

// searching is the search that is typed, else the one that is in force.
func (a *App) searching() *finder {
	h, _ := a.hunting()
	if h.trial == nil {
		return &h.find
	}
	if !a.prompt.shown {
		h.trial = nil
		return &h.find
	}
	if text := string(a.prompt.text); text != h.typed {
		h.typed = text
		*h.trial = newFinder(text)
	}
	return h.trial
}

// lookOn takes the next step of a search, from its start if the lines have
// become others.
func (a *App) lookOn() tea.Cmd {
	f := a.searching()
	_, in := a.hunting()
	if len(f.text) == 0 || a.object.hasRow && in == &a.object {
		return nil
	}
	if doc := in.lines(a); f.request == 0 || !f.of(doc) {
		a.finds++
		f.doc, f.from, f.seen, f.hits, f.busy, f.request = doc, max(in.place(), 0), 0, nil, false, a.finds
	}
	if f.busy || f.done() {
		return nil
	}
	if len(f.doc) > findNow {
		f.busy = true
		return f.step(a.ctx)
	}
	for request := f.request; f.request == request && !f.done(); {
		f.busy = true
		f.step(a.ctx)().(findMsg).take(a)
	}
	return nil
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
	h, in := a.hunting()
	h.trial, h.typed = &finder{}, ""
	what := "view"
	if in == &a.page {
		what = "page"
	}
	a.ask(prompt{label: "search", hint: "a text of this " + what + "; capital letters count if there are any",
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
				return &moment.Error{Text: noHit(in)}
			}
			h.find, h.trial = *f, nil
			if text != "" {
				h.find.want = wantedHit{in.place(), true, 1}
				a.goToHit()
			}
			return nil
		}})
}

// noHit says that nothing has been found.
func noHit(in searched) string {
	if o, is := in.(*opened); is {
		return "no line of this page has it" + o.unseen()
	}
	return "no line of this view has it"
}

func (a *App) canFind() (bool, string) {
	switch h, in := a.hunting(); {
	case in == &a.page || a.inPanes() && a.focus == paneObject:
		return len(h.find.text) > 0, "nothing was searched for: / does"
	case a.page.page != nil:
		return false, "this page has a filter, and no search"
	}
	return a.lastQuery() != nil, "nothing was filtered for: / does"
}

// findNext goes n matches on, or back.
func (a *App) findNext(n int) tea.Cmd {
	h, in := a.hunting()
	if in == &a.object && a.focus != paneObject {
		return a.findRow(n)
	}
	f := &h.find
	if f.want.n == 0 {
		f.want = wantedHit{from: in.place()}
	}
	if f.want.n += n; f.of(in.lines(a)) {
		a.goToHit()
	}
	return nil
}

// goToHit goes to the hit that is wanted, around at the end. While not all lines
// have been looked at, that is known only of the next one, if none can be between.
func (a *App) goToHit() {
	h, in := a.hunting()
	f := &h.find
	w := f.want
	i := sort.Search(len(f.hits), func(i int) bool { return f.hits[i] > w.from || w.here && f.hits[i] == w.from })
	if !f.done() {
		if w.n == 1 && w.from >= f.from && i < len(f.hits) {
			f.want = wantedHit{}
			in.goToLine(a, f.hits[i])
		}
		return
	}
	f.want = wantedHit{}
	if len(f.hits) == 0 {
		a.say(noHit(in))
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
	in.goToLine(a, f.hits[(i%len(f.hits)+len(f.hits))%len(f.hits)])
}

// told tells of the search, the cursor being on a line: "/text 2/14".
func (h *hunt) told(line int) []string {
	if len(h.find.text) == 0 {
		return nil
	}
	at := "–"
	if i, ok := slices.BinarySearch(h.find.hits, line); ok && h.find.done() {
		at = count(i + 1)
	}
	return []string{"/" + string(h.find.text) + " " + at + "/" + h.find.count()}
}

// forget ends a search; false if there is none.
func (h *hunt) forget() bool {
	had := len(h.find.text) > 0
	h.find = finder{}
	return had
}

// lines are those of the view.
func (p *objectPane) lines(*App) []docLine { return p.doc }

func (p *objectPane) place() int { return p.cursor }

// goToLine moves the cursor to a line, with some lines around it.
func (p *objectPane) goToLine(_ *App, i int) {
	p.cursor = i
	if i < p.top || i >= p.top+p.rows() {
		p.top = i - p.rows()/3
	}
	p.settle()
}

// findInfo tells of the search in the title.
func (p *objectPane) findInfo() []string {
	if p.hasRow {
		return nil
	}
	return p.told(p.cursor)
}
