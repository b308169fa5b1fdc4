package ui

import (
	"net/url"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/themes"
)

// draw is the table of requests, and below a rule what is known of the one
// under the cursor. The table gets what the other does not need, half at least
// if it needs that.
func (p *protocol) draw(a *App, r rect) []string {
	p.cursor = max(min(p.cursor, len(p.list)-1), 0)
	q, ok := p.chosen()
	if !ok {
		return p.drawEmpty(a, r)
	}
	about := p.about(a, &q, r.w)
	p.h = max(r.h-len(about)-1, min((r.h+1)/2, len(p.list)+1))
	if p.zoomed {
		p.h = max(min(p.h, r.h/4), 2)
	}
	rows := p.h - 1
	p.top = max(min(p.top, p.cursor, len(p.list)-rows), p.cursor-rows+1, 0)
	out := append(make([]string, 0, r.h), p.head(a, r.w))
	for i := p.top; i < len(p.list) && len(out) < p.h; i++ {
		out = append(out, p.row(a, &p.list[i], r.w, i == p.cursor))
	}
	blank := newLine("").end(r.w)
	for len(out) < p.h {
		out = append(out, blank)
	}
	rule := newLine("")
	rule.text(a.st.Rule, "── ")
	rule.text(a.st.Dim, "request "+count(q.Number)+" ")
	rule.fill(a.st.Rule, "─", r.w)
	out = append(out, rule.end(r.w))
	if room := r.h - len(out); len(about) > room && room > 0 {
		more := newLine("")
		more.upTo(a.st.Dim, "  … "+plural(len(about)-room+1, "line")+" more; z gives room", r.w)
		about = append(about[:room-1:room-1], more.end(r.w))
	}
	out = append(out, about...)
	for len(out) < r.h {
		out = append(out, blank)
	}
	return out[:r.h]
}

// drawEmpty says why there is no request.
func (p *protocol) drawEmpty(a *App, r rect) []string {
	text := "no request yet"
	switch {
	case p.reading:
		text = "reading …"
	case a.replay != nil && p.steps > 0:
		text = "this tape tells of no requests: an older rewatch recorded it, or it was imported"
	case a.replay != nil:
		text = "no request up to this moment of the tape"
	case p.steps > 0:
		text = "what the log still holds of this stream tells of no request"
	}
	l := newLine("")
	l.upTo(a.st.Dim, "  "+text, r.w)
	out := []string{l.end(r.w)}
	for blank := newLine("").end(r.w); len(out) < r.h; {
		out = append(out, blank)
	}
	return out[:r.h]
}

// protocolColumn is a column of the table of requests.
type protocolColumn struct {
	name string
	w    int
	left bool
	from int // the least width of the screen that has it
	text func(a *App, q *told) string
}

func protocolColumns() []protocolColumn {
	return []protocolColumn{
		{"sent", 8, true, 0, func(a *App, q *told) string { return q.Sent.In(a.o.Location).Format("15:04:05") }},
		{"request", 10, true, 0, func(_ *App, q *told) string { return q.Verb }},
		{"after rv", 10, false, 0, func(_ *App, q *told) string { return parameter(q.Request, "resourceVersion") }},
		{"status", 6, false, 0, func(_ *App, q *told) string { return orEmpty(q.Status != 0, count(q.Status)) }},
		{"headers", 8, false, 110, func(_ *App, q *told) string { return orEmpty(q.Wait != 0, brief(q.Wait)) }},
		{"took", 8, false, 0, func(a *App, q *told) string { return brief(q.lasted(a.now)) }},
		{"frames", 7, false, 0, func(_ *App, q *told) string { return orEmpty(q.Status != 0, count(q.seen())) }},
		{"bytes", 7, false, 100, func(a *App, q *told) string { return orEmpty(q.Status != 0, size(q.read(a))) }},
	}
}

func orEmpty(is bool, s string) string {
	if is {
		return s
	}
	return ""
}

// lasted is how long a request has taken so far, or to its end.
func (q *told) lasted(now time.Time) time.Duration {
	if q.Ended {
		return q.Took
	}
	return max(now.Sub(q.Sent), 0)
}

// seen is how many frames or items came. Those of a request that goes on are
// counted in the rows of the log.
func (q *told) seen() int64 {
	if q.Ended {
		return q.Frames
	}
	return max(q.Frames, q.frames)
}

// read is how much of the body came. That of a request that goes on is counted in
// the records of its stream: no more than what its steps tell costs the engine
// anything.
func (q *told) read(a *App) int64 {
	if p, ok := a.page.page.(*protocol); ok && !q.Ended {
		if s := a.statusOf(p.stream); s != nil && s.Request == q.Number {
			return max(q.Bytes, s.Read)
		}
	}
	return q.Bytes
}

// brief writes a span: "0 ms", "12 ms", "4.2 s", "4m10s".
func brief(d time.Duration) string {
	if d < time.Second {
		return count(d.Milliseconds()) + " ms"
	}
	return seconds(d)
}

func (p *protocol) head(a *App, w int) string {
	l := newLine("")
	l.pad(4)
	for _, c := range protocolColumns() {
		if w < c.from {
			continue
		}
		if c.left {
			l.cell(a.st.Dim, c.name, c.w)
		} else {
			l.right(a.st.Dim, c.name, c.w)
		}
		l.glyphs("", " ", 1)
	}
	l.upTo(a.st.Dim, " how it ended", w-l.w)
	return l.end(w)
}

func (p *protocol) row(a *App, q *told, w int, selected bool) string {
	l := newLine("")
	if selected {
		l = newLine(a.st.Selected)
		l.glyphs(a.st.Title, "▌", 1)
	}
	f, words := fare(q, a.now)
	glyph, style := f.sign(&a.st)
	l.pad(2)
	l.glyphs(style, glyph, 1)
	l.pad(4)
	for _, c := range protocolColumns() {
		if w < c.from {
			continue
		}
		st := a.st.Text
		switch {
		case c.left && c.name != "sent":
			st = a.st.Strong
		case c.name == "sent":
			st = a.st.Dim
		case c.name == "status" && q.Status >= 400:
			st = a.st.Bad
		case c.name == "headers" && q.Wait > awaiting:
			st = a.st.Warn
		}
		if c.left {
			l.cell(st, c.text(a, q), c.w)
		} else {
			l.right(st, c.text(a, q), c.w)
		}
		l.glyphs("", " ", 1)
	}
	if f == well {
		style = a.st.Text
	}
	l.glyphs("", " ", 1)
	l.upTo(style, words, w-l.w)
	return l.end(w)
}

// about is all that is known of a request.
func (p *protocol) about(a *App, q *told, w int) []string {
	doc := &details{a: a, w: w}
	f, words := fare(q, a.now)
	glyph, style := f.sign(&a.st)
	doc.add("ended", glyph+" "+words, style)
	if !q.Ended {
		doc.lines = doc.lines[:0]
		doc.add("now", glyph+" "+words+", "+brief(q.lasted(a.now))+" so far", style)
	}
	doc.add("sent", q.Sent.In(a.o.Location).Format("2006-01-02 15:04:05.000")+times(q.Request), a.st.Text)
	doc.add("GET", q.Path, a.st.Strong)
	doc.add("with", parameters(q.Request), a.st.Text)
	if q.Status != 0 {
		doc.add("answer", answer(q, q.read(a)), a.st.Text)
	}
	for _, h := range q.Header {
		if name, value, ok := strings.Cut(h, ": "); ok && name != "Date" {
			doc.add(headerName(name), value, a.st.Text)
		}
	}
	if ahead, known := q.Skew(); known {
		doc.add("its clock", skewWords(ahead), a.st.Text)
	}
	cmd, why := a.again(p, q.Request)
	doc.wrap("kubectl", cmd+why, a.st.Dim, anywhere)
	return doc.lines
}

// times says how long a request took, and until its headers.
func times(q *model.Request) string {
	var out string
	if q.Wait > 0 {
		out += ", headers after " + brief(q.Wait)
	}
	if q.Ended {
		out += ", over after " + brief(q.Took)
	}
	return out
}

// answer is the first line of the answer, and how much came.
func answer(q *told, bytes int64) string {
	out := q.Proto + " " + count(q.Status)
	what := "frame"
	if q.Verb == model.VerbList {
		what = "item"
	}
	out += ", " + plural(q.seen(), what)
	out += ", " + size(bytes)
	if !q.Ended {
		out += " so far"
	}
	return out
}

func skewWords(ahead time.Duration) string {
	switch {
	case ahead.Abs() < 2*time.Second:
		return "agrees with ours"
	case ahead > 0:
		return seconds(ahead) + " ahead of ours"
	}
	return seconds(-ahead) + " behind ours"
}

// headerName makes the long names of priority and fairness fit.
func headerName(name string) string {
	switch name {
	case "X-Kubernetes-Pf-Flowschema-Uid":
		return "flow schema"
	case "X-Kubernetes-Pf-Prioritylevel-Uid":
		return "priority"
	}
	return name
}

// parameters are those of a URL as people read them.
func parameters(q *model.Request) string {
	var out []string
	for part := range strings.SplitSeq(q.Query, "&") {
		if plain, err := url.QueryUnescape(part); err == nil {
			part = plain
		}
		if part != "" {
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		return "no parameters"
	}
	return strings.Join(out, "  ")
}

// kubectlRaw is the command that sends a request again to the cluster of a
// context; "" for a further page of a list, whose continue token is not kept. The
// quotes keep a shell from reading anything in it: a URL has no quotes, for they
// are escaped there.
func kubectlRaw(context string, q *model.Request) string {
	if strings.HasPrefix(q.Query, "continue=") || strings.Contains(q.Query, "&continue=") {
		return ""
	}
	cmd := "kubectl "
	if context != "" {
		cmd += "--context " + shellWord(context) + " "
	}
	return cmd + "get --raw '" + strings.ReplaceAll(q.URL(), "'", "%27") + "'"
}

// again is what sends a request again, or why nothing does.
func (a *App) again(p *protocol, q *model.Request) (cmd, why string) {
	info, _ := a.log.Stream(p.stream)
	if cmd = kubectlRaw(info.Context, q); cmd == "" {
		return "", "none: of a further page only the beginning of its continue token is kept"
	}
	return cmd, ""
}

// details are lines of a name and a text.
type details struct {
	a     *App
	w     int
	lines []string
}

const (
	detailName = 16   // where the text begins
	detailText = 4000 // bytes of one that are shown: a tape may hold more
)

// add wraps a text between its words.
func (d *details) add(name, text string, style themes.Style) { d.wrap(name, text, style, ansi.Wrap) }

func (d *details) wrap(name, text string, style themes.Style, how func(string, int, string) string) {
	text, _ = safe(text[:min(len(text), detailText)])
	for part := range strings.SplitSeq(how(text, max(d.w-detailName-1, 8), ""), "\n") {
		l := newLine("")
		l.pad(2)
		l.upTo(d.a.st.Dim, name, detailName-3)
		l.pad(detailName)
		l.upTo(style, part, d.w-l.w)
		d.lines = append(d.lines, l.end(d.w))
		name = ""
	}
}

// anywhere breaks a text that has no words.
func anywhere(s string, w int, _ string) string { return ansi.Hardwrap(s, w, true) }
