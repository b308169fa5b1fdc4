package ui

import (
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/blame"
	"rewatch/model/diff"
)

// readDiff is the view of what changed, path by path, who changed it, and the
// object below.
func readDiff(r *reading) func(w int) []docLine {
	d := r.data
	texts := textDiffs(r.result.Changes)
	yaml := yamlLines(r.raw, yamlLimit)
	owners := make([]string, len(r.owners))
	for i, o := range r.owners {
		if owners[i] = ownerText(o, r.loc); d.event.Has(model.Synthetic) {
			owners[i] = "unknown (found by a relist)"
		}
	}
	return func(w int) []docLine { return diffDoc(d, texts, yaml, owners, w) }
}

// ownersBeside is the width from which who made a change stands beside it, if
// there is room for that beside the new values.
const ownersBeside = 100

// besideAll reports whether who made each change has room beside all of it: a
// value is worth more, and those who do not fit stand above the changes.
func besideAll(changes []diff.Change, texts map[int][]docLine, owners []string, w int, how showing) bool {
	if w < ownersBeside {
		return false
	}
	var doc []docLine
	for i, c := range changes {
		doc = append(doc, changeDoc(c, texts[i], w, how)[0])
	}
	path, old := changeColumns(doc, w)
	for i, d := range doc[:min(len(doc), len(owners))] {
		if d.room(path, old)+cells(owners[i]) > w {
			return false
		}
	}
	return true
}

// room is what a change takes of a line, with the sign before it and the space
// before who made it.
func (d *docLine) room(path, old int) int {
	const signs, space = 3, 4
	switch {
	case d.b == "" && d.c == "":
		return signs + cells(d.a) + space
	case d.op == diff.Add:
		return signs + path + 2 + cells(d.c) + space
	case d.op == diff.Remove:
		return signs + path + 2 + cells(d.b) + space
	}
	return signs + path + 2 + old + 3 + cells(d.c) + space
}

// cells is how wide a text is drawn.
func cells(s string) int {
	_, n := safe(s)
	return n
}

// diffDoc is what changed, then the object.
func diffDoc(d *objectData, texts map[int][]docLine, yaml, owners []string, w int) []docLine {
	var doc []docLine
	if d.summary != "" {
		doc = append(doc, docLine{kind: docField, a: kindOfRow(d.event), b: d.summary})
	} else if d.hasEvent && d.event.Type != model.Modified {
		doc = append(doc, docLine{kind: docText, a: kindOfRow(d.event)})
	}
	changed := len(d.result.Changes) > 0
	beside := besideAll(d.result.Changes, texts, owners, w, d.look)
	if beside || len(owners) < len(d.result.Changes) {
		for i, c := range d.result.Changes {
			lines := changeDoc(c, texts[i], w, d.look)
			if beside && i < len(owners) {
				lines[0].by = owners[i]
			}
			doc = append(doc, lines...)
		}
	} else {
		for _, x := range byAuthor(owners) {
			doc = append(doc, docLine{kind: docText, a: x.text})
			for _, i := range x.changes {
				doc = append(doc, changeDoc(d.result.Changes[i], texts[i], w, d.look)...)
			}
		}
	}
	if d.result.Cut {
		doc = append(doc, docLine{kind: docText, a: "… more changes than can be listed"})
	}
	if d.hasEvent && d.event.Type == model.Modified && !changed {
		doc = append(doc, docLine{kind: docText, a: "nothing changed but resourceVersion and managedFields"})
	}
	doc = append(doc, docLine{}, docLine{kind: docRule, a: d.identity.APIVersion + " " + d.identity.Kind + ", as of version " + count(int(d.key.version))})
	for _, s := range yaml {
		doc = append(doc, docLine{kind: docYAML, a: s})
	}
	return doc
}

// authored are the changes of one author, and what stands above them.
type authored struct {
	text    string
	changes []int
}

// byAuthor has each author stand above the changes once, in the order in which
// they come first.
func byAuthor(owners []string) (out []authored) {
	at := map[string]int{}
	var sure, likely []int
	for i, o := range owners {
		who, guessed := strings.CutPrefix(o, "likely ")
		n, ok := at[who]
		if !ok {
			n = len(out)
			at[who] = n
			out, sure, likely = append(out, authored{text: byText(o)}), append(sure, 0), append(likely, 0)
		}
		if out[n].changes = append(out[n].changes, i); guessed {
			likely[n]++
		} else {
			sure[n]++
		}
		if sure[n] > 0 && likely[n] > 0 {
			out[n].text = byText(who) + " (" + count(likely[n]) + " of " + plural(len(out[n].changes), "change") + ": likely)"
		}
	}
	return out
}

// readBlame is the view of who owns each field: the object as a tree, with the
// manager and how long ago it wrote to the left of each value.
func readBlame(r *reading) func(w int) []docLine {
	var doc []docLine
	var above []diff.Step
	for _, f := range blame.Object(r.raw) {
		steps, ok := diff.Steps(f.Path)
		if !ok || len(steps) == 0 {
			steps = []diff.Step{{Key: f.Path}}
		}
		same := 0
		for same < len(steps)-1 && same < len(above) && above[same] == steps[same] {
			same++
		}
		for i := same; i < len(steps)-1; i++ {
			doc = append(doc, docLine{kind: docBlame, c: strings.Repeat("  ", i) + stepText(steps[i])})
		}
		above = steps
		n := len(steps) - 1
		who, when := blamed(f.Owners, r.now)
		doc = append(doc, docLine{kind: docBlame, a: who, b: when, c: strings.Repeat("  ", n) + stepText(steps[n]) + " " + value(string(f.Value))})
		if len(doc) >= yamlLimit {
			break
		}
	}
	return func(int) []docLine { return doc }
}

// stepText writes a step as YAML does, an element by its keys.
func stepText(s diff.Step) string {
	if s.Label != "" {
		return "- " + s.Label + ":"
	}
	return s.Key + ":"
}

// noAge is where managedFields have no time: the age is not known.
const noAge = "age?"

// byText is "by kubectl", "likely by kubectl".
func byText(owner string) string {
	if rest, ok := strings.CutPrefix(owner, "likely "); ok {
		return "likely by " + rest
	}
	return "by " + owner
}

// blamed says who owns a field, and how long ago that wrote.
func blamed(owners []blame.Owner, now time.Time) (who, when string) {
	if len(owners) == 0 {
		return "unknown", ""
	}
	o := owners[0]
	if who = o.Manager; o.Likely {
		who += "?"
	}
	if o.Subresource != "" {
		who += "/" + o.Subresource
	}
	if len(owners) > 1 {
		who += " +" + count(len(owners)-1)
	}
	if when = noAge; !o.Time.IsZero() {
		when = age(now.Sub(o.Time))
	}
	return who, when
}
