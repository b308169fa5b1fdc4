package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/query"
	"rewatch/themes"
)

// filterHint is what may be typed, while nothing is.
const filterHint = "words, kind:pod, path:replicas, manager:…, -not, OR, cel:…  tab completes"

// filterBar is the line in which a filter is typed, in the language of
// docs/query.md. The filter works as it is typed; enter keeps it and esc brings
// back the one before. While there is a mistake in it, the last one that had
// none stays in force.
type filterBar struct {
	editor
	editing bool
	old     string       // the text before the one that is typed
	query   *query.Query // in force; nil is none
	past    pastTexts    // of filters that were kept
	err     *query.Error // what is wrong with the text

	// Completion: what may stand at the cursor, for the text as it was typed;
	// chosen is the option that has been put there, -1 is none.
	request int
	asked   bool // a command looks for options
	stale   bool // they are of another text
	typed   []rune
	at      int
	options query.Completion
	chosen  int
}

// value is the text of the filter in force.
func (f *filterBar) value() string {
	if f.query == nil {
		return ""
	}
	return f.query.String()
}

// read takes the text as it is now. It reports whether another filter is in
// force than before.
func (f *filterBar) read() bool {
	q, err := query.Parse(string(f.text))
	f.err = nil
	if err != nil {
		if !errors.As(err, &f.err) {
			f.err = &query.Error{Column: 1, Message: err.Error()}
		}
		if q = f.withoutWord(); q == nil {
			return false
		}
	}
	before := f.value()
	if f.query = q; q.Empty() {
		f.query = nil
	}
	return f.value() != before
}

// withoutWord is the filter in force without its last word, if it now turns out
// to be the name of a field of which the value is still to be typed; else nil.
func (f *filterBar) withoutWord() *query.Query {
	before := f.value()
	rest, ok := strings.CutPrefix(strings.TrimLeft(string(f.text), " "), before)
	if !ok || !strings.HasPrefix(rest, ":") || before == "" {
		return nil
	}
	q, err := query.Parse(before[:strings.LastIndexAny(before, " (")+1])
	if err != nil {
		return nil
	}
	return q
}

// optionsMsg answers what may stand at the cursor.
type optionsMsg struct {
	request int
	options query.Completion
}

// complete looks for what may stand at the cursor. Names come from the log, of
// which much may have to be read.
func (f *filterBar) complete(log *model.Log) tea.Cmd {
	f.asked, f.stale = true, false
	f.request++
	text, at, request := string(f.text), f.pos, f.request
	return func() tea.Msg {
		return optionsMsg{request, query.Complete(text, at, query.LogValues(log))}
	}
}

func (f *filterBar) take(m optionsMsg) {
	if f.asked = false; m.request == f.request && !f.stale {
		f.options, f.chosen = m.options, -1
		f.typed, f.at = append([]rune(nil), f.text...), f.pos
	}
}

// choose puts the next option in, or the one before.
func (f *filterBar) choose(n int) {
	k := len(f.options.Options)
	if f.chosen += n; f.chosen < 0 {
		f.chosen = k - 1
	}
	f.chosen %= k
	c := f.options
	text := []rune(c.Options[f.chosen].Text)
	f.text = append(append(append([]rune(nil), f.typed[:c.From]...), text...), f.typed[c.To:]...)
	f.pos = c.From + len(text)
	if len(f.text) > editorLimit {
		f.text = f.text[:editorLimit]
	}
	f.pos = min(f.pos, len(f.text))
	if k == 1 { // go on with what comes behind it
		f.stale = true
	}
}

// room is where the text begins and how much of it fits.
func (f *filterBar) room(w, right int) (x, n int) { return 3, max(w-3-right-2, 8) }

// draw writes the bar and returns the column of the cursor.
func (f *filterBar) draw(st *themes.Styles, w int, right string) (s string, cursor int) {
	l := newLine("")
	l.text(st.Accent, " / ")
	if w < 70 {
		right = ""
	}
	_, rw := safe(right)
	_, room := f.room(w, rw)
	// The end of a long filter is what is being typed: scroll to the cursor.
	from := max(f.pos-room+1, 0)
	before, n := fit(string(f.text[from:f.pos]), room)
	l.glyphs(st.Strong, before, n)
	cursor = min(l.w, w-1)
	l.upTo(st.Strong, string(f.text[f.pos:]), room-n)
	if len(f.text) == 0 {
		l.upTo(st.Dim, "  "+filterHint, room-1)
	}
	l.pad(w - rw - 1)
	l.text(st.Dim, right)
	return l.end(w), cursor
}

// above is the line over the bar: what is wrong, at its column, or else what
// may stand at the cursor; ok is false if there is neither.
func (f *filterBar) above(st *themes.Styles, w int) (s string, ok bool) {
	switch {
	case !f.editing:
		return "", false
	case f.err != nil && (f.err.Column <= len(f.text) || f.stale || len(f.options.Options) == 0):
		return f.problem(st, w), true
	case len(f.options.Options) == 0 || f.stale:
		return "", false
	}
	l := newLine(st.Bar)
	l.text(st.Dim, " tab: ")
	first := max(f.chosen-1, 0)
	for i, o := range f.options.Options[first:] {
		_, n := safe(o.Text)
		if l.w+n+3 > w-8 && i > 0 {
			l.text(st.Dim, "+"+count(len(f.options.Options)-first-i))
			break
		}
		if first+i == f.chosen {
			l.upTo(st.Accent, "["+o.Text+"]", w-l.w-1)
		} else {
			l.upTo(st.Text, " "+o.Text+" ", w-l.w-1)
		}
	}
	if i := max(f.chosen, 0); f.options.Options[i].Help != "" {
		l.upTo(st.Dim, "  "+f.options.Options[i].Help, w-l.w-1)
	}
	return l.end(w), true
}

// problem points at what is wrong, and says which filter is in force.
func (f *filterBar) problem(st *themes.Styles, w int) string {
	text := f.err.Message
	if f.err.Hint != "" {
		text += "; " + f.err.Hint
	}
	x, room := f.room(w, 0)
	from := max(f.pos-room+1, 0)
	col := min(max(f.err.Column-1, 0), len(f.text))
	_, n := safe(string(f.text[min(from, col):col]))
	return pointAt(st, min(x+n, w-2), text, w)
}

// pointAt writes what is wrong beside a mark above it, to the right of it or,
// where there is more room, to the left.
func pointAt(st *themes.Styles, at int, text string, w int) string {
	l := newLine("")
	_, tw := safe(text)
	if at+2+tw < w || at < w/2 {
		l.pad(at)
		l.glyphs(st.BadBold, "▾", 1)
		l.upTo(st.BadBold, " "+text, w-l.w-1)
		return l.end(w)
	}
	l.pad(max(at-tw-1, 0))
	l.upTo(st.BadBold, text+" ", at-l.w)
	l.pad(at)
	l.glyphs(st.BadBold, "▾", 1)
	return l.end(w)
}

// editFilter starts a new filter, as vi and fzf do; esc brings back the one
// that was kept.
func (a *App) editFilter() {
	a.filter.editing, a.filter.old = true, a.filter.value()
	a.editFilterBy(func() { a.filter.set("") })
	if a.focus != paneTimeline && a.page.page == nil {
		a.setFocus(paneTimeline)
	}
}

// editFilterBy edits the text, and applies the filter if that made it another.
func (a *App) editFilterBy(edit func()) {
	edit()
	a.filter.past.rewind()
	a.filter.stale, a.filter.chosen = true, -1
	a.filterEdited()
}

func (a *App) filterEdited() {
	if a.filter.read() {
		a.applyFilter()
	}
}

func (a *App) applyFilter() {
	a.timeline.reindex(a.ctx, a.filter.query, a.now.In(a.o.Location), a.timeline.noise)
}

func (a *App) canKeepFilter() (bool, string) {
	if e := a.filter.err; e != nil {
		return false, "column " + count(e.Column) + " is not right yet; esc goes back"
	}
	return true, ""
}

func (a *App) keepFilter() {
	a.filter.editing = false
	a.filter.past.add(a.filter.value())
	a.undo.note(a.filter.value())
}

// recallFilter brings back a filter that was kept earlier.
func (a *App) recallFilter(n int) {
	past := a.filter.past
	text, ok := past.recall(n, string(a.filter.text))
	if !ok {
		a.say("there is no other filter of this session")
		return
	}
	a.editFilterBy(func() { a.filter.set(text) })
	a.filter.past = past
}

// clearFilter shows all rows again.
func (a *App) clearFilter() {
	a.editFilterBy(func() { a.filter.set("") })
	a.undo.note("")
}

func (a *App) cancelFilter() {
	a.filter.editing = false
	a.editFilterBy(func() { a.filter.set(a.filter.old) })
}

// killFilter clears what is before the cursor.
func (a *App) killFilter() { a.editFilterBy(func() { a.filter.remove(0, a.filter.pos) }) }

func (a *App) canComplete() (bool, string) {
	return !a.filter.stale && len(a.filter.options.Options) > 0, "nothing is known that could stand here"
}

func (a *App) completeFilter(n int) {
	a.filter.choose(n)
	a.filterEdited()
}

// filterInfo is the right part of the bar: what has been found, and what enter
// and esc do.
func (a *App) filterInfo() string {
	x := a.timeline.index
	s := plural(x.end()-x.first(), "row")
	if percent, yes := a.timeline.looking(); yes {
		s += ", " + count(percent) + "% looked at"
	}
	switch {
	case a.flash != "":
		return a.flash
	case a.filter.err != nil && a.filter.query != nil:
		return "still in force: " + a.filter.value()
	case a.filter.err != nil:
		return "no filter in force"
	case a.timeline.problem != "":
		return s + "; " + a.timeline.problem
	}
	return s + "  enter keeps, esc undoes"
}
