package ui

import (
	"slices"
	"time"

	"rewatch/model"
	"rewatch/model/moment"
)

// marks are the moments that the user has marked in this session of a replay.
// Marks of a live session are notes in its log, and so on its tape.
type marks struct {
	session []Span // in order
}

// add keeps a mark in order.
func (m *marks) add(at time.Time, text string) {
	i, _ := slices.BinarySearchFunc(m.session, at, func(s Span, t time.Time) int { return s.From.Compare(t) })
	m.session = slices.Insert(m.session, i, Span{From: at, To: at, Text: text})
}

// next is the nearest mark after, or before, a moment, of the session or of
// the tape.
func (m *marks) next(tape []Span, now time.Time, back bool) (best Span, ok bool) {
	for _, spans := range [][]Span{m.session, tape} {
		for _, s := range spans {
			if back != s.From.Before(now) || s.From.Equal(now) {
				continue
			}
			if !ok || s.From.Before(best.From) != back {
				best, ok = s, true
			}
		}
	}
	return best, ok
}

func (a *App) canMark() (bool, string) {
	if a.replay == nil && len(a.all.streams) == 0 {
		return false, "nothing is watched that a mark could be in"
	}
	return true, ""
}

// askMark asks for the text of a mark, which may be empty. A replay is marked
// where it is when it is asked for.
func (a *App) askMark() {
	at := a.now
	a.ask(prompt{label: "mark", hint: "what it is; may be empty", done: func(text string) *moment.Error {
		if a.replay == nil {
			// It is a row, and rows come in order: it has the time of now.
			a.log.Append(model.Record{Time: a.o.Now(), Type: model.Noted, Detail: model.Note{Cause: model.CauseMark, Text: text}})
			a.say("marked")
			return nil
		}
		a.marks.add(at, text)
		a.scrub.show(a.scrub.over, a.marks.session)
		said := "marked " + stamp(at, a.clock, a.o.Location) + ", for this session"
		if text != "" {
			said += ": " + text
		}
		a.say(said)
		return nil
	}})
}

func hasMark(back bool) func(*App) (bool, string) {
	where := "after"
	if back {
		where = "before"
	}
	return func(a *App) (bool, string) {
		_, ok := a.marks.next(a.scrub.over.Marks, a.replay.position(), back)
		return ok, "there is no mark " + where + " this moment: m sets one"
	}
}

func (a *App) goToMark(back bool) {
	m, ok := a.marks.next(a.scrub.over.Marks, a.replay.position(), back)
	if !ok {
		return
	}
	a.seek(m.From)
	if m.Text != "" {
		a.say("mark: " + m.Text)
	}
}
