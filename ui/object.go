package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/model/diff"
	"rewatch/themes"
)

// objectPane shows one version of one object: what changed against the version
// before, by whom, and the object itself below. It previews the row under the
// cursor until an object is opened; then it stays with that one.
type objectPane struct {
	st      *themes.Styles
	loc     *time.Location
	now     time.Time
	focused bool
	r       rect

	want      objectKey      // what should be shown
	latest    uint32         // newest version of it
	unwatched string         // that nobody follows it any more, and since when
	pinned    bool           // opened: does not follow the cursor
	newest    bool           // while pinned: go along with new versions
	identity  model.Identity // of what is pinned, which another log knows by it
	data      *objectData
	stale     bool        // data is of another log, or not all any more: it stays until the new one is there
	read      time.Time   // when it was
	lag       string      // of when what is shown is, where the cursor has gone on
	row       model.Event // a row without an object, shown instead
	hasRow    bool
	rowSays   []docLine // about it
	request   int
	loading   bool

	hunt
	look   showing
	head   string // what the title has no room for
	view   int    // which of views
	before []spot // where the user came from

	doc       []docLine
	docWidth  int
	leads     bool // some lines lead somewhere: there is a cursor
	marks     bool // some lines of YAML are marked
	cursor    int
	top, left int
	landing   bool // see land
}

// spot is a place that the pane was at.
type spot struct {
	key            objectKey
	pinned, newest bool
	top, cursor    int
}

// maxSpots is how many places are remembered.
const maxSpots = 50

// docKind is how a line of the pane is drawn.
type docKind uint8

const (
	docText docKind = iota
	docField
	docChange
	docOld
	docNew
	docSame
	docSides // a and b: a line of two texts that are compared, side by side
	docRule
	docYAML
	docBlame // a: who, b: how long ago, c: the line
	docEntry // a: when, b: who, c: what
	docTree  // a: the branch and its object, b: what is known of it
)

// docLine is a line before it is drawn; only those on screen are.
type docLine struct {
	kind    docKind
	op      diff.Op
	a, b, c string
	by      string // who made a change
	marked  bool
	marks   [2][]diff.Mark // the characters of a, of b, that differ
	// to is the object that the line leads to, 0 if it leads nowhere, and seq
	// the row, noRow for none.
	to  model.ObjectID
	seq model.Seq
}

// preview shows a row, with what is folded into it, unless an object is pinned.
func (p *objectPane) preview(e model.Event, f *fold, all *overall) {
	if p.pinned {
		return
	}
	if !e.Type.IsObject() || f != nil {
		if !p.hasRow || p.row.Seq != e.Seq {
			p.row, p.hasRow, p.want, p.top, p.left = e, true, objectKey{}, 0, 0
		}
		p.rowSays, p.docWidth = rowDoc(e, f, all, p.loc), 0
		return
	}
	p.show(objectKey{id: e.Object, version: e.Version})
}

// show asks for a version. What is on screen stays until it is there.
func (p *objectPane) show(k objectKey) {
	k.view = p.view
	if p.want.id != k.id || p.want.view != k.view {
		p.left = 0
	}
	if p.want != k {
		p.top, p.cursor, p.landing = 0, 0, true
	}
	if p.hasRow && p.data != nil && p.data.key == k {
		p.docWidth = 0 // it is there already, but what is drawn is the row's
	}
	p.want, p.hasRow = k, false
}

// pin keeps an object in the pane.
func (p *objectPane) pin(k objectKey, newest bool) {
	p.show(k)
	p.pinned, p.newest = true, newest
}

func (p *objectPane) unpin() { p.pinned, p.newest = false, false }

// due reports whether something must be loaded.
func (p *objectPane) due() bool {
	return !p.loading && p.want.id != 0 && (p.data == nil || p.stale || p.data.key != p.want)
}

// take accepts an answer; stale ones are dropped.
func (p *objectPane) take(m objectMsg) {
	if m.request != p.request {
		return
	}
	p.loading = false
	if m.data.key != p.want {
		return
	}
	p.data, p.docWidth, p.stale = m.data, 0, false
	p.read = p.now
}

// outdate has a view read again that shows what the log has of other objects,
// once a second at most.
func (p *objectPane) outdate(clock time.Time) {
	if p.data != nil && views()[p.view].lives && !p.loading && clock.Sub(p.read) >= time.Second {
		p.stale = true
	}
}

// setView goes to a view; the version stays.
func (p *objectPane) setView(n int) {
	p.view = n
	if p.want.id != 0 {
		p.show(p.want)
	}
}

// push remembers where the pane is.
func (p *objectPane) push() {
	p.before = append(p.before, spot{p.want, p.pinned, p.newest, p.top, p.cursor})
	if len(p.before) > maxSpots {
		p.before = p.before[1:]
	}
}

// pop goes back to where the user came from; false if that is nowhere.
func (p *objectPane) pop() bool {
	n := len(p.before) - 1
	if n < 0 {
		return false
	}
	s := p.before[n]
	p.before = p.before[:n]
	p.view = s.key.view
	p.show(s.key)
	p.pinned, p.newest, p.top, p.cursor, p.landing = s.pinned, s.newest, s.top, s.cursor, false
	return true
}

// line is the line under the cursor; ok is false in a view without one.
func (p *objectPane) line() (d docLine, ok bool) {
	if !p.leads || p.hasRow || p.cursor < 0 || p.cursor >= len(p.doc) {
		return d, false
	}
	return p.doc[p.cursor], true
}

// pointed reports whether a line has the cursor: where lines lead somewhere, and
// where keys are about the line under it.
func (p *objectPane) pointed() bool { return !p.hasRow && p.data != nil && (p.leads || p.focused) }

// scroll moves the cursor, or the window in a view without one.
func (p *objectPane) scroll(n int) {
	if !p.pointed() {
		p.top += n
		p.settle()
		return
	}
	p.cursor = max(min(p.cursor+n, len(p.doc)-1), 0)
	p.top = max(min(p.top, p.cursor), p.cursor-p.rows()+1)
	p.settle()
}

func (p *objectPane) pan(n int) { p.left = max(min(p.left+n, 400), 0) }

func (p *objectPane) edge(dir int) {
	if p.top, p.cursor = 0, 0; dir > 0 {
		p.top, p.cursor = len(p.doc), max(len(p.doc)-1, 0)
	}
	p.settle()
}

func (p *objectPane) settle() { p.top = max(min(p.top, len(p.doc)-p.rows()), 0) }

// headWidth is the width from which the title has room for what the head says.
const headWidth = 140

// headed reports whether the version shown is told above the lines, as the
// title has no room beside the views.
func (p *objectPane) headed() bool {
	return p.r.w < headWidth && p.r.h > 4 && !p.hasRow && p.data != nil
}

// rows is how many lines fit.
func (p *objectPane) rows() int {
	if p.headed() {
		return p.r.h - 1
	}
	return p.r.h
}

// title returns what stands in the pane's title: the object, and the version
// with its time.
func (p *objectPane) title() (name, info string) {
	if p.hasRow {
		return "Watch", ""
	}
	d := p.data
	if d == nil {
		return "Object", ""
	}
	name = d.identity.Kind + " " + d.identity.Name
	if d.identity.Namespace != "" {
		name = d.identity.Kind + " " + d.identity.Namespace + "/" + d.identity.Name
	}
	if d.key.version == 0 && d.missing != "" {
		return name, ""
	}
	info = "version " + count(int(d.key.version)) + " of " + count(int(max(p.latest, d.newest, d.key.version)))
	if p.unwatched != "" {
		info = p.unwatched + " · " + info
	}
	return name, info
}

func (p *objectPane) draw() []string {
	if p.docWidth != p.r.w {
		p.doc, p.docWidth = p.build(), p.r.w
		p.leads = slices.ContainsFunc(p.doc, func(d docLine) bool { return d.to != 0 })
		p.marks = slices.ContainsFunc(p.doc, func(d docLine) bool { return d.marked && d.kind == docYAML })
		p.cursor = max(min(p.cursor, len(p.doc)-1), 0)
		p.land()
		p.settle()
	}
	out := make([]string, 0, p.r.h)
	if p.headed() {
		l := newLine("")
		l.upTo(p.st.Dim, " "+p.head, p.r.w)
		out = append(out, l.end(p.r.w))
	}
	for i := p.top; i < len(p.doc) && len(out) < p.r.h; i++ {
		out = append(out, p.drawn(p.doc[i], p.pointed() && i == p.cursor))
	}
	for blank := newLine("").end(p.r.w); len(out) < p.r.h; {
		out = append(out, blank)
	}
	return out
}

// drawn is a line as it is drawn, moved to the left where the pane is.
func (p *objectPane) drawn(d docLine, selected bool) string {
	if p.left == 0 {
		return p.find.mark(p.compose(d, p.r.w, selected))
	}
	s := ansi.Cut(p.compose(d, p.r.w+p.left, selected), p.left+1, p.r.w+p.left)
	l := newLine("")
	if selected {
		l.glyphs(p.st.Title, "▌", 1)
	} else {
		l.glyphs(p.st.Dim, "‹", 1) // the beginning is not on the screen
	}
	s = p.find.mark(s)
	l.b, l.w = append(l.b, s...), l.w+ansi.StringWidth(s) // a wide character may be cut in two
	return l.end(p.r.w)
}

func (p *objectPane) compose(d docLine, w int, selected bool) string {
	st := p.st
	var l *line
	switch {
	case selected && p.focused:
		l = newLine(st.Selected)
		l.glyphs(st.Title, "▌", 1)
	case selected:
		l = newLine("")
		l.glyphs(st.Dim, "▏", 1)
	default:
		l = newLine("")
		l.glyphs("", " ", 1)
	}
	switch d.kind {
	case docText:
		l.upTo(st.Dim, d.a, w-l.w)
	case docField:
		l.upTo(st.Dim, d.a, w/2)
		l.pad(max(fieldIndent, l.w+2)) // the words for what a relist found are longer
		l.upTo(st.Text, d.b, w-l.w)
	case docChange:
		p.change(l, d, w)
	case docOld:
		l.glyphs(st.Bad, "  - ", 4)
		l.withMarks(st.Bad, d.a, d.marks[0], w)
	case docNew:
		l.glyphs(st.Good, "  + ", 4)
		l.withMarks(st.Good, d.a, d.marks[0], w)
	case docSides:
		p.sides(l, d, w)
	case docSame:
		l.upTo(st.Dim, "    "+d.a, w-l.w)
	case docRule:
		l.text(st.Rule, "── ")
		l.upTo(st.Dim, d.a, w-l.w)
		l.text("", " ")
		l.fill(st.Rule, "─", w-1)
	case docYAML:
		if d.marked {
			l.glyphs(st.Info, "~", 1)
			l.glyphs("", " ", 1)
		} else if p.marks {
			l.glyphs("", "  ", 2)
		}
		p.yaml(l, d.a, w)
	case docBlame:
		who := min(max(w/5, 12), 30)
		l.right(st.Info, d.a, who)
		l.glyphs("", " ", 1)
		l.right(st.Dim, d.b, 4)
		l.glyphs(st.Rule, " │ ", 3)
		p.yaml(l, d.c, w)
	case docEntry:
		p.entry(l, d, w)
	case docTree:
		name := st.Text
		if d.marked {
			name = st.Strong
		}
		l.upTo(name, d.a, w-l.w)
		l.glyphs("", "  ", 2)
		l.upTo(st.Dim, d.b, w-l.w)
	}
	return l.end(w)
}

// change draws "spec.replicas   9 → 8" with the arrows of all changes aligned.
func (p *objectPane) change(l *line, d docLine, w int) {
	st := p.st
	mark, ms := "~", st.Info
	switch d.op {
	case diff.Add:
		mark, ms = "+", st.Good
	case diff.Remove:
		mark, ms = "-", st.Bad
	}
	l.glyphs(ms, mark, 1)
	l.glyphs("", " ", 1)
	path, old := p.columns()
	if d.by != "" {
		end := w - 1
		w = max(w-cells(d.by)-3, l.w)
		defer func() { l.right(st.Dim, d.by, end-l.w) }()
	}
	if d.b == "" && d.c == "" {
		l.upTo(st.Strong, d.a, w-l.w)
		return
	}
	l.cell(st.Strong, pathMiddle(d.a, path), path)
	l.glyphs("", "  ", 2)
	switch d.op {
	case diff.Add:
		if beside := l.w + old + len(" > "); old > 0 && cells(d.c) <= w-beside {
			l.pad(beside) // under the other new values
		}
		l.upTo(st.Good, d.c, w-l.w)
	case diff.Remove:
		l.upTo(st.Bad, d.b, w-l.w)
	default:
		l.right(st.Dim, d.b, old)
		l.text(st.Accent, " → ")
		l.upTo(st.Text, d.c, w-l.w)
	}
}

// entry draws a line of a list: when, who, what, and by whom.
func (p *objectPane) entry(l *line, d docLine, w int) {
	st := p.st
	at, who := len("15:04:05.000"), min(max(w*30/100, 18), 46)
	if w < ownersBeside {
		at = len("15:04:05")
	}
	name := st.Dim
	if d.marked {
		name = st.Strong
	}
	l.cell(st.Dim, d.a[:min(at, len(d.a))], min(at, max(len(d.a), 8)))
	l.glyphs("", " ", 1)
	l.cell(name, middle(d.b, who), who)
	l.glyphs("", " ", 1)
	if _, n := safe(d.by); n > 0 {
		n = min(n, max(w/5, 16))
		l.cell(st.Text, d.c, w-l.w-n-3)
		l.glyphs("", "  ", 2)
		l.upTo(st.Dim, d.by, w-l.w)
		return
	}
	l.upTo(st.Text, d.c, w-l.w)
}

// yaml draws a line of YAML: keys dim, values bright.
func (p *objectPane) yaml(l *line, s string, w int) {
	key, val, found := strings.Cut(s, ": ")
	switch {
	case found:
		l.upTo(p.st.Dim, key+": ", w-l.w)
		l.upTo(p.st.Text, val, w-l.w)
	case strings.HasSuffix(s, ":"):
		l.upTo(p.st.Dim, s, w-l.w)
	default:
		l.upTo(p.st.Text, s, w-l.w)
	}
}

// columns are those of the lines of the pane.
func (p *objectPane) columns() (path, old int) { return changeColumns(p.doc, p.r.w) }

// changeColumns are the widths of paths and of old values, as wide as the widest
// that is shown, within reason.
func changeColumns(doc []docLine, w int) (path, old int) {
	for _, d := range doc {
		if d.kind != docChange || d.b == "" && d.c == "" {
			continue
		}
		path = max(path, cells(d.a))
		if d.op == diff.Replace {
			old = max(old, cells(d.b))
		}
	}
	return min(path, w*45/100), min(old, w*25/100)
}
