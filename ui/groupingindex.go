package ui

import (
	"slices"

	"rewatch/model"
)

// groups have an index show one row for each group of objects: the newest of
// those that the index lists. A group whose object changes moves to the end, as
// an Event does that comes again. Rows that are about no single object, as steps
// of streams and gaps, stand for themselves.
//
// The index tells of each row that it lists or takes out again: both cost the
// same however many rows there are, and so does each group that moves to the end
// when the rows shown are brought up to date, once per frame.
type groups struct {
	how    grouping
	log    *model.Log
	owners *owners
	read   int // of what owners tell of

	// list has the rows of objects that the index lists, in order; base is the
	// number of the first of them, counted from the first ever listed.
	list    []grouped
	base    int
	members map[model.ObjectID]*member
	all     map[groupKey]*group
	touched []*group
	in      []model.Seq // rows that are to be shown, besides
	gone    []model.Seq // rows that are not to be any more

	rows seqList // what is shown
}

// grouped is a row of an object. back leads to the row of the object before, so
// many listed ones away; 0 is nowhere.
type grouped struct {
	seq    model.Seq
	object model.ObjectID // 0: the row has been taken out
	back   uint32
}

// member is an object with rows that are listed: how many, and where the newest is.
type member struct {
	group *group
	last  int
	rows  int
}

// group is what one row stands for.
type group struct {
	key     groupKey
	top     model.Identity // by owner: the object at the top
	members map[model.ObjectID]*member
	changes int
	newest  model.Seq
	shown   model.Seq // noRow is none
	lost    bool      // newest may be gone
	touched bool
	hidden  bool
}

// groupKey tells groups apart: by the object, or by the one at the top, which
// any log knows by it.
type groupKey struct {
	object       model.ObjectID
	context, uid string
}

func keyOf(id model.Identity) groupKey {
	if id.UID == "" {
		return groupKey{context: id.Context, uid: id.Kind + "/" + id.Namespace + "/" + id.Name}
	}
	return groupKey{context: id.Context, uid: id.UID}
}

// group has an index without rows show groups.
func (x *index) group(u *understanding, how grouping) {
	if how.by == flat {
		return
	}
	x.groups = &groups{how: how, log: u.log, owners: &u.owners, members: map[model.ObjectID]*member{}, all: map[groupKey]*group{}}
}

// add takes in a row that the index lists.
func (g *groups) add(e model.Event, single bool) {
	if single || e.Object == 0 {
		if g.how.within == (groupKey{}) {
			g.in = append(g.in, e.Seq)
		}
		return
	}
	m, pos, back := g.members[e.Object], g.base+len(g.list), 0
	if m == nil {
		m = &member{group: g.of(e.Object)}
		g.members[e.Object], m.group.members[e.Object] = m, m
	} else {
		back = pos - m.last
	}
	g.list = append(g.list, grouped{e.Seq, e.Object, uint32(back)})
	m.last, m.rows = pos, m.rows+1
	m.group.changes++
	m.group.newest = e.Seq
	g.touch(m.group)
}

// of is the group that an object belongs to now.
func (g *groups) of(object model.ObjectID) *group {
	key, top, hidden := groupKey{object: object}, model.Identity{}, false
	if g.how.by == byOwner {
		id, ok := g.owners.top(object)
		if !ok {
			id = g.log.Identity(object)
		}
		switch own := keyOf(id); {
		case g.how.within == (groupKey{}):
			key, top = own, id
		case own != g.how.within:
			key, hidden = groupKey{}, true
		}
	}
	x := g.all[key]
	if x == nil {
		x = &group{key: key, top: top, members: map[model.ObjectID]*member{}, shown: noRow, hidden: hidden}
		g.all[key] = x
	}
	return x
}

func (g *groups) touch(x *group) {
	if !x.touched {
		x.touched, g.touched = true, append(g.touched, x)
	}
}

// find returns where a row is in the list.
func (g *groups) find(seq model.Seq) (i int, ok bool) {
	i, ok = slices.BinarySearchFunc(g.list, seq, func(r grouped, seq model.Seq) int {
		switch {
		case r.seq < seq:
			return -1
		case r.seq > seq:
			return 1
		}
		return 0
	})
	return i, ok && g.list[i].object != 0
}

// drop takes a row out that the index does not list any more.
func (g *groups) drop(seq model.Seq) {
	i, ok := g.find(seq)
	if !ok {
		return
	}
	object := g.list[i].object
	g.list[i].object = 0
	m := g.members[object]
	x := m.group
	m.rows--
	x.changes--
	if m.rows == 0 {
		g.leave(object, x)
	} else if m.last == g.base+i {
		for g.list[m.last-g.base].object == 0 {
			m.last -= int(g.list[m.last-g.base].back)
		}
	}
	x.lost = x.lost || seq == x.newest
	g.touch(x)
}

// leave takes out an object that has no row any more.
func (g *groups) leave(object model.ObjectID, x *group) {
	delete(g.members, object)
	g.quit(object, x)
}

// quit takes an object out of its group.
func (g *groups) quit(object model.ObjectID, x *group) {
	if delete(x.members, object); len(x.members) == 0 {
		delete(g.all, x.key)
	}
}

// evict forgets the rows before one.
func (g *groups) evict(first model.Seq) {
	n := 0
	for ; n < len(g.list) && g.list[n].seq < first; n++ {
		object := g.list[n].object
		if object == 0 {
			continue
		}
		m := g.members[object]
		m.group.changes--
		if m.rows--; m.rows == 0 {
			g.leave(object, m.group)
		}
	}
	g.list, g.base = g.list[n:], g.base+n
	g.rows.evict(first)
}

// regroup moves objects that belong to others than before.
func (g *groups) regroup() {
	if g.how.by != byOwner {
		return
	}
	moved, end, all := g.owners.since(g.read)
	g.read = end
	for _, object := range moved {
		g.move(object)
	}
	if all {
		for object := range g.members {
			g.move(object)
		}
	}
}

func (g *groups) move(object model.ObjectID) {
	m := g.members[object]
	if m == nil {
		return
	}
	from, to := m.group, g.of(object)
	if from == to {
		return
	}
	newest := g.list[m.last-g.base].seq
	g.quit(object, from)
	from.changes -= m.rows
	from.lost = from.lost || newest == from.newest
	if len(to.members) == 0 || newest > to.newest {
		to.newest = newest
	}
	m.group, to.members[object] = to, m
	to.changes += m.rows
	g.touch(from)
	g.touch(to)
}

// settle brings the rows shown up to date.
func (g *groups) settle() {
	if g == nil {
		return
	}
	g.regroup()
	for _, x := range g.touched {
		now := noRow
		if x.lost {
			x.newest = 0
			for _, m := range x.members {
				x.newest = max(x.newest, g.list[m.last-g.base].seq)
			}
		}
		if len(x.members) > 0 && !x.hidden {
			now = x.newest
		}
		if now != x.shown {
			if x.shown != noRow {
				g.gone = append(g.gone, x.shown)
			}
			if now != noRow {
				g.in = append(g.in, now)
			}
			x.shown = now
		}
		x.touched, x.lost = false, false
	}
	g.touched = g.touched[:0]
	g.merge()
}

// merge takes rows out and in: those that one group gives to another are in both
// lists.
func (g *groups) merge() {
	for _, seq := range g.gone {
		g.rows.remove(seq)
	}
	for _, seq := range g.in {
		g.rows.insert(seq)
	}
	g.in, g.gone = g.in[:0], g.gone[:0]
}

// at is the group of a row; nil if it is of none.
func (g *groups) at(seq model.Seq) *group {
	if g == nil {
		return nil
	}
	if i, ok := g.find(seq); ok {
		return g.members[g.list[i].object].group
	}
	return nil
}

// place is where a row is shown: the position of its group, or of the nearest
// row before.
func (x *index) place(e model.Event) int {
	if x.groups != nil && e.Object != 0 {
		if m := x.groups.members[e.Object]; m != nil && m.group.shown != noRow {
			return x.find(m.group.shown)
		}
	}
	return x.find(e.Seq)
}

// lists reports whether a row has a position of its own.
func (x *index) lists(seq model.Seq) bool {
	if x.groups != nil {
		_, ok := x.groups.rows.upTo(seq)
		return ok
	}
	_, ok := slices.BinarySearch(x.seqs, seq)
	return ok
}
