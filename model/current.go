package model

import "iter"

// Known is what the log knows of the present state of an object.
type Known struct {
	Object  ObjectID
	RV      uint64 // of the newest version, 0 if it is no number
	Version uint32 // the newest
}

// Current yields the objects that exist in a stream as of now, in no order:
// those that a fresh list has to be compared with. An object exists in a
// stream from the ADDED or MODIFIED that the stream brought until its DELETED,
// whether or not it exists in other streams. Appending meanwhile is allowed,
// from the loop as well; objects that come then may or may not be yielded.
func (l *Log) Current(s StreamID) iter.Seq2[Known, Identity] {
	return l.eachObject(func(id ObjectID, o *object) bool { return l.objects.isIn(id, o, uint16(s)) })
}

// eachObject yields the objects that are chosen; choose is called under the lock.
func (l *Log) eachObject(choose func(ObjectID, *object) bool) iter.Seq2[Known, Identity] {
	type entry struct {
		Known
		Identity
	}
	return func(yield func(Known, Identity) bool) {
		var batch []entry
		for c := 0; ; c++ {
			batch = batch[:0]
			l.mu.RLock()
			if c >= len(l.objects.chunks) {
				l.mu.RUnlock()
				return
			}
			if x := l.objects.chunks[c]; x != nil {
				for i := range x.objects {
					id, o := ObjectID(c*objectsPerChunk+i), &x.objects[i]
					if o.bits&occupied != 0 && choose(id, o) {
						batch = append(batch, entry{Known{id, o.rv, o.newest}, l.objects.identity(id)})
					}
				}
			}
			l.mu.RUnlock()
			for _, e := range batch {
				if !yield(e.Known, e.Identity) {
					return
				}
			}
		}
	}
}

// Lookup finds an object by its identity, all of it, and says what is known of
// it. exists is whether it exists in any stream.
func (l *Log) Lookup(id Identity) (k Known, exists, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	n, _ := l.objects.find(id)
	o := l.objects.get(n)
	if o == nil {
		return Known{}, false, false
	}
	return Known{n, o.rv, o.newest}, o.exists(), true
}

// ExistsIn reports whether an object exists in a stream: see Current.
func (l *Log) ExistsIn(id ObjectID, s StreamID) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	o := l.objects.get(id)
	return o != nil && l.objects.isIn(id, o, uint16(s))
}

// Named returns the newest object of a name, whatever its UID; 0 if the log
// has none. id.UID is not looked at.
func (l *Log) Named(id Identity) ObjectID {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, named := l.objects.find(id)
	return named
}
