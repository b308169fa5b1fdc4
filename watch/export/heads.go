package export

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rewatch/model/clean"
)

// What stands above a timeline and below it, for Markdown and HTML alike. All
// of it is clean.

// fact is a line of what an export is.
type fact struct{ Name, Value string }

// alert is what a reader must know before they trust the rows.
type alert struct{ Class, Word, Text string }

// heading names what was watched.
func heading(s *survey, j *job) string {
	var names []string
	for _, w := range s.streams {
		if name := clean.Line(w.info.Context); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return clean.Line(j.o.Name)
	}
	return strings.Join(names, ", ")
}

// when says which time an export covers.
func when(s *survey) string {
	if s.to.IsZero() || s.from.IsZero() {
		return "nothing was recorded"
	}
	to := "15:04:05"
	if clockFormat(s.from, s.to) == longClock {
		to = "Monday 2 January 2006, 15:04:05"
	}
	return fmt.Sprintf("%s to %s UTC, %s", s.from.Format("Monday 2 January 2006, 15:04:05"), s.to.Format(to), duration(s.to.Sub(s.from)))
}

// sum says what happened, in numbers.
func sum(s *survey) string {
	text := plural(s.total.changes(), "change")
	const most = 6
	var kinds []string
	for _, k := range s.kindNames() {
		if len(kinds) == most {
			kinds = append(kinds, plural(int64(len(s.kinds)-most), "other kind"))
			break
		}
		kinds = append(kinds, clean.Line(k)+" "+count(s.kinds[k].changes()))
	}
	if len(kinds) > 0 {
		text += ": " + strings.Join(kinds, ", ")
	}
	return text
}

func alerts(s *survey, j *job) []alert {
	var out []alert
	if s.gapRows > 0 {
		out = append(out, alert{"", plural(s.gapRows, "gap") + ":", "changes may be missing there. The rows say where."})
	}
	if s.lost > 0 {
		out = append(out, alert{"", "Lost:", "the recorder could not write " + plural(s.lost, "frame") + " in time."})
	}
	const most = 5
	for i, d := range s.damages {
		if i == most {
			out = append(out, alert{"bad", "Damaged:", "and in " + plural(int64(len(s.damages)-most), "more place") + ", which the rows show."})
			break
		}
		out = append(out, alert{"bad", "Damaged:", "the tape at byte " + count(d.Offset) + ": " + clean.Line(damageWords(d.Records, d.Text))})
	}
	if !j.info.Closed {
		out = append(out, alert{"mild", "Open end:", "the recording did not end in order: it was still running, or its recorder was stopped hard."})
	}
	if j.result.Cut > 0 {
		out = append(out, alert{"", "Cut:", fmt.Sprintf("the first %s of %s rows are shown. --limit raises that; --filter, --from and --to narrow it.", count(int64(j.limit)), count(s.rows))})
	}
	if j.o.FilterText != "" {
		out = append(out, alert{"mild", "Filtered:", "only rows that match " + clean.Line(j.o.FilterText) + ", and all gaps."})
	}
	return out
}

func facts(s *survey, j *job) []fact {
	out := []fact{
		{"tape", clean.Line(j.o.Name)},
		{"recorded", clean.Line(strings.TrimSpace(j.info.Tool + " " + j.info.Created.UTC().Format(time.RFC3339)))},
		{"exported", clean.Line(j.o.Tool)},
		{"secrets", clean.Line(j.info.Redaction)},
		{"heartbeats", count(s.heartbeats) + ", not shown"},
	}
	return slices.DeleteFunc(out, func(f fact) bool { return f.Value == "" })
}

// streamsSummary says in a line how far the watches can be trusted.
func streamsSummary(s *survey) string {
	troubled, recorded := 0, false
	for _, w := range s.streams {
		recorded = recorded || len(w.stretches) > 0
		if w.failures > 0 || w.gaps > 0 {
			troubled++
		}
	}
	text := plural(int64(len(s.streams)), "stream") + " watched"
	switch {
	case !recorded:
		return text + "; no states of watches were recorded"
	case troubled > 0:
		return fmt.Sprintf("%s, %d with failures or gaps", text, troubled)
	}
	return text + ", all without failures or gaps"
}
