package ui

import (
	tea "charm.land/bubbletea/v2"

	"rewatch/model/moment"
	"rewatch/themes"
)

// prompt is a line in which something is typed and then done: a moment to go
// to, the text of a mark. It takes the place of the footer.
type prompt struct {
	editor
	shown bool
	label string
	hint  string // what may be typed, while nothing is
	err   *moment.Error
	// means says what is typed would do, "" if that is not known.
	means func(text string) string
	// done does it; the prompt stays open on an error.
	done func(text string) *moment.Error
}

// ask opens a prompt.
func (a *App) ask(p prompt) {
	p.shown = true
	a.prompt = p
}

func (a *App) closePrompt() { a.prompt = prompt{} }

func (a *App) answerPrompt() {
	if a.prompt.err = a.prompt.done(string(a.prompt.text)); a.prompt.err == nil {
		a.closePrompt()
	}
}

// editPrompt edits the text; what was wrong with it is looked at anew.
func (a *App) editPrompt(edit func()) {
	a.prompt.err = nil
	edit()
}

func (p *prompt) key(k tea.KeyPressMsg) { p.editor.key(k) }

// room is where the text begins and how much of it fits.
func (p *prompt) room(w int) (x, n int) {
	_, lw := safe(p.label)
	return lw + 4, max(w-lw-6, 8)
}

// draw writes the line and returns the column of the cursor.
func (p *prompt) draw(st *themes.Styles, w int) (s string, cursor int) {
	l := newLine("")
	l.text(st.Accent, " "+p.label+" › ")
	_, room := p.room(w)
	from := max(p.pos-room+1, 0)
	before, n := fit(string(p.text[from:p.pos]), room)
	l.glyphs(st.Strong, before, n)
	cursor = min(l.w, w-1)
	l.upTo(st.Strong, string(p.text[p.pos:]), room-n)
	right := "enter does it, esc does not"
	if len(p.text) == 0 {
		l.upTo(st.Dim, "  "+p.hint, w-l.w-1)
	} else if p.means != nil && p.err == nil {
		if m := p.means(string(p.text)); m != "" {
			right = m
		}
	}
	if _, n := safe(right); l.w+n+3 <= w {
		l.pad(w - n - 1)
		l.text(st.Dim, right)
	}
	return l.end(w), cursor
}

// problem is the line above that points at what is wrong; ok is false if
// nothing is known to be.
func (p *prompt) problem(st *themes.Styles, w int) (s string, ok bool) {
	if !p.shown || p.err == nil {
		return "", false
	}
	x, room := p.room(w)
	from := max(p.pos-room+1, 0)
	_, n := safe(string(p.text[min(from, p.err.At):min(p.err.At, len(p.text))]))
	at := min(x+n, w-2)
	return pointAt(st, at, p.err.Text, w), true
}
