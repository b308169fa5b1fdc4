package model

// markEvery is how many versions lie between the marks of an object.
const markEvery = 32

// marks are the rows of every markEvery-th version of one object.
type marks struct {
	first uint32   // version / markEvery of rows[0]
	rows  []uint32 // low bits of Seq
}

// versionIndex shortens the way to the row of an old version: rows lead to the
// version before, and marks are where to start from. Most objects have so few
// versions that they have no marks.
type versionIndex map[ObjectID]*marks

func (x versionIndex) add(id ObjectID, version, low uint32) {
	if version%markEvery != 0 {
		return
	}
	m := x[id]
	if m == nil {
		m = &marks{first: version / markEvery}
		x[id] = m
	}
	m.rows = append(m.rows, low)
}

// trim forgets the marks of versions before oldest.
func (x versionIndex) trim(id ObjectID, oldest uint32) {
	m := x[id]
	if m == nil {
		return
	}
	for len(m.rows) > 0 && m.first*markEvery < oldest {
		m.rows = m.rows[1:]
		m.first++
	}
	if len(m.rows) == 0 {
		delete(x, id)
	}
}

// after returns the first mark at or after a version.
func (x versionIndex) after(id ObjectID, version uint32) (at, low uint32, ok bool) {
	m := x[id]
	k := (version + markEvery - 1) / markEvery
	if m == nil || k < m.first || int(k-m.first) >= len(m.rows) {
		return 0, 0, false
	}
	return k * markEvery, m.rows[k-m.first], true
}

// find returns the row that brought a version.
func (l *Log) find(id ObjectID, o *object, version uint32) (Seq, bool) {
	if version < o.oldest || version > o.newest || version == 0 || o.bits&rowless != 0 {
		return 0, false
	}
	at, low := o.newest, o.last
	if at-version > markEvery {
		if a, b, ok := l.versions.after(id, version); ok {
			at, low = a, b
		}
	}
	seq := l.rows.full(low)
	for ; at > version; at-- {
		seq = l.rows.prev(seq)
	}
	return seq, true
}

// Identity returns the identity of an object; the zero value for 0 and for
// objects that have left the log.
func (l *Log) Identity(id ObjectID) Identity {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.objects.identity(id)
}

// Bytes returns one version of an object, byte for byte as it came (Secrets:
// as redacted). ok is false if the version does not exist or has left the log.
// The result may be kept but not changed.
func (l *Log) Bytes(id ObjectID, version uint32) (raw []byte, ok bool) {
	return l.AppendBytes(nil, id, version)
}

// AppendBytes is Bytes into a buffer: it appends the version to dst.
func (l *Log) AppendBytes(dst []byte, id ObjectID, version uint32) (raw []byte, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	o := l.objects.get(id)
	if o == nil {
		return dst, false
	}
	raw, err := l.bytes(dst, id, o, version)
	return raw, err == nil
}

// Versions returns the oldest version held and the newest of an object; 0, 0
// if none is. All versions between are held.
func (l *Log) Versions(id ObjectID) (oldest, newest uint32) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	o := l.objects.get(id)
	if o == nil || o.oldest > o.newest {
		return 0, 0
	}
	return o.oldest, o.newest
}

// VersionSeq returns the row that brought a version of an object, so that a
// screen can walk the versions and show the time of each. ok is false if the
// row has left, which can be while the version is held: the newest version of
// an object that exists never leaves.
func (l *Log) VersionSeq(id ObjectID, version uint32) (seq Seq, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	o := l.objects.get(id)
	if o == nil {
		return 0, false
	}
	return l.find(id, o, version)
}
