package export

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"

	"rewatch/model/clean"
)

// writeMarkdown writes a head, a table of what was watched, and a table of the
// rows in words. It is GitHub's dialect, which GitLab and most trackers read.
func writeMarkdown(j *job) error {
	s, err := j.survey()
	if err != nil {
		return err
	}
	if s.rows > int64(j.limit) {
		j.result.Cut = s.rows - int64(j.limit)
	}
	w := bufio.NewWriterSize(j.out, 64<<10)
	m := &markdown{w: w, s: s, many: contexts(s) > 1, clock: clockFormat(s.from, s.to)}
	m.head(j)
	m.streams()
	_, err = j.timeline(true, func(r *row) error {
		if j.result.Rows >= int64(j.limit) {
			return errEnough
		}
		if j.result.Rows++; j.result.Rows == 1 {
			m.print("\n## Timeline\n\n| Time (UTC) | | Object | What | By |\n|---|---|---|---|---|\n")
		}
		m.row(r)
		return nil
	})
	if err != nil && err != errEnough {
		return err
	}
	switch {
	case j.result.Rows == 0:
		m.print("\n## Timeline\n\nNothing happened, as far as was recorded.\n")
	case j.result.Cut > 0:
		m.print("\n**%s more rows are not shown here.** `--limit` raises the limit of %s; `--filter`, `--from` and `--to` narrow it.\n",
			count(j.result.Cut), count(int64(j.limit)))
	}
	m.print("\n<sub>")
	for i, f := range facts(s, j) {
		if i > 0 {
			m.print(" · ")
		}
		m.print("%s: %s", f.Name, mdText(f.Value))
	}
	m.print("</sub>\n")
	return w.Flush()
}

type markdown struct {
	w     *bufio.Writer
	s     *survey
	many  bool
	clock string
}

// print keeps an error in the writer, until Flush.
func (m *markdown) print(format string, args ...any) { _, _ = fmt.Fprintf(m.w, format, args...) }

func (m *markdown) head(j *job) {
	m.print("# %s\n\n%s. %s.\n", mdText(heading(m.s, j)), mdText(when(m.s)), mdText(sum(m.s)))
	for _, a := range alerts(m.s, j) {
		m.print("\n> **%s** %s\n", mdText(a.Word), mdText(a.Text))
	}
}

// streams draws what was watched, and how far that can be trusted.
func (m *markdown) streams() {
	m.print("\n## Watched\n\n%s.\n\n| Stream | At the end | Watching | Failures | Gaps | Initial objects | Added | Modified | Deleted |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
		streamsSummary(m.s))
	for _, w := range m.s.streams {
		name, state, covered := streamName(&w.info), "not recorded", ""
		if m.many {
			name = w.info.Context + " " + name
		}
		if share, ok := w.coverage(m.s.from, m.s.to); ok {
			state, covered = w.final.To.String(), fmt.Sprintf("%.1f %%", 100*share)
		}
		m.print("| %s | %s | %s | %d | %d | %s | %s | %s | %s |\n", mdText(clean.Line(name)), state, covered, w.failures, w.gaps, count(w.state),
			count(w.tally.Added), count(w.tally.Modified), count(w.tally.Deleted))
	}
}

// markdownText is about how many bytes a cell has at the most.
const markdownText = 300

func (m *markdown) row(r *row) {
	l := lineOf(r)
	text, cut := bounded(l.text, markdownText)
	at, what := m.stamp(r), mdText(text)+cut
	subject := l.kind + " " + l.shortName()
	if l.ns != "" {
		subject = l.kind + " " + l.ns + "/" + l.shortName()
	}
	if l.name == "" {
		subject = l.stream
	}
	if m.many && l.context != "" {
		subject = l.context + " " + subject
	}
	subject = mdText(subject)
	switch l.class {
	case classGap, classDamage: // nothing is more important than that something may be missing
		m.print("| **%s** | **═══ %s ═══** | **%s** | **%s** | |\n", at, strings.ToUpper(l.word), subject, what)
	case classTrouble, classError, classMark:
		m.print("| %s | **%s** | **%s** | **%s** | |\n", at, l.word, subject, what)
	case classStream, classFold, classNote:
		m.print("| %s | %s | %s | _%s_ | |\n", at, mdText(l.glyph), subject, what)
	default:
		m.print("| %s | %s | %s | %s | %s |\n", at, mdText(l.glyph), subject, what, mdText(l.by))
	}
}

func (m *markdown) stamp(r *row) string { return r.time.Format(m.clock) }

// mdText is a clean text as Markdown, in the middle of a line, that shows it as
// it is: what would be markup, HTML, a link, a mention or a reference to an
// issue is none. What needs no escape has none, for who reads the source.
func mdText(s string) string {
	if !strings.ContainsAny(s, "\\`*_[<&|~$@#!:.") {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := range len(s) {
		rest := s[i+1:]
		switch c := s[i]; {
		case c == '<':
			b = append(b, "&lt;"...)
		case c == '&':
			b = append(b, "&amp;"...)
		case strings.IndexByte("\\`*_[|~$", c) >= 0, c == ':' && shortcode.MatchString(rest), c == '!' && startsDigit(rest):
			b = append(b, '\\', c)
		case c == '@', c == '#' && startsDigit(rest), c == ':' && strings.HasPrefix(rest, "//"), c == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			// A backslash does not keep trackers from making links of these; an
			// empty comment does.
			b = append(append(b, c), "<!-- -->"...)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// shortcode is what becomes an emoji after a colon.
var shortcode = regexp.MustCompile(`^[a-z_+-][a-z0-9_+-]*:`)

func startsDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
