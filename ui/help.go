package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model/clean"
	"rewatch/themes"
)

// helpPane is the list of all keys, laid over the screen: those of the place one
// is in come first, and only they say why they can do nothing now.
type helpPane struct {
	st     *themes.Styles
	skin   *skin
	keys   *keymap
	replay bool                  // leaves out what only a live screen does, or the other way round
	off    func(*binding) string // why a key can do nothing now; "" if it can
	at     scope                 // where it was opened
	shown  bool
	top    int
	w, h   int // the text that was shown last: its cells and rows
	find   finder
	hit    int // the line of the match that was gone to; -1 is none
}

func (p *helpPane) open(at scope) { p.shown, p.top, p.at, p.find, p.hit = true, 0, at, finder{}, -1 }
func (p *helpPane) close()        { p.shown = false }
func (p *helpPane) scroll(n int)  { p.top = max(min(p.top+n, len(p.lines(p.w))-p.h), 0) }

// page scrolls by what is in sight; a line of it stays.
func (p *helpPane) page(n int) { p.scroll(n * max(p.h-1, 1)) }

// signs explains what is not a word on the screen.
var signs = [...][2]string{
	{"+ ~ -", "created, modified, deleted"},
	{"…", "the rest was cut; in ASCII $, and ~ between figures is from one to the other"},
	{"±", "found by a relist after a gap: no event told of it"},
	{"=", "there when the stream began, or sent again"},
	{"»  ♥  i", "a stream's state, a heartbeat, a note"},
	{"═══", "a gap: changes may have been missed"},
	{"◆", "a mark that a user set"},
	{"┃ ░", "on the scrubber: where the replay is; nobody watched"},
}

// scopes are those that the help lists: that where one is now, the replay's and
// the global one, then the others.
func (p *helpPane) scopes() []scope {
	out := []scope{p.at}
	if p.replay {
		out = append(out, scopeReplay)
	}
	if p.at != scopeGlobal {
		out = append(out, scopeGlobal)
	}
	for _, s := range scopes() {
		if s != scopeReplay && s != scopeHelp && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// here reports whether the keys of a scope work where the help was opened.
func (p *helpPane) here(s scope) bool { return slices.Contains(order(p.at, p.replay), s) }

const helpKeyWidth = 16

// lines is the text of the help, w cells wide.
func (p *helpPane) lines(w int) []string {
	var out []string
	add := func(key, text, off string) {
		ks, ts := p.st.Accent, p.st.Text
		if off != "" {
			ks, ts, text = p.st.Dim, p.st.Dim, text+"  ("+off+")"
		}
		for _, part := range strings.Split(ansi.Wrap(clean.Line(text), max(w-helpKeyWidth-3, 8), ""), "\n") {
			l := newLine("")
			l.glyphs("", "  ", 2)
			l.cell(ks, key, helpKeyWidth)
			l.glyphs("", " ", 1)
			l.upTo(ts, strings.TrimRight(part, " "), w-l.w)
			out, key = append(out, l.end(w)), ""
		}
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
			b := &p.keys.all[i]
			if b.scope != s || b.live && p.replay {
				continue
			}
			off := ""
			if p.here(s) {
				off = p.off(b)
			}
			add(p.skin.keys(b.names()), b.help, off)
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
	p.w = bw - 4
	text := p.lines(p.w)
	p.h = min(len(rows)-4, len(text)+2) - 2
	p.top = max(min(p.top, len(text)-p.h), 0)
	shown := text[p.top : p.top+p.h]
	for i := range shown {
		shown[i] = p.find.mark(shown[i])
	}
	return box(p.st, rows, w, bw, p.title(text), shown, p.top+p.h < len(text), " / searches · esc closes ")
}

// box lays lines of bw-4 cells in a frame over the rows of the screen. It is the
// only place that cuts finished rows, which is slow, and it is only done while
// such a box is open.
func box(st *themes.Styles, rows []string, w, bw int, title string, text []string, below bool, foot string) []string {
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
			_, n := safe(more + foot)
			l.fill(st.Accent, "─", bw-3-n)
			l.text(st.Dim, more+foot)
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
