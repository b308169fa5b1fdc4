package ui

import "rewatch/model"

// grouping is what a row of the timeline stands for.
type grouping struct {
	by by
	// within is the owner whose objects alone are shown; zero is all. name is
	// what it is called.
	within groupKey
	name   string
}

type by uint8

const (
	flat     by = iota // a change
	byObject           // an object, by its newest change
	byOwner            // the objects under the same owner at the top
	bys
)

// groupingKeys choose what a row stands for.
func groupingKeys() []binding {
	return []binding{
		{id: "group", scope: scopeTimeline, keys: []string{"B"}, help: "group the rows: by object, by owner, not at all", do: act((*App).nextGrouping)},
		{id: "into-group", scope: scopeTimeline, keys: []string{"i"}, help: "into this owner: a row for each of its objects; esc comes back",
			when: (*App).canEnterGroup, do: act((*App).enterGroup)},
	}
}

// String says in the title how rows are grouped; "" is not at all.
func (g grouping) String() string {
	switch {
	case g.within != groupKey{}:
		return "of " + g.name + " (esc)"
	case g.by == byObject:
		return "by object (B)"
	case g.by == byOwner:
		return "by owner (B; i opens one)"
	}
	return ""
}

func (a *App) nextGrouping() { a.setGrouping(grouping{by: (a.timeline.grouping.by + 1) % bys}) }

// setGrouping lists the rows anew. The cursor stays with its object.
func (a *App) setGrouping(g grouping) {
	a.timeline.grouping = g
	a.applyFilter()
}

// canEnterGroup reports whether the row under the cursor stands for objects of
// an owner.
func (a *App) canEnterGroup() (bool, string) {
	return a.groupHere() != nil, "this row is of no owner: B groups by owner"
}

func (a *App) groupHere() *group {
	t := &a.timeline
	if e, ok := t.selected(); ok && t.grouping.by == byOwner && t.grouping.within == (groupKey{}) {
		return t.index.groups.at(e.Seq)
	}
	return nil
}

func (a *App) enterGroup() {
	x := a.groupHere()
	a.setGrouping(grouping{by: byOwner, within: x.key, name: x.top.Kind + " " + x.top.Name})
}

// leaveGroup comes back from one owner's objects to all owners.
func (a *App) leaveGroup() (left bool) {
	if a.focus != paneTimeline || a.timeline.grouping.within == (groupKey{}) {
		return false
	}
	a.setGrouping(grouping{by: byOwner})
	return true
}

// tally is a group with what its row counts.
type tally struct {
	of               *group
	changes, objects int
}

func (x *group) tally() tally {
	if x == nil {
		return tally{}
	}
	return tally{x, x.changes, len(x.members)}
}

// tallyOf is what the row of a group counts; zero if it is of none.
func (t *timeline) tallyOf(seq model.Seq) tally {
	if t.tallies != nil {
		return t.tallies[seq]
	}
	return t.index.groups.at(seq).tally()
}

// groupRow draws a row, of a group with what it counts.
func (t *timeline) groupRow(e model.Event, f *fold, info rowInfo, k rowKey) string {
	x := k.group.of
	if x == nil {
		return t.row(e, f, info, k)
	}
	text := ""
	switch {
	case k.group.objects > 1:
		text = "×" + count(k.group.changes) + " of " + count(k.group.objects) + " "
	case k.group.changes > 1:
		text = "×" + count(k.group.changes) + " "
	}
	if id := t.log.Identity(e.Object); x.key.object == 0 && keyOf(id) != x.key {
		text += id.Kind + " " + shownName(id)
		if word, plain := came(e); !plain || e.Type != model.Modified {
			text += " " + word
		}
		if info.summary != "" {
			text += ": "
		}
		e.Type, e.Flags = model.Modified, 0 // its sign would be taken for one of the owner
	}
	info.summary = text + info.summary
	return t.row(e, f, info, k)
}

// named is the object that a row is called after: of a group by owner, the owner.
func (t *timeline) named(e model.Event, k rowKey) model.Identity {
	if x := k.group.of; x != nil && x.key.object == 0 {
		return x.top
	}
	return t.log.Identity(e.Object)
}
