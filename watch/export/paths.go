package export

import (
	"fmt"
	"slices"
	"strings"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// Bounds of what a row of the page shows; what is over them is counted in it.
const (
	pagePaths     = 40
	pageValue     = 600 // bytes
	pageShort     = 200 // bytes, of the members of an object that came or went
	pageTextLines = 80
	pageText      = 256 << 10 // bytes of a text that is compared by lines
)

// pathsOf are the changed paths of a row, for the page.
func pathsOf(r *row, result diff.Result) (caption string, paths []pagePath, more string) {
	changes, most := result.Changes, pageValue
	switch {
	case r.old != nil:
		caption = plural(int64(len(changes)), "changed path")
	case r.id.Kind == "Event": // the words of its row are all that it says
		return "", nil, ""
	default:
		caption, most = "its first state, but for names and times", pageShort
		if r.event.Type == model.Deleted {
			caption = "its last state, but for names and times"
		}
		changes = slices.DeleteFunc(slices.Clone(changes), func(c diff.Change) bool { return slices.Contains(told[:], c.Path) })
	}
	if n := len(changes) - pagePaths; n > 0 {
		changes, more = changes[:pagePaths], plural(int64(n), "more path")+", which this page leaves out"
	}
	if result.Cut {
		more = strings.TrimPrefix(more+"; the comparison was cut short", "; ")
	}
	for _, c := range changes {
		paths = append(paths, pathOf(c, most))
	}
	return caption, paths, more
}

// told are members that a row, or its place in the timeline, tells already.
var told = [...]string{"metadata.name", "metadata.namespace", "metadata.generateName", "metadata.uid", "metadata.generation", "metadata.creationTimestamp"}

func pathOf(c diff.Change, most int) pagePath {
	p := pagePath{Path: clean.Line(c.Path)}
	if c.Path == "" {
		p.Path = "(the whole object)"
	}
	if p.Lines = linesOf(c); p.Lines == nil {
		p.Old, p.New = valueText(c.Old, most), valueText(c.New, most)
	}
	return p
}

// linesOf compares two texts of several lines; nil for other values.
func linesOf(c diff.Change) []pageLine {
	if len(c.Old) > pageText || len(c.New) > pageText || !strings.Contains(c.Old, `\n`) && !strings.Contains(c.New, `\n`) {
		return nil
	}
	old, errOld := jsonscan.Unquote([]byte(c.Old))
	now, errNow := jsonscan.Unquote([]byte(c.New))
	if errOld != nil || errNow != nil {
		return nil
	}
	lines := diff.TextDiff(old, now)
	var out []pageLine
	at := 0
	for i, l := range lines.Changes {
		if i == pageTextLines {
			return append(out, pageLine{"skip", fmt.Sprintf("… %d more lines, which this page leaves out", len(lines.Changes)-i)})
		}
		if l.New > 0 {
			if at > 0 && l.New > at+1 {
				out = append(out, pageLine{"skip", fmt.Sprintf("… %d equal lines", l.New-at-1)})
			}
			at = l.New
		}
		class := map[diff.Op]string{diff.Add: "add", diff.Remove: "del", diff.Same: "same"}[l.Op]
		text, cut := bounded(l.Text, pageValue)
		out = append(out, pageLine{class, clean.Line(text) + cut})
	}
	if lines.Cut {
		out = append(out, pageLine{"skip", "… the comparison was cut short"})
	}
	return out
}

// valueText is a value for people: YAML in one line, more or less. A text has
// quotes only where it would be taken for something else.
func valueText(raw string, most int) string {
	if raw == "" {
		return ""
	}
	f := flow{most: most}
	f.value([]byte(raw), 0)
	text, cut := bounded(string(f.out), most)
	if f.full && cut == "" {
		cut = " …"
	}
	if cut != "" {
		cut = fmt.Sprintf(" … of %s", plural(int64(len(raw)), "byte"))
	}
	return clean.Line(text) + cut
}

// flow writes a JSON value, and stops when it has enough.
type flow struct {
	out  []byte
	most int
	full bool
}

// maxFlow is how deep lists and objects are taken apart.
const maxFlow = 8

func (f *flow) value(raw []byte, depth int) {
	if f.full = f.full || len(f.out) > f.most; f.full {
		return
	}
	text, err := jsonscan.Unquote(raw)
	switch {
	case err == nil && isPlain(text, depth > 0):
		f.out = append(f.out, text...)
		return
	case err == nil || len(raw) == 0 || depth == maxFlow:
		f.out = append(f.out, raw...)
		return
	}
	open, close := byte('{'), byte('}')
	members, err := jsonscan.AppendMembers(nil, raw)
	if err != nil {
		spans, notArray := jsonscan.AppendElements(nil, raw)
		if notArray != nil { // a number, or no JSON
			f.out = append(f.out, raw...)
			return
		}
		open, close = '[', ']'
		for _, s := range spans {
			members = append(members, jsonscan.Member{Span: s})
		}
	}
	f.out = append(f.out, open)
	for i, m := range members {
		if i > 0 {
			f.out = append(f.out, ", "...)
		}
		if open == '{' {
			f.out = append(append(f.out, m.Key...), ": "...)
		}
		if f.value(m.Of(raw), depth+1); f.full {
			return
		}
	}
	f.out = append(f.out, close)
}

// isPlain reports whether a text can stand without quotes; within others there
// must be nothing in it that separates them.
func isPlain(text string, within bool) bool {
	return text != "" && strings.TrimSpace(text) == text && !jsonscan.Valid([]byte(text)) && !(within && strings.ContainsAny(text, ",{}[]\"\n") || within && strings.Contains(text, ": "))
}

// bounded cuts a text, between characters, and says how much is missing.
func bounded(s string, most int) (start, cut string) {
	if len(s) <= most {
		return s, ""
	}
	start = strings.ToValidUTF8(s[:most], "")
	return start, fmt.Sprintf(" … %s more", plural(int64(len(s)-len(start)), "byte"))
}
