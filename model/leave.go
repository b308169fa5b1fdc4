package model

import "iter"

// leave ends the existence of all objects in a stream that is removed: nobody
// follows them any more, so that nothing may call them current. Their history
// stays as long as its rows do.
func (l *Log) leave(st *stream) {
	s := uint16(st.ID)
	for c := range l.objects.chunks {
		for i := range objectsPerChunk {
			if l.objects.chunks[c] == nil {
				break // the last of them has left the table
			}
			id := ObjectID(c*objectsPerChunk + i)
			if o := l.objects.get(id); o != nil && l.objects.isIn(id, o, s) {
				if len(l.taps) > 0 {
					l.save(id)
				}
				l.objects.put(id, o, s, false)
				if !o.exists() {
					o.left = s
				}
				l.letGo(id, o)
			}
		}
	}
	st.Objects = 0
}

// Left reports whether nobody follows an object any more though it was not seen
// to end: then s is the last stream that did, which was removed.
func (l *Log) Left(id ObjectID) (s StreamID, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if o := l.objects.get(id); o != nil && o.left != noStream {
		return StreamID(o.left), true
	}
	return 0, false
}

// AllLeft yields the objects for which Left is true, in no order. Appending
// meanwhile is allowed, as with Current.
func (l *Log) AllLeft() iter.Seq2[Known, Identity] {
	return l.eachObject(func(_ ObjectID, o *object) bool { return o.left != noStream })
}
