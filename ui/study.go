package ui

import (
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/blame"
	"rewatch/model/diff"
)

// change is a row of an object with what it changed, and who did.
type change struct {
	id     model.Identity
	before []byte // nil if there is no version before, or none held
	raw    []byte
	result diff.Result
	owners []blame.Owner // one for each change of the result
}

// readChange compares the version that a row brought with the one before. It
// takes some tens of microseconds, and is done outside of the event loop. ok is
// false if the version has left the log.
func readChange(log *model.Log, e model.Event) (c change, ok bool) {
	if c.raw, ok = log.Bytes(e.Object, e.Version); !ok {
		return c, false
	}
	c.id = log.Identity(e.Object)
	if e.Type == model.Modified || e.Type == model.Deleted {
		c.before, _ = log.Bytes(e.Object, e.Version-1)
	}
	if c.before != nil {
		c.result = diff.Objects(c.before, c.raw)
		c.owners = blame.Changes(c.result, c.before, c.raw)
	}
	return c, true
}

// summary says in a line what an operator should know of the row.
func (c *change) summary(e model.Event) string {
	switch {
	case e.Type == model.Deleted:
		return diff.Summary(c.id.Kind, c.raw, nil, summaryBytes)
	case e.Type != model.Modified:
		return diff.Summary(c.id.Kind, nil, c.raw, summaryBytes)
	case c.before == nil:
		return "the version before has left the log"
	}
	return diff.Describe(c.id.Kind, c.result, c.before, c.raw, summaryBytes)
}

// by names who made a change, in the order of what they changed; those who are
// only likely have a ? behind.
func (c *change) by(e model.Event) string {
	if e.Type != model.Modified || e.Has(model.Synthetic) {
		return "" // of what a relist found nobody knows who made it
	}
	var names []string
	for _, x := range blame.Authors(c.result, c.owners) {
		if x.Likely {
			x.Name += "?"
		}
		names = append(names, x.Name)
	}
	return strings.Join(names, ",")
}

// ownerText says who is held to have made a change, how, and when.
func ownerText(o blame.Owner, loc *time.Location) string {
	if !o.Known() {
		return "unknown"
	}
	s := o.Manager
	if o.Likely {
		s = "likely " + s
	}
	how := o.Operation
	if o.Subresource != "" {
		how += " " + o.Subresource
	}
	if how != "" {
		s += " (" + strings.TrimSpace(how) + ")"
	}
	if !o.Time.IsZero() {
		s += " " + o.Time.In(loc).Format("15:04:05")
	}
	return s
}
