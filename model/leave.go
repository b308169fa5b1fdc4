package model

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
				l.letGo(id, o)
			}
		}
	}
	st.Objects = 0
}
