package ui

import (
	"strings"
)

// textPage is a page whose lines can be searched.
type textPage interface {
	page
	// size is how many lines there are, place the one under the cursor.
	size() int
	place() int
	// text is a line as it is searched, in full; what changes by itself, as an age
	// does, is left out.
	text(a *App, i int) string
}

func (o *opened) searchable() bool {
	_, ok := o.page.(textPage)
	return ok
}

// lines are made anew when the page has become another, and only while somebody
// searches.
func (o *opened) lines(a *App) []docLine {
	p, ok := o.page.(textPage)
	if !ok {
		return nil
	}
	n := p.size()
	if same := n == len(o.doc); o.changed || !same {
		doc := make([]docLine, n)
		for i := range doc {
			doc[i].a = p.text(a, i)
			same = same && doc[i].a == o.doc[i].a
		}
		if o.changed = false; !same { // else what was found stays
			o.doc = doc
		}
	}
	return o.doc
}

func (o *opened) place() int {
	if p, ok := o.page.(textPage); ok {
		return p.place()
	}
	return 0
}

func (o *opened) goToLine(a *App, i int) { o.move(a, i-o.place()) }

// marked are drawn lines of the page with what was searched for.
func (o *opened) marked(lines []string) []string {
	for i := range lines {
		lines[i] = o.find.mark(lines[i])
	}
	return lines
}

// rest has a search go on when the page is shown again: until then its answers go
// nowhere.
func (o *opened) rest() { o.find.request, o.trial, o.changed = 0, nil, true }

// unseen says that there are lines that are not searched.
func (o *opened) unseen() string {
	n := 0
	switch p := o.page.(type) {
	case *problems:
		n = folded(p.folded)
		for i := range p.items {
			if d := &p.items[i]; d.alike != (alike{}) && !p.opened[d.alike] {
				n++
			}
		}
	case *coverage:
		n = folded(p.folded)
	}
	if n == 0 {
		return ""
	}
	return "; " + plural(n, "line") + " folded: enter unfolds"
}

func folded(sections map[string]bool) (n int) {
	for _, is := range sections {
		if is {
			n++
		}
	}
	return n
}

func (p *problems) size() int  { return len(p.items) }
func (p *problems) place() int { return p.cursor }

func (p *problems) text(a *App, i int) string {
	d := &p.items[i]
	if d.section != "" {
		return d.section
	}
	t := d.show(a)
	return words(t.reason, t.name, t.text)
}

func (c *coverage) size() int  { return len(c.items) }
func (c *coverage) place() int { return c.cursor }

func (c *coverage) text(_ *App, i int) string {
	switch d := &c.items[i]; {
	case d.section != "":
		return d.section
	case d.stream > 0:
		s := c.streams[d.stream-1]
		return words(s.name, s.where, d.full)
	case d.at.IsZero(): // full is that of several lines
		return words(d.name, d.text)
	default:
		return words(d.name, d.text, d.full)
	}
}

func (p *protocol) size() int  { return len(p.list) }
func (p *protocol) place() int { return p.cursor }

// text is the line and what is told of the request below, but for how long it
// has taken and what has come.
func (p *protocol) text(a *App, i int) string {
	q := &p.list[i]
	_, how := fare(q, a.now)
	cmd, _ := a.again(p, q.Request)
	return words(q.Sent.In(a.o.Location).Format("2006-01-02 15:04:05.000"), q.Verb, orEmpty(q.Status != 0, count(q.Status)), how,
		q.Path, parameters(q.Request), strings.Join(q.Header, "  "), cmd)
}

func (s *server) size() int  { return len(s.charts) }
func (s *server) place() int { return s.cursor }

func (s *server) text(_ *App, i int) string { return words(s.charts[i].Name, s.charts[i].Help) }

// words joins what is there of some texts.
func words(texts ...string) string {
	var b strings.Builder
	for _, s := range texts {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		b.WriteString(s)
	}
	return b.String()
}
