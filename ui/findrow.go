package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/query"
)

// lastQuery is the filter, or the last one that was kept if it is off: then n
// goes from match to match among all rows.
func (a *App) lastQuery() *query.Query {
	if q := a.filter.query; q != nil {
		return q
	}
	n := len(a.filter.past.texts)
	if n == 0 {
		return nil
	}
	q, err := query.Parse(a.filter.past.texts[n-1])
	if err != nil || q.Empty() {
		return nil
	}
	return q
}

// findRow looks for the n-th row from the cursor that the filter means, gaps
// that it only shows passed by. Objects may have to be read for that, so it is
// done outside of the event loop.
func (a *App) findRow(n int) tea.Cmd {
	from := a.timeline.snap.First()
	if e, ok := a.timeline.selected(); ok {
		from = e.Seq
		if n > 0 {
			from++
		}
	}
	a.hitRequest++
	return a.lookForRow(from, n)
}

// hitsAtOnce is how many rows that match are looked for at once: some of them
// may be folded.
const hitsAtOnce = 256

func (a *App) lookForRow(from model.Seq, n int) tea.Cmd {
	ctx, log, s, q := a.ctx, a.log, a.timeline.snap, a.lastQuery()
	m := hitMsg{request: a.hitRequest, log: log, n: n, more: noRow}
	match := q.Compile(log, query.Options{Now: a.now.In(a.o.Location)})
	return func() tea.Msg {
		if n < 0 {
			m.rows, m.more = before(ctx, match, s, from)
		} else {
			m.rows, m.more = after(ctx, match, s, from)
		}
		if ctx.Err() != nil {
			return nil
		}
		return m
	}
}

func before(ctx context.Context, match *query.Matcher, s model.Snapshot, from model.Seq) (rows []model.Seq, more model.Seq) {
	rows, more = match.Before(ctx, s, from, hitsAtOnce)
	if more <= s.First() {
		more = noRow
	}
	return holding(match, s, rows), more
}

func after(ctx context.Context, match *query.Matcher, s model.Snapshot, from model.Seq) (rows []model.Seq, more model.Seq) {
	rows, more = match.After(ctx, s, from, hitsAtOnce)
	if more >= s.End() {
		more = noRow
	}
	return holding(match, s, rows), more
}

// holding leaves out the gaps that are only shown beside what matches.
func holding(match *query.Matcher, s model.Snapshot, rows []model.Seq) []model.Seq {
	return slices.DeleteFunc(rows, func(seq model.Seq) bool {
		e := s.At(seq)
		return e.Type == model.GapFound && !match.Holds(e)
	})
}

// hitMsg answers where the next match in the timeline is.
type hitMsg struct {
	request int
	log     *model.Log
	rows    []model.Seq // that match, the nearest first
	more    model.Seq   // where to go on; noRow is nowhere
	n       int         // how many listed ones are still to be passed
}

func (m hitMsg) take(a *App) tea.Cmd {
	if m.request != a.hitRequest {
		return nil
	}
	a.waiting.answered = m.request
	if m.log != a.log {
		return nil
	}
	x := a.timeline.index
	step := 1
	if m.n < 0 {
		step = -1
	}
	for _, seq := range m.rows {
		if !x.lists(seq) {
			continue
		}
		if m.n -= step; m.n == 0 {
			a.timeline.show(seq)
			return nil
		}
	}
	if m.more != noRow {
		a.waiting.answered-- // not yet
		return a.lookForRow(m.more, m.n)
	}
	if a.replay == nil || step < 0 || a.replay.play.AtEnd {
		a.forgetHeld() // they were meant for a row that is not there
	}
	switch {
	case a.replay == nil && step > 0:
		a.say("no later row matches so far")
	case a.replay == nil:
		a.say("no earlier row matches")
	case step > 0 && !a.replay.play.AtEnd:
		a.findMatchOf(a.lastQuery(), false)
	case step > 0:
		a.say("no later event of the tape matches")
	case a.replay.earlier() != 0:
		a.say("none of the rows held before matches; fetching earlier ones, then N again")
		a.fetchEarlier()
	default:
		a.say("no earlier event of the tape matches")
	}
	return nil
}
