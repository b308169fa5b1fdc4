package lanes

import (
	"cmp"
	"slices"

	"rewatch/model"
	"rewatch/model/belong"
)

// Row is a line of the list of lanes.
type Row struct {
	Object model.ObjectID // 0 for an owner that the log does not have
	ID     model.Identity // of either, not sanitised
	Parent string         // the name of the owner above; "" at the top
	Depth  int
	Below  int  // lanes that belong under it, whether folded or not
	Folded bool // those are not listed
}

// Key names a row from one list to the next.
func (r Row) Key() Key { return Key{r.Object, r.ID.UID} }

// Key is the object, or the UID of an owner that the log does not have.
type Key struct {
	Object model.ObjectID
	UID    string
}

// Choice says which lanes are wanted.
type Choice struct {
	Window Window
	Until  int64
	Group  bool // under their owners
	Quiet  bool // also those without a change in the window
	// Shows says whether the filter shows an object; nil is all.
	Shows func(model.ObjectID) bool
	// Folded are rows whose lanes below are not wanted.
	Folded map[Key]bool
	// Owners answers whom objects belong to, and up to which row that is known;
	// it is asked for those whose rows have come since. nil is nobody.
	Owners func(ask []model.ObjectID, answer func(int, belong.Link)) (upTo model.Seq)
}

// List is what there is to show.
type List struct {
	Rows   []Row
	Quiet  int // lanes left out, since nothing changed
	Hidden int // lanes left out, since the filter does not show them
	// Namespaces is of how many namespaces the rows are.
	Namespaces int
}

// owner is whom an object belongs to.
type owner struct {
	object model.ObjectID
	ref    belong.Ref
	some   bool
}

// tree is the order of all lanes, kept until an object or an owner changes.
type tree struct {
	stale bool
	order []*branch // in order, each before what belongs to it
	group bool
}

type branch struct {
	Row
	lane *lane
	end  int // one past the last branch below, in the order
}

// List lists lanes in the order of a tree: owners before what they own; among
// those of one owner what was there before, by name, then what came, by time.
func (x *Set) List(c Choice) List {
	x.ensure()
	x.relate(c)
	if x.tree.stale || x.tree.group != c.Group {
		x.grow(c.Group)
	}
	var out List
	wanted := make([]bool, len(x.tree.order))
	below := make([]int, len(x.tree.order))
	for i := len(x.tree.order) - 1; i >= 0; i-- {
		b := x.tree.order[i]
		for j := i + 1; j < b.end; j = x.tree.order[j].end {
			if below[i] += below[j]; wanted[j] {
				below[i]++
			}
		}
		shows, exists, active := b.lane == nil, false, false
		if b.lane != nil {
			shows = c.Shows == nil || c.Shows(b.Object)
			exists, active = x.lives(b.lane, c)
		}
		switch {
		case below[i] > 0:
			wanted[i] = true
		case b.lane == nil || !exists:
		case !shows:
			out.Hidden++
		case active || c.Quiet:
			wanted[i] = true
		default:
			out.Quiet++
		}
	}
	spaces := map[string]bool{}
	for i := 0; i < len(x.tree.order); {
		b := x.tree.order[i]
		if !wanted[i] {
			i++
			continue
		}
		r := b.Row
		r.Below = below[i]
		r.Folded = r.Below > 0 && c.Folded[r.Key()]
		if out.Rows = append(out.Rows, r); r.ID.Namespace != "" {
			spaces[r.ID.Namespace] = true
		}
		if i++; r.Folded {
			i = b.end
		}
	}
	out.Namespaces = len(spaces)
	return out
}

// lives reports whether an object exists in the window, and whether a change
// says something there.
func (x *Set) lives(l *lane, c Choice) (exists, active bool) {
	i, j := l.within(c.Window.From(), min(c.Window.To(), c.Until+1))
	exists = j > i || l.at(i) != Absent
	for ; i < j && !active; i++ {
		active = x.counts(&l.marks[i])
	}
	return exists, active
}

// relate asks for the owners of objects that have changed.
func (x *Set) relate(c Choice) {
	if c.Owners == nil || !c.Group {
		return
	}
	var ask []model.ObjectID
	for id, l := range x.objects {
		if l != ignored && (l.asOf == 0 || len(l.marks) > 0 && x.seq(l.marks[len(l.marks)-1]) >= l.asOf) {
			ask = append(ask, id)
		}
	}
	if len(ask) == 0 {
		return
	}
	owners := make([]owner, len(ask))
	upTo := c.Owners(ask, func(i int, l belong.Link) {
		owners[i] = owner{l.To, l.Ref, true}
	})
	for i, id := range ask {
		l := x.objects[id]
		if l.asOf = upTo; l.owner != owners[i] {
			l.owner, x.tree.stale = owners[i], true
		}
	}
}

// maxDepth bounds the depth of a tree: owners may go in a circle.
const maxDepth = 20

// grow puts all lanes in order.
func (x *Set) grow(group bool) {
	g := grower{x: x, below: map[Key][]*branch{}, done: map[*branch]bool{}}
	var roots []*branch
	absent := map[Key]*branch{}
	for id, l := range x.objects {
		if l == ignored {
			continue
		}
		b := &branch{Row: Row{Object: id, ID: l.id}, lane: l}
		o := l.owner
		switch above := x.objects[o.object]; {
		case !group || !o.some:
			roots = append(roots, b)
			continue
		case above != nil && above != ignored:
			g.below[Key{o.object, above.id.UID}] = append(g.below[Key{o.object, above.id.UID}], b)
			continue
		}
		k := Key{UID: o.ref.UID}
		if absent[k] == nil {
			absent[k] = &branch{Row: Row{ID: model.Identity{Context: l.id.Context, APIVersion: o.ref.APIVersion, Kind: o.ref.Kind,
				Namespace: o.ref.Namespace, Name: o.ref.Name, UID: o.ref.UID}}}
			roots = append(roots, absent[k])
		}
		g.below[k] = append(g.below[k], b)
	}
	slices.SortFunc(roots, g.roots)
	for _, b := range roots {
		g.walk(b, "", 0)
	}
	for _, list := range g.below { // whose owners go in a circle
		slices.SortFunc(list, g.roots)
		for _, b := range list {
			if !g.done[b] {
				g.walk(b, "", 0)
			}
		}
	}
	x.tree = tree{order: g.order, group: group}
}

type grower struct {
	x     *Set
	below map[Key][]*branch
	done  map[*branch]bool
	order []*branch
}

func (g *grower) walk(b *branch, parent string, depth int) {
	if g.done[b] {
		return
	}
	g.done[b] = true
	b.Parent, b.Depth = parent, depth
	g.order = append(g.order, b)
	if depth < maxDepth {
		list := g.below[b.Key()]
		slices.SortFunc(list, siblings)
		for _, c := range list {
			g.walk(c, b.ID.Name, depth+1)
		}
	}
	b.end = len(g.order)
}

// siblings orders what belongs to one owner: what was there before, then what
// came, so that a rollout goes down like a staircase.
func siblings(a, b *branch) int {
	return cmp.Or(cmp.Compare(a.born(), b.born()), cmp.Compare(a.ID.Name, b.ID.Name), cmp.Compare(a.Object, b.Object))
}

// born is when an object came to be, 0 if that was before anybody looked.
func (b *branch) born() int64 {
	if b.lane == nil || b.lane.carried || len(b.lane.marks) == 0 || b.lane.marks[0].bits&added == 0 || b.lane.marks[0].bits&initial != 0 {
		return 0
	}
	return b.lane.marks[0].time
}

// roots orders what belongs to nobody: what runs first, then machines, then the
// rest by type, and by name in each.
func (g *grower) roots(a, b *branch) int {
	return cmp.Or(cmp.Compare(a.ID.Context, b.ID.Context), cmp.Compare(rank(a.ID.Kind), rank(b.ID.Kind)), cmp.Compare(a.ID.Namespace, b.ID.Namespace),
		cmp.Compare(a.ID.Kind, b.ID.Kind), cmp.Compare(a.ID.Name, b.ID.Name), siblings(a, b))
}

func rank(kind string) int {
	switch kind {
	case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "CronJob", "Job", "ReplicationController", "Pod":
		return 0
	case "PersistentVolumeClaim", "PersistentVolume":
		return 1
	case "Node":
		return 2
	case "Lease", "EndpointSlice", "Endpoints":
		return 4
	}
	return 3
}

// OwnerOf picks from the links of an object the owner under which its lane is:
// the one that holds, or held last, and of those the one that manages it.
func OwnerOf(links []belong.Link) (best belong.Link, ok bool) {
	for _, l := range links {
		if l.Relation != belong.OwnedBy {
			continue
		}
		if !ok || l.End > best.End || l.End == best.End && l.Controller && !best.Controller {
			best, ok = l, true
		}
	}
	return best, ok
}
