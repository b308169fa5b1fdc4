package model

import (
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"strings"
)

// noStream is the value of object.stream for an object that exists in none, and of
// object.left for one that is followed or has ended.
const noStream = ^uint16(0)

// object is what the log knows of one object. It holds no pointers: a log of
// a large cluster has hundreds of thousands of them, and the garbage collector
// should not have to look at them.
type object struct {
	uid    [16]byte // if canonical; otherwise it is in the text
	rv     uint64   // of the newest version
	ref    ref      // bytes of the newest version
	group  uint32   // index into objects.groups
	text   uint32   // offset of the name in the chunk's text
	newest uint32   // version number
	oldest uint32   // oldest version held
	last   uint32   // low bits of the Seq of the row that carried the newest version
	older  ObjectID // the object that held the same name before
	rows   uint32   // rows held that are about this object
	stream uint16   // a stream in which it exists; the others are in objects.shared
	left   uint16   // the removed stream in which it existed last, while nobody follows it
	bits   uint8
}

const (
	textUID  uint8 = 1 << iota // the UID is not a canonical UUID
	rowless                    // the row of the newest version has left the log
	occupied                   // the slot is in use
)

func (o *object) exists() bool { return o.stream != noStream }

// group is what many objects have in common.
type group struct{ context, apiVersion, kind, namespace string }

const objectsPerChunk = 256

type objectChunk struct {
	objects [objectsPerChunk]object
	text    []byte // names, and UIDs that are not canonical, each with its length before it
	held    int
}

const chunkOfObjects = objectsPerChunk*64 + 64

// objects is the table of the objects in the log. Numbers are never used
// twice, so that a reader may remember what it found out about an object.
type objects struct {
	chunks  []*objectChunk // nil where every object has left
	next    ObjectID
	held    int
	groups  []group
	groupOf map[group]uint32
	recent  uint32 // the group that was asked for last
	names   nameIndex
	shared  map[ObjectID][]uint16 // the further streams of objects that exist in several
	memory  int64
}

func newObjects() *objects {
	return &objects{next: 1, groupOf: map[group]uint32{}, shared: map[ObjectID][]uint16{}, names: newNameIndex()}
}

// get returns an object, nil for 0 and for those that have left.
func (t *objects) get(id ObjectID) *object {
	if c := int(id) / objectsPerChunk; c < len(t.chunks) && t.chunks[c] != nil {
		if o := &t.chunks[c].objects[id%objectsPerChunk]; o.bits&occupied != 0 {
			return o
		}
	}
	return nil
}

func (t *objects) texts(id ObjectID, o *object) (name, uid []byte) {
	b := t.chunks[id/objectsPerChunk].text[o.text:]
	n, w := binary.Uvarint(b)
	name, b = b[w:w+int(n)], b[w+int(n):]
	if o.bits&textUID != 0 {
		n, w = binary.Uvarint(b)
		uid = b[w : w+int(n)]
	}
	return name, uid
}

func (t *objects) identity(id ObjectID) Identity {
	o := t.get(id)
	if o == nil {
		return Identity{}
	}
	g := t.groups[o.group]
	name, uid := t.texts(id, o)
	out := Identity{Context: g.context, APIVersion: g.apiVersion, Kind: g.kind, Namespace: g.namespace, Name: string(name)}
	if o.bits&textUID != 0 {
		out.UID = string(uid)
	} else {
		out.UID = formatUID(o.uid)
	}
	return out
}

// find returns the object of an identity, and the newest one of that name
// whatever its UID; 0 if there is none.
func (t *objects) find(id Identity) (found, named ObjectID) {
	g, ok := t.groupOf[group{id.Context, id.APIVersion, id.Kind, id.Namespace}]
	if !ok {
		return 0, 0
	}
	named = t.names.find(t, g, id.Name)
	return t.withUID(named, id.UID), named
}

// withUID returns the object with a UID among one and those that held its name
// before; 0 if there is none.
func (t *objects) withUID(named ObjectID, text string) (found ObjectID) {
	if named == 0 {
		return 0
	}
	uid, canonical := parseUID(text)
	for found = named; found != 0; {
		o := t.get(found)
		if canonical && o.bits&textUID == 0 && o.uid == uid {
			break
		}
		if !canonical && o.bits&textUID != 0 {
			if _, held := t.texts(found, o); string(held) == text {
				break
			}
		}
		found = o.older
	}
	return found
}

// place is where an identity is looked up, or entered.
type place struct {
	group uint32
	names nameSlot // with the object that held the name before, 0 for none
	slot  int
}

// place is find for who will add what is not there.
func (t *objects) place(id Identity) (found ObjectID, at place) {
	at.group = t.group(id)
	at.slot, at.names.hash = t.names.slot(t, at.group, id.Name)
	at.names.id = t.names.slots[at.slot].id
	return t.withUID(at.names.id, id.UID), at
}

// add enters a new object at the place that was found for it.
func (t *objects) add(id Identity, at place) (ObjectID, *object) {
	n := t.next
	t.next++
	t.held++
	if int(n)/objectsPerChunk >= len(t.chunks) {
		if k := len(t.chunks); k > 0 && t.chunks[k-1] != nil {
			full := t.chunks[k-1]
			if spare := cap(full.text) - len(full.text); spare > len(full.text)/8 {
				t.memory -= int64(spare)
				full.text = append(make([]byte, 0, len(full.text)), full.text...)
			}
			t.release(k - 1)
		}
		x := &objectChunk{}
		if k := len(t.chunks); k > 0 && t.chunks[k-1] != nil { // their names are about as long
			x.text = make([]byte, 0, len(t.chunks[k-1].text)*9/8)
		}
		t.chunks = append(t.chunks, x)
		t.memory += chunkOfObjects + int64(cap(x.text))
	}
	c := t.chunks[n/objectsPerChunk]
	c.held++
	o := &c.objects[n%objectsPerChunk]
	*o = object{group: at.group, text: uint32(len(c.text)), older: at.names.id, stream: noStream, left: noStream, bits: occupied}
	before := cap(c.text)
	c.text = binary.AppendUvarint(c.text, uint64(len(id.Name)))
	c.text = append(c.text, id.Name...)
	var canonical bool
	if o.uid, canonical = parseUID(id.UID); !canonical {
		o.bits |= textUID
		c.text = binary.AppendUvarint(c.text, uint64(len(id.UID)))
		c.text = append(c.text, id.UID...)
	}
	t.memory += int64(cap(c.text) - before)
	t.names.enter(at.slot, at.names.hash, n)
	return n, o
}

// group returns the number of an identity's group, which is a new one if it was
// not known.
func (t *objects) group(id Identity) uint32 {
	g := group{id.Context, id.APIVersion, id.Kind, id.Namespace}
	if int(t.recent) < len(t.groups) && t.groups[t.recent] == g { // what comes together is alike
		return t.recent
	}
	n, ok := t.groupOf[g]
	if !ok {
		// Cloned: the strings may be views of a buffer that will be reused.
		g = group{strings.Clone(g.context), strings.Clone(g.apiVersion), strings.Clone(g.kind), strings.Clone(g.namespace)}
		n = uint32(len(t.groups))
		t.groups = append(t.groups, g)
		t.groupOf[g] = n
		t.memory += int64(len(g.context)+len(g.apiVersion)+len(g.kind)+len(g.namespace)) + 3*64
	}
	t.recent = n
	return n
}

// remove takes an object out of the table.
func (t *objects) remove(id ObjectID) {
	o := t.get(id)
	name, _ := t.texts(id, o)
	slot, hash := t.names.slot(t, o.group, string(name))
	switch head := t.names.slots[slot].id; {
	case head != id:
		for p := t.get(head); p != nil; p = t.get(p.older) {
			if p.older == id {
				p.older = o.older
				break
			}
		}
	case o.older != 0:
		t.names.slots[slot] = nameSlot{hash, o.older}
	default:
		t.names.close(slot)
	}
	o.bits = 0
	t.held--
	k := int(id) / objectsPerChunk
	t.chunks[k].held--
	if k < int(t.next)/objectsPerChunk {
		t.release(k)
	}
}

// release lets a chunk go that is full and in which no object is left.
func (t *objects) release(k int) {
	if c := t.chunks[k]; c.held == 0 {
		t.chunks[k] = nil
		t.memory -= chunkOfObjects + int64(cap(c.text))
	}
}

// isIn reports whether an object exists in a stream.
func (t *objects) isIn(id ObjectID, o *object, s uint16) bool {
	if o.stream == s {
		return true
	}
	for _, x := range t.shared[id] {
		if x == s {
			return true
		}
	}
	return false
}

// put notes whether an object exists in a stream, and reports whether that is
// a change.
func (t *objects) put(id ObjectID, o *object, s uint16, in bool) bool {
	if t.isIn(id, o, s) == in {
		return false
	}
	more := t.shared[id]
	switch {
	case in && o.stream == noStream:
		o.stream = s
		return true
	case in:
		more = append(more, s)
	case o.stream == s && len(more) == 0:
		o.stream = noStream
		return true
	default:
		if o.stream == s {
			o.stream, s = more[0], more[0]
		}
		for i, x := range more {
			if x == s {
				more = append(more[:i:i], more[i+1:]...)
				break
			}
		}
	}
	if len(more) == 0 {
		delete(t.shared, id)
	} else {
		t.shared[id] = more
	}
	return true
}

// nameIndex finds the newest object of a name: an open-addressed table, 11 to 22
// bytes an object. A slot has the hash of its name, so that hardly ever an object
// is looked at that has another one: it is anywhere in memory.
type nameIndex struct {
	seed  maphash.Seed
	slots []nameSlot
	used  int
}

type nameSlot struct {
	hash uint32
	id   ObjectID // 0: empty
}

func newNameIndex() nameIndex {
	return nameIndex{seed: maphash.MakeSeed(), slots: make([]nameSlot, 64)}
}

// slot returns where a name is, or where it would be entered, and its hash.
func (x *nameIndex) slot(t *objects, group uint32, name string) (i int, hash uint32) {
	mask := len(x.slots) - 1
	hash = uint32(maphash.String(x.seed, name) + uint64(group)*0x9E3779B97F4A7C15)
	for i = int(hash) & mask; x.slots[i].id != 0; i = (i + 1) & mask {
		if x.slots[i].hash != hash {
			continue
		}
		if o := t.get(x.slots[i].id); o.group == group {
			if n, _ := t.texts(x.slots[i].id, o); string(n) == name {
				break
			}
		}
	}
	return i, hash
}

func (x *nameIndex) find(t *objects, group uint32, name string) ObjectID {
	i, _ := x.slot(t, group, name)
	return x.slots[i].id
}

// enter puts an object into the slot that was found for its name.
func (x *nameIndex) enter(i int, hash uint32, id ObjectID) {
	if x.slots[i].id == 0 {
		x.used++
	}
	x.slots[i] = nameSlot{hash, id}
	x.reserve(0)
}

// close empties a slot and moves up those that had to step over it.
func (x *nameIndex) close(i int) {
	x.used--
	mask := len(x.slots) - 1
	x.slots[i] = nameSlot{}
	for j := (i + 1) & mask; x.slots[j].id != 0; j = (j + 1) & mask {
		s := x.slots[j]
		x.slots[j] = nameSlot{}
		x.put(s)
	}
}

// put puts what is not there into the first slot that is free for it.
func (x *nameIndex) put(s nameSlot) {
	mask := len(x.slots) - 1
	i := int(s.hash) & mask
	for x.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

// reserve makes room for n more names, in one go.
func (x *nameIndex) reserve(n int) {
	size := len(x.slots)
	for (x.used+n)*4 > size*3 {
		size *= 2
	}
	if size == len(x.slots) {
		return
	}
	old := x.slots
	x.slots = make([]nameSlot, size)
	for _, s := range old {
		if s.id != 0 {
			x.put(s)
		}
	}
}

// parseUID reads a UID as servers write it; any other is kept as text.
func parseUID(s string) (uid [16]byte, canonical bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return uid, false
	}
	var digits [32]byte
	n := copy(digits[:], s[:8])
	n += copy(digits[n:], s[9:13])
	n += copy(digits[n:], s[14:18])
	n += copy(digits[n:], s[19:23])
	copy(digits[n:], s[24:])
	for _, c := range digits {
		if c >= 'A' && c <= 'F' { // it would come back in lower case
			return uid, false
		}
	}
	if _, err := hex.Decode(uid[:], digits[:]); err != nil {
		return [16]byte{}, false
	}
	return uid, true
}

func formatUID(uid [16]byte) string {
	b := textOfUID(uid)
	return string(b[:])
}

func textOfUID(uid [16]byte) (b [36]byte) {
	hex.Encode(b[:], uid[:4])
	hex.Encode(b[9:], uid[4:6])
	hex.Encode(b[14:], uid[6:8])
	hex.Encode(b[19:], uid[8:10])
	hex.Encode(b[24:], uid[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return b
}
