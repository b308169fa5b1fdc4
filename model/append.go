package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"rewatch/model/jsonscan"
	"rewatch/model/redact"
)

// Append adds a record and returns its row. For changes of objects it finds
// out what kind of change this is:
//
//   - An object with the UID, resourceVersion and content of a version that is
//     known (another stream has delivered it, or a server sent it again) is no
//     new version: the row has the number of the known one and, unless the
//     object has come to exist or ceased to, or nobody had followed it any more,
//     is marked Replayed. The content
//     counts since a server whose data was restored gives resourceVersions anew.
//   - An ADDED whose name was held by another UID is marked Recreated.
//   - A record without Raw stands for the newest version known, as when a
//     relist finds that an object is gone.
//
// Identity.Context is that of the stream unless it is given; items of lists
// carry no apiVersion and kind, which then come from the stream as well.
func (l *Log) Append(r Record) Event {
	defer l.notify()
	l.mu.Lock()
	defer l.mu.Unlock() // a panic must not hold up the readers
	e := l.append(&r, nil)
	l.settleAfter()
	l.evict()
	return e
}

func (l *Log) append(r *Record, text Text) Event {
	st := l.streams[r.Stream]
	x := row{time: r.Time.UnixNano(), stream: uint16(r.Stream), typ: r.Type, flags: r.Flags}
	given := r.Identity.Name != "" || r.Identity.UID != ""
	if r.Type.IsObject() || r.Type == Bookmark {
		identify(st, r)
		x.rv = number(r.RV)
	}
	seq := l.rows.end
	if int(seq-l.rows.first) == len(l.rows.chunks)*rowsPerChunk {
		l.rows.chunks = append(l.rows.chunks, newChunk())
	}
	c := l.rows.chunks[len(l.rows.chunks)-1]
	change := false
	switch {
	case r.Type.IsObject():
		change = l.appendObject(st, r, text, &x, c, seq)
	case r.Detail != nil:
		if t, ok := r.Detail.(Transition); ok {
			if t.Removes() {
				l.leave(st)
			}
			r.Detail = st.dated(t, r.Time)
		}
		x.version = c.addDetail(r.Detail)
		l.details += detailMemory(r.Detail)
	}
	c.rows[seq%rowsPerChunk] = x
	l.rows.end++
	st.count(r, x.flags, change)
	e := c.event(seq)
	if len(l.taps) > 0 {
		l.hand(st, e, r, given)
	}
	return e
}

// identify completes the identity of a record from its bytes and its stream.
func identify(st *stream, r *Record) {
	if r.Identity.Name == "" && r.Identity.UID == "" {
		m, _ := jsonscan.Identity(r.Raw)
		r.Identity = Identity{Context: r.Identity.Context, APIVersion: m.APIVersion, Kind: m.Kind,
			Namespace: m.Namespace, Name: m.Name, UID: m.UID}
		r.RV = m.ResourceVersion
	}
	if r.Identity.Context == "" {
		r.Identity.Context = st.Context
	}
	if r.Identity.Kind == "" {
		r.Identity.Kind = st.Kind
	}
	if r.Identity.APIVersion == "" {
		r.Identity.APIVersion = st.Version
		if st.Group != "" {
			r.Identity.APIVersion = st.Group + "/" + st.Version
		}
	}
}

// appendObject completes the row of a change of an object, keeps its bytes,
// and reports whether the object came to exist in the stream or ceased to. text
// is where the bytes are, nil if they have to be copied. With it r.Raw may be nil:
// it is made where somebody looks at it.
func (l *Log) appendObject(st *stream, r *Record, text Text, x *row, c *chunk, seq Seq) (change bool) {
	reach := st.Secrecy(r.Identity)
	redacts := reach != redact.Nothing || len(l.redactor.Rules()) > 0
	if text != nil && r.Raw == nil && (redacts || len(l.taps) > 0 || r.Bytes == 0 && r.Flags&Synthetic == 0) {
		r.Raw = l.raw(text)
	}
	raw := r.Raw
	if len(raw) > 0 && redacts {
		if r.Bytes == 0 && r.Flags&Synthetic == 0 {
			r.Bytes = len(raw)
		}
		raw = l.redacted(raw, reach)
		r.Raw, text = raw, nil
	}
	id, at := l.objects.place(r.Identity)
	if id == 0 {
		if at.names.id != 0 && r.Type == Added {
			x.flags |= Recreated
		}
		id, _ = l.objects.add(r.Identity, at)
	}
	o := l.objects.get(id)
	if text != nil && raw == nil && o.newest != 0 {
		raw = l.raw(text)
	}
	if len(l.taps) > 0 {
		l.save(id)
		if len(raw) == 0 && r.Flags&Synthetic != 0 && (len(l.objects.shared[id]) > 0 || o.left != noStream) {
			// The newest version may be another stream's, which who follows
			// this stream alone would not know.
			r.Raw, _ = l.bytes(nil, id, o, o.newest)
		}
	}
	o.rows++
	x.object = id
	existed, left := o.exists(), o.left != noStream
	change = l.objects.put(id, o, x.stream, r.Type != Deleted && !st.Removed())
	if r.Type == Deleted || o.exists() {
		o.left = noStream
	}
	if x.version = l.knownVersion(id, o, x.rv, raw, r.Reverted); x.version != 0 {
		if o.exists() == existed && !left {
			x.flags |= Replayed
		}
		return change
	}
	if text != nil && o.newest == 0 {
		o.ref = l.borrow(id, seq, text)
	} else {
		o.ref = l.keep(id, o, raw)
	}
	i := seq % rowsPerChunk
	c.brought.refs[i], c.brought.prevs[i] = o.ref, o.last
	o.newest++
	o.last, o.rv = uint32(seq), x.rv
	if o.newest == 1 {
		o.oldest = 1
	}
	l.versions.add(id, o.newest, o.last)
	l.held++
	x.version = o.newest
	return change
}

// number is a resourceVersion as a number, 0 if it is none that fits.
func number(rv string) uint64 {
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// redacted returns an object without what must not be kept of it. What cannot
// be read cannot be redacted, and is not kept.
func (l *Log) redacted(raw []byte, reach redact.Reach) []byte {
	if reach == redact.Whole && !json.Valid(raw) {
		return []byte(`{}`)
	}
	return l.redactor.Apply(l.redactor.Within(raw, reach))
}

// replayDepth is how many versions back a resourceVersion is looked for. A
// stream that lags behind another by more brings versions anew.
const replayDepth = 64

// knownVersion returns the version of an object that has this resourceVersion
// and these bytes, 0 if none is known. Where resourceVersions are no numbers,
// the bytes alone tell.
func (l *Log) knownVersion(id ObjectID, o *object, rv uint64, raw []byte, reverted bool) uint32 {
	switch {
	case o.newest < o.oldest, o.newest == 0:
		return 0
	case len(raw) == 0:
		return o.newest
	case rv == 0, rv == o.rv:
		return l.ifSame(id, o, o.newest, raw)
	case rv > o.rv, reverted, o.bits&rowless != 0:
		return 0
	}
	seq, v := l.rows.full(o.last), o.newest
	for range replayDepth {
		if v == o.oldest {
			return 0
		}
		seq, v = l.rows.prev(seq), v-1
		if l.rows.row(seq).rv == rv {
			return l.ifSame(id, o, v, raw)
		}
	}
	return 0
}

// ifSame returns a version if its bytes are raw, and 0 otherwise.
func (l *Log) ifSame(id ObjectID, o *object, version uint32, raw []byte) uint32 {
	held, err := l.bytes(l.scratch[:0], id, o, version)
	if l.scratch = held; cap(held) > maxScratch {
		l.scratch = nil
	}
	if err != nil || !sameContent(held, raw) {
		return 0
	}
	return version
}

// sameContent compares two objects byte for byte, but for their type: lists
// leave it out of their items, and who puts it back may put it elsewhere.
func sameContent(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	as, errA := jsonscan.AppendMembers(nil, a)
	bs, errB := jsonscan.AppendMembers(nil, b)
	typed := func(m jsonscan.Member) bool { return m.Key == "kind" || m.Key == "apiVersion" }
	as, bs = slices.DeleteFunc(as, typed), slices.DeleteFunc(bs, typed)
	return errA == nil && errB == nil && slices.EqualFunc(as, bs, func(x, y jsonscan.Member) bool {
		return x.Key == y.Key && bytes.Equal(x.Of(a), y.Of(b))
	})
}

// maxScratch is how large a buffer may be to be kept for the next object.
const maxScratch = 1 << 20

// Differs reports whether raw, which a stream got for an object, is something
// else than a version that the log holds: the same resourceVersion may come
// again with other content. It is false if the version is not held.
func (l *Log) Differs(s StreamID, id ObjectID, version uint32, raw []byte) bool {
	l.mu.RLock()
	o := l.objects.get(id)
	if o == nil {
		l.mu.RUnlock()
		return false
	}
	held, err := l.bytes(nil, id, o, version)
	g := l.objects.groups[o.group]
	reach := l.streams[s].Secrecy(Identity{APIVersion: g.apiVersion, Kind: g.kind})
	l.mu.RUnlock()
	if err == nil {
		raw = l.redacted(raw, reach)
	}
	return err == nil && !sameContent(held, raw)
}
