package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/clean"
)

// plain makes a printer tell rows in sentences, for people who have them read to
// them: one line each, in order, without colours, columns or a cursor that
// moves. What was there when a watch began is told as a number.
type plain struct {
	zone  *time.Location
	fresh map[model.StreamID]bool // streams that have been current
}

// inSentences returns a printer that tells on a terminal what the screen would
// show.
func inSentences(p *printer, zone *time.Location) *printer {
	p.plain = &plain{zone: zone, fresh: map[model.StreamID]bool{}}
	return p
}

// sentence writes what a row says, if it says anything.
func (p *printer) sentence(e model.Event) {
	switch d := e.Detail.(type) {
	case model.Gap:
		text := fmt.Sprintf("Attention: changes of %s may have been missed", p.stream(e.Stream))
		if d.Took > 0 {
			text += " for " + spoken(d.Took)
		}
		if why := cmp.Or(d.Text, string(d.Cause)); why != "" {
			text += ": " + why
		}
		p.say(e, fmt.Sprintf("%s. The list after it found %d added, %d changed and %d deleted.", text, d.Added, d.Modified, d.Deleted))
	case model.Note:
		p.say(e, "Note: "+strings.TrimSuffix(d.Text, ".")+".")
	case model.Transition:
		p.stateSentence(e, d)
	}
	if e.Type.IsObject() && !e.Has(model.Initial) && !e.Has(model.Replayed) {
		p.objectSentence(e)
	}
}

func (p *printer) objectSentence(e model.Event) {
	id := p.log.Identity(e.Object)
	text := id.Kind + " " + id.Name
	if id.Namespace != "" {
		text += " in " + id.Namespace
	}
	if p.contexts {
		text += " of " + id.Context
	}
	switch {
	case e.Has(model.Synthetic):
		text += map[model.Type]string{model.Added: " was found to be new after a gap", model.Modified: " was found changed after a gap", model.Deleted: " was found to be gone after a gap"}[e.Type]
	case e.Has(model.Recreated):
		text += " was deleted and created anew"
	default:
		text += map[model.Type]string{model.Added: " was created", model.Modified: " changed", model.Deleted: " was deleted"}[e.Type]
	}
	summary, authors := p.explain(e, id.Kind)
	if summary == "" && e.Type == model.Modified {
		summary = "nothing but bookkeeping"
	}
	if summary != "" {
		text += ": " + strings.TrimSuffix(aloud(summary), ".")
	}
	if len(authors) > 0 {
		text += ", by " + authorNames(authors, " and ")
	}
	p.say(e, text+".")
}

// stateSentence tells of a watch that is current for the first time, no longer,
// or again.
func (p *printer) stateSentence(e model.Event, t model.Transition) {
	p.stopped = p.stopped || t.To == model.Stopped
	last := p.told[e.Stream]
	name := p.stream(e.Stream)
	first := t.To.Fresh() && !p.plain.fresh[e.Stream]
	if first {
		p.plain.fresh[e.Stream] = true
	}
	switch {
	case t.Cause == model.CauseShutdown:
		return
	case t.To.Degraded() && (last.To != t.To || last.Cause != t.Cause):
		text := fmt.Sprintf("The watch of %s is not current: %s", name, cmp.Or(t.Text, strings.ReplaceAll(string(t.Cause), "-", " "), strings.ToLower(t.To.String())))
		if !t.Until.IsZero() {
			text += ". The next attempt is in " + spoken(t.Until.Sub(e.When()))
		}
		p.say(e, text+".")
	case t.To.Fresh() && last.To.Degraded():
		p.say(e, fmt.Sprintf("The watch of %s is current again.", name))
	case first:
		objects := int64(0)
		if s := p.log.Streams(e.When()); int(e.Stream) < len(s) {
			objects = s[e.Stream].Objects
		}
		p.say(e, fmt.Sprintf("The watch of %s is current: %s.", name, count(objects, "object")))
	default:
		return
	}
	p.told[e.Stream] = t
}

// aloud puts words in place of the signs of a summary: + - and ~ before what came,
// went or changed, and +3 for what else did.
func aloud(summary string) string {
	signs := map[string]string{"+": "added ", "-": "removed ", "~": "changed "}
	summary = regexp.MustCompile(`(^|[,;:·] |\()([+~-])([\pL"\[])`).ReplaceAllStringFunc(summary, func(s string) string {
		i := strings.LastIndexAny(s, "+-~")
		return s[:i] + signs[s[i:i+1]] + s[i+1:]
	})
	return regexp.MustCompile(` \+(\d+)( inside)?(,|$)`).ReplaceAllString(summary, " and $1 more$2$3")
}

// say writes a sentence with its time. Arrows and signs that are not read aloud
// become words.
func (p *printer) say(e model.Event, text string) {
	text = strings.NewReplacer("→", " to ", "×", "times ", "…", "...").Replace(clean.Line(text))
	_, _ = fmt.Fprintf(p.out, "%s %s\n", e.When().In(p.plain.zone).Format("15:04:05"), text)
}

// spoken is a duration in words.
func spoken(d time.Duration) string {
	switch d = max(d, 0); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f seconds", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f seconds", d.Seconds())
	}
	return fmt.Sprintf("%.0f minutes", d.Minutes())
}
