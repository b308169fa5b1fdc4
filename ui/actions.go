package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// scope is where a key is looked up first now.
func (a *App) scope() scope {
	switch {
	case a.help.shown && !a.prompt.shown:
		return scopeHelp
	case a.list.shown:
		return scopeList
	case a.prompt.shown:
		return scopePrompt
	case a.palette.shown:
		return scopePalette
	case a.recording.choosing:
		return scopeRecord
	case a.filter.editing:
		return scopeFilter
	}
	if a.page.page != nil {
		return scopePage + scope(a.page.at)
	}
	return [...]scope{paneStreams: scopeStreams, paneTimeline: scopeTimeline, paneObject: scopeObject}[a.focus]
}

// off says why a key can do nothing now; "" if it can.
func (a *App) off(b *binding) string {
	if b.when != nil {
		if ok, reason := b.when(a); !ok {
			return reason
		}
	}
	if b.here != nil && !b.here(a) {
		return "what this is about is not on the screen; esc goes back to it"
	}
	return ""
}

// say shows a short message in the footer, as the answer to a key: for a while,
// and until the next key that does something.
func (a *App) say(s string) {
	a.flash, a.said, a.flashEnd = s, s, a.clock.Add(3*time.Second)
}

// unsay takes the answer to a key before out of the footer: it would be taken
// for that to the next one.
func (a *App) unsay() {
	if a.flash == a.said {
		a.flash = ""
	}
	a.said = ""
}

// answerTime is how long the terminal gets to be asked and to answer. Bubble Tea
// writes what it asks with the next frame; after an earlier end that would be
// written, and answered, to the shell.
const answerTime = 100 * time.Millisecond

func (a *App) quit() tea.Cmd {
	a.quitting = true
	if wait := answerTime - time.Since(a.asked); wait > 0 {
		return tea.Tick(wait, func(time.Time) tea.Msg { return tea.Quit() })
	}
	return tea.Quit
}

// move, page and edge go to the pane that has the focus.
func (a *App) move(n int) {
	if a.page.page != nil {
		a.page.move(a, n)
		return
	}
	switch a.focus {
	case paneStreams:
		a.streams.move(n)
	case paneTimeline:
		top := a.timeline.atFirst()
		a.timeline.move(n)
		if n < 0 && top {
			a.fetchEarlier()
		}
	case paneObject:
		a.object.scroll(n)
	}
}

// half moves by half pages.
func (a *App) half(halves int) {
	h := a.lay.pane[a.focus].body().h
	switch {
	case a.page.page != nil:
		h = a.lay.page.body().h
	case a.focus == paneStreams:
		h = a.streams.page()
	}
	// A full page keeps one row in sight.
	n := halves * max(h/2, 1)
	if halves%2 == 0 {
		n = halves / 2 * max(h-1, 1)
	}
	a.move(n)
}

func (a *App) edge(dir int) {
	if a.page.page != nil {
		a.page.edge(a, dir)
		return
	}
	switch a.focus {
	case paneStreams:
		a.streams.move(dir * len(a.all.streams))
	case paneTimeline:
		if dir < 0 && a.timeline.atFirst() {
			a.fetchEarlier()
		}
		a.timeline.edge(dir)
	case paneObject:
		a.object.edge(dir)
	}
}

// setFocus goes to a pane; a page is closed.
func (a *App) setFocus(p pane) {
	a.closePage()
	a.focus = p
	a.relayout()
}

func (a *App) cycle(n int) { a.setFocus((a.focus + pane(n) + panes) % panes) }

func (a *App) setZoom(on bool) {
	a.zoom = on
	a.relayout()
}

func (a *App) canOpen() (bool, string) {
	e, ok := a.timeline.selected()
	return ok && e.Type.IsObject(), "this row has no object to open"
}

// open pins the object of the selected row.
func (a *App) open() {
	e, _ := a.timeline.selected()
	_, newest := a.log.Versions(e.Object)
	a.object.before = nil
	a.object.pin(objectKey{id: e.Object, version: e.Version}, e.Version == newest)
	a.setFocus(paneObject)
}

// back undoes one step: zoom, then the open object, then the focus, then the
// filter.
func (a *App) back() {
	switch {
	case a.recording.alarm != "":
		a.recording.alarm = ""
	case a.hushed():
	case a.page.forget():
	case a.page.page != nil:
		a.closePage()
	case a.focus == paneObject && a.object.forget():
	case a.zoom:
		a.setZoom(false)
	case a.focus == paneObject && a.object.pop():
	case a.focus == paneObject && a.left.page != nil:
		a.object.unpin()
		a.focus = paneTimeline
		a.relayout()
		a.page, a.left = a.left, opened{}
	case a.object.pinned:
		a.object.unpin()
		a.setFocus(paneTimeline)
	case a.focus != paneTimeline:
		a.setFocus(paneTimeline)
	case a.leaveGroup():
	case a.filter.value() != "":
		a.clearFilter()
	}
}

func (a *App) hasOlder() (bool, string) {
	oldest, _ := a.log.Versions(a.object.want.id)
	if a.object.want.id == 0 {
		return false, "no object is shown"
	}
	return a.object.want.version > max(oldest, 1), "this is the oldest version held"
}

func (a *App) hasNewer() (bool, string) {
	_, newest := a.log.Versions(a.object.want.id)
	if a.object.want.id == 0 {
		return false, "no object is shown"
	}
	return a.object.want.version < newest, "this is the newest version"
}

// walk goes to another version. It opens the object, so that the cursor no
// longer decides what is shown.
func (a *App) walk(n int) {
	k := a.object.want
	k.version = uint32(int(k.version) + n)
	_, newest := a.log.Versions(k.id)
	a.object.pin(k, k.version == newest)
	if !a.lay.shows(paneObject) {
		a.setFocus(paneObject)
	}
}

func (a *App) canFollow() (bool, string) {
	return !a.paused, "paused: " + a.keys.does("pause", "goes on")
}

func (a *App) toggleFollow() {
	a.timeline.follow, a.timeline.anchor = !a.timeline.follow, noRow
	a.timeline.settle()
}

func (a *App) togglePause() {
	a.paused = !a.paused
	a.pausedAt = a.timeline.snap.End()
	a.refresh()
}

func (a *App) toggleNoise() {
	a.timeline.noise = !a.timeline.noise
	a.applyFilter()
}

func (a *App) hasStream() (bool, string) {
	if a.o.Controls == nil {
		return false, "there is no live stream to control"
	}
	_, ok := a.streams.selected()
	return ok, "no stream"
}

func (a *App) pauseStream() {
	if s, ok := a.streams.selected(); ok {
		a.o.Controls.SetPaused(s.ID, s.State != model.Paused)
	}
}

func (a *App) canRetry() (bool, string) {
	if a.o.Controls == nil {
		return false, "there is no live stream to control"
	}
	return len(a.all.troubles) > 0, "no stream waits for a retry"
}

func (a *App) retry() {
	id := model.StreamID(-1)
	if s, ok := a.streams.selected(); ok && a.focus == paneStreams {
		id = s.ID
	}
	a.o.Controls.Retry(id)
	a.say("retrying now")
}
