package model

import (
	"strconv"
	"sync"
	"time"

	"rewatch/model/jsonscan"
	"rewatch/model/redact"
)

// Options of a log.
type Options struct {
	// Budget is the most memory, in bytes, that the log may hold; the oldest
	// rows and versions leave first. 0 means DefaultBudget.
	Budget int64
	// Redactor replaces the values of Secrets; nil means a new one with a
	// random key.
	Redactor *redact.Redactor
}

// DefaultBudget is the default of --memory.
const DefaultBudget = 512 << 20

// Log is the append-only log. All methods may be called from any goroutine.
type Log struct {
	mu       sync.RWMutex
	redactor *redact.Redactor
	events   []Event
	streams  []*StreamStatus
	objects  []*object
	byKey    map[Identity]ObjectID
	wake     chan struct{}
}

type object struct {
	id       Identity
	versions [][]byte
	gone     bool
}

// NewLog returns an empty log.
func NewLog(o Options) *Log {
	r := o.Redactor
	if r == nil {
		r = redact.New()
	}
	return &Log{redactor: r, byKey: map[Identity]ObjectID{}, wake: make(chan struct{}, 1), objects: []*object{nil}}
}

// AddStream registers a stream and returns its number; info.ID is ignored.
func (l *Log) AddStream(info StreamInfo) StreamID {
	l.mu.Lock()
	defer l.mu.Unlock()
	info.ID = StreamID(len(l.streams))
	l.streams = append(l.streams, &StreamStatus{StreamInfo: info})
	return info.ID
}

// Append adds a record and returns its row number and, for changes of
// objects, the object.
func (l *Log) Append(r Record) Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	st := l.streams[r.Stream]
	e := Event{Seq: Seq(len(l.events)), Time: r.Time.UnixNano(), Stream: r.Stream, Type: r.Type, Flags: r.Flags, Detail: r.Detail}
	if r.Type.IsObject() || r.Type == Bookmark {
		if r.Identity.Name == "" && r.Identity.UID == "" {
			m, _ := jsonscan.Identity(r.Raw)
			r.Identity = Identity{Context: st.Context, APIVersion: m.APIVersion, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, UID: m.UID}
			r.RV = m.ResourceVersion
		}
		e.RV, _ = strconv.ParseUint(r.RV, 10, 64)
		st.LastFrame = r.Time
		st.RV = r.RV
		if r.Bytes == 0 {
			r.Bytes = len(r.Raw)
		}
		st.Bytes += int64(r.Bytes)
	}
	switch r.Type {
	case Added:
		st.Added++
	case Modified:
		st.Modified++
	case Deleted:
		st.Deleted++
	case Bookmark:
		st.Bookmarks++
		st.Heartbeat = r.Time
	case StreamChange:
		t := r.Detail.(Transition)
		st.State, st.Since, st.Last = t.To, r.Time, t
	case GapFound:
		st.Gaps++
	}
	if r.Type.IsObject() {
		raw := r.Raw
		if r.Identity.Kind == "Secret" {
			raw = l.redactor.Secret(raw)
		}
		k := r.Identity
		id, ok := l.byKey[k]
		if !ok {
			id = ObjectID(len(l.objects))
			l.objects = append(l.objects, &object{id: r.Identity})
			l.byKey[k] = id
		}
		o := l.objects[id]
		o.versions = append(o.versions, append([]byte(nil), raw...))
		o.gone = r.Type == Deleted
		e.Object, e.Version = id, uint32(len(o.versions))
	}
	l.events = append(l.events, e)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return e
}

// Wake returns the channel on which one value is pending after any number of
// appends: one conflated wake-up. It has one reader.
func (l *Log) Wake() <-chan struct{} { return l.wake }

// Redactor is the one that the log applies to Secrets.
func (l *Log) Redactor() *redact.Redactor { return l.redactor }

// Snapshot is an immutable view of the log at one moment. It is a small value
// and costs the same however much is held.
type Snapshot struct {
	events []Event
	first  Seq
}

// Snapshot returns the log as it is now.
func (l *Log) Snapshot() Snapshot {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Snapshot{events: l.events}
}

// First is the oldest row held; End is one past the newest.
func (s Snapshot) First() Seq { return s.first }

// End is one past the newest row.
func (s Snapshot) End() Seq { return s.first + Seq(len(s.events)) }

// Len is the number of rows held.
func (s Snapshot) Len() int { return len(s.events) }

// Evicted is the number of rows that have left the log since it began.
func (s Snapshot) Evicted() uint64 { return uint64(s.first) }

// At returns a row; seq must be in [First, End).
func (s Snapshot) At(seq Seq) Event { return s.events[seq-s.first] }

// Streams returns the state of every stream; the rates are as of now.
func (l *Log) Streams(now time.Time) []StreamStatus {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]StreamStatus, len(l.streams))
	for i, s := range l.streams {
		out[i] = *s
	}
	return out
}

// Identity returns the identity of an object; the zero value for 0 and for
// objects that have left the log.
func (l *Log) Identity(id ObjectID) Identity {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if id == 0 || int(id) >= len(l.objects) {
		return Identity{}
	}
	return l.objects[id].id
}

// Bytes returns one version of an object, byte for byte as it came (Secrets:
// as redacted). ok is false if the version does not exist or has left the log.
// The result may be kept but not changed.
func (l *Log) Bytes(id ObjectID, version uint32) (raw []byte, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if id == 0 || int(id) >= len(l.objects) {
		return nil, false
	}
	v := l.objects[id].versions
	if version == 0 || int(version) > len(v) {
		return nil, false
	}
	return v[version-1], true
}

// Versions returns the oldest version held and the newest of an object; 0, 0
// if none is.
func (l *Log) Versions(id ObjectID) (oldest, newest uint32) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if id == 0 || int(id) >= len(l.objects) || len(l.objects[id].versions) == 0 {
		return 0, 0
	}
	return 1, uint32(len(l.objects[id].versions))
}

// VersionSeq returns the row that carried a version of an object, so that a
// screen can walk the versions and show the time of each.
func (l *Log) VersionSeq(id ObjectID, version uint32) (Seq, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := len(l.events) - 1; i >= 0; i-- {
		if l.events[i].Object == id && l.events[i].Version == version {
			return Seq(i), true
		}
	}
	return 0, false
}

// Stats is what the log says about itself.
type Stats struct {
	Bytes   int64 // memory held, as counted against the budget
	Budget  int64
	Rows    uint64 // held
	Evicted uint64 // rows that left
	Objects int    // identities held
}

// Stats returns the log's own figures.
func (l *Log) Stats() Stats {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Stats{Rows: uint64(len(l.events)), Objects: len(l.objects) - 1}
}
