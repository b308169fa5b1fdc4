package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
	"rewatch/model/statediff"
)

var opWords = map[diff.Op]string{diff.Add: "add", diff.Remove: "remove", diff.Replace: "replace"}

var opSigns = map[statediff.Op]string{statediff.Added: "+", statediff.Removed: "-", statediff.Changed: "~", statediff.Recreated: "±"}

// valueLength is how much of a value the text shows, in columns.
const valueLength = 100

func (d *stateDiff) text(w io.Writer) error {
	p := newPage(w)
	added, removed, changed, recreated := d.counts()
	p.line("%s to %s: %d added, %d removed, %d changed, %d recreated", clock(d.t1), clock(d.t2), added, removed, changed, recreated)
	events, heartbeats := 0, 0
	for i := range d.found {
		switch x := &d.found[i]; {
		case d.listed(x):
			d.object(p, x)
		case x.Identity.Kind == "Event":
			events++
		default:
			heartbeats++
		}
	}
	if events+heartbeats > 0 {
		p.line("")
		p.line("not listed: %s, and %s in which only heartbeats differ; --all lists them", count(int64(events), "Event"), count(int64(heartbeats), "object"))
	}
	return p.flush()
}

func (d *stateDiff) object(p page, x *statediff.Difference) {
	by := ""
	if len(x.Managers) > 0 && x.Op != statediff.Removed {
		by = "  [" + strings.Join(x.Managers, ", ") + "]"
	}
	summary := ""
	switch x.Op {
	case statediff.Added:
		summary = "  " + diff.Summary(x.Identity.Kind, nil, x.New, summaryLength)
	case statediff.Removed:
		summary = "  " + diff.Summary(x.Identity.Kind, x.Old, nil, summaryLength)
	case statediff.Recreated:
		summary = fmt.Sprintf("  recreated: uid %s → %s", x.OldUID, x.Identity.UID)
	}
	p.line("%s %s %s%s%s", opSigns[x.Op], x.Identity.Kind, d.fullName(&x.Identity), summary, by)
	for _, c := range x.Changes {
		if x.Op == statediff.Recreated && c.Path == "metadata.uid" {
			continue
		}
		switch c.Op {
		case diff.Add:
			p.line("    + %s  %s", c.Path, value(c.New))
		case diff.Remove:
			p.line("    - %s  %s", c.Path, value(c.Old))
		default:
			p.line("    ~ %s  %s → %s", c.Path, value(c.Old), value(c.New))
		}
	}
	if x.Cut {
		p.line("    and more")
	}
}

// fullName is namespace/name, with the context where the tape has several.
func (d *stateDiff) fullName(id *model.Identity) string {
	name := id.Name
	if id.Namespace != "" {
		name = id.Namespace + "/" + name
	}
	for _, s := range d.tape.Info().Streams {
		if s.Context != id.Context {
			return name + " (" + id.Context + ")"
		}
	}
	return name
}

// value is a JSON value of a bearable length; a plain string without quotes
// would not tell "1" from 1.
func value(text string) string { return clean.Truncate(clean.Line(text), valueLength) }

// patch writes a unified diff of YAML for each object, as kubectl diff does.
func (d *stateDiff) patch(w io.Writer, terminal bool) error {
	out := bufio.NewWriter(w)
	line := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if terminal { // a file gets the lines as they are
			text = clean.Line(text)
		}
		_, _ = out.WriteString(text + "\n")
	}
	for i := range d.found {
		x := &d.found[i]
		if !d.listed(x) {
			continue
		}
		old, new := d.yaml(x.Old), d.yaml(x.New)
		lines := diff.TextDiff(old, new)
		if len(lines.Changes) == 0 {
			continue
		}
		name := clean.Line(patchName(&x.Identity))
		line("diff -u from/%s to/%s", name, name)
		line("--- %s\t%s", patchSide("from/"+name, x.Old), d.t1.UTC().Format(patchTime))
		line("+++ %s\t%s", patchSide("to/"+name, x.New), d.t2.UTC().Format(patchTime))
		for _, h := range hunks(lines.Changes) {
			line("%s", h.head)
			for _, l := range h.lines {
				line("%s%s", map[diff.Op]string{diff.Add: "+", diff.Remove: "-", diff.Same: " "}[l.Op], strings.ReplaceAll(l.Text, "\n", " "))
			}
		}
		if lines.Cut {
			line("# the texts differ in more than was compared: this is not all")
		}
	}
	return written(out.Flush())
}

const patchTime = "2006-01-02 15:04:05.000000000 -0700"

func patchSide(name string, raw []byte) string {
	if raw == nil {
		return "/dev/null"
	}
	return name
}

// patchName is what kubectl diff calls the file of an object.
func patchName(id *model.Identity) string {
	gv := strings.ReplaceAll(id.APIVersion, "/", ".")
	parts := []string{gv, id.Kind, id.Namespace, id.Name}
	return strings.NewReplacer("/", "_", "\n", "_", "\t", "_").Replace(strings.Join(parts, "."))
}

// shown is an object without what changes with everything.
func (d *stateDiff) shown(raw []byte) []byte {
	if d.noise || raw == nil {
		return raw
	}
	return without(raw, "metadata", func(meta []byte) []byte {
		return without(without(meta, "managedFields", nil), "resourceVersion", nil)
	})
}

// without returns an object in which a member was replaced, or removed if
// change is nil or returns nil.
func without(object []byte, key string, change func([]byte) []byte) []byte {
	members, err := jsonscan.AppendMembers(nil, object)
	if err != nil {
		return object
	}
	out := []byte{'{'}
	for _, m := range members {
		v := m.Of(object)
		if m.Key == key {
			if change == nil {
				continue
			}
			v = change(v)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(jsonscan.AppendQuote(out, m.Key), ':')
		out = append(out, v...)
	}
	return append(out, '}')
}

// yaml is an object as YAML; what is no JSON, as it is.
func (d *stateDiff) yaml(raw []byte) string {
	if raw == nil {
		return ""
	}
	if !jsonscan.Valid(raw) {
		return string(bytes.ToValidUTF8(raw, []byte("\ufffd")))
	}
	text, err := yaml.JSONToYAML(d.shown(raw))
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// hunk is a piece of a unified diff.
type hunk struct {
	head  string
	lines []diff.LineChange
}

// hunks cuts the lines of a comparison where lines were left out.
func hunks(lines []diff.LineChange) []hunk {
	var out []hunk
	for from := 0; from < len(lines); {
		old, new := 0, 0 // line numbers that come next
		o, n := 0, 0
		to := from
		var oldAt, newAt int
		for ; to < len(lines); to++ {
			l := lines[to]
			if old > 0 && l.Old > old || new > 0 && l.New > new {
				break
			}
			if l.Old > 0 {
				if o == 0 {
					oldAt = l.Old
				}
				o++
				old = l.Old + 1
			}
			if l.New > 0 {
				if n == 0 {
					newAt = l.New
				}
				n++
				new = l.New + 1
			}
		}
		if o == 0 && newAt > 0 && from > 0 { // nothing of the old text: behind which line
			oldAt = lines[from-1].Old
		}
		out = append(out, hunk{fmt.Sprintf("@@ -%s +%s @@", span(oldAt, o), span(newAt, n)), lines[from:to]})
		from = to
	}
	return out
}

func span(at, n int) string {
	if n == 1 {
		return fmt.Sprint(at)
	}
	return fmt.Sprintf("%d,%d", at, n)
}
