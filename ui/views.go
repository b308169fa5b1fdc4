package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// view is a tab of the object pane: one way to look at a version of an object.
type view struct {
	name string // in the title
	key  string
	help string // of its key
	// read gets what the view shows, outside of the event loop, and returns
	// what makes lines of it for a width.
	read func(r *reading) func(w int) []docLine
	// lives reports that it shows more than a version: what is read of the log
	// later belongs in it.
	lives bool
}

// views is the table of tabs, in order.
func views() []view {
	return []view{
		{name: "diff", key: "g d", help: "what changed, and who changed it", read: readDiff},
		{name: "yaml", key: "g y", help: "the whole object, changed lines marked", read: readYAML},
		{name: "blame", key: "g b", help: "who owns each field, and since when", read: readBlame},
		{name: "history", key: "g v", help: "all versions held: when, what changed, who changed it", read: readHistory, lives: true},
		{name: "events", key: "g e", help: "the Events about the object", read: readEvents, lives: true},
		{name: "owners", key: "g w", help: "its owners and what it owns", read: readOwners, lives: true},
		{name: "story", key: "g h", help: "all that happened to it, its owners and its children", read: readStory, lives: true},
	}
}

// viewKeys are those of the tabs.
func viewKeys() (out []binding) {
	for i, v := range views() {
		out = append(out, binding{id: "view-" + v.name, keys: []string{v.key}, hint: v.name, help: v.name + ": " + v.help,
			when: (*App).hasObject, do: act(func(a *App) { a.setView(i) })})
	}
	return out
}

// reading is what a view is read from.
type reading struct {
	ctx  context.Context
	log  *model.Log
	data *objectData
	change
	loc   *time.Location
	now   time.Time
	u     *understanding
	noise bool // tell of noise as well
	adds  bool // streams can be added
}

// objectMsg answers a request for an object.
type objectMsg struct {
	request int
	data    *objectData
}

// loadObject reads a version of an object for a view.
func (a *App) loadObject() tea.Cmd {
	a.object.loading = true
	a.object.request++
	request, k := a.object.request, a.object.want
	r := &reading{ctx: a.ctx, log: a.log, loc: a.o.Location, now: a.now, u: a.timeline.know, noise: a.timeline.noise, adds: a.o.Watcher != nil}
	return func() tea.Msg {
		if r.ctx.Err() != nil {
			return nil
		}
		return objectMsg{request: request, data: r.read(k)}
	}
}

// setView goes to another tab.
func (a *App) setView(n int) {
	k := len(views())
	a.object.setView((n + k) % k)
	if !a.lay.shows(paneObject) {
		a.setFocus(paneObject)
	}
}

func (a *App) hasObject() (bool, string) {
	return a.object.want.id != 0, "no object is shown"
}

// canJump reports whether the line under the cursor leads somewhere.
func (a *App) canJump() (bool, string) {
	d, ok := a.object.line()
	if !ok {
		return false, "enter follows lines of events, owners and story"
	}
	return d.to != 0, "this line leads to nothing that the log has"
}

// jump goes to what the line under the cursor is about: to its object, as it
// was then, and in the timeline to its row. esc goes back.
func (a *App) jump() {
	d, _ := a.object.line()
	a.object.push()
	a.goTo(d.to, d.seq)
}

// goTo opens an object at the version that a row brought, 0 for the newest, and
// has the timeline go to that row if it is listed.
func (a *App) goTo(id model.ObjectID, seq model.Seq) {
	_, newest := a.log.Versions(id)
	k := objectKey{id: id, version: newest}
	s := a.timeline.snap
	if seq != noRow && seq >= s.First() && seq < s.End() {
		if e := s.At(seq); e.Object == id && e.Version > 0 {
			k.version = e.Version
		}
		a.timeline.show(seq)
	}
	a.object.setView(0)
	a.object.pin(k, k.version == newest)
	a.setFocus(paneObject)
}

// show moves the cursor to a row, or to the one before if it is not listed.
func (t *timeline) show(seq model.Seq) {
	t.follow, t.anchor = false, noRow
	t.cursor = t.index.place(t.rowOf(seq))
	t.settle()
}
