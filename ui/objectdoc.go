package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/model/diff"
)

// build makes the lines of the pane for its width.
func (p *objectPane) build() []docLine {
	switch {
	case p.hasRow:
		return wrapFields(p.rowSays, p.r.w-fieldIndent-1)
	case p.data == nil:
		return []docLine{{kind: docText, a: "the object of the selected row is shown here; enter keeps it"}}
	case p.data.missing != "":
		return []docLine{{kind: docText, a: p.data.missing}}
	}
	p.data.look = p.look
	return p.data.build(p.r.w)
}

// fieldIndent is where the text of a field begins.
const fieldIndent = 15

// wrapFields breaks long fields into lines of w cells: what a server says of a
// refusal is often told at its end.
func wrapFields(doc []docLine, w int) []docLine {
	var out []docLine
	for _, d := range doc {
		text, n := safe(d.b)
		if d.kind != docField || n <= w || w < 10 {
			out = append(out, d)
			continue
		}
		for _, part := range strings.Split(ansi.Wrap(text, w, ""), "\n") {
			d.b = part
			out = append(out, d)
			d.a = ""
		}
	}
	return out
}

// kindOfRow says in a word how the version came about.
func kindOfRow(e model.Event) string {
	word, _ := came(e)
	if e.Has(model.Synthetic) {
		word += ", by a relist"
	}
	return word
}

// textDiff compares two texts by line.
func textDiff(old, now string) []docLine {
	lines := diff.TextDiff(old, now)
	var out []docLine
	for i, c := range lines.Changes {
		if i > 0 && jumps(lines.Changes[i-1], c) {
			out = append(out, docLine{kind: docText, a: "    …"})
		}
		kind := docSame
		switch c.Op {
		case diff.Remove:
			kind = docOld
		case diff.Add:
			kind = docNew
		}
		out = append(out, docLine{kind: kind, a: c.Text, marks: [2][]diff.Mark{c.Marks}})
	}
	switch {
	case lines.Cut:
		out = append(out, docLine{kind: docText, a: "… the texts differ in more than is compared; not all of it is shown"})
	case len(out) == 0:
		out = append(out, docLine{kind: docText, a: "    only in the newline at the end"})
	}
	return out
}

// jumps reports whether equal lines were left out between two. Only lines that
// both texts have stand beside what was left out.
func jumps(a, b diff.LineChange) bool {
	return a.Op == diff.Same && b.Op == diff.Same && b.Old > a.Old+1
}

// rowDoc is all that is known of a row without an object, and of the steps that
// are folded into it.
func rowDoc(e model.Event, f *fold, all *overall, loc *time.Location) []docLine {
	const layout = "2006-01-02 15:04:05.000 MST"
	doc := []docLine{{kind: docField, a: "time", b: e.When().In(loc).Format(layout)}}
	add := func(k, v string) {
		if v != "" && v != "0" {
			doc = append(doc, docLine{kind: docField, a: k, b: v})
		}
	}
	if e.Type.IsObject() {
		add("initial list", all.name(all.stream(e.Stream)))
		add("objects", count(f.count)+"; a shows them as rows")
		return doc
	}
	if f != nil && len(f.streams) > 1 {
		names := make([]string, len(f.streams))
		for i, id := range f.streams {
			names[i] = all.name(all.stream(id))
		}
		add(plural(len(names), "stream"), strings.Join(names, ", "))
	}
	if f != nil && f.tries > 1 {
		add("tries", count(f.tries)+", the last of them at "+f.when.In(loc).Format(layout)+":")
		e.Time, e.Detail = f.when.UnixNano(), f.last
	}
	switch d := e.Detail.(type) {
	case model.Transition:
		add("state", d.From.String()+" → "+d.To.String())
		add("cause", string(d.Cause))
		add("what", d.Text)
		for x := denialFields(all.stream(e.Stream), d); len(x) > 1; x = x[2:] {
			add(x[0], x[1])
		}
		if d.Attempt > 0 {
			add("attempt", strings.TrimSuffix(attempt(d.Attempt), " try"))
		}
		if !d.Until.IsZero() {
			add("next attempt", d.Until.In(loc).Format("15:04:05.000")+", after "+seconds(d.Until.Sub(e.When())))
		}
		add("HTTP status", count(d.Status))
		add("protocol", d.Proto)
		add("resume at rv", d.RV)
		add("frames", count(d.Frames))
		if d.Bytes > 0 {
			add("bytes", size(d.Bytes))
		}
		if d.Took > 0 {
			add("lasted", lasted(d.Took))
		}
	case model.Gap:
		add("gap", "changes between these resourceVersions may have been missed")
		add("from rv", d.FromRV)
		add("to rv", d.ToRV)
		add("cause", string(d.Cause))
		add("what", d.Text)
		if d.Cause == causeLost {
			break
		}
		add("since", d.Since.In(loc).Format("15:04:05.000")+", "+seconds(d.Took)+" until the comparison was done")
		add("relist found", count(d.Added)+" added, "+count(d.Modified)+" modified, "+count(d.Deleted)+" deleted")
	case model.Note:
		add("note", d.Text)
		add("cause", string(d.Cause))
	default:
		add("heartbeat", "a bookmark: the stream is up to date")
		add("rv", strconv.FormatUint(e.RV, 10))
	}
	return doc
}
