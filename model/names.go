package model

// NamesAtOnce is how many objects have numbers that lie beside each other, for
// [Log.Names]: those that are the same but for their last eight bits.
const NamesAtOnce = objectsPerChunk

// Names are the names and groups of objects whose numbers lie beside each other.
// The zero value is ready to be filled, again and again.
type Names struct {
	// Text is the names, each with a zero byte behind it.
	Text   []byte
	ends   [NamesAtOnce]uint32
	groups [NamesAtOnce]GroupID
	held   [NamesAtOnce]bool
}

// Names fills names with those of an object and of the objects beside it, which
// takes a fraction of what asking for each of them takes.
func (l *Log) Names(id ObjectID, names *Names) {
	names.Text = names.Text[:0]
	first := id / NamesAtOnce * NamesAtOnce
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := range ObjectID(NamesAtOnce) {
		o := l.objects.get(first + i)
		if names.held[i] = o != nil; o != nil {
			name, _ := l.objects.texts(first+i, o)
			names.Text = append(append(names.Text, name...), 0)
			names.groups[i] = GroupID(o.group)
		}
		names.ends[i] = uint32(len(names.Text))
	}
}

// At is the name and the group of one of them, by its place among them; ok is
// false for an object that is not held. The name is good until the next fill.
func (n *Names) At(i int) (name []byte, group GroupID, ok bool) {
	if !n.held[i] {
		return nil, 0, false
	}
	from := uint32(0)
	if i > 0 {
		from = n.ends[i-1]
	}
	return n.Text[from : n.ends[i]-1], n.groups[i], true
}
