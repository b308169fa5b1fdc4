package ui

import (
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

	want     objectKey      // what should be shown
	latest   uint32         // newest version of it
	pinned   bool           // opened: does not follow the cursor
	newest   bool           // while pinned: go along with new versions
	identity model.Identity // of what is pinned, which another log knows by it
	data     *objectData
	stale    bool        // data is of another log: it stays until the new one is there
	row      model.Event // a row without an object, shown instead
	hasRow   bool
	rowSays  []docLine // about it
	request  int
	loading  bool

	doc       []docLine
	docWidth  int
	top, left int
}

// docKind is how a line of the pane is drawn.
type docKind uint8

const (
	docText docKind = iota
	docField
	docChange
	docOld
	docNew
	docSame
	docRule
	docYAML
)

// docLine is a line before it is drawn; only those on screen are.
type docLine struct {
	kind    docKind
	op      diff.Op
	a, b, c string
}

// preview shows a row, with what is folded into it, unless an object is pinned.
func (p *objectPane) preview(e model.Event, f *fold, all *overall) {
	if p.pinned {
		return
	}
	if !e.Type.IsObject() {
		if !p.hasRow || p.row.Seq != e.Seq {
			p.row, p.hasRow, p.want, p.top, p.left = e, true, objectKey{}, 0, 0
		}
		p.rowSays, p.docWidth = rowDoc(e, f, all, p.loc), 0
		return
	}
	p.show(objectKey{e.Object, e.Version})
}

// show asks for a version. What is on screen stays until it is there.
func (p *objectPane) show(k objectKey) {
	if p.want.id != k.id {
		p.left = 0
	}
	if p.want != k {
		p.top = 0
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
}

func (p *objectPane) scroll(n int) { p.top += n; p.settle() }

func (p *objectPane) pan(n int) { p.left = max(min(p.left+n, 400), 0) }

func (p *objectPane) edge(dir int) {
	if p.top = 0; dir > 0 {
		p.top = len(p.doc)
	}
	p.settle()
}

func (p *objectPane) settle() { p.top = max(min(p.top, len(p.doc)-p.r.h), 0) }

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
	return name, info
}

func (p *objectPane) draw() []string {
	if p.docWidth != p.r.w {
		p.doc, p.docWidth = p.build(), p.r.w
		p.settle()
	}
	out := make([]string, 0, p.r.h)
	for i := p.top; i < len(p.doc) && len(out) < p.r.h; i++ {
		out = append(out, p.line(p.doc[i]))
	}
	for blank := newLine("").end(p.r.w); len(out) < p.r.h; {
		out = append(out, blank)
	}
	return out
}

// line draws a line, moved to the left where the pane is.
func (p *objectPane) line(d docLine) string {
	if p.left == 0 {
		return p.compose(d, p.r.w)
	}
	s := ansi.Cut(p.compose(d, p.r.w+p.left), p.left, p.r.w+p.left)
	l := newLine("")
	l.b, l.w = append(l.b, s...), ansi.StringWidth(s) // a wide character may be cut in two
	return l.end(p.r.w)
}

func (p *objectPane) compose(d docLine, w int) string {
	l := newLine("")
	l.glyphs("", " ", 1)
	st := p.st
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
		l.upTo(st.Bad, "  - "+d.a, w-l.w)
	case docNew:
		l.upTo(st.Good, "  + "+d.a, w-l.w)
	case docSame:
		l.upTo(st.Dim, "    "+d.a, w-l.w)
	case docRule:
		l.text(st.Rule, "── ")
		l.upTo(st.Dim, d.a, w-l.w)
		l.text("", " ")
		l.fill(st.Rule, "─", w-1)
	case docYAML:
		p.yaml(l, d.a, w)
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
	if d.b == "" && d.c == "" {
		l.upTo(st.Strong, d.a, w-l.w)
		return
	}
	l.cell(st.Strong, d.a, path)
	l.glyphs("", "  ", 2)
	switch d.op {
	case diff.Add:
		l.upTo(st.Good, d.c, w-l.w)
	case diff.Remove:
		l.upTo(st.Bad, d.b, w-l.w)
	default:
		l.right(st.Dim, d.b, old)
		l.text(st.Accent, " → ")
		l.upTo(st.Text, d.c, w-l.w)
	}
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

// columns are the widths of paths and of old values, as wide as the widest
// that is shown, within reason.
func (p *objectPane) columns() (path, old int) {
	for _, d := range p.doc {
		if d.kind != docChange || d.b == "" && d.c == "" {
			continue
		}
		_, n := safe(d.a)
		path = max(path, n)
		if d.op == diff.Replace {
			_, n = safe(d.b)
			old = max(old, n)
		}
	}
	return min(path, p.r.w*45/100), min(old, p.r.w*25/100)
}
