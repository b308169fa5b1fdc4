package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// scope says where a key works. Each pane has its own, which is asked before
// the global one.
type scope int

const (
	scopeGlobal scope = iota
	scopeTimeline
	scopeStreams
	scopeObject
	scopeReplay // in the replay of a tape, before the global one
	scopeFilter // while the filter is edited: text keys are text
	scopePrompt // while something is typed that is asked for
	scopeRecord // while it is asked what a recording begins with
	scopeList   // while a list is laid over the screen
	scopeHelp   // while the help is open
	scopes
)

func (s scope) String() string {
	return [...]string{"Everywhere", "Timeline", "Streams", "Object", "Replay", "Filter", "Prompt", "Record", "List", "Help"}[s]
}

// modal reports whether no other scope is asked.
func (s scope) modal() bool { return s >= scopeFilter }

// binding is one row of the only table of keys: dispatch, the footer, the help
// and docs/keys.md are all made from it.
type binding struct {
	id    string // stable name, for user key maps
	scope scope
	keys  []string // as Bubble Tea spells them
	help  string   // what it does, as in "follow the newest"
	hint  string   // the same in a word, for the footer; "" is left out of it
	live  bool     // it does nothing in a replay, and is not offered there
	// when reports whether the key can do anything now, and if not, why.
	// nil is always.
	when func(*App) (ok bool, reason string)
	do   func(*App) tea.Cmd
}

// names returns the keys as people write them.
func (b binding) names() string {
	out := make([]string, len(b.keys))
	for i, k := range b.keys {
		switch k {
		case "up":
			k = "↑"
		case "down":
			k = "↓"
		case "left":
			k = "←"
		case "right":
			k = "→"
		case "pgdown":
			k = "pgdn"
		}
		out[i] = k
	}
	return strings.Join(out, " ")
}

// bindings is the table.
func bindings() []binding {
	table := []binding{
		{id: "up", keys: []string{"up", "k"}, help: "one up (the timeline stops following)", do: act(func(a *App) { a.move(-1) })},
		{id: "down", keys: []string{"down", "j"}, help: "one down", do: act(func(a *App) { a.move(1) })},
		{id: "page-up", keys: []string{"pgup", "ctrl+b"}, help: "one page up", do: act(func(a *App) { a.page(-2) })},
		{id: "page-down", keys: []string{"pgdown", "ctrl+f"}, help: "one page down", do: act(func(a *App) { a.page(2) })},
		{id: "half-up", keys: []string{"ctrl+u"}, help: "half a page up", do: act(func(a *App) { a.page(-1) })},
		{id: "half-down", keys: []string{"ctrl+d"}, help: "half a page down", do: act(func(a *App) { a.page(1) })},
		{id: "first", keys: []string{"home", "g"}, help: "the first row held", do: act(func(a *App) { a.edge(-1) })},
		{id: "last", keys: []string{"end", "G"}, help: "the last row; the timeline follows again", do: act(func(a *App) { a.edge(1) })},
		{id: "open", scope: scopeTimeline, keys: []string{"enter"}, help: "open the object of this row, and keep it", hint: "open",
			when: (*App).canOpen, do: act((*App).open)},
		{id: "details", scope: scopeStreams, keys: []string{"enter"}, help: "all figures of all streams", hint: "details",
			do: act(func(a *App) { a.setZoom(!a.zoom) })},
		{id: "pause-stream", scope: scopeStreams, live: true, keys: []string{"p"}, help: "pause or resume this stream", hint: "pause stream",
			when: (*App).hasStream, do: act((*App).pauseStream)},
		{id: "leave-streams", scope: scopeStreams, keys: []string{"esc"}, help: "back to the timeline", hint: "back", do: act((*App).back)},
		{id: "leave-object", scope: scopeObject, keys: []string{"esc"}, help: "back: close the object", hint: "back", do: act((*App).back)},
		{id: "scroll-left", scope: scopeObject, keys: []string{"left", "h"}, help: "scroll to the left", do: act(func(a *App) { a.object.pan(-8) })},
		{id: "scroll-right", scope: scopeObject, keys: []string{"right", "l"}, help: "scroll to the right", do: act(func(a *App) { a.object.pan(8) })},
		{id: "jump", scope: scopeObject, keys: []string{"enter"}, help: "go to what this line is about (events, owners, story); esc comes back", hint: "go",
			when: (*App).canJump, do: act((*App).jump)},
		{id: "next-view", keys: []string{"v"}, help: "the next view of the object", when: (*App).hasObject, do: act(func(a *App) { a.setView(a.object.view + 1) })},
		{id: "previous-view", keys: []string{"V"}, help: "the view before", when: (*App).hasObject, do: act(func(a *App) { a.setView(a.object.view - 1) })},
		{id: "older", keys: []string{"["}, help: "the version before", hint: "older", when: (*App).hasOlder, do: act(func(a *App) { a.walk(-1) })},
		{id: "newer", keys: []string{"]"}, help: "the version after", when: (*App).hasNewer, do: act(func(a *App) { a.walk(1) })},
		{id: "back", keys: []string{"esc"}, help: "back: close the object, the zoom, the filter", do: act((*App).back)},
		{id: "follow", keys: []string{"f"}, help: "follow the newest row, on and off", hint: "follow",
			when: (*App).canFollow, do: act((*App).toggleFollow)},
		{id: "pause", live: true, keys: []string{"space"}, help: "pause: freeze the screen, go on recording", hint: "pause", do: act((*App).togglePause)},
		{id: "filter", keys: []string{"/"}, help: "filter: words, kind:pod, path:replicas, cel:…", hint: "filter", do: act((*App).editFilter)},
		{id: "noise", keys: []string{"n"}, help: "show or fold what says nothing: heartbeats, renewals, routine", hint: "noise", do: act((*App).toggleNoise)},
		{id: "folded", keys: []string{"N"}, help: "what is folded, by which rules", do: act((*App).noiseList)},
		{id: "fights", keys: []string{"F"}, help: "fights, flaps and restart loops", when: (*App).hasFindings, do: act((*App).findingsList)},
		{id: "retry", live: true, keys: []string{"b"}, help: "retry now: this stream in Streams, else all that wait", hint: "retry now",
			when: (*App).canRetry, do: act((*App).retry)},
		{id: "mark", keys: []string{"m"}, help: "mark this moment, with a text if wanted", when: (*App).canMark, do: act((*App).askMark)},
		{id: "record", live: true, keys: []string{"R"}, help: "record to a tape, start and stop", hint: "record",
			when: (*App).canRecord, do: act((*App).toggleRecord)},
		{id: "next-pane", keys: []string{"tab"}, help: "the next pane", hint: "pane", do: act(func(a *App) { a.cycle(1) })},
		{id: "previous-pane", keys: []string{"shift+tab"}, help: "the pane before", do: act(func(a *App) { a.cycle(-1) })},
		{id: "pane-left", keys: []string{"left", "h"}, help: "the pane to the left", do: act(func(a *App) { a.setFocus(paneStreams) })},
		{id: "pane-right", keys: []string{"right", "l"}, help: "the pane to the right", do: act(func(a *App) { a.setFocus(paneTimeline) })},
		{id: "streams", keys: []string{"1"}, help: "Streams", do: act(func(a *App) { a.setFocus(paneStreams) })},
		{id: "timeline", keys: []string{"2"}, help: "Timeline", do: act(func(a *App) { a.setFocus(paneTimeline) })},
		{id: "object", keys: []string{"3"}, help: "Object", do: act(func(a *App) { a.setFocus(paneObject) })},
		{id: "zoom", keys: []string{"z"}, help: "the whole screen for this pane, and back", hint: "zoom", do: act(func(a *App) { a.setZoom(!a.zoom) })},
		{id: "help", keys: []string{"?"}, help: "this help", hint: "help", do: act(func(a *App) { a.help.open() })},
		{id: "suspend", keys: []string{"ctrl+z"}, help: "back to the shell for a while", do: func(*App) tea.Cmd { return tea.Suspend }},
		{id: "redraw", keys: []string{"ctrl+l"}, help: "draw the screen anew", do: func(*App) tea.Cmd { return redrawAll() }},
		{id: "quit", keys: []string{"q", "ctrl+c"}, help: "quit", hint: "quit", do: (*App).quit},

		{id: "play", scope: scopeReplay, keys: []string{"space"}, help: "play or pause the tape", hint: "play",
			when: (*App).canPlay, do: act((*App).togglePlay)},
		{id: "step", scope: scopeReplay, keys: []string{"."}, help: "one event on, and pause", hint: "step",
			when: (*App).canGoOn, do: act(func(a *App) { a.step(1) })},
		{id: "step-back", scope: scopeReplay, keys: []string{","}, help: "one event back, and pause",
			when: (*App).canGoBack, do: act(func(a *App) { a.step(-1) })},
		{id: "second", scope: scopeReplay, keys: []string{")", "shift+right"}, help: "a second on",
			when: (*App).canGoOn, do: act(func(a *App) { a.seekBy(time.Second) })},
		{id: "second-back", scope: scopeReplay, keys: []string{"(", "shift+left"}, help: "a second back",
			when: (*App).canGoBack, do: act(func(a *App) { a.seekBy(-time.Second) })},
		{id: "faster", scope: scopeReplay, keys: []string{">", "}"}, help: "faster: up to 64×, then as fast as possible", hint: "faster",
			when: (*App).canFaster, do: act(func(a *App) { a.changeSpeed(true) })},
		{id: "slower", scope: scopeReplay, keys: []string{"<", "{"}, help: "slower, down to 0.25×",
			when: (*App).canSlower, do: act(func(a *App) { a.changeSpeed(false) })},
		{id: "normal-speed", scope: scopeReplay, keys: []string{"backspace"}, help: "as fast as it happened", do: act(func(a *App) { a.setSpeed(1) })},
		{id: "go-to", scope: scopeReplay, keys: []string{"t"}, help: "go to a time, or by +5m and -30s", hint: "go to", do: act((*App).askMoment)},
		{id: "start", scope: scopeReplay, keys: []string{"0", "^"}, help: "the start of the tape",
			when: (*App).canGoBack, do: act(func(a *App) { a.seek(a.replay.play.From) })},
		{id: "end-of-tape", scope: scopeReplay, keys: []string{"$"}, help: "the end of the tape",
			when: (*App).canGoOn, do: act(func(a *App) { a.seek(a.replay.play.To) })},
		{id: "next-error", scope: scopeReplay, keys: []string{"e"}, help: "the next error of a stream", hint: "error",
			when: (*App).canGoOn, do: act(func(a *App) { a.find(AnyError, false) })},
		{id: "previous-error", scope: scopeReplay, keys: []string{"E"}, help: "the error before",
			when: (*App).canGoBack, do: act(func(a *App) { a.find(AnyError, true) })},
		{id: "next-gap", scope: scopeReplay, keys: []string{"o"}, help: "the next gap or loss (outage)", hint: "gap",
			when: (*App).canGoOn, do: act(func(a *App) { a.find(AnyGap, false) })},
		{id: "previous-gap", scope: scopeReplay, keys: []string{"O"}, help: "the gap or loss before",
			when: (*App).canGoBack, do: act(func(a *App) { a.find(AnyGap, true) })},
		{id: "next-deletion", scope: scopeReplay, keys: []string{"d"}, help: "the next deletion",
			when: (*App).canGoOn, do: act(func(a *App) { a.find(AnyDeletion, false) })},
		{id: "previous-deletion", scope: scopeReplay, keys: []string{"D"}, help: "the deletion before",
			when: (*App).canGoBack, do: act(func(a *App) { a.find(AnyDeletion, true) })},
		{id: "next-match", scope: scopeReplay, keys: []string{"*"}, help: "the next event that the filter shows",
			when: (*App).hasFilter, do: act(func(a *App) { a.findMatch(false) })},
		{id: "previous-match", scope: scopeReplay, keys: []string{"#"}, help: "the event before that the filter shows",
			when: (*App).hasFilter, do: act(func(a *App) { a.findMatch(true) })},
		{id: "next-mark", scope: scopeReplay, keys: []string{"'"}, help: "the next mark",
			when: hasMark(false), do: act(func(a *App) { a.goToMark(false) })},
		{id: "previous-mark", scope: scopeReplay, keys: []string{`"`}, help: "the mark before",
			when: hasMark(true), do: act(func(a *App) { a.goToMark(true) })},

		{id: "filter-keep", scope: scopeFilter, keys: []string{"enter"}, help: "keep the filter", hint: "keep", when: (*App).canKeepFilter, do: act((*App).keepFilter)},
		{id: "filter-cancel", scope: scopeFilter, keys: []string{"esc"}, help: "back to the filter before, or none", hint: "undo", do: act((*App).cancelFilter)},
		{id: "filter-kill", scope: scopeFilter, keys: []string{"ctrl+u"}, help: "clear what is typed", hint: "clear", do: act((*App).killFilter)},
		{id: "filter-complete", scope: scopeFilter, keys: []string{"tab"}, help: "complete: the first that could stand here, the next", hint: "complete",
			when: (*App).canComplete, do: act(func(a *App) { a.completeFilter(1) })},
		{id: "filter-complete-back", scope: scopeFilter, keys: []string{"shift+tab"}, help: "complete: the one before",
			when: (*App).canComplete, do: act(func(a *App) { a.completeFilter(-1) })},
		{id: "filter-up", scope: scopeFilter, keys: []string{"up"}, help: "one up in the timeline", do: act(func(a *App) { a.timeline.move(-1) })},
		{id: "filter-down", scope: scopeFilter, keys: []string{"down"}, help: "one down in the timeline", do: act(func(a *App) { a.timeline.move(1) })},
		{id: "filter-quit", scope: scopeFilter, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},

		{id: "prompt-do", scope: scopePrompt, keys: []string{"enter"}, help: "do it", hint: "do it", do: act((*App).answerPrompt)},
		{id: "prompt-cancel", scope: scopePrompt, keys: []string{"esc"}, help: "do not", hint: "do not", do: act((*App).closePrompt)},
		{id: "prompt-kill", scope: scopePrompt, keys: []string{"ctrl+u"}, help: "clear what is typed", hint: "clear",
			do: act(func(a *App) { a.editPrompt(func() { a.prompt.remove(0, a.prompt.pos) }) })},
		{id: "prompt-quit", scope: scopePrompt, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},

		{id: "record-now", scope: scopeRecord, keys: []string{"n", "enter"}, help: "record from now on", hint: "from now", do: func(a *App) tea.Cmd { return a.record(false) }},
		{id: "record-held", scope: scopeRecord, keys: []string{"h"}, help: "record with what the log holds", hint: "with what is held", do: func(a *App) tea.Cmd { return a.record(true) }},
		{id: "record-cancel", scope: scopeRecord, keys: []string{"esc", "R", "q"}, help: "do not record", do: act(func(a *App) { a.recording.choosing = false })},
		{id: "record-quit", scope: scopeRecord, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},

		{id: "list-go", scope: scopeList, keys: []string{"enter"}, help: "go to what this line is about", hint: "go there", when: (*App).canFollowList, do: act((*App).followList)},
		{id: "list-close", scope: scopeList, keys: []string{"esc", "q", "F", "N"}, help: "close the list", hint: "close", do: act(func(a *App) { a.list.shown = false })},
		{id: "list-up", scope: scopeList, keys: []string{"up", "k"}, help: "one up", do: act(func(a *App) { a.list.move(-1) })},
		{id: "list-down", scope: scopeList, keys: []string{"down", "j"}, help: "one down", do: act(func(a *App) { a.list.move(1) })},
		{id: "list-page-up", scope: scopeList, keys: []string{"pgup"}, help: "one page up", do: act(func(a *App) { a.list.move(-10) })},
		{id: "list-page-down", scope: scopeList, keys: []string{"pgdown", "space"}, help: "one page down", do: act(func(a *App) { a.list.move(10) })},
		{id: "list-quit", scope: scopeList, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},

		{id: "help-close", scope: scopeHelp, keys: []string{"esc", "?", "q", "enter"}, help: "close the help", do: act(func(a *App) { a.help.close() })},
		{id: "help-up", scope: scopeHelp, keys: []string{"up", "k", "pgup"}, help: "scroll up", do: act(func(a *App) { a.help.scroll(-1) })},
		{id: "help-down", scope: scopeHelp, keys: []string{"down", "j", "pgdown", "space"}, help: "scroll down", do: act(func(a *App) { a.help.scroll(1) })},
		{id: "help-quit", scope: scopeHelp, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},
	}
	for i, v := range views() {
		table = append(table, binding{id: "view-" + v.name, scope: scopeObject, keys: []string{count(firstViewKey + i)},
			help: v.name + ": " + v.help, when: (*App).hasObject, do: act(func(a *App) { a.setView(i) })})
	}
	return table
}

// act makes a command-less action of a method.
func act(f func(*App)) func(*App) tea.Cmd {
	return func(a *App) tea.Cmd { f(a); return nil }
}

// keymap is the table made ready for look-ups.
type keymap struct {
	all []binding
	by  [scopes]map[string]*binding
}

func newKeymap(table []binding) *keymap {
	m := &keymap{all: table}
	for i := range m.by {
		m.by[i] = map[string]*binding{}
	}
	for i := range table {
		for _, k := range table[i].keys {
			m.by[table[i].scope][k] = &table[i]
		}
	}
	return m
}

// find returns the binding of a key in a scope, then in that of a replay, then
// in the global one unless the scope is modal.
func (m *keymap) find(s scope, key string, replay bool) *binding {
	if b := m.by[s][key]; b != nil || s.modal() {
		return b
	}
	if b := m.by[scopeReplay][key]; b != nil && replay {
		return b
	}
	return m.by[scopeGlobal][key]
}

// hints returns the bindings of the footer for a scope, those of the pane
// first, then those of a replay.
func (m *keymap) hints(s scope, replay bool) []binding {
	var own, tape, global []binding
	for _, b := range m.all {
		if b.hint == "" || b.live && replay {
			continue
		}
		switch b.scope {
		case s:
			own = append(own, b)
		case scopeReplay:
			if replay {
				tape = append(tape, b)
			}
		case scopeGlobal:
			global = append(global, b)
		}
	}
	if s == scopeGlobal || s.modal() {
		return own
	}
	return append(append(own, tape...), global...)
}
