package ui

import (
	"slices"
	"time"

	"rewatch/model"
	"rewatch/model/belong"
	"rewatch/model/diff"
	"rewatch/themes"
)

// storyRows is how many rows of a story are told, the newest ones.
const storyRows = 1000

// unread says that a part of the log has not been read yet; nothing if all is.
func (r *reading) unread() []docLine {
	if n := r.data.unread; n > 0 {
		return []docLine{{kind: docText, a: "… " + plural(n, "row") + " of the log still to be read: there may be more"}}
	}
	return nil
}

// readEvents is the view of the Events about an object, the newest last.
func readEvents(r *reading) func(w int) []docLine {
	type line struct {
		at int64
		docLine
	}
	var list []line
	r.u.with(func(x *belong.Index) {
		id := r.data.key.id
		if r.data.identity.Kind == "Event" { // of an Event, those about the same object
			for _, l := range x.Links(id) {
				if l.Relation == belong.About && l.To != 0 {
					id = l.To
				}
			}
		}
		for _, l := range x.Members(id) {
			if l.Relation != belong.About || x.Duplicate(l.From) || r.ctx.Err() != nil {
				continue
			}
			_, newest := r.log.Versions(l.From)
			raw, ok := r.log.Bytes(l.From, newest)
			if !ok {
				continue
			}
			t := belong.EventTime(raw)
			d := docLine{kind: docEntry, b: "?", c: diff.Summary("Event", nil, raw, summaryBytes), to: l.From, seq: noRow}
			if seq, ok := r.log.VersionSeq(l.From, newest); ok {
				s := r.log.Snapshot()
				if d.seq = seq; t.IsZero() && seq >= s.First() && seq < s.End() {
					t = s.At(seq).When() // it does not say when; that is when it came
				}
			}
			if !t.IsZero() {
				d.a, d.b = t.In(r.loc).Format("15:04:05"), age(r.now.Sub(t))+" ago"
			}
			list = append(list, line{t.UnixNano(), d})
		}
	})
	slices.SortStableFunc(list, func(a, b line) int { return int(min(max(a.at-b.at, -1), 1)) })
	lacks := r.lacks("Event")
	doc := append(r.unread(), lacks...)
	for _, l := range list {
		doc = append(doc, l.docLine)
	}
	if len(list) == 0 && len(lacks) == 0 {
		doc = append(doc, docLine{kind: docText, a: "no Event about this object is in the log"})
	}
	return func(int) []docLine { return doc }
}

// readOwners is the view of the owner tree that an object is part of, and of
// what it belonged to before.
func readOwners(r *reading) func(w int) []docLine {
	doc := r.unread()
	id, at := r.data.key.id, r.log.Snapshot().End()
	if r.data.hasEvent && r.data.key.version != r.data.newest {
		at = r.data.event.Seq
		doc = append(doc, docLine{kind: docText, a: "as it was at " + r.data.event.When().In(r.loc).Format("15:04:05.000")})
	}
	r.u.with(func(x *belong.Index) {
		root, cut := x.Tree(id, at)
		doc = r.tree(doc, root, "", "")
		if cut {
			doc = append(doc, docLine{kind: docText, a: "… the tree is larger than what is shown"})
		}
		if n := x.Forgotten(id); n > 0 {
			doc = append(doc, docLine{kind: docText, a: "… " + plural(n, "earlier link") + " of this object that ended are not kept"})
		}
		for _, l := range x.Links(id) {
			how := ""
			switch l.Relation {
			case belong.RunsOn:
				how = "runs on"
			case belong.SliceOf:
				how = "slice of"
			case belong.About:
				how = "about"
			case belong.OwnedBy:
				if l.Holds(at) && !l.Adopted {
					continue // in the tree
				}
				how = "owned by"
			}
			d := docLine{kind: docTree, a: how + " " + l.Ref.Kind + " " + l.Ref.Name, to: l.To, seq: noRow}
			if l.Adopted {
				d.b = "adopted " + r.clockOf(l.Begin) + " "
			}
			if l.End != belong.Forever {
				d.b += "until " + r.clockOf(l.End)
				if l.Orphaned {
					d.b += ", the object stayed"
				}
			}
			doc = append(doc, d)
		}
		doc = append(doc, r.lacks(belongings[r.data.identity.Kind]...)...)
		for _, l := range x.Members(id) {
			if l.Holds(at) && (l.Relation == belong.RunsOn || l.Relation == belong.SliceOf) {
				doc = append(doc, docLine{kind: docTree, a: map[belong.Relation]string{belong.RunsOn: "runs ", belong.SliceOf: "has "}[l.Relation] + r.nameOf(l.From), to: l.From, seq: noRow})
			}
		}
	})
	return func(int) []docLine { return doc }
}

// clockOf is when a row came, "" if it has left the log.
func (r *reading) clockOf(seq model.Seq) string {
	if s := r.log.Snapshot(); seq >= s.First() && seq < s.End() {
		return s.At(seq).When().In(r.loc).Format("15:04:05")
	}
	return "earlier"
}

func (r *reading) nameOf(id model.ObjectID) string {
	x := r.log.Identity(id)
	return x.Kind + " " + x.Name
}

// tree writes a node and what is below it.
func (r *reading) tree(doc []docLine, n *belong.Node, lead, below string) []docLine {
	d := docLine{kind: docTree, to: n.Object, seq: noRow}
	if n.Object == 0 {
		d.a = lead + n.Ref.Kind + " " + n.Ref.Name
		if d.b = r.lack(n.Ref.Kind); d.b == "" {
			d.b = "not in the log"
		}
	} else {
		d.a = lead + r.nameOf(n.Object)
		_, newest := r.log.Versions(n.Object)
		if raw, ok := r.log.Bytes(n.Object, newest); ok {
			d.b = diff.Summary(r.log.Identity(n.Object).Kind, nil, raw, 100)
		}
		if d.marked = n.Object == r.data.key.id; d.marked {
			d.b = "◂ this one  " + d.b
		}
		if n.Link.Adopted {
			d.b += ", adopted " + r.clockOf(n.Link.Begin)
		}
	}
	doc = append(doc, d)
	for i, c := range n.Children {
		if len(doc) >= yamlLimit || r.ctx.Err() != nil {
			break
		}
		if i == len(n.Children)-1 {
			doc = r.tree(doc, c, below+"└─ ", below+"   ")
		} else {
			doc = r.tree(doc, c, below+"├─ ", below+"│  ")
		}
	}
	return doc
}

// readStory is the view of all that happened to an object, to its owners and to
// what belongs to it, in one list. What says nothing is folded, as in the
// timeline.
func readStory(r *reading) func(w int) []docLine {
	var entries []belong.Entry
	cut := false
	r.u.with(func(x *belong.Index) { entries, cut = x.Story(r.data.key.id) })
	doc := append(r.unread(), r.lacks(append([]string{"Event"}, belongings[r.data.identity.Kind]...)...)...)
	if len(entries) > storyRows {
		entries, cut = entries[len(entries)-storyRows:], true
	}
	if cut {
		doc = append(doc, docLine{kind: docText, a: "… older rows are left out"})
	}
	s := r.log.Snapshot()
	folded := 0
	for _, x := range entries {
		if r.ctx.Err() != nil {
			break
		}
		if x.Seq < s.First() || x.Seq >= s.End() {
			continue
		}
		e := s.At(x.Seq)
		c, ok := readChange(r.log, e)
		if !ok {
			continue
		}
		if !r.noise && r.u.rule(e, &c) != 0 {
			folded++
			continue
		}
		_, sign := glyph(&themes.Styles{}, e)
		d := docLine{kind: docEntry, a: time.Unix(0, x.Time).In(r.loc).Format("15:04:05.000"), b: sign + " " + kindName(c.id.Kind, 10) + " " + shownName(c.id),
			c: c.summary(e), by: c.by(e), to: x.Object, seq: x.Seq, marked: x.Object == r.data.key.id}
		doc = append(doc, d)
	}
	if folded > 0 {
		doc = append(doc, docLine{kind: docText, a: plural(folded, "row") + " that say nothing are folded (a shows them)"})
	}
	return func(int) []docLine { return doc }
}

// with lends the index of what belongs together.
func (u *understanding) with(f func(*belong.Index)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	f(u.belong)
}
