package ui

import (
	"strings"
	"time"

	"rewatch/model"
	"rewatch/themes"
)

// filterBar is the line in which a filter is typed. The filter works as it is
// typed; enter keeps it and esc clears it.
type filterBar struct {
	editor
	editing bool
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
	l.pad(w - len(right) - 1)
	l.text(st.Dim, right)
	return l.end(w), cursor
}

// words keeps the rows in which every word occurs: in kind, namespace, name or
// context for objects, in the stream's name and the text for the rest. Whether
// an object matches is worked out once per object, not per row.
type words struct {
	log     *model.Log
	streams []string
	want    []string
	objects []uint8 // by ObjectID: 0 unknown, 1 no, 2 yes
}

// newWords returns nil for an empty text.
func newWords(log *model.Log, text string) matcher {
	want := strings.Fields(strings.ToLower(text))
	if len(want) == 0 {
		return nil
	}
	return &words{log: log, want: want}
}

func (w *words) match(e model.Event) bool {
	if e.Object == 0 {
		return w.contains(w.stream(e.Stream) + " " + detailText(e))
	}
	for int(e.Object) >= len(w.objects) {
		w.objects = append(w.objects, make([]uint8, len(w.objects)+256)...)
	}
	if w.objects[e.Object] == 0 {
		id := w.log.Identity(e.Object)
		w.objects[e.Object] = 1
		if w.contains(id.Context + " " + id.Kind + " " + id.Namespace + "/" + id.Name) {
			w.objects[e.Object] = 2
		}
	}
	return w.objects[e.Object] == 2
}

// stream returns the words of a stream. Streams may be added at any time.
func (w *words) stream(id model.StreamID) string {
	if int(id) >= len(w.streams) {
		w.streams = w.streams[:0]
		for _, s := range w.log.Streams(time.Time{}) {
			w.streams = append(w.streams, s.Context+" "+s.Name()+" "+s.Namespace)
		}
	}
	if int(id) >= len(w.streams) {
		return ""
	}
	return w.streams[id]
}

func (w *words) contains(s string) bool {
	s = strings.ToLower(s)
	for _, x := range w.want {
		if !strings.Contains(s, x) {
			return false
		}
	}
	return true
}

func detailText(e model.Event) string {
	switch d := e.Detail.(type) {
	case model.Transition:
		return d.From.String() + " " + d.To.String() + " " + string(d.Cause) + " " + d.Text
	case model.Gap:
		return "gap " + string(d.Cause) + " " + d.Text
	case model.Note:
		return d.Text
	}
	return ""
}
