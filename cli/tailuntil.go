package cli

import (
	"fmt"
	"time"

	"rewatch/model"
	"rewatch/model/query"
	"rewatch/watch/tape"
)

// condition is what is waited for, and what is known of it.
//
// That it came true is certain once it was seen. That it did not is certain
// only if nothing was missed. An expression about states (object, kind, name,
// namespace, context, stream) is judged again by the list that follows a gap:
// then the answer is as of now. One about changes (type, old, paths, manager,
// synthetic, gap) is not: the change may have been in the gap.
type condition struct {
	matcher *query.Matcher
	changes bool
	gaps    bool   // it is about gaps
	judged  int    // rows
	doubt   string // why nobody can tell that it did not come true; "" is certain
	told    bool   // that nothing is there yet, or need not be
}

func newCondition(log *model.Log, q *query.Query) *condition {
	return &condition{matcher: q.Compile(log, query.Options{}), gaps: q.Reads("gap"),
		changes: q.Reads("type", "old", "paths", "manager", "synthetic", "gap")}
}

// judge asks whether a row ends the wait.
func (t *tailer) judge(e model.Event) error {
	c := t.until
	if c == nil || !e.Type.IsObject() && e.Type != model.GapFound && e.Type != model.Noted {
		return nil
	}
	if e.Type.IsObject() || e.Type == model.GapFound && c.gaps {
		c.judged++
		if c.matcher.Holds(e) {
			return errMet
		}
	}
	if why, ends := c.missed(t.log, e); why != "" {
		if e.Type != model.Modified {
			why += " (" + t.lines.stream(e.Stream) + ")"
		}
		if t.doubt(why) && ends {
			return t.unknown()
		}
	}
	return nil
}

// missed says what a row tells to be missing, if that matters to the answer;
// ends is whether waiting on may be in vain.
func (c *condition) missed(log *model.Log, e model.Event) (why string, ends bool) {
	switch d := e.Detail.(type) {
	case model.Gap:
		if unread(d.Cause) {
			return "a change could not be read: " + d.Text, c.changes
		}
		if c.changes {
			return "changes may be missing: " + d.Text, true
		}
	case model.Note:
		if unread(d.Cause) {
			return d.Text, false
		}
	}
	if c.changes && e.Type == model.Modified && !e.Has(model.Replayed) && e.Version > 1 {
		if oldest, _ := log.Versions(e.Object); oldest >= e.Version {
			return "the version before has left the log; a larger --memory holds more", true
		}
	}
	return "", false
}

// unread reports whether something did not reach the log that no list makes up
// for.
func unread(c model.Cause) bool {
	return c == tape.CauseLost || c == tape.CauseDamaged || c == model.CauseFrameTooLarge || c == model.CauseGarbage
}

// doubt notes why the answer is not certain, and reports whether that ends the
// waiting. A tape is read on: what comes on it is there already.
func (t *tailer) doubt(why string) bool {
	if t.until == nil || t.plan.allowGaps {
		return false
	}
	if t.until.doubt == "" {
		t.until.doubt = why
	}
	return t.ended == nil
}

// unknown is the failure of a wait of which nobody can tell whether the
// condition came true.
func (t *tailer) unknown() error {
	return &failure{code: exitUnknown, msg: "nobody can tell whether the condition came true: " + t.until.doubt,
		next: "start again, or take the risk with --allow-gaps"}
}

// over is how it ends that the time is over.
func (t *tailer) over(what string) error {
	if t.until == nil {
		return errOver
	}
	if !t.plan.allowGaps {
		if t.until.doubt == "" && t.damaged != nil && t.damaged() {
			t.until.doubt = "the tape is damaged"
		}
		if t.until.doubt == "" {
			t.until.doubt = t.standing()
		}
		if t.until.doubt != "" {
			return t.unknown()
		}
	}
	f := &failure{code: exitTimeout, msg: "the condition did not come true: " + what}
	switch problem, rows := t.until.matcher.Problem(); {
	case t.until.judged == 0:
		f.next = "there was nothing to judge it by: check the types, names and --filter"
	case rows == t.until.judged:
		f.next = fmt.Sprintf("it could not be judged of any of %s, of the first because of: %s", count(int64(rows), "row"), problem)
	}
	return f
}

// standing says which watch does not tell the present state, "" if all do.
func (t *tailer) standing() string {
	for _, s := range t.log.Streams(time.Time{}) {
		if t.chosen != nil && !t.chosen.stream(s.ID) {
			continue
		}
		switch state := t.watches[s.ID]; {
		case state == model.Polling && t.until.changes:
			return t.lines.stream(s.ID) + " cannot be watched, only listed: changes may be missing"
		case !state.Fresh() && state != model.Polling:
			return "the watch of " + t.lines.stream(s.ID) + " is " + state.String()
		}
	}
	return ""
}

// late is how it ends that the time is over before anything could be told; nil
// if nothing was waited for.
func (t *tailer) late(why string) error {
	if t.until == nil {
		return nil
	}
	if t.plan.allowGaps {
		return &failure{code: exitTimeout, msg: "the condition did not come true: " + why}
	}
	return &failure{code: exitUnknown, msg: "nobody can tell whether the condition came true: " + why}
}

// unanswered is how it ends that somebody does not want to wait any more; nil
// if nothing was waited for.
func (t *tailer) unanswered(why string) error {
	if t.until == nil {
		return nil
	}
	return failed("", "%s before the condition came true", why)
}
