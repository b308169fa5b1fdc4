package ui

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"rewatch/themes"
)

// helpPane is the list of all keys, laid over the screen.
type helpPane struct {
	st     *themes.Styles
	keys   *keymap
	replay bool                  // leaves out what only a live screen does, or the other way round
	off    func(*binding) string // why a key can do nothing now; "" if it can
	shown  bool
	top    int
	h      int // rows of text that were shown last
}

func (p *helpPane) open()  { p.shown, p.top = true, 0 }
func (p *helpPane) close() { p.shown = false }

func (p *helpPane) scroll(n int) { p.top = max(min(p.top+n, len(p.lines(60))-p.h), 0) }

// signs explains what is not a word on the screen.
var signs = [...][2]string{
	{"+ ~ -", "created, modified, deleted"},
	{"±", "found by a relist after a gap: no event told of it"},
	{"=", "there when the stream began, or sent again"},
	{"»  ♥  i", "a stream's state, a heartbeat, a note"},
	{"═══", "a gap: changes may have been missed"},
	{"◆", "a mark that a user set"},
	{"┃ ░", "on the scrubber: where the replay is; nobody watched"},
}

// scopes are those that the help lists, in a replay its own first.
func (p *helpPane) scopes() []scope {
	out := slices.DeleteFunc(scopes(), func(s scope) bool { return s == scopeReplay || s == scopeHelp })
	if p.replay {
		out = slices.Insert(out, 0, scopeReplay)
	}
	return out
}

// lines is the text of the help, w cells wide.
func (p *helpPane) lines(w int) []string {
	var out []string
	add := func(key, text, off string) {
		l := newLine("")
		l.glyphs("", "  ", 2)
		ks, ts := p.st.Accent, p.st.Text
		if off != "" {
			ks, ts, off = p.st.Dim, p.st.Dim, "  ("+off+")"
		}
		if _, n := safe(text); n+12 > w-19 {
			off = "" // a piece of a reason is none
		}
		l.cell(ks, key, 16)
		l.glyphs("", " ", 1)
		l.upTo(ts, text+off, w-l.w)
		out = append(out, l.end(w))
	}
	head := func(s string) {
		l := newLine("")
		l.upTo(p.st.Title, s, w)
		if len(out) > 0 {
			out = append(out, newLine("").end(w))
		}
		out = append(out, l.end(w))
	}
	for _, s := range p.scopes() {
		head(s.String())
		for i := range p.keys.all {
			if b := &p.keys.all[i]; b.scope == s && !(b.live && p.replay) {
				add(b.names(), b.help, p.off(b))
			}
		}
		if s == scopeGlobal {
			head("Signs")
			for _, x := range signs {
				add(x[0], x[1], "")
			}
		}
	}
	return out
}

// over lays the help over the rows of a frame.
func (p *helpPane) over(rows []string, w int) []string {
	bw := min(w-4, 96)
	text := p.lines(bw - 4)
	p.h = min(len(rows)-4, len(text)+2) - 2
	p.top = max(min(p.top, len(text)-p.h), 0)
	return box(p.st, rows, w, bw, "Keys", text[p.top:p.top+p.h], p.top+p.h < len(text))
}

// box lays lines of bw-4 cells in a frame over the rows of the screen. It is the
// only place that cuts finished rows, which is slow, and it is only done while
// such a box is open.
func box(st *themes.Styles, rows []string, w, bw int, title string, text []string, below bool) []string {
	bh := len(text) + 2
	x, y := (w-bw)/2, max((len(rows)-bh)/2, 1)
	for i := range bh {
		l := newLine("")
		switch i {
		case 0:
			l.glyphs(st.Accent, "╭", 1)
			l.upTo(st.Title, " "+title+" ", bw-2)
			l.fill(st.Accent, "─", bw-1)
			l.glyphs(st.Accent, "╮", 1)
		case bh - 1:
			l.glyphs(st.Accent, "╰", 1)
			more := ""
			if below {
				more = " ↓ more "
			}
			l.fill(st.Accent, "─", bw-2-len([]rune(more))-13)
			l.text(st.Dim, more+" esc closes ")
			l.fill(st.Accent, "─", bw-1)
			l.glyphs(st.Accent, "╯", 1)
		default:
			l.glyphs(st.Accent, "│", 1)
			l.glyphs("", " ", 1)
			l.style("")
			l.b = append(l.b, text[i-1]...)
			l.w += bw - 4
			l.on = false
			l.glyphs("", " ", 1)
			l.glyphs(st.Accent, "│", 1)
		}
		row := rows[y+i]
		rows[y+i] = pad(ansi.Cut(row, 0, x), x) + "\x1b[m" + l.end(bw) + "\x1b[m" + rest(row, x+bw, w)
	}
	return rows
}

// rest is a row from a cell on. A wide character that begins before it is left
// out.
func rest(row string, from, w int) string {
	s := ansi.Cut(row, from, w)
	if ansi.StringWidth(s) > w-from {
		s = " " + ansi.Cut(row, from+1, w)
	}
	return pad(s, w-from)
}

// pad makes a piece of a row w cells wide: a wide character may be cut in two.
func pad(s string, w int) string {
	for n := ansi.StringWidth(s); n < w; n++ {
		s += " "
	}
	return s
}
