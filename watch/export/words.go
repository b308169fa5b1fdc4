package export

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/clean"
)

// line is a row in words, each of them clean.
type line struct {
	class           string // one letter, for styles and filters: see classOf
	glyph, word     string // what it is, as a sign and for who cannot see that
	kind, ns, name  string // of an object
	stream, context string // of what is about a stream
	text            string
	by              string // managers
}

// shortName is the name of an object, of an Event without the number behind it:
// what is left is the name of the object that it is about.
func (l *line) shortName() string {
	if l.kind == "Event" {
		if i := strings.LastIndexByte(l.name, '.'); i > 0 {
			return l.name[:i]
		}
	}
	return l.name
}

// Classes of rows.
const (
	classAdded    = "a"
	classModified = "m"
	classDeleted  = "d"
	classFold     = "f"
	classGap      = "g" // and losses: something may be missing
	classTrouble  = "t" // a stream became degraded
	classStream   = "s"
	classNote     = "n"
	classMark     = "k"
	classError    = "e" // an ERROR frame
	classDamage   = "x"
)

// causeMark is the cause of the note that somebody left on a tape.
const causeMark model.Cause = "mark"

// lineOf puts a row into words.
func lineOf(r *row) line {
	var l line
	if r.event.Type.IsObject() {
		l = objectLine(r)
	} else {
		l = otherLine(r)
	}
	if r.stream != nil {
		l.stream, l.context = clean.Line(streamName(r.stream)), clean.Line(r.stream.Context)
	}
	l.text = clean.Line(l.text)
	return l
}

func objectLine(r *row) line {
	words, result := r.explain()
	l := line{kind: clean.Line(r.id.Kind), ns: clean.Line(r.id.Namespace), name: clean.Line(r.id.Name), text: prefixOf(r) + words,
		by: clean.Line(strings.Join(result.Managers, ", "))}
	switch r.event.Type {
	case model.Added:
		l.class, l.glyph, l.word = classAdded, "+", "added"
	case model.Deleted:
		l.class, l.glyph, l.word = classDeleted, "−", "deleted"
	default:
		l.class, l.glyph, l.word = classModified, "~", "modified"
	}
	if r.has(model.Synthetic) {
		l.glyph, l.by = "±", "found by a list"
	}
	return l
}

// prefixOf says of a change of an object what its type does not.
func prefixOf(r *row) string {
	switch {
	case r.has(model.Synthetic) && r.event.Type == model.Added:
		return "found: "
	case r.has(model.Synthetic) && r.event.Type == model.Deleted:
		return "missing: "
	case r.has(model.Recreated):
		return "recreated: "
	case r.has(model.Selection) && r.event.Type == model.Added:
		return "created or selected: "
	case r.has(model.Selection) && r.event.Type == model.Deleted:
		return "deleted or unselected: "
	}
	return ""
}

func otherLine(r *row) line {
	switch {
	case r.typ == typeFold && r.has(model.Initial):
		return line{class: classFold, glyph: "=", word: "initial state", text: "initial list: " + plural(r.folded, "object")}
	case r.typ == typeFold:
		return line{class: classFold, glyph: "=", word: "sent again", text: "sent again, nothing new: " + plural(r.folded, "object")}
	case r.damage != nil:
		return line{class: classDamage, glyph: "✕", word: "damage", text: "the tape is damaged here: " + damageWords(r.damage.Records, r.damage.Text)}
	case r.typ == typeFrame:
		return line{class: classError, glyph: "!", word: "error frame", text: r.words}
	}
	switch d := r.event.Detail.(type) {
	case model.Transition:
		l := line{class: classStream, glyph: "»", word: "stream", text: transitionWords(d, r.time)}
		if d.To.Degraded() && d.Cause != model.CauseShutdown {
			l.class, l.word = classTrouble, "trouble"
		}
		return l
	case model.Gap:
		l := line{class: classGap, glyph: "═", word: "gap", text: gapWords(r, d)}
		if r.typ == typeLost {
			l.word = "lost"
		}
		return l
	case model.Note:
		if d.Cause == causeMark {
			return line{class: classMark, glyph: "◆", word: "mark", text: d.Text}
		}
		return line{class: classNote, glyph: "i", word: "note", text: d.Text}
	}
	return line{class: classNote, glyph: "?", word: "unknown", text: r.typ}
}

func damageWords(records int, text string) string {
	switch {
	case records < 0:
		return "an unknown number of records is lost: " + text
	case records == 0:
		return text
	}
	return plural(int64(records), "record") + " lost: " + text
}

func transitionWords(d model.Transition, at time.Time) string {
	if d.Bare() {
		return requestWords(d.Request)
	}
	s := d.From.String() + " → " + d.To.String()
	if d.Text != "" {
		s += "  " + d.Text
	} else if d.Cause != "" {
		s += "  " + strings.ReplaceAll(string(d.Cause), "-", " ")
	}
	if d.Attempt > 1 {
		s += fmt.Sprintf(", attempt %d", d.Attempt)
	}
	if wait := d.Until.Sub(at); !d.Until.IsZero() && wait > 50*time.Millisecond {
		s += ", next in " + duration(wait)
	}
	return s
}

// requestWords is what a step says that only tells of a request.
func requestWords(q *model.Request) string {
	return fmt.Sprintf("%s request, HTTP status %d, %s: %s", q.Verb, q.Status, plural(q.Frames, "item"), q.Text)
}

func gapWords(r *row, g model.Gap) string {
	if r.typ == typeLost {
		return fmt.Sprintf("the recorder lost %s between rv %s and %s: it could not keep up", plural(r.lost, "frame"), orUnknown(g.FromRV), orUnknown(g.ToRV))
	}
	s := fmt.Sprintf("changes may be missing between rv %s and %s", orUnknown(g.FromRV), orUnknown(g.ToRV))
	if g.Took > 0 {
		s += ", " + duration(g.Took)
	}
	if g.Text != "" {
		s += ": " + g.Text
	}
	return s + fmt.Sprintf(" (a list found %d added, %d modified, %d deleted)", g.Added, g.Modified, g.Deleted)
}

func orUnknown(rv string) string {
	if rv == "" {
		return "?"
	}
	return rv
}

// streamName is the name of a stream with its scope.
func streamName(s *model.StreamInfo) string {
	if scope := scopeOf(s); scope != "" {
		return s.Name() + " in " + scope
	}
	return s.Name()
}

// duration is a time for people: 3 min 5 s, 12 s, 0.25 s.
func duration(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d d %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	case d >= 10*time.Second:
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return strconv.FormatFloat(d.Round(time.Millisecond).Seconds(), 'f', -1, 64) + " s"
}

// plural is "1 object", "5,300 objects".
func plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + one + "s"
}

// count writes a number with commas.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
