package model

import (
	"encoding/json"
	"strconv"

	"rewatch/model/jsonscan"
)

// Append adds a record and returns its row. For changes of objects it finds
// out what kind of change this is:
//
//   - An object with the UID and resourceVersion of a version that is known
//     (another stream has delivered it, or a server sent it again) is no new
//     version: the row has the number of the known one and, unless the object
//     has come to exist or ceased to, is marked Replayed.
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
	e := l.append(&r)
	l.settle()
	l.evict()
	return e
}

func (l *Log) append(r *Record) Event {
	st := l.streams[r.Stream]
	x := row{time: r.Time.UnixNano(), stream: uint16(r.Stream), typ: r.Type, flags: r.Flags}
	if r.Type.IsObject() || r.Type == Bookmark {
		identify(st, r)
		x.rv, _ = strconv.ParseUint(r.RV, 10, 64)
	}
	seq := l.rows.end
	if int(seq-l.rows.first) == len(l.rows.chunks)*rowsPerChunk {
		l.rows.chunks = append(l.rows.chunks, newChunk())
	}
	c := l.rows.chunks[len(l.rows.chunks)-1]
	change := false
	switch {
	case r.Type.IsObject():
		change = l.appendObject(st, r, &x, c, seq)
	case r.Detail != nil:
		x.version = c.addDetail(r.Detail)
		l.details++
	}
	c.rows[seq%rowsPerChunk] = x
	l.rows.end++
	st.count(r, x.flags, change)
	return c.event(seq)
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
// and reports whether the object came to exist in the stream or ceased to.
func (l *Log) appendObject(st *stream, r *Record, x *row, c *chunk, seq Seq) (change bool) {
	raw := r.Raw
	if isSecret(st, r.Identity) && len(raw) > 0 {
		raw = l.redacted(raw)
	}
	id, named := l.objects.find(r.Identity)
	if id == 0 {
		if named != 0 && r.Type == Added {
			x.flags |= Recreated
		}
		id, _ = l.objects.add(r.Identity, named)
	}
	o := l.objects.get(id)
	o.rows++
	x.object = id
	existed := o.exists()
	change = l.objects.put(id, o, x.stream, r.Type != Deleted)
	if x.version = l.knownVersion(id, o, x.rv, raw); x.version != 0 {
		if o.exists() == existed {
			x.flags |= Replayed
		}
		return change
	}
	o.ref = l.keep(id, o, raw)
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

// isSecret goes by the stream as well as by the object: either is enough.
func isSecret(st *stream, id Identity) bool {
	return st.Group == "" && st.Resource == "secrets" || id.APIVersion == "v1" && id.Kind == "Secret"
}

// redacted returns a Secret without its values. What cannot be read cannot be
// redacted, and is not kept.
func (l *Log) redacted(raw []byte) []byte {
	if !json.Valid(raw) {
		return []byte(`{}`)
	}
	return l.redactor.Secret(raw)
}

// replayDepth is how many versions back a resourceVersion is looked for. A
// stream that lags behind another by more brings versions anew.
const replayDepth = 64

// knownVersion returns the version of an object that has this resourceVersion,
// 0 if none is known. Where resourceVersions are no numbers, the bytes tell.
func (l *Log) knownVersion(id ObjectID, o *object, rv uint64, raw []byte) uint32 {
	if o.newest < o.oldest || o.newest == 0 {
		return 0
	}
	if len(raw) == 0 || rv != 0 && rv == o.rv {
		return o.newest
	}
	if rv == 0 {
		if same, err := l.bytes(nil, id, o, o.newest); err == nil && string(same) == string(raw) {
			return o.newest
		}
		return 0
	}
	if rv > o.rv || o.bits&rowless != 0 {
		return 0
	}
	seq, v := l.rows.full(o.last), o.newest
	for range replayDepth {
		if v == o.oldest {
			return 0
		}
		seq, v = l.rows.prev(seq), v-1
		if l.rows.row(seq).rv == rv {
			return v
		}
	}
	return 0
}
