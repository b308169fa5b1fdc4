// Package health knows which objects are in a bad state as far as a log tells:
// Pods that do not run and why their containers end, workloads with fewer
// replicas than wanted, nodes that are not ready, Jobs that failed, volumes that
// wait, Warning Events of the last minutes. It also keeps what was not seen:
// gaps, and what this user may not read.
//
// A book is fed the rows of a log in order, and judges an object when it changes.
// What is bad only when it lasts (a Pod that is Pending, say) is noted with the
// moment from which it counts, so that time alone changes what is listed.
package health

import (
	"slices"
	"strings"
	"time"

	"rewatch/model"
)

// Section is a kind of problem, in the order in which they are shown.
type Section uint8

// The sections.
const (
	Restarts Section = iota // what is wrong now comes first
	Nodes
	Workloads
	Pods
	Jobs
	Volumes
	Refused
	Warnings
	Gaps // that are over
	sections
)

// String is the title of a section.
func (s Section) String() string {
	return [...]string{"Restarts", "Nodes", "Workloads", "Pods", "Jobs", "Volumes", "May not be read", "Warning Events", "Gaps"}[s]
}

// Problem is something that is wrong. Its texts are from the cluster and not
// sanitised.
type Problem struct {
	Section Section
	Stream  model.StreamID // that told of it
	Object  model.ObjectID // 0 of gaps and refusals
	Seq     model.Seq      // the row that brought it
	Reason  string         // in a word: CrashLoopBackOff
	Text    string         // what else is known of it
	Count   int            // of restarts, of occurrences of an Event; 0 is none
	Since   time.Time      // as the object says; zero if it does not
	Seen    time.Time      // of the row that brought it first
	About   model.Identity // of an Event: the object that it is about
	// It counts from and until these moments; zero is always.
	From, Until time.Time
}

// When is since when it is known to be so.
func (p *Problem) When() time.Time {
	if p.Since.IsZero() {
		return p.Seen
	}
	return p.Since
}

// counts reports whether it is to be listed at a moment.
func (p *Problem) counts(now time.Time) bool {
	return !now.Before(p.From) && (p.Until.IsZero() || now.Before(p.Until))
}

// Book is what is known of one log. It belongs to one goroutine.
type Book struct {
	log      *model.Log
	judges   []judge // by group; nil is not to be judged
	objects  map[model.ObjectID][]Problem
	warnings map[about]*Problem
	counted  map[model.ObjectID]counted
	gaps     []Problem
	refused  []Problem
	more     [sections]int // that are not kept, and would count for ever
	dropped  []time.Time   // until when the Warnings count that are not kept, in order
	buf      []byte
	name     []byte
}

// counted is how often an Event has occurred, as its stream told last.
type counted struct {
	stream model.StreamID
	n      int
}

// about is what Warning Events are counted by.
type about struct {
	model.Identity
	reason string
}

// The most that is kept of each.
const (
	maxNotes    = 200
	maxWarnings = 4000
	maxDropped  = 100_000 // of which only their time is kept
)

// lately is how long a Warning Event counts.
const lately = 10 * time.Minute

// New returns a book of a log.
func New(log *model.Log) *Book {
	return &Book{log: log, objects: map[model.ObjectID][]Problem{}, warnings: map[about]*Problem{}, counted: map[model.ObjectID]counted{}}
}

// Kinds are those that are judged.
func Kinds() []string {
	return []string{"Node", "Deployment", "StatefulSet", "DaemonSet", "Pod", "Job", "PersistentVolumeClaim", "Event"}
}

// Add takes a row in. raw is the version that it brought if the caller has it.
func (b *Book) Add(e model.Event, raw []byte) {
	switch d := e.Detail.(type) {
	case model.Gap:
		b.gaps = b.keep(b.gaps, Problem{Section: Gaps, Stream: e.Stream, Seq: e.Seq, Reason: string(d.Cause), Text: gapText(d), Since: d.Since, Seen: e.When()})
	case model.Note:
		if d.Cause == model.CauseForbidden {
			b.refused = b.keep(b.refused, Problem{Section: Refused, Stream: e.Stream, Seq: e.Seq, Reason: "refused", Text: d.Text, Seen: e.When()})
		}
	case model.Transition:
		if d.Removes() {
			b.forget(e.Stream)
		}
	}
	if e.Type.IsObject() {
		b.addObject(e, raw)
	}
}

// keep adds to a list of which the oldest go.
func (b *Book) keep(list []Problem, p Problem) []Problem {
	if len(list) == maxNotes {
		b.more[p.Section]++
		list = slices.Delete(list, 0, 1)
	}
	return append(list, p)
}

// forget drops what a stream has told.
func (b *Book) forget(s model.StreamID) {
	for id, list := range b.objects {
		if list[0].Stream == s {
			delete(b.objects, id)
		}
	}
	for id, c := range b.counted {
		if c.stream == s {
			delete(b.counted, id)
		}
	}
	for k, p := range b.warnings {
		if p.Stream == s {
			delete(b.warnings, k)
		}
	}
}

func (b *Book) addObject(e model.Event, raw []byte) {
	name, group, ok := b.log.AppendName(b.name[:0], e.Object)
	if !ok {
		return
	}
	b.name = name
	if int(group) >= len(b.judges) {
		for _, g := range b.log.Groups()[len(b.judges):] {
			b.judges = append(b.judges, judgeOf(g))
		}
	}
	judge := b.judges[group]
	switch {
	case judge == nil:
		return
	case e.Type == model.Deleted:
		delete(b.objects, e.Object)
		delete(b.counted, e.Object)
		return
	case raw == nil:
		if b.buf, ok = b.log.AppendBytes(b.buf[:0], e.Object, e.Version); !ok {
			return // evicted: a newer version follows
		}
		raw = b.buf
	}
	c := &examination{at: e.When(), row: Problem{Stream: e.Stream, Object: e.Object, Seq: e.Seq, Seen: e.When()}}
	judge(c, raw)
	if c.event != nil {
		b.addWarning(e, c)
		return
	}
	before := b.objects[e.Object]
	if len(c.found) == 0 {
		if before != nil {
			delete(b.objects, e.Object)
		}
		return
	}
	for i := range c.found {
		c.found[i].carry(before)
	}
	b.objects[e.Object] = c.found
}

// carry keeps since when a problem is known if the object had it before.
func (p *Problem) carry(before []Problem) {
	for i := range before {
		if x := &before[i]; x.Section == p.Section && x.Reason == p.Reason && x.Count == p.Count {
			p.Seen, p.Seq = x.Seen, x.Seq
			if p.Since.IsZero() {
				p.From = x.From
			}
		}
	}
}

// addWarning counts an Event to what it is about.
func (b *Book) addWarning(e model.Event, c *examination) {
	w := c.event
	w.about.Context = b.log.Identity(e.Object).Context
	k := about{w.about, w.reason}
	p := b.warnings[k]
	if p == nil {
		if len(b.warnings) >= maxWarnings {
			b.forgetWarnings(c.at)
		}
		p = &Problem{}
		b.warnings[k] = p
	}
	n := p.Count + max(w.count-b.counted[e.Object].n, 0)
	b.counted[e.Object] = counted{e.Stream, w.count}
	if p.Since.After(w.last) {
		p.Count = n
		return
	}
	*p = c.row
	p.Section, p.Reason, p.Text, p.Count, p.About = Warnings, w.reason, w.message, n, w.about
	p.Since, p.Until = w.last, w.last.Add(lately)
}

// forgetWarnings makes room: what has passed goes, then the older half.
func (b *Book) forgetWarnings(now time.Time) {
	type aged struct {
		k about
		t time.Time
	}
	var all []aged
	for k, p := range b.warnings {
		if !p.counts(now) {
			delete(b.warnings, k)
			continue
		}
		all = append(all, aged{k, p.Since})
	}
	if len(all) < maxWarnings {
		return
	}
	slices.SortFunc(all, func(a, b aged) int { return a.t.Compare(b.t) })
	gone, _ := slices.BinarySearchFunc(b.dropped, now, afterMoment)
	b.dropped = slices.Delete(b.dropped, 0, gone)
	for _, x := range all[:len(all)/2] {
		delete(b.warnings, x.k)
		b.dropped = append(b.dropped, x.t.Add(lately))
	}
	slices.SortFunc(b.dropped, time.Time.Compare)
	if n := len(b.dropped) - maxDropped; n > 0 {
		b.dropped = slices.Delete(b.dropped, 0, n)
	}
}

// afterMoment finds the first of some moments that is later than another.
func afterMoment(x, now time.Time) int {
	if x.After(now) {
		return 1
	}
	return -1
}

// notKept is how many problems of a section count at a moment that are not kept.
func (b *Book) notKept(s Section, now time.Time) int {
	if s != Warnings {
		return b.more[s]
	}
	i, _ := slices.BinarySearchFunc(b.dropped, now, afterMoment)
	return len(b.dropped) - i
}

// Part is a section of a report.
type Part struct {
	Section  Section
	Total    int       // how many there are, with those that are not kept
	Problems []Problem // the newest first
}

// Report lists what is wrong at a moment, by section and the newest first.
// Sections without problems are left out.
func (b *Book) Report(now time.Time) []Part {
	parts := make([]Part, sections)
	add := func(p *Problem) {
		if p.counts(now) {
			parts[p.Section].Problems = append(parts[p.Section].Problems, *p)
		}
	}
	for _, list := range b.objects {
		for i := range list {
			add(&list[i])
		}
	}
	for _, p := range b.warnings {
		add(p)
	}
	for _, list := range [][]Problem{b.gaps, b.refused} {
		for i := range list {
			add(&list[i])
		}
	}
	var out []Part
	for s, p := range parts {
		p.Section, p.Total = Section(s), len(p.Problems)+b.notKept(Section(s), now)
		if p.Total == 0 {
			continue
		}
		slices.SortFunc(p.Problems, func(x, y Problem) int {
			if n := y.When().Compare(x.When()); n != 0 {
				return n
			}
			if x.Object != y.Object {
				return int(x.Object) - int(y.Object)
			}
			return strings.Compare(x.Reason+x.Text, y.Reason+y.Text)
		})
		out = append(out, p)
	}
	return out
}
