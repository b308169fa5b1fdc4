package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/model/clean"
)

// copyKeys put something into the clipboard of the terminal.
func copyKeys() []binding {
	return []binding{
		{id: "copy-name", keys: []string{"y n"}, help: "copy the name: namespace/name", hint: "name", when: (*App).hasSubject, do: (*App).copyName},
		{id: "copy-path", keys: []string{"y p"}, help: "copy the path of the line under the cursor", hint: "path", when: (*App).hasPath, do: (*App).copyPath},
		{id: "copy-value", keys: []string{"y v"}, help: "copy the value of the line under the cursor", hint: "value", when: (*App).hasPath, do: (*App).copyValue},
		{id: "copy-diff", keys: []string{"y d"}, help: "copy what changed, as text", hint: "diff", when: (*App).hasSubject, do: func(a *App) tea.Cmd { return a.copyVersion("diff", diffText) }},
		{id: "copy-yaml", keys: []string{"y y"}, help: "copy the object as YAML", hint: "YAML", when: (*App).hasSubject, do: func(a *App) tea.Cmd { return a.copyVersion("YAML", yamlText) }},
		{id: "copy-row", keys: []string{"y r"}, help: "copy the row of the timeline as text", hint: "row", when: (*App).hasRowToCopy, do: (*App).copyRow},
		{id: "copy-kubectl", keys: []string{"y k"}, help: "copy a kubectl command that gets the object as it is now", hint: "kubectl command", when: (*App).hasSubject, do: (*App).copyKubectl},
		{id: "copy-filter", keys: []string{"y c"}, help: "copy the filter in force (condition)", hint: "filter", when: (*App).hasCondition, do: func(a *App) tea.Cmd { return a.copyText("filter", a.filter.value()) }},
	}
}

// copyLimit is how many bytes a clipboard is sent at most: terminals that take
// OSC 52 take about 100 kB of it, which is a third longer than the text.
const copyLimit = 74_000

// copyMsg brings a text that had to be worked out.
type copyMsg struct{ what, text string }

func (m copyMsg) take(a *App) tea.Cmd { return a.copyText(m.what, m.text) }

// copyText has the terminal put a text into the clipboard, and says so. Every
// text passes the sanitiser: what is pasted into a shell must be what was seen,
// and who copies is told that it is not what the cluster has.
func (a *App) copyText(what, text string) tea.Cmd {
	cleaned := cleanText(text)
	return a.copyCleaned(what, cleaned, cleaned != text)
}

// copyCleaned does it with a text that has passed the sanitiser; signs is whether
// that has replaced some.
func (a *App) copyCleaned(what, text string, signs bool) tea.Cmd {
	changed := ""
	if signs {
		changed = " (signs replaced)"
	}
	switch n := utf8.RuneCountInString(text); {
	case text == "":
		a.say("there is no " + what + " to copy")
	case !a.o.modern():
		a.say("this terminal has no clipboard; w and ! e write files")
	case len(text) > copyLimit:
		a.say("too long for the clipboard: " + what + " of " + count(n) + " characters; ! e opens it in an editor")
	case n <= 60 && !strings.Contains(text, "\n"):
		a.say("copied " + what + changed + ", " + plural(n, "character") + ": " + text)
		return a.toClipboard(text)
	default:
		a.say("copied " + what + changed + ", " + plural(n, "character") + " in " + plural(1+strings.Count(text, "\n"), "line"))
		return a.toClipboard(text)
	}
	return nil
}

// toClipboard writes OSC 52. tmux takes it itself where set-clipboard is on, and
// hands it on to its terminal where allow-passthrough is; GNU screen knows but
// the second, a piece at a time.
func (a *App) toClipboard(text string) tea.Cmd {
	seq := ansi.SetSystemClipboard(text)
	switch {
	case a.o.env("TMUX") != "":
		return tea.Raw(seq + ansi.TmuxPassthrough(seq))
	case strings.HasPrefix(a.o.env("TERM"), "screen"):
		return tea.Raw(ansi.ScreenPassthrough(seq, screenPiece))
	}
	return tea.Raw(seq)
}

// screenPiece is how much of a sequence GNU screen hands on at once, in bytes.
const screenPiece = 250

// cleanText is a text of several lines, each fit for a terminal.
func cleanText(s string) string {
	if !strings.Contains(s, "\n") {
		return clean.Line(s)
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = clean.Line(l)
	}
	return strings.Join(lines, "\n")
}

// subject is the version of an object that keys are about: of the row under the
// cursor in the timeline, else of the object pane.
func (a *App) subject() (k objectKey, ok bool) {
	if a.page.page != nil || a.focus == paneStreams {
		return k, false
	}
	if a.focus == paneTimeline {
		e, ok := a.timeline.selected()
		return objectKey{id: e.Object, version: e.Version}, ok && e.Type.IsObject()
	}
	return a.object.want, a.object.want.id != 0 && !a.object.hasRow
}

func (a *App) hasSubject() (bool, string) {
	_, ok := a.subject()
	return ok, "no object is selected here"
}

func (a *App) hasRowToCopy() (bool, string) {
	_, ok := a.timeline.selected()
	return ok && a.page.page == nil, "no row is selected here"
}

func (a *App) hasCondition() (bool, string) {
	return a.filter.query != nil, "there is no filter: / sets one"
}

// hasPath reports whether the line under the cursor stands for a field.
func (a *App) hasPath() (bool, string) {
	if a.focus != paneObject || a.page.page != nil {
		return false, "paths and values are copied in the object pane: g o, then a line"
	}
	_, _, ok := a.object.field()
	return ok, "this line is not a field of the object"
}

func (a *App) copyName() tea.Cmd {
	k, _ := a.subject()
	id := a.log.Identity(k.id)
	if id.Namespace != "" {
		return a.copyText("name", id.Namespace+"/"+id.Name)
	}
	return a.copyText("name", id.Name)
}

func (a *App) copyPath() tea.Cmd {
	path, _, _ := a.object.field()
	return a.copyText("path", path)
}

func (a *App) copyValue() tea.Cmd {
	_, value, _ := a.object.field()
	return a.copyText("value", value)
}

// copyVersion copies a text of a version, which takes its bytes.
func (a *App) copyVersion(what string, text func(*model.Log, objectKey) string) tea.Cmd {
	k, _ := a.subject()
	ctx, log := a.ctx, a.log
	return func() tea.Msg {
		if ctx.Err() != nil {
			return nil
		}
		return copyMsg{what, text(log, k)}
	}
}

func (a *App) copyRow() tea.Cmd {
	e, _ := a.timeline.selected()
	text, signs := a.timeline.plain(e)
	return a.copyCleaned("row", text, signs)
}

// yamlText is a version as YAML, as the screen shows it: without managedFields.
func yamlText(log *model.Log, k objectKey) string {
	raw, ok := log.Bytes(k.id, k.version)
	if !ok {
		return ""
	}
	return strings.Join(yamlLines(raw, yamlLimit), "\n")
}

// diffText is what a version changed.
func diffText(log *model.Log, k objectKey) string {
	e := eventOf(log, k)
	c, ok := readChange(log, e)
	if !ok {
		return ""
	}
	name := c.id.Kind + " " + strings.TrimPrefix(c.id.Namespace+"/"+c.id.Name, "/") + ", version " + count(int(k.version))
	lines := []string{name, kindOfRow(e) + ": " + c.summary(e)}
	if by := c.by(e); by != "" {
		lines[1] += " (by " + by + ")"
	}
	for i, text := range textDiffs(c.result.Changes) {
		c.result.Changes[i].Old, c.result.Changes[i].New = "", ""
		for _, d := range text {
			c.result.Changes[i].New += "\n" + docRaw(d)
		}
	}
	for _, x := range c.result.Changes {
		if text, ok := strings.CutPrefix(x.New, "\n"); ok {
			lines = append(lines, docRaw(docLine{kind: docChange, op: x.Op, a: x.Path}), text)
			continue
		}
		lines = append(lines, docRaw(docLine{kind: docChange, op: x.Op, a: x.Path, b: value(x.Old), c: value(x.New)}))
	}
	return strings.Join(lines, "\n")
}

// eventOf is the row that brought a version, or what can be said of it.
func eventOf(log *model.Log, k objectKey) model.Event {
	if seq, ok := log.VersionSeq(k.id, k.version); ok {
		if s := log.Snapshot(); seq >= s.First() && seq < s.End() {
			return s.At(seq)
		}
	}
	return model.Event{Object: k.id, Version: k.version, Type: model.Modified}
}
