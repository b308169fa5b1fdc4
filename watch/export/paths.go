package export

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	pageShort     = 240 // bytes, of the members of an object that came or went
	pageTextLines = 80
	pageText      = 256 << 10 // bytes of a text that is compared by lines
)

// pathsOf are the changed paths of a row, for the page.
func pathsOf(r *row, result diff.Result) (caption string, paths []pagePath, more string) {
	changes, most := result.Changes, pageValue
	switch {
	case r.old != nil:
		caption = plural(int64(len(changes)), "changed path")
	case r.event.Type == model.Deleted:
		caption, most = "its last state", pageShort
	default:
		caption, most = "its first state", pageShort
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

// valueText is a value for people: a text without its quotes, unless it would
// be taken for something else; everything else as JSON.
func valueText(raw string, most int) string {
	if raw == "" {
		return ""
	}
	value := raw
	if text, err := jsonscan.Unquote([]byte(raw)); err == nil {
		if value = text; text == "" || strings.TrimSpace(text) != text || json.Valid([]byte(text)) {
			value = raw
		}
	} else if strings.ContainsAny(raw, "\n\t") {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(raw)) == nil {
			value = compact.String()
		}
	}
	text, cut := bounded(value, most)
	return clean.Line(text) + cut
}

// bounded cuts a text, between characters, and says how much is missing.
func bounded(s string, most int) (start, cut string) {
	if len(s) <= most {
		return s, ""
	}
	start = strings.ToValidUTF8(s[:most], "")
	return start, fmt.Sprintf(" … %s more", plural(int64(len(s)-len(start)), "byte"))
}
