package ui

import (
	"time"

	"rewatch/model"
)

// previewPause is how long the object pane stays as it is while the timeline
// follows: it must stay readable in a storm.
const previewPause = 1500 * time.Millisecond

// previewed is the row that the object pane last went to by itself.
type previewed struct {
	seq   model.Seq
	at    time.Time
	index *index // that listed it: what another filter leaves out is not kept
}

// preview keeps the object pane with the cursor, or an opened object at its
// newest version.
func (a *App) preview() {
	defer func() {
		a.object.learn(a.log, &a.all)
		a.object.lag = a.lag()
	}()
	if a.object.pinned {
		if a.object.want.id == 0 {
			a.object.lookUp(a.log, 0) // the tape may have come to it
		}
		_, newest := a.log.Versions(a.object.want.id)
		if a.object.newest && !a.paused && newest > a.object.want.version {
			a.object.want.version = newest
		}
		return
	}
	e, ok := a.timeline.selected()
	if !ok {
		a.object.empty()
		return
	}
	last, hasLast := &a.previewed, a.object.hasRow || a.object.want.id != 0
	if a.runsOn() && hasLast && e.Seq != last.seq && a.timeline.index == last.index && a.clock.Sub(last.at) < previewPause {
		return
	}
	a.object.preview(e, a.timeline.folded(e), &a.all)
	if e.Seq != last.seq || a.timeline.index != last.index {
		*last = previewed{e.Seq, a.clock, a.timeline.index}
	}
}

// runsOn reports whether the cursor goes on by itself.
func (a *App) runsOn() bool { return a.timeline.follow && !a.still() && !a.paused }

// lag says of when the row is that the pane shows, where it is not the one
// under the cursor; "" where it is.
func (a *App) lag() string {
	p := &a.object
	if !a.runsOn() || p.pinned {
		return ""
	}
	e, ok := a.timeline.selected()
	at := e.When()
	switch {
	case !ok:
	case p.hasRow:
		at = p.row.When()
	case p.data != nil && p.data.hasEvent && (p.data.key.id != e.Object || p.data.key.version != e.Version):
		at = p.data.event.When()
	}
	if at.Equal(e.When()) {
		return ""
	}
	return "as of " + at.In(p.loc).Format("15:04:05.000")
}

// empty shows nothing: no row is under the cursor.
func (p *objectPane) empty() {
	if !p.hasRow && p.want.id == 0 && p.data == nil {
		return
	}
	p.request++
	p.want, p.hasRow, p.data, p.stale, p.loading, p.docWidth = objectKey{}, false, nil, false, false, 0
	p.top, p.cursor, p.left = 0, 0, 0
}
