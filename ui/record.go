package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/themes"
)

// recording is what the screen knows of the recorder.
type recording struct {
	recorder Recorder // nil: cannot record
	now      Recording
	choosing bool   // what the tape shall begin with is being asked
	starting bool   // a command starts a recording
	alarm    string // what must be known of a recording that ended, until acknowledged
}

// refresh takes in how the recorder stands. done says that a recording has
// ended in order.
func (r *recording) refresh() (done string) {
	if r.recorder == nil {
		return ""
	}
	before, n := r.now, r.recorder.Recording()
	r.now = n
	what := n.Path + ", " + size(n.Bytes)
	switch {
	case n.Failed != "" && before.Failed == "":
		r.alarm = "RECORDING STOPPED: " + n.Failed
		if n.Path != "" {
			r.alarm += "; up to there it is in " + what
		}
	case before.On && !n.On && n.Failed == "" && n.Lost > 0:
		r.alarm = "RECORDED " + what + ", but LOST " + plural(n.Lost, "frame") + ": the disk could not follow"
	case before.On && !n.On && n.Failed == "":
		return "recorded " + size(n.Bytes) + "; play it with: " + ReplayCommand(n.Path)
	}
	return ""
}

// part is what the header says of it.
func (r *recording) part(st *themes.Styles) (themes.Style, string) {
	switch {
	case !r.now.On:
		return "", ""
	case r.now.Lost > 0:
		return st.BadBold, "● REC " + size(r.now.Bytes) + " LOST " + count(r.now.Lost)
	}
	return st.Bad, "● REC " + size(r.now.Bytes)
}

// bar is the line that stands in for the footer while there is a choice or an
// alarm; ok is false if there is neither.
func (a *App) recordBar(w int) (s string, ok bool) {
	l := newLine("")
	l.glyphs("", " ", 1)
	switch r := &a.recording; {
	case r.choosing:
		l.text(a.st.Strong, "record: ")
		held := plural(a.stats.Rows, "event")
		for _, c := range [...][2]string{{"n", "from now"}, {"h", "with the " + held + " held"}, {"esc", "do not"}} {
			l.text(a.st.Accent, c[0])
			l.upTo(a.st.Text, " "+c[1]+"   ", w-l.w)
		}
	case r.alarm != "":
		const how = " esc "
		l.upTo(a.st.BadBold, r.alarm, w-len(how)-2)
		l.pad(w - len(how))
		l.text(a.st.Accent, how)
	default:
		return "", false
	}
	return l.end(w), true
}

func (a *App) canRecord() (bool, string) {
	switch {
	case a.replay != nil:
		return false, "a replay is on a tape already"
	case a.recording.recorder == nil:
		return false, "there is nothing here to record with"
	case a.recording.starting:
		return false, "the recording is about to begin"
	}
	return true, ""
}

// toggleRecord stops a recording, or asks what a new one shall begin with.
func (a *App) toggleRecord() {
	if a.recording.now.On {
		a.recording.recorder.Stop()
		a.say("ending the recording")
		a.refresh()
		return
	}
	a.recording.choosing, a.recording.alarm = true, ""
}

// recordMsg says whether a recording was started.
type recordMsg struct{ err error }

// record starts a recording outside of the event loop: a file is made for it,
// which a slow disk takes its time for.
func (a *App) record(held bool) tea.Cmd {
	a.recording.choosing, a.recording.starting = false, true
	r := a.recording.recorder
	return func() tea.Msg { return recordMsg{r.Record(held)} }
}

func (a *App) takeRecord(m recordMsg) {
	a.recording.starting = false
	if m.err != nil {
		a.recording.alarm = "NOT RECORDING: " + m.err.Error()
		return
	}
	a.refresh()
	if p := a.recording.now.Path; p != "" {
		a.say("recording to " + p)
	}
}

// takeRecording looks at the recorder, and tells what has become of it.
func (a *App) takeRecording() {
	if done := a.recording.refresh(); done != "" {
		a.flash, a.flashEnd = done, a.clock.Add(10*time.Second)
	}
}
