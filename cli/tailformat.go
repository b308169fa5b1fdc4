package cli

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"

	"rewatch/model"
	"rewatch/model/blame"
	"rewatch/model/clean"
	"rewatch/model/diff"
	"rewatch/watch/export"
)

// format writes rows to stdout. Errors of writing come with flush.
type format interface {
	row(e model.Event)
	lost(rows uint64) // they left the log unread
	end(e export.LinesEnd) error
	flush() error
}

// formatMaker makes a format, which may use the printer's stdout and words.
// changed is --changed-only.
type formatMaker func(p *printer, h export.LinesHead, changed bool) format

// parseFormat reads what -o says.
func parseFormat(text string) (formatMaker, error) {
	template, isPath := strings.CutPrefix(text, "jsonpath=")
	switch {
	case isPath:
		path := jsonpath.New("output").AllowMissingKeys(true)
		if strings.TrimSpace(template) == "" {
			return nil, usage("-o %s: no JSONPath is given, as jsonpath='{.metadata.name}'", text)
		}
		if err := path.Parse(relaxed(template)); err != nil {
			return nil, usage("-o %s: no JSONPath: %v", text, err)
		}
		return func(p *printer, _ export.LinesHead, changed bool) format {
			return &pathFormat{textFormat{p}, path, changed, isTerminal(p.pipe)}
		}, nil
	case text == "text":
		return func(p *printer, _ export.LinesHead, _ bool) format { return textFormat{p} }, nil
	case text == "diff":
		return func(p *printer, _ export.LinesHead, _ bool) format { return diffFormat{textFormat{p}} }, nil
	case text == "json":
		return func(p *printer, h export.LinesHead, _ bool) format {
			return &jsonFormat{export.NewLines(p.pipe, p.log, h)}
		}, nil
	}
	return nil, usage("-o %s: it must be text, json, diff or jsonpath=TEMPLATE", text)
}

// relaxed adds the braces and the dot that kubectl lets people leave out.
func relaxed(template string) string {
	if strings.Contains(template, "{") || template == "" {
		return template
	}
	if !strings.HasPrefix(template, ".") && !strings.HasPrefix(template, "[") {
		template = "." + template
	}
	return "{" + template + "}"
}

// textFormat is a line for each change.
type textFormat struct{ p *printer }

func (f textFormat) row(e model.Event) {
	switch {
	case e.Type.IsObject():
		f.p.object(e)
	case e.Type == model.GapFound:
		f.p.gap(f.p.out, e)
	}
}

func (f textFormat) lost(rows uint64)          { f.p.lost(f.p.out, rows) }
func (f textFormat) end(export.LinesEnd) error { return f.flush() }
func (f textFormat) flush() error              { return f.p.out.Flush() }

// jsonFormat is that of rewatch export --format events-json.
type jsonFormat struct{ lines *export.Lines }

func (f *jsonFormat) row(e model.Event)           { _ = f.lines.Row(e) } // it stays until flush
func (f *jsonFormat) lost(rows uint64)            { _ = f.lines.Lost(rows, time.Now()) }
func (f *jsonFormat) end(e export.LinesEnd) error { return f.lines.End(e) }
func (f *jsonFormat) flush() error                { return f.lines.Flush() }

// diffFormat is a line for each change, and below it the changed paths.
type diffFormat struct{ textFormat }

// maxPaths is how many paths of a change are printed; more is counted.
const maxPaths = 200

func (f diffFormat) row(e model.Event) {
	f.textFormat.row(e)
	if e.Type != model.Modified || e.Version < 2 || e.Has(model.Replayed) {
		return
	}
	now, ok := f.p.log.Bytes(e.Object, e.Version)
	before, was := f.p.log.Bytes(e.Object, e.Version-1)
	if !ok || !was {
		return
	}
	result := diff.Objects(before, now)
	var owners []blame.Owner
	if !e.Has(model.Synthetic) { // else several may have had a hand in it
		owners = blame.Changes(result, before, now)
	}
	for i, c := range result.Changes {
		if i == maxPaths {
			f.line("    and %s more", count(int64(len(result.Changes)-i), "path"))
			break
		}
		by := ""
		if i < len(owners) {
			by = ownerWords(owners[i])
		}
		f.change(c, by)
	}
	if result.Cut {
		f.line("    and more")
	}
}

func (f diffFormat) line(format string, args ...any) {
	_, _ = fmt.Fprintln(f.p.out, clean.Line(fmt.Sprintf(format, args...)))
}

// change writes a changed path. Of a text that holds JSON the paths in it, of
// one with several lines those that changed.
func (f diffFormat) change(c diff.Change, by string) {
	if inside, ok := diff.Inside(c); ok && len(inside.Changes) > 0 && len(inside.Changes) <= maxPaths {
		for _, x := range inside.Changes {
			x.Path = c.Path + "#" + x.Path
			f.value(x, by)
		}
		return
	}
	old, wasText := text(c.Old)
	now, isText := text(c.New)
	if !wasText || !isText || !strings.Contains(old, "\n") && !strings.Contains(now, "\n") {
		f.value(c, by)
		return
	}
	lines := diff.TextDiff(old, now)
	f.line("    ~ %s%s", c.Path, by)
	last := 0
	for i, l := range lines.Changes {
		if i == maxPaths {
			f.line("        and %s more", count(int64(len(lines.Changes)-i), "line"))
			break
		}
		if at := max(l.Old, l.New); l.Op == diff.Same && at > last+1 && last > 0 {
			f.line("        …")
		}
		last = max(l.Old, l.New)
		f.line("      %s %s", lineSigns[l.Op], clean.Cell(l.Text, valueLength))
	}
	if lines.Cut {
		f.line("        the texts differ in more than was compared")
	}
}

var lineSigns = map[diff.Op]string{diff.Add: "+", diff.Remove: "-", diff.Same: " "}

func (f diffFormat) value(c diff.Change, by string) {
	switch c.Op {
	case diff.Add:
		f.line("    + %s  %s%s", c.Path, value(c.New), by)
	case diff.Remove:
		f.line("    - %s  %s%s", c.Path, value(c.Old), by)
	default:
		words := diff.Words(c)
		if words != "" {
			words = ", " + words
		}
		f.line("    ~ %s  %s → %s%s%s", c.Path, value(c.Old), value(c.New), words, by)
	}
}

// text is the text that a JSON value is; ok is false if it is none.
func text(raw string) (s string, ok bool) {
	if !strings.HasPrefix(raw, `"`) {
		return "", false
	}
	err := json.Unmarshal([]byte(raw), &s)
	return s, err == nil
}

// ownerWords says who a change is put down to: "  [kubelet, status]".
func ownerWords(o blame.Owner) string {
	if !o.Known() {
		return ""
	}
	words := []string{o.Manager}
	if o.Operation == "Apply" {
		words = append(words, "apply")
	}
	if o.Subresource != "" {
		words = append(words, o.Subresource)
	}
	if o.Likely {
		words = append(words, "likely")
	}
	return "  [" + strings.Join(words, ", ") + "]"
}

// pathFormat prints what a JSONPath selects of each object. Gaps and losses go
// to stderr.
type pathFormat struct {
	textFormat
	path     *jsonpath.JSONPath
	changed  bool // only what differs from what the version before gives
	terminal bool
}

func (f *pathFormat) lost(rows uint64) { f.p.lost(f.p.err, rows) }

func (f *pathFormat) row(e model.Event) {
	if e.Type == model.GapFound {
		f.p.gap(f.p.err, e)
	}
	if !e.Type.IsObject() {
		return
	}
	raw, ok := f.p.log.Bytes(e.Object, e.Version)
	if !ok {
		f.p.line(f.p.err, e, "NOTE", f.p.stream(e.Stream), "a version has left the log before it could be printed")
		return
	}
	found, err := f.of(raw)
	if err != nil {
		f.p.line(f.p.err, e, "NOTE", f.p.stream(e.Stream), fmt.Sprintf("%s: %s", f.p.log.Identity(e.Object).Name, oneLine(err)))
		return
	}
	if f.changed && e.Type == model.Modified && e.Version > 1 {
		before, _ := f.p.log.Bytes(e.Object, e.Version-1)
		if old, err := f.of(before); err == nil && bytes.Equal(old, found) {
			return
		}
	}
	if f.terminal {
		found = printable(found)
	}
	_, _ = f.p.out.Write(found)
}

// of evaluates the path. The result ends with a line break.
func (f *pathFormat) of(raw []byte) ([]byte, error) {
	var object any
	if err := json.Unmarshal(raw, &object); err != nil { // integers stay integers
		return nil, err
	}
	var b bytes.Buffer
	if err := f.path.Execute(&b, object); err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// printable cleans what goes to a terminal, but for the tabs and line breaks
// that a template may have.
func printable(b []byte) []byte {
	lines := strings.Split(string(b), "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j := range cells {
			cells[j] = clean.Line(cells[j])
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return []byte(strings.Join(lines, "\n"))
}
