package model

// GroupID numbers what many objects have in common: context, apiVersion, kind
// and namespace. The numbers begin at 0 and have no holes.
type GroupID uint32

// Groups returns what every group has in common, by its number: identities
// without names. Groups are never forgotten, even if their objects are.
func (l *Log) Groups() []Identity {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]Identity, len(l.objects.groups))
	for i, g := range l.objects.groups {
		out[i] = Identity{Context: g.context, APIVersion: g.apiVersion, Kind: g.kind, Namespace: g.namespace}
	}
	return out
}

// AppendName appends the name of an object to dst and returns its group: what
// Identity says, without allocating, but for the UID. ok is false for objects
// that are not held.
func (l *Log) AppendName(dst []byte, id ObjectID) (name []byte, group GroupID, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	o := l.objects.get(id)
	if o == nil {
		return dst, 0, false
	}
	n, _ := l.objects.texts(id, o)
	return append(dst, n...), GroupID(o.group), true
}
