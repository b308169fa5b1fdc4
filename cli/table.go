package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"

	"rewatch/model/clean"
)

// page writes text for people: every line is cleaned, since what is on a tape
// comes from anybody.
type page struct{ w *bufio.Writer }

func newPage(w io.Writer) page { return page{bufio.NewWriter(w)} }

func (p page) line(format string, args ...any) {
	_, _ = fmt.Fprintln(p.w, strings.TrimRight(clean.Line(fmt.Sprintf(format, args...)), " "))
}

// flush writes what is left; a reader that went away is no error.
func (p page) flush() error { return written(p.w.Flush()) }

func written(err error) error {
	if err == nil || closedPipe(err) {
		return nil
	}
	return failed("check where stdout goes", "cannot write: %s", oneLine(err))
}

// table writes rows with aligned columns; columns with right set are numbers.
func (p page) table(indent string, right []bool, rows [][]string) {
	widths := make([]int, len(right))
	for i, row := range rows {
		for j := range row {
			rows[i][j] = clean.Line(row[j])
			widths[j] = max(widths[j], clean.Width(rows[i][j]))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			pad := strings.Repeat(" ", widths[j]-clean.Width(cell))
			if right[j] {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString(cell + "  ")
		}
		p.line("%s%s", indent, b.String())
	}
}

// writeJSON writes a document for programs, indented. It escapes, beside what
// JSON does, whatever is not safe to draw: the values stay what they are.
func writeJSON(w io.Writer, doc any) error {
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, r := range string(b) {
		if s := string(r); r < 0x7f || clean.Line(s) == s {
			_, _ = out.WriteString(s)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			_, _ = fmt.Fprintf(out, `\u%04x`, unit)
		}
	}
	_ = out.WriteByte('\n')
	return written(out.Flush())
}

// clock writes a moment in local time, with its zone.
func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05.000 MST")
}

// short is a duration for people.
func short(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// stampOf is a moment for programs, "" for none.
func stampOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
