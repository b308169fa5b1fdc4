package ui

import (
	"strconv"
	"strings"

	"rewatch/model"
	"rewatch/model/diff"
)

// build makes the lines of the pane for its width.
func (p *objectPane) build() []docLine {
	switch {
	case p.hasRow:
		return rowDoc(p.row, p)
	case p.data == nil:
		return []docLine{{kind: docText, a: "the object of the selected row is shown here; enter keeps it"}}
	case p.data.missing != "":
		return []docLine{{kind: docText, a: p.data.missing}}
	}
	return objectDoc(p.data, p.r.w)
}

// objectDoc is what changed, then the object.
func objectDoc(d *objectData, w int) []docLine {
	var doc []docLine
	if d.summary != "" {
		doc = append(doc, docLine{kind: docField, a: kindOfRow(d.event), b: d.summary})
	} else if d.hasEvent && d.event.Type != model.Modified {
		doc = append(doc, docLine{kind: docText, a: kindOfRow(d.event)})
	}
	changed := len(d.result.Changes) > 0
	for _, c := range d.result.Changes {
		doc = append(doc, changeDoc(c, w)...)
	}
	if d.result.Cut {
		doc = append(doc, docLine{kind: docText, a: "… more changes than can be listed"})
	}
	if d.hasEvent && d.event.Type == model.Modified && !changed {
		doc = append(doc, docLine{kind: docText, a: "nothing changed but resourceVersion and managedFields"})
	}
	doc = append(doc, docLine{}, docLine{kind: docRule, a: d.identity.APIVersion + " " + d.identity.Kind + ", as of version " + count(int(d.key.version))})
	for _, s := range d.yaml {
		doc = append(doc, docLine{kind: docYAML, a: s})
	}
	return doc
}

// kindOfRow says in a word how the version came about.
func kindOfRow(e model.Event) string {
	word := map[model.Type]string{model.Added: "created", model.Modified: "modified", model.Deleted: "deleted"}[e.Type]
	switch {
	case e.Has(model.Synthetic):
		return word + ", found by a relist"
	case e.Has(model.Initial):
		return "initial"
	case e.Has(model.Replayed):
		return "sent again"
	case e.Has(model.Recreated):
		return "recreated"
	}
	return word
}

// changeDoc is one line for a change, or several where its values are texts of
// several lines or too long to stand side by side.
func changeDoc(c diff.Change, w int) []docLine {
	old, now := value(c.Old), value(c.New)
	if strings.Contains(old, "\n") || strings.Contains(now, "\n") {
		return append([]docLine{{kind: docChange, op: c.Op, a: c.Path}}, textDiff(old, now)...)
	}
	if c.Op == diff.Replace && len(old)+len(now) > w*50/100 {
		return []docLine{{kind: docChange, op: c.Op, a: c.Path}, {kind: docOld, a: old}, {kind: docNew, a: now}}
	}
	return []docLine{{kind: docChange, op: c.Op, a: c.Path, b: old, c: now}}
}

// textContext is how many unchanged lines stand around the changed ones.
const textContext = 2

// textDiff compares two texts by line. What they share at their ends is found
// first, so that the quadratic part sees only the middle; when even that is
// large, it is shown as removed and added.
func textDiff(old, now string) []docLine {
	a, b := textLines(old), textLines(now)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []docLine
	for _, s := range a[max(head-textContext, 0):head] {
		out = append(out, docLine{kind: docSame, a: s})
	}
	out = append(out, lcs(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, s := range a[len(a)-tail : min(len(a)-tail+textContext, len(a))] {
		out = append(out, docLine{kind: docSame, a: s})
	}
	return out
}

func textLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// lcs lists removed, added and common lines by the longest common subsequence.
func lcs(a, b []string) []docLine {
	var out []docLine
	i, j := 0, 0
	if len(a)*len(b) <= 250_000 {
		n := make([][]int32, len(a)+1)
		for i := range n {
			n[i] = make([]int32, len(b)+1)
		}
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					n[i][j] = n[i+1][j+1] + 1
				} else {
					n[i][j] = max(n[i+1][j], n[i][j+1])
				}
			}
		}
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				out = append(out, docLine{kind: docSame, a: a[i]})
				i, j = i+1, j+1
			case n[i+1][j] >= n[i][j+1]:
				out = append(out, docLine{kind: docOld, a: a[i]})
				i++
			default:
				out = append(out, docLine{kind: docNew, a: b[j]})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		out = append(out, docLine{kind: docOld, a: a[i]})
	}
	for ; j < len(b); j++ {
		out = append(out, docLine{kind: docNew, a: b[j]})
	}
	return out
}

// rowDoc is all that is known of a row without an object.
func rowDoc(e model.Event, p *objectPane) []docLine {
	doc := []docLine{{kind: docField, a: "time", b: e.When().In(p.loc).Format("2006-01-02 15:04:05.000 MST")}}
	add := func(k, v string) {
		if v != "" && v != "0" {
			doc = append(doc, docLine{kind: docField, a: k, b: v})
		}
	}
	switch d := e.Detail.(type) {
	case model.Transition:
		add("state", d.From.String()+" → "+d.To.String())
		add("cause", string(d.Cause))
		add("what", d.Text)
		if d.Attempt > 0 {
			add("attempt", attempt(d.Attempt))
		}
		if !d.Until.IsZero() {
			add("next attempt", d.Until.In(p.loc).Format("15:04:05.000")+", after "+seconds(d.Until.Sub(e.When())))
		}
		add("HTTP status", count(d.Status))
		add("protocol", d.Proto)
		add("resume at rv", d.RV)
		add("frames", count(d.Frames))
		if d.Bytes > 0 {
			add("bytes", size(d.Bytes))
		}
		if d.Took > 0 {
			add("lived", d.Took.String())
		}
	case model.Gap:
		add("gap", "changes between these resourceVersions may have been missed")
		add("from rv", d.FromRV)
		add("to rv", d.ToRV)
		add("cause", string(d.Cause))
		add("what", d.Text)
		add("since", d.Since.In(p.loc).Format("15:04:05.000")+", "+seconds(d.Took)+" until the comparison was done")
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
