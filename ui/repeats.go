package ui

import (
	"slices"
	"sort"

	"rewatch/model"
)

// countedUp is the name of the rule about Events that come again.
const countedUp = "events counted up"

// repeats have an index show one row for each Event: the newest, which has the
// count. An Event that comes again moves to the end, as people expect of a list
// that follows. The versions before are behind the row, in the object pane.
type repeats struct {
	rule   int // number of the rule that says so; 0: it is off, and each row is shown
	events func(model.StreamID) bool
	latest map[model.ObjectID]model.Seq // the row shown of each Event
	gone   []model.Seq                  // rows that are to be taken out
	n      int                          // rows taken out so far
}

// by has an index fold by what is known of the rows of a log.
func (x *index) by(u *understanding, all *overall) {
	x.verdicts = &u.verdicts
	x.repeats.rule, x.repeats.events = u.rules.Load().number(countedUp), all.isOfEvents
}

// number is that of the first rule of a name, 0 if none is in force.
func (s *ruleSet) number(name string) int {
	for i := range s.list {
		if !s.off[i] && s.list[i].Name == name {
			return i + 1
		}
	}
	return 0
}

// isOfEvents reports whether a stream is one of Events, of either API.
func (o *overall) isOfEvents(id model.StreamID) bool { return o.stream(id).Kind == "Event" }

// repeated lists a row of an Event in the place of the one before.
func (x *index) repeated(e model.Event) bool {
	p := &x.repeats
	if p.rule == 0 || !e.Type.IsObject() || e.Has(model.Initial) || !p.events(e.Stream) {
		return false
	}
	if e.Type == model.Deleted {
		delete(p.latest, e.Object)
		return false
	}
	if rule := x.verdicts.of(e.Seq).rule(); rule > 0 && rule != p.rule {
		return false
	}
	if before, ok := p.latest[e.Object]; ok {
		p.gone = append(p.gone, before)
	}
	if p.latest == nil {
		p.latest = map[model.ObjectID]model.Seq{}
	}
	p.latest[e.Object] = e.Seq
	x.list(e)
	return true
}

// compact takes the rows out that others have taken the place of.
func (x *index) compact(first model.Seq) {
	p := &x.repeats
	if len(p.gone) == 0 {
		return
	}
	slices.Sort(p.gone)
	gone := p.gone
	from := sort.Search(len(x.seqs), func(i int) bool { return x.seqs[i] >= gone[0] })
	kept := from
	for i := from; i < len(x.seqs); i++ {
		for len(gone) > 0 && gone[0] < x.seqs[i] {
			gone = gone[1:] // it has left, or a rule of the user's folds it
		}
		if len(gone) > 0 && gone[0] == x.seqs[i] {
			if x.groups != nil {
				x.groups.drop(gone[0])
			}
			continue
		}
		x.seqs[kept] = x.seqs[i]
		kept++
	}
	n := len(x.seqs) - kept
	x.seqs = x.seqs[:kept]
	x.hidden, p.n, p.gone = x.hidden+n, p.n+n, p.gone[:0]
	if len(p.latest) > 2*len(x.seqs)+1000 {
		for o, seq := range p.latest {
			if seq < first {
				delete(p.latest, o)
			}
		}
	}
}
