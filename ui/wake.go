package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/query"
)

// waker waits for the log outside of the event loop, and brings with each
// wake-up what the screen needs to show the new rows in one frame: a snapshot,
// and what the rows say. It belongs to the one command that waits.
type waker struct {
	log   *model.Log
	wake  <-chan struct{}
	frame time.Duration // least time between two wake-ups
	brief time.Duration // the same after one that brought few rows
	last  time.Time     // of the newest wake-up
	few   bool          // it brought few rows

	deck    Transport       // nil: live
	changed <-chan struct{} // of the deck

	query *query.Query // of match, which belongs to one goroutine
	match *query.Matcher
	of    *model.Log // its rows
}

// wakeMsg says that the log has grown, or the deck has changed.
type wakeMsg struct {
	snap  model.Snapshot
	infos map[model.Seq]rowInfo
	// Of a replay: whether the deck has changed, what the whole of the tapes
	// then looks like, and the log that takes the place of the one shown.
	changed bool
	over    Overview
	swap    *swapped
}

// outlook is what a following timeline shows of rows that are still to come.
type outlook struct {
	from  model.Seq    // rows before are known
	rows  int          // the newest that fit; 0 where none is shown
	query *query.Query // the filter
	now   time.Time    // what times in it are counted from
	noise bool

	grouping grouping

	blurred bool // nobody looks

	height int // of the timeline
	know   *understanding
}

const (
	// infoTime bounds how long rows are held up for their texts: what is not
	// there by then, the frame shows without, and asks for.
	infoTime = 15 * time.Millisecond
	// fewRows do not make a storm.
	fewRows = 2
	// lookAhead bounds the rows that are looked at for those that fit.
	lookAhead = 2000
)

// wait returns when the log has grown, at once after a quiet time: the pause
// that keeps wake-ups a frame apart comes before the second. However fast the
// log grows, one wake-up per frame is all that comes of it.
func (w *waker) wait(ctx context.Context, o outlook) tea.Cmd {
	return func() tea.Msg {
		var msg wakeMsg
		select {
		case <-ctx.Done():
			return nil
		case <-w.wake:
		case <-w.changed:
			msg.changed = true
		}
		pause := w.frame
		if w.few {
			pause = w.brief
		}
		if o.blurred {
			pause = blurredFrame
		}
		if rest := pause - time.Since(w.last); rest > 0 {
			t := time.NewTimer(rest)
			defer t.Stop()
			select {
			case <-ctx.Done():
				return nil
			case <-t.C:
			}
			select {
			case <-w.wake: // the snapshot has those rows already
			default:
			}
		}
		if w.deck != nil && !w.consult(ctx, &msg, o) {
			return nil
		}
		w.last = time.Now()
		msg.snap = w.log.Snapshot()
		w.few = msg.snap.End() <= o.from+fewRows
		if msg.swap == nil {
			msg.infos = w.infos(ctx, msg.snap, o)
		}
		return msg
	}
}

// infos works out what the rows of an outlook say, the newest first.
func (w *waker) infos(ctx context.Context, s model.Snapshot, o outlook) map[model.Seq]rowInfo {
	if o.query != nil && o.query.Deep() {
		return nil // which rows those are a search finds out
	}
	if w.query != o.query || o.query == nil || w.of != w.log {
		w.query, w.of, w.match = o.query, w.log, nil
		if o.query != nil {
			w.match = o.query.Compile(w.log, query.Options{Now: o.now})
		}
	}
	infos := map[model.Seq]rowInfo{}
	from := max(o.from, s.First())
	if n := s.End() - from; s.End() > from && n > lookAhead {
		from = s.End() - lookAhead
	}
	begin := time.Now()
	for seq := s.End(); seq > from && o.rows > 0; seq-- {
		e := s.At(seq - 1)
		switch {
		case w.match != nil && !w.match.Match(e), !o.noise && e.Flags&(model.Initial|model.Replayed) != 0:
			continue
		case e.Type.IsObject():
			if ctx.Err() != nil || time.Since(begin) > infoTime {
				return infos
			}
			infos[e.Seq] = loadInfo(w.log, o.know, e)
			if !o.noise && o.know.verdicts.of(e.Seq).rule() > 0 {
				continue
			}
		case e.Type == model.Bookmark && !o.noise:
			continue
		}
		o.rows--
	}
	return infos
}
