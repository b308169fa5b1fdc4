package ui

import (
	"strings"

	"rewatch/model"
	"rewatch/model/deck"
)

// foundWithin is how many of the newest rows are looked at for what a search on
// the tape has found: it ends with it, but for rows of the same moment.
const foundWithin = 256

// tellFound says what a search on the tape has found, once it is shown: the
// filter may leave it out, and the rows beside it look alike.
func (a *App) tellFound() {
	r := a.replay
	if r == nil || !r.sought || r.play.Seeking {
		return
	}
	if r.sought = false; r.play.Text != "" { // the status has it: there is none
		a.forgetHeld()
		return
	}
	first := max(a.last.First(), a.last.End()-min(a.last.End(), foundWithin))
	for seq := a.last.End(); seq > first; {
		seq--
		if text := a.foundText(a.last.At(seq), r.kind); text != "" {
			a.say(text)
			return
		}
	}
}

// foundText is a row in a few words, "" if it is not of a kind that is looked for.
func (a *App) foundText(e model.Event, kind deck.LandmarkKind) string {
	name := a.all.name(a.all.stream(e.Stream))
	switch d := e.Detail.(type) {
	case model.Transition:
		if kind == AnyError && !d.Bare() && (d.To.Degraded() || d.To == model.Connecting) {
			return strings.TrimRight("error: "+name+" "+d.From.String()+" → "+d.To.String()+"  "+d.Text, " ")
		}
	case model.Gap:
		if kind == AnyGap {
			return "gap: " + name + relisted(d)
		}
	}
	if kind == AnyDeletion && e.Type == model.Deleted {
		id := a.log.Identity(e.Object)
		return "deletion: " + id.Kind + " " + strings.TrimPrefix(id.Namespace+"/"+shownName(id), "/")
	}
	return ""
}
