package ui

import tea "charm.land/bubbletea/v2"

// filterKeys are those while the filter is edited.
func filterKeys() []binding {
	return []binding{
		{id: "filter-keep", scope: scopeFilter, keys: []string{"enter"}, help: "keep the filter", hint: "keep", when: (*App).canKeepFilter, do: act((*App).keepFilter)},
		{id: "filter-cancel", scope: scopeFilter, keys: []string{"esc"}, help: "back to the filter before, or none", hint: "undo", do: act((*App).cancelFilter)},
		{id: "filter-kill", scope: scopeFilter, keys: []string{"ctrl+u"}, help: "clear what is typed", hint: "clear", do: act((*App).killFilter)},
		{id: "filter-complete", scope: scopeFilter, keys: []string{"tab"}, help: "complete: the first that could stand here, the next", hint: "complete",
			when: (*App).canComplete, do: act(func(a *App) { a.completeFilter(1) })},
		{id: "filter-complete-back", scope: scopeFilter, keys: []string{"shift+tab"}, help: "complete: the one before",
			when: (*App).canComplete, do: act(func(a *App) { a.completeFilter(-1) })},
		{id: "filter-up", scope: scopeFilter, keys: []string{"ctrl+p"}, help: "one up in the timeline", do: act(func(a *App) { a.timeline.move(-1) })},
		{id: "filter-down", scope: scopeFilter, keys: []string{"ctrl+n"}, help: "one down in the timeline", do: act(func(a *App) { a.timeline.move(1) })},
		{id: "filter-recall", scope: scopeFilter, keys: []string{"up"}, help: "the filter before", do: act(func(a *App) { a.recallFilter(1) })},
		{id: "filter-recall-back", scope: scopeFilter, keys: []string{"down"}, help: "the filter after that", do: act(func(a *App) { a.recallFilter(-1) })},
		{id: "filter-quit", scope: scopeFilter, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},
	}
}

// promptKeys are those while something is typed that is asked for.
func promptKeys() []binding {
	return []binding{
		{id: "prompt-do", scope: scopePrompt, keys: []string{"enter"}, help: "do it", hint: "do it", do: act((*App).answerPrompt)},
		{id: "prompt-cancel", scope: scopePrompt, keys: []string{"esc"}, help: "do not", hint: "do not", do: act((*App).closePrompt)},
		{id: "prompt-kill", scope: scopePrompt, keys: []string{"ctrl+u"}, help: "clear what is typed", hint: "clear",
			do: act(func(a *App) { a.editPrompt(func() { a.prompt.remove(0, a.prompt.pos) }) })},
		{id: "prompt-quit", scope: scopePrompt, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},
	}
}

// recordKeys answer what a recording begins with.
func recordKeys() []binding {
	return []binding{
		{id: "record-now", scope: scopeRecord, keys: []string{"n", "enter"}, help: "record from now on", hint: "from now", do: func(a *App) tea.Cmd { return a.record(false) }},
		{id: "record-held", scope: scopeRecord, keys: []string{"h"}, help: "record with what the log holds", hint: "with what is held", do: func(a *App) tea.Cmd { return a.record(true) }},
		{id: "record-cancel", scope: scopeRecord, keys: []string{"esc", "R", "q"}, help: "do not record", do: act(func(a *App) { a.recording.choosing = false })},
		{id: "record-quit", scope: scopeRecord, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},
	}
}

// listKeys are those of a list laid over the screen.
func listKeys() []binding {
	return append(columnListKeys(), []binding{
		{id: "list-go", scope: scopeList, keys: []string{"enter"}, help: "go to what this line is about, or do what it says", hint: "do it", when: (*App).canFollowList, do: (*App).followList},
		{id: "list-close", scope: scopeList, keys: []string{"esc", "q", "A"}, help: "close the list", hint: "close", do: act(func(a *App) { a.list.shown = false })},
		{id: "list-up", scope: scopeList, keys: []string{"up", "k"}, help: "one up", do: act(func(a *App) { a.list.move(-1) })},
		{id: "list-down", scope: scopeList, keys: []string{"down", "j"}, help: "one down", do: act(func(a *App) { a.list.move(1) })},
		{id: "list-page-up", scope: scopeList, keys: []string{"pgup"}, help: "one page up", do: act(func(a *App) { a.list.move(-10) })},
		{id: "list-page-down", scope: scopeList, keys: []string{"pgdown"}, help: "one page down", do: act(func(a *App) { a.list.move(10) })},
		{id: "list-quit", scope: scopeList, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},
	}...)
}

// helpKeys are those of the help.
func helpKeys() []binding {
	return []binding{
		{id: "help-close", scope: scopeHelp, keys: []string{"esc", "?", "q", "enter"}, help: "close the help", hint: "close", do: act(func(a *App) { a.help.close() })},
		{id: "help-up", scope: scopeHelp, keys: []string{"up", "k"}, help: "one line up", do: act(func(a *App) { a.help.scroll(-1) })},
		{id: "help-down", scope: scopeHelp, keys: []string{"down", "j"}, help: "one line down", do: act(func(a *App) { a.help.scroll(1) })},
		{id: "help-page-up", scope: scopeHelp, keys: []string{"pgup", "ctrl+b"}, help: "one page up", do: act(func(a *App) { a.help.page(-1) })},
		{id: "help-page-down", scope: scopeHelp, keys: []string{"pgdown", "ctrl+f", "space"}, help: "one page down", do: act(func(a *App) { a.help.page(1) })},
		{id: "help-first", scope: scopeHelp, keys: []string{"g g", "home"}, help: "the first line", hint: "first", do: act(func(a *App) { a.help.scroll(-1 << 20) })},
		{id: "help-last", scope: scopeHelp, keys: []string{"G", "end"}, help: "the last line", do: act(func(a *App) { a.help.scroll(1 << 20) })},
		{id: "help-find", scope: scopeHelp, keys: []string{"/"}, help: "search the help; n and N go on", hint: "search", do: act((*App).askHelp)},
		{id: "help-find-next", scope: scopeHelp, keys: []string{"n"}, help: "the next line that has it", hint: "next", here: on((*App).canFindHelp), when: (*App).canFindHelp, do: act(func(a *App) { a.findHelp(1) })},
		{id: "help-find-previous", scope: scopeHelp, keys: []string{"N"}, help: "the line before that has it", when: (*App).canFindHelp, do: act(func(a *App) { a.findHelp(-1) })},
		{id: "help-quit", scope: scopeHelp, keys: []string{"ctrl+c"}, help: "quit", do: (*App).quit},
	}
}
