package ui

import (
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// editorLimit bounds the text of an editor, in code points.
const editorLimit = 500

// editor is a line of text with a cursor: what a filter needs of readline and
// no more.
type editor struct {
	text []rune
	pos  int // of the cursor, in code points
}

func (e *editor) set(s string) { e.text = []rune(s); e.pos = len(e.text) }

// insert types a text at the cursor; control characters are left out.
func (e *editor) insert(s string) {
	for _, r := range s {
		if unicode.IsControl(r) || len(e.text) >= editorLimit {
			continue
		}
		e.text = append(e.text, 0)
		copy(e.text[e.pos+1:], e.text[e.pos:])
		e.text[e.pos] = r
		e.pos++
	}
}

// remove takes out what is between two positions.
func (e *editor) remove(from, to int) {
	from, to = max(from, 0), min(to, len(e.text))
	e.text = append(e.text[:from], e.text[to:]...)
	e.pos = from
}

// key handles a key that no binding has taken.
func (e *editor) key(k tea.KeyPressMsg) {
	switch k.String() {
	case "left", "ctrl+b":
		e.pos = max(e.pos-1, 0)
	case "right", "ctrl+f":
		e.pos = min(e.pos+1, len(e.text))
	case "home", "ctrl+a":
		e.pos = 0
	case "end", "ctrl+e":
		e.pos = len(e.text)
	case "backspace", "ctrl+h":
		if e.pos > 0 {
			e.remove(e.pos-1, e.pos)
		}
	case "delete", "ctrl+d":
		e.remove(e.pos, e.pos+1)
	case "ctrl+k":
		e.remove(e.pos, len(e.text))
	case "ctrl+w":
		e.remove(e.wordStart(), e.pos)
	default:
		e.insert(k.Text)
	}
}

func (e *editor) wordStart() int {
	i := e.pos
	for i > 0 && e.text[i-1] == ' ' {
		i--
	}
	for i > 0 && e.text[i-1] != ' ' {
		i--
	}
	return i
}
