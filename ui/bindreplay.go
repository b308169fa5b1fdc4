package ui

import (
	"time"
)

// replayKeys are the buttons of the tape deck.
func replayKeys() []binding {
	return []binding{
		{id: "play", scope: scopeReplay, keys: []string{"space"}, help: "play or pause the tape", hint: "play",
			when: (*App).canPlay, do: act((*App).togglePlay)},
		{id: "step", scope: scopeReplay, counts: true, keys: []string{"."}, help: "one event on, and pause", hint: "step",
			when: (*App).canGoOn, do: act(func(a *App) { a.step(a.times()) })},
		{id: "step-back", scope: scopeReplay, counts: true, keys: []string{","}, help: "one event back, and pause",
			when: (*App).canGoBack, do: act(func(a *App) { a.step(-a.times()) })},
		{id: "second", scope: scopeReplay, counts: true, keys: []string{")", "shift+right"}, help: "a second on",
			when: (*App).canGoOn, do: act(func(a *App) { a.seekBy(time.Duration(a.times()) * time.Second) })},
		{id: "second-back", scope: scopeReplay, counts: true, keys: []string{"(", "shift+left"}, help: "a second back",
			when: (*App).canGoBack, do: act(func(a *App) { a.seekBy(-time.Duration(a.times()) * time.Second) })},
		{id: "faster", scope: scopeReplay, keys: []string{">", "}"}, help: "faster: up to 64×, then as fast as possible", hint: "faster",
			when: (*App).canFaster, do: act(func(a *App) { a.changeSpeed(true) })},
		{id: "slower", scope: scopeReplay, keys: []string{"<", "{"}, help: "slower, down to 0.25×",
			when: (*App).canSlower, do: act(func(a *App) { a.changeSpeed(false) })},
		{id: "normal-speed", scope: scopeReplay, keys: []string{"backspace"}, help: "as fast as it happened", do: act(func(a *App) { a.setSpeed(1) })},
		{id: "go-to", scope: scopeReplay, keys: []string{"t"}, help: "go to a time, or by +5m and -30s", hint: "go to", do: act((*App).askMoment)},
		{id: "start", scope: scopeReplay, keys: []string{"0", "^"}, help: "the start of the tape", hint: "start",
			when: (*App).canGoBack, do: act(func(a *App) { a.seek(a.replay.play.From) })},
		{id: "end-of-tape", scope: scopeReplay, keys: []string{"$"}, help: "the end of the tape",
			when: (*App).canGoOn, do: act(func(a *App) { a.seek(a.replay.play.To) })},
		{id: "next-error", scope: scopeReplay, keys: []string{"e"}, help: "the next error of a stream", hint: "error",
			when: (*App).canGoOn, do: act(func(a *App) { a.find(AnyError, false) })},
		{id: "previous-error", scope: scopeReplay, keys: []string{"E"}, help: "the error before", hint: "error before",
			when: (*App).canGoBack, do: act(func(a *App) { a.find(AnyError, true) })},
		{id: "next-gap", scope: scopeReplay, keys: []string{"o"}, help: "the next gap or loss (outage)", hint: "gap",
			when: (*App).canGoOn, do: act(func(a *App) { a.find(AnyGap, false) })},
		{id: "previous-gap", scope: scopeReplay, keys: []string{"O"}, help: "the gap or loss before", hint: "gap before",
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
	}
}
