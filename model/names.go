package model

// NamesAtOnce is how many objects have numbers that lie beside each other, for
// [Log.Names]: those that are the same but for their last eight bits.
const NamesAtOnce = objectsPerChunk

// Names are the names and groups of objects whose numbers lie beside each other.
// The zero value is ready to be filled, again and again.
type Names struct {
	WithUIDs bool // have their UIDs filled in as well

	names, uids texts
	groups      [NamesAtOnce]GroupID
	held        [NamesAtOnce]bool
}

// texts are some texts in one, each with a zero byte behind it.
type texts struct {
	all  []byte
	ends [NamesAtOnce]uint32
}

func (x *texts) end(i int) {
	x.all = append(x.all, 0)
	x.ends[i] = uint32(len(x.all))
}

func (x *texts) at(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = x.ends[i-1]
	}
	return x.all[from : x.ends[i]-1]
}

// Names fills names with those of an object and of the objects beside it, which
// takes a fraction of what asking for each of them takes.
func (l *Log) Names(id ObjectID, names *Names) {
	n := names
	n.names.all, n.uids.all = n.names.all[:0], n.uids.all[:0]
	first := id / NamesAtOnce * NamesAtOnce
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := range NamesAtOnce {
		id := first + ObjectID(i)
		o := l.objects.get(id)
		if n.held[i] = o != nil; o != nil {
			name, uid := l.objects.texts(id, o)
			n.names.all = append(n.names.all, name...)
			n.groups[i] = GroupID(o.group)
			switch {
			case !n.WithUIDs:
			case o.bits&textUID != 0:
				n.uids.all = append(n.uids.all, uid...)
			default:
				text := textOfUID(o.uid)
				n.uids.all = append(n.uids.all, text[:]...)
			}
		}
		n.names.end(i)
		n.uids.end(i)
	}
}

// At is the name and the group of one of them, by its place among them; ok is
// false for an object that is not held. The name is good until the next fill.
func (n *Names) At(i int) (name []byte, group GroupID, ok bool) {
	return n.names.at(i), n.groups[i], n.held[i]
}

// UID is the UID of one of them, if they were asked for; good until the next
// fill.
func (n *Names) UID(i int) []byte { return n.uids.at(i) }

// Texts are all the names, and all the UIDs, one behind the other.
func (n *Names) Texts() (names, uids []byte) { return n.names.all, n.uids.all }
