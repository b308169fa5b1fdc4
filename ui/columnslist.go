package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// columnKeys choose what rows show.
func columnKeys() []binding {
	return []binding{
		{id: "times", keys: []string{"T"}, help: "times: of receipt here, in UTC, how long ago, those of the server", do: act((*App).nextTimes)},
		{id: "columns", keys: []string{"c"}, help: "which columns the timeline has, and in which order", do: act(func(a *App) { a.columnList(0) })},
	}
}

// columnListKeys are those of the lists of which lines can be switched or moved.
func columnListKeys() []binding {
	return []binding{
		{id: "list-switch", scope: scopeList, keys: []string{"space"}, help: "switch this column on or off; in other lists one page down", do: (*App).switchLine},
		{id: "list-raise", scope: scopeList, keys: []string{"K", "-"}, help: "move this column one up: to the left", when: (*App).canMoveLine,
			do: act(func(a *App) { a.moveLine(-1) })},
		{id: "list-lower", scope: scopeList, keys: []string{"J", "+"}, help: "move this column one down: to the right", when: (*App).canMoveLine,
			do: act(func(a *App) { a.moveLine(1) })},
	}
}

// columnList lists the columns, with the cursor on a line.
func (a *App) columnList(cursor int) {
	s := a.timeline.how.set
	var lines []listLine
	named := func(s string) string { return fmt.Sprintf("%-20s", s) }
	for i, x := range s.order {
		head, text := "[ ] ", columnInfo[x].help
		if s.shown[x] {
			head = "[x] "
			if x != colContext && !slices.Contains(a.timeline.cols.order[:a.timeline.cols.n], x) {
				text = "no room at this width · " + text
			}
		}
		lines = append(lines, listLine{head: fmt.Sprintf("%s%-16s", head, x), text: text,
			do:    func(a *App) tea.Cmd { a.switchColumn(x); a.columnList(i); return nil },
			shift: func(a *App, n int) { a.moveColumn(i, n) }})
	}
	again := func(do func(*App)) func(*App) tea.Cmd {
		return func(a *App) tea.Cmd {
			at := a.list.cursor
			do(a)
			a.columnList(at)
			return nil
		}
	}
	mode := a.timeline.how.mode
	lines = append(lines, listLine{},
		listLine{head: named("times"), text: TimeModes()[mode] + ": " + mode.help(), do: again((*App).nextTimes)},
		listLine{head: named("as at first"), text: "the usual columns in the usual order", do: again(func(a *App) { a.setColumns(newColumnSet(nil)) })})
	if a.o.Rows.Save != nil {
		lines = append(lines, listLine{head: named("keep"), text: "from now on: write columns and times into " + a.o.NoiseFile, do: (*App).keepView})
	}
	title := "Columns: " + a.keys.does("list-switch", "switches")
	if down, up := a.keys.key("list-lower"), a.keys.key("list-raise"); down != "" && up != "" {
		title += ", " + down + " and " + up + " move"
	}
	a.list.open(title, lines)
	a.list.cursor = cursor
}

// setColumns shows other columns.
func (a *App) setColumns(s columnSet) {
	a.timeline.how.set = s
	a.relayout()
}

func (a *App) switchColumn(x column) {
	if x == colChange {
		a.say("what changed is always there")
		return
	}
	s := a.timeline.how.set
	s.shown[x] = !s.shown[x]
	a.setColumns(s)
}

// moveColumn moves the column of a place.
func (a *App) moveColumn(at, n int) {
	s := a.timeline.how.set
	to := max(min(at+n, len(s.order)-1), 0)
	s.order[at], s.order[to] = s.order[to], s.order[at]
	a.setColumns(s)
	a.columnList(to)
}

// switchLine does what enter does where that can be taken back by doing it
// again, and goes on by a page elsewhere.
func (a *App) switchLine() tea.Cmd {
	if d, ok := a.list.selected(); ok && d.shift != nil {
		return a.followList()
	}
	a.list.move(10)
	return nil
}

func (a *App) canMoveLine() (bool, string) {
	d, ok := a.list.selected()
	return ok && d.shift != nil, "this line stays where it is"
}

func (a *App) moveLine(n int) {
	d, _ := a.list.selected()
	d.shift(a, n)
}

// keepView has columns and times kept for the next time.
func (a *App) keepView() tea.Cmd {
	save, file, names, mode := a.o.Rows.Save, a.o.NoiseFile, a.timeline.how.set.names(), a.timeline.how.mode
	return func() tea.Msg {
		said := "columns and times are in " + file
		if err := save(names, TimeModes()[mode]); err != nil {
			said = "not kept: " + strings.TrimSpace(err.Error())
		}
		return keptMsg{said}
	}
}

// keptMsg says what became of what was to be kept.
type keptMsg struct{ said string }

func (m keptMsg) take(a *App) tea.Cmd {
	a.say(m.said)
	return nil
}
