package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// bindings is the table of keys, a part for each thing they are about.
func bindings() []binding {
	table := slices.Concat(movingKeys(), objectKeys(), lookKeys(), generalKeys(), placeKeys(), replayKeys(), filterKeys(), promptKeys(), paletteKeys(), recordKeys(), listKeys(), helpKeys(), handKeys(), columnKeys(), groupingKeys())
	return append(append(table, viewKeys()...), pageKeys()...)
}

// movingKeys go through what has the focus.
func movingKeys() []binding {
	return []binding{
		{id: "up", counts: true, keys: []string{"up", "k"}, help: "one up (the timeline stops following)", do: act(func(a *App) { a.move(-a.times()) })},
		{id: "down", counts: true, keys: []string{"down", "j"}, help: "one down", do: act(func(a *App) { a.move(a.times()) })},
		{id: "page-up", counts: true, keys: []string{"pgup", "ctrl+b"}, help: "one page up", do: act(func(a *App) { a.half(-2 * a.times()) })},
		{id: "page-down", counts: true, keys: []string{"pgdown", "ctrl+f"}, help: "one page down", do: act(func(a *App) { a.half(2 * a.times()) })},
		{id: "half-up", counts: true, keys: []string{"ctrl+u"}, help: "half a page up", do: act(func(a *App) { a.half(-1 * a.times()) })},
		{id: "half-down", counts: true, keys: []string{"ctrl+d"}, help: "half a page down", do: act(func(a *App) { a.half(1 * a.times()) })},
		{id: "first", counts: true, keys: []string{"g g", "home"}, help: "the first row held; after a number, the row of that number", hint: "first", do: act(func(a *App) { a.toRow(-1) })},
		{id: "last", counts: true, keys: []string{"end", "G"}, help: "the last row, and the timeline follows; after a number, that row", do: act(func(a *App) { a.toRow(1) })},
	}
}

// generalKeys are those of the timeline, the streams and the whole.
func generalKeys() []binding {
	return []binding{
		{id: "open", scope: scopeTimeline, keys: []string{"enter"}, help: "open the object of this row, and keep it", hint: "open",
			here: on((*App).canOpen), when: (*App).canOpen, do: act((*App).open)},
		{id: "details", scope: scopeStreams, keys: []string{"enter"}, help: "every request of this stream (z shows all figures of all streams)", hint: "requests",
			when: (*App).hasProtocol, do: act(func(a *App) { a.openPageNamed("Protocol", openProtocol(a)) })},
		{id: "pause-stream", scope: scopeStreams, live: true, keys: []string{"p"}, help: "pause or resume this stream", hint: "pause",
			when: (*App).hasStream, do: act((*App).pauseStream)},
		{id: "leave-streams", scope: scopeStreams, keys: []string{"esc"}, help: "back to the timeline", hint: "back", do: act((*App).back)},
		{id: "back", keys: []string{"esc"}, help: "back: close the object, the zoom, the filter", do: act((*App).back)},
		{id: "follow", keys: []string{"f"}, help: "follow the newest row, on and off", hint: "follow",
			here: (*App).inPanes, when: (*App).canFollow, do: act((*App).toggleFollow)},
		{id: "pause", live: true, keys: []string{"space"}, help: "pause: freeze the screen, go on recording", hint: "pause", do: act((*App).togglePause)},
		{id: "filter", keys: []string{"/"}, help: "filter: words, kind:pod, path:replicas, cel:…", hint: "filter", here: (*App).inRows, when: (*App).canFilter, do: act((*App).editFilter)},
		{id: "noise", keys: []string{"a"}, help: "show all rows, or fold what says nothing: heartbeats, renewals, routine", hint: "all rows", here: (*App).inRows, do: act((*App).toggleNoise)},
		{id: "folded", keys: []string{"A"}, help: "what is folded, by which rules", do: act((*App).noiseList)},
		{id: "fold-like", scope: scopeTimeline, keys: []string{"x"}, help: "fold changes like this one: shows the rule first", when: (*App).canFoldLike, do: (*App).foldLike},
		{id: "retry", live: true, keys: []string{"b"}, help: "retry now: this stream in Streams, else all that wait", hint: "retry",
			here: (*App).inTrouble, when: (*App).canRetry, do: act((*App).retry)},
		{id: "mark", keys: []string{"m"}, help: "mark this moment, with a text if wanted", when: (*App).canMark, do: act((*App).askMark)},
		{id: "record", live: true, keys: []string{"R"}, help: "record to a tape, start and stop", hint: "record",
			when: (*App).canRecord, do: act((*App).toggleRecord)},
		{id: "help", keys: []string{"?"}, help: "this help", hint: "help", do: act(func(a *App) { a.help.open(a.scope()) })},
		{id: "suspend", keys: []string{"ctrl+z"}, help: "back to the shell for a while", do: (*App).suspend},
		{id: "redraw", keys: []string{"ctrl+l"}, help: "draw the screen anew", do: func(*App) tea.Cmd { return redrawAll() }},
		{id: "quit", keys: []string{"q", "ctrl+c"}, help: "quit", hint: "quit", do: (*App).quit},
	}
}

// objectKeys are those of the object pane.
func objectKeys() []binding {
	return []binding{
		{id: "leave-object", scope: scopeObject, keys: []string{"esc"}, help: "back: close the object", hint: "back", do: act((*App).back)},
		{id: "scroll-left", scope: scopeObject, keys: []string{"left", "h"}, help: "scroll to the left", do: act(func(a *App) { a.object.pan(-8) })},
		{id: "scroll-right", scope: scopeObject, keys: []string{"right", "l"}, help: "scroll to the right", do: act(func(a *App) { a.object.pan(8) })},
		{id: "jump", scope: scopeObject, keys: []string{"enter"}, help: "go to what this line is about (events, owners, story); esc comes back", hint: "go",
			here: (*App).inLinks, when: (*App).canJump, do: act((*App).jump)},
		{id: "next-view", keys: []string{"v"}, help: "the next view of the object", here: (*App).inPanes, when: (*App).hasObject, do: act(func(a *App) { a.setView(a.object.view + 1) })},
		{id: "previous-view", keys: []string{"V"}, help: "the view before", here: (*App).inPanes, when: (*App).hasObject, do: act(func(a *App) { a.setView(a.object.view - 1) })},
		{id: "older", counts: true, keys: []string{"["}, help: "the version before", hint: "older", here: (*App).inPanes, when: (*App).hasOlder, do: act(func(a *App) { a.walk(-a.times()) })},
		{id: "newer", counts: true, keys: []string{"]"}, help: "the version after", here: (*App).inPanes, when: (*App).hasNewer, do: act(func(a *App) { a.walk(a.times()) })},
	}
}

// placeKeys go from pane to pane.
func placeKeys() []binding {
	return []binding{
		{id: "next-pane", keys: []string{"tab"}, help: "the next pane", hint: "pane", do: act(func(a *App) { a.cycle(1) })},
		{id: "previous-pane", keys: []string{"shift+tab"}, help: "the pane before", do: act(func(a *App) { a.cycle(-1) })},
		{id: "pane-left", keys: []string{"left", "h"}, help: "the pane to the left", do: act(func(a *App) { a.setFocus(paneStreams) })},
		{id: "pane-right", keys: []string{"right", "l"}, help: "the pane to the right", do: act(func(a *App) { a.setFocus(paneTimeline) })},
		{id: "streams", keys: []string{"g s"}, help: "Streams", do: act(func(a *App) { a.setFocus(paneStreams) })},
		{id: "timeline", keys: []string{"g t"}, help: "Timeline", do: act(func(a *App) { a.setFocus(paneTimeline) })},
		{id: "object", keys: []string{"g o"}, help: "Object", do: act(func(a *App) { a.setFocus(paneObject) })},
		{id: "zoom", keys: []string{"z"}, help: "the whole screen for this pane, and back", hint: "zoom", here: (*App).inPanes, do: act(func(a *App) { a.setZoom(!a.zoom) })},
	}
}

// on offers a key only where it can do something.
func on(when func(*App) (bool, string)) func(*App) bool {
	return func(a *App) bool { ok, _ := when(a); return ok }
}

// act makes a command-less action of a method.
func act(f func(*App)) func(*App) tea.Cmd {
	return func(a *App) tea.Cmd { f(a); return nil }
}
