package ui

import (
	"strings"

	"rewatch/themes"
)

// searched says what the words of a filter are looked for in: without it, no
// match reads as if what changed had been searched too.
const searched = "searched: kind, namespace, name, type, stream; not what changed"

// filterBar is the line in which a filter is typed. The filter works as it is
// typed; enter keeps it and esc brings back the one before.
type filterBar struct {
	editor
	editing bool
	old     string // the filter before the one that is typed
}

// value is the filter as typed, without the spaces around it.
func (f *filterBar) value() string { return strings.TrimSpace(string(f.text)) }

// draw writes the bar and returns the column of the cursor.
func (f *filterBar) draw(st *themes.Styles, w int, right string) (s string, cursor int) {
	l := newLine("")
	l.text(st.Accent, " / ")
	if w < 70 {
		right = ""
	}
	room := max(w-l.w-len(right)-2, 8)
	// The end of a long filter is what is being typed: scroll to the cursor.
	from := max(f.pos-room+1, 0)
	before, n := fit(string(f.text[from:f.pos]), room)
	l.glyphs(st.Strong, before, n)
	cursor = min(l.w, w-1)
	l.upTo(st.Strong, string(f.text[f.pos:]), room-n)
	if len(f.text) == 0 {
		l.upTo(st.Dim, "  "+searched, room-1)
	}
	l.pad(w - len(right) - 1)
	l.text(st.Dim, right)
	return l.end(w), cursor
}
