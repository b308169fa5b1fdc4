// Package belong knows which objects belong together, and since when: owners by
// ownerReferences, with adoption and orphaning; Events and the objects they are
// about, under both APIs that Events have; Pods and their nodes; EndpointSlices
// and their Services.
//
// An index is fed the rows of a log in order. It can be asked for the owner
// tree of an object as it was at any row, and for its story: all that happened
// to the object, to its owners and to what it owns, in one list.
package belong

import (
	"math"
	"slices"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// Relation says how an object belongs to another.
type Relation uint8

const (
	OwnedBy Relation = iota + 1 // metadata.ownerReferences
	About                       // of an Event: involvedObject or regarding
	RunsOn                      // of a Pod: its node
	SliceOf                     // of an EndpointSlice: its Service
)

// Ref names the object at the other end, which the log may not have.
type Ref struct{ APIVersion, Kind, Namespace, Name, UID string }

// Forever is Link.To of what still holds.
const Forever = model.Seq(math.MaxUint64)

// Link is one object's belonging to another for a span of rows.
type Link struct {
	Relation Relation
	From     model.ObjectID // who belongs
	To       model.ObjectID // to whom; 0 if the log has no such object
	Ref      Ref            // the same, as From spells it; from the cluster, not sanitised
	// Controller is set of the one owner that manages the object.
	Controller bool
	// It holds for rows in [Begin, End); End is Forever while it does.
	Begin, End model.Seq
	// Adopted says that the link began after the object had been there, Orphaned
	// that it ended while the object stayed.
	Adopted, Orphaned bool
}

// Holds reports whether a link holds at a row.
func (l Link) Holds(at model.Seq) bool { return at >= l.Begin && at < l.End }

// Index finds what belongs to what in one log. It belongs to one goroutine.
type Index struct {
	log   *model.Log
	added int
	buf   []byte

	links map[model.ObjectID][]*link // by who belongs, in order
	back  map[target][]*link         // by whom they belong to
	uids  map[uid][]model.ObjectID   // several if an object is served under several groups
	names map[target]model.ObjectID  // the newest of a name
	gone  map[model.ObjectID]model.Seq

	forgotten map[model.ObjectID]int // links of an object that are not kept
}

type link struct {
	Link
	to target
}

// target is whom a link names: by UID where there is one, otherwise by name.
type target struct{ context, uid, kind, namespace, name string }

type uid struct{ context, uid string }

// New returns an empty index for a log.
func New(l *model.Log) *Index {
	return &Index{log: l, links: map[model.ObjectID][]*link{}, back: map[target][]*link{}, uids: map[uid][]model.ObjectID{},
		names: map[target]model.ObjectID{}, gone: map[model.ObjectID]model.Seq{}, forgotten: map[model.ObjectID]int{}}
}

// pruneEvery is after how many rows what has left the log is forgotten.
const pruneEvery = 1 << 16

// maxEnded bounds the links of an object that have ended, or one that changes
// its owner all the time would never stop growing.
const maxEnded = 64

// Add looks at a row; rows come in order.
func (x *Index) Add(e model.Event) {
	if x.added++; x.added%pruneEvery == 0 {
		x.prune()
	}
	if !e.Type.IsObject() || e.Has(model.Replayed) {
		return
	}
	id := x.log.Identity(e.Object)
	if id.Name == "" {
		return // it has left
	}
	first := x.know(e.Object, id)
	if e.Type == model.Deleted {
		x.gone[e.Object] = e.Seq
		for _, l := range x.links[e.Object] {
			l.End = min(l.End, e.Seq+1)
		}
		return
	}
	delete(x.gone, e.Object)
	if id.Kind == "Event" && !first {
		return // what an Event is about never changes
	}
	raw, ok := x.log.AppendBytes(x.buf[:0], e.Object, e.Version)
	if x.buf = raw; ok {
		x.relate(e, id, relations(id, raw))
	}
}

// know enters an object by its UID and reports whether it is new.
func (x *Index) know(object model.ObjectID, id model.Identity) bool {
	k := uid{id.Context, id.UID}
	if slices.Contains(x.uids[k], object) {
		return false
	}
	x.uids[k] = append(x.uids[k], object)
	x.names[named(id)] = object
	return true
}

// relate brings the links of an object up to date.
func (x *Index) relate(e model.Event, id model.Identity, now []link) {
	had := x.links[e.Object]
	for _, l := range had {
		if l.End != Forever {
			continue
		}
		if i := slices.IndexFunc(now, func(n link) bool { return n.to == l.to && n.Relation == l.Relation }); i >= 0 {
			l.Controller = now[i].Controller
			now = slices.Delete(now, i, i+1)
		} else {
			l.End, l.Orphaned = e.Seq, true
		}
	}
	for i := range now {
		l := &now[i]
		l.From, l.Begin, l.End = e.Object, e.Seq, Forever
		l.Adopted = e.Type == model.Modified && e.Version > 1
		x.links[e.Object] = append(x.links[e.Object], l)
		x.back[l.to] = append(x.back[l.to], l)
	}
	if len(x.links[e.Object]) > maxEnded {
		x.forget(e.Object)
	}
}

// forget drops the oldest links of an object that have ended, should there be
// more than maxEnded.
func (x *Index) forget(object model.ObjectID) {
	over := -maxEnded
	for _, l := range x.links[object] {
		if l.End != Forever {
			over++
		}
	}
	if over <= 0 {
		return
	}
	x.forgotten[object] += over
	x.links[object] = slices.DeleteFunc(x.links[object], func(l *link) bool {
		if l.End == Forever || over == 0 {
			return false
		}
		over--
		if x.back[l.to] = slices.DeleteFunc(x.back[l.to], func(b *link) bool { return b == l }); len(x.back[l.to]) == 0 {
			delete(x.back, l.to)
		}
		return true
	})
}

// Forgotten is how many links an object had that ended and are not kept: of
// those the newest 64 are.
func (x *Index) Forgotten(object model.ObjectID) int { return x.forgotten[object] }

// relations reads from an object whom it belongs to.
func relations(id model.Identity, raw []byte) (links []link) {
	add := func(r Relation, ref Ref, controller bool) {
		to := target{context: id.Context, uid: ref.UID}
		if ref.UID == "" {
			to.kind, to.namespace, to.name = ref.Kind, ref.Namespace, ref.Name
		}
		links = append(links, link{Link{Relation: r, Ref: ref, Controller: controller}, to})
	}
	owners := jsonscan.Get(raw, "metadata", "ownerReferences")
	spans, _ := jsonscan.AppendElements(nil, owners)
	for _, s := range spans {
		o := s.Of(owners)
		if u := text(o, "uid"); u != "" {
			add(OwnedBy, Ref{text(o, "apiVersion"), text(o, "kind"), id.Namespace, text(o, "name"), u}, string(jsonscan.Find(o, "controller")) == "true")
		}
	}
	switch id.Kind {
	case "Event":
		for _, field := range []string{"involvedObject", "regarding"} {
			o := jsonscan.Find(raw, field)
			if ref := (Ref{text(o, "apiVersion"), text(o, "kind"), text(o, "namespace"), text(o, "name"), text(o, "uid")}); ref.Name != "" {
				if ref.Kind == "Node" && ref.UID == ref.Name {
					ref.UID = "" // kubelets put the name there
				}
				add(About, ref, false)
			}
		}
	case "Pod":
		if n := text(raw, "spec", "nodeName"); n != "" && id.APIVersion == "v1" {
			add(RunsOn, Ref{APIVersion: "v1", Kind: "Node", Name: n}, false)
		}
	case "EndpointSlice":
		if n := text(raw, "metadata", "labels", "kubernetes.io/service-name"); n != "" {
			add(SliceOf, Ref{APIVersion: "v1", Kind: "Service", Namespace: id.Namespace, Name: n}, false)
		}
	}
	return links
}

// text is the text at a path, "" if there is none.
func text(object []byte, path ...string) string {
	s, err := jsonscan.Unquote(jsonscan.Get(object, path...))
	if err != nil {
		return ""
	}
	return string([]byte(s)) // not a view of a buffer that is used again
}

// Links are the links that an object has or had to others, in the order in
// which they began, without those that are Forgotten.
func (x *Index) Links(object model.ObjectID) []Link {
	var out []Link
	for _, l := range x.links[object] {
		out = append(out, x.resolved(l))
	}
	return out
}

// Members are all links that others have or had to an object.
func (x *Index) Members(object model.ObjectID) []Link {
	var out []Link
	for _, t := range x.targets(object) {
		for _, l := range x.back[t] {
			if l := x.resolved(l); l.To == object {
				out = append(out, l)
			}
		}
	}
	slices.SortFunc(out, func(a, b Link) int { return compare(a.Begin, b.Begin) })
	return out
}

func compare(a, b model.Seq) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// named is how an object is named by those who do not say its UID.
func named(id model.Identity) target {
	return target{context: id.Context, kind: id.Kind, namespace: id.Namespace, name: id.Name}
}

// targets are the ways in which links may name an object.
func (x *Index) targets(object model.ObjectID) []target {
	id := x.log.Identity(object)
	return []target{{context: id.Context, uid: id.UID}, named(id)}
}

// resolved is a link with the object that it leads to.
func (x *Index) resolved(l *link) Link {
	out := l.Link
	if l.to.uid != "" {
		out.To = x.newest(uid{l.to.context, l.to.uid})
		return out
	}
	out.To = x.names[l.to]
	return out
}

// newest is the object of a UID. Under several groups there are several of one
// UID; the first that came stands for them.
func (x *Index) newest(k uid) model.ObjectID {
	if list := x.uids[k]; len(list) > 0 {
		return list[0]
	}
	return 0
}

// Duplicate reports whether a row tells of an object that the log has under
// another group as well, and that stands for it: Events are served by two.
func (x *Index) Duplicate(object model.ObjectID) bool {
	id := x.log.Identity(object)
	list := x.uids[uid{id.Context, id.UID}]
	return len(list) > 1 && list[0] != object
}

// prune forgets objects that have left the log.
func (x *Index) prune() {
	left := func(id model.ObjectID) bool { _, newest := x.log.Versions(id); return newest == 0 }
	for id := range x.links {
		if left(id) {
			delete(x.links, id)
		}
	}
	for t, list := range x.back {
		if list = slices.DeleteFunc(list, func(l *link) bool { return left(l.From) }); len(list) == 0 {
			delete(x.back, t)
		} else {
			x.back[t] = list
		}
	}
	for k, list := range x.uids {
		if list = slices.DeleteFunc(list, left); len(list) == 0 {
			delete(x.uids, k)
		} else {
			x.uids[k] = list
		}
	}
	for t, id := range x.names {
		if left(id) {
			delete(x.names, t)
		}
	}
	for id := range x.gone {
		if left(id) {
			delete(x.gone, id)
		}
	}
	for id := range x.forgotten {
		if left(id) {
			delete(x.forgotten, id)
		}
	}
}
