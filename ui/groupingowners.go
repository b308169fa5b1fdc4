package ui

import (
	"sync"

	"rewatch/model"
	"rewatch/model/belong"
	"rewatch/model/lanes"
)

// owners says which object stands at the top of those that an object belongs
// to. It is kept up to date where rows are read, outside of the event loop, and
// may be asked from any goroutine.
type owners struct {
	mu sync.RWMutex
	of map[model.ObjectID]model.Identity // absent: nothing is above it, as far as is known
	// moved has the objects that got another top, in order, the first of them
	// numbered from: those before are not kept.
	moved []model.ObjectID
	from  int
}

const (
	// maxMoved bounds owners.moved: who asks for more has to ask for all.
	maxMoved = 1 << 16
	// maxAbove bounds how far up an owner is looked for: nothing keeps a cluster
	// from having objects that own each other.
	maxAbove = 16
)

// top is the object at the top of one; ok is false if that is itself.
func (o *owners) top(object model.ObjectID) (id model.Identity, ok bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	id, ok = o.of[object]
	return id, ok
}

// since lists the objects that have got another top after the n-th that did,
// and how many have by now. all is set if that is not known any more.
func (o *owners) since(n int) (moved []model.ObjectID, end int, all bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	end = o.from + len(o.moved)
	if n < o.from {
		return nil, end, true
	}
	return o.moved[n-o.from:], end, false
}

// set reports whether it is news.
func (o *owners) set(object model.ObjectID, id model.Identity, ok bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before, had := o.of[object]; had == ok && before == id {
		return false
	}
	if o.of == nil {
		o.of = map[model.ObjectID]model.Identity{}
	}
	if o.of[object] = id; !ok {
		delete(o.of, object)
	}
	if len(o.moved) == maxMoved {
		o.from, o.moved = o.from+maxMoved, nil // others may still read the old ones
	}
	o.moved = append(o.moved, object)
	return true
}

// prune forgets objects that have left the log.
func (o *owners) prune(log *model.Log) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.of {
		if _, newest := log.Versions(id); newest == 0 {
			delete(o.of, id)
		}
	}
}

// readOwner takes in whom the object of a row belongs to, after the index of
// what belongs together has.
func (u *understanding) readOwner(e model.Event) {
	if e.Seq%maxMoved == maxMoved-1 {
		u.owners.prune(u.log)
	}
	if e.Type == model.Deleted || e.Has(model.Replayed) {
		return // it goes on to stand with those that it belonged to
	}
	u.setOwner(e.Object, e.Type == model.Added, 0)
}

// setOwner finds the top of an object, and if that is another one or the object
// is new, those of what is below.
func (u *understanding) setOwner(object model.ObjectID, fresh bool, depth int) {
	id, ok := topOf(u.belong, u.log, object)
	if !u.owners.set(object, id, ok) && !fresh || depth == maxAbove {
		return
	}
	for _, l := range u.belong.Members(object) {
		if l.Relation == belong.OwnedBy || l.Relation == belong.About {
			u.setOwner(l.From, false, depth+1)
		}
	}
}

// topOf walks up from an object: from an Event to what it is about, from owner
// to owner, also to one that the log does not have.
func topOf(x *belong.Index, log *model.Log, object model.ObjectID) (id model.Identity, ok bool) {
	context := ""
	for range maxAbove {
		l, above := aboveOf(x.Links(object))
		if !above {
			break
		}
		if context == "" {
			context = log.Identity(object).Context
		}
		object, ok = l.To, true
		id = model.Identity{}
		if object != 0 {
			id = log.Identity(object)
		}
		if id.Name == "" {
			r := l.Ref
			return model.Identity{Context: context, APIVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, UID: r.UID}, true
		}
	}
	return id, ok
}

// aboveOf picks what is next above an object.
func aboveOf(links []belong.Link) (above belong.Link, ok bool) {
	if above, ok = lanes.OwnerOf(links); ok {
		return above, true
	}
	for _, l := range links {
		if l.Relation == belong.About {
			above, ok = l, true
		}
	}
	return above, ok
}
