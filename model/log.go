package model

import (
	"sync"
	"time"

	"rewatch/model/redact"
)

// Options of a log.
type Options struct {
	// Budget is the most memory, in bytes, that the log may hold; the oldest
	// rows and versions leave first. 0 means DefaultBudget. What must be held
	// to tell changes from replays, the newest version of every object that
	// exists, is counted but does not leave: see Stats.
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
	budget   int64
	rows     rows
	objects  *objects
	history  *history
	versions versionIndex
	streams  []*stream
	details  int64 // memory of the details held
	held     uint64
	gone     uint64
	scratch  []byte // for comparing
	unpacked bool   // see Load
	taps     []*tap

	subMu sync.Mutex
	subs  map[chan struct{}]struct{}
	wake  chan struct{}
}

// NewLog returns an empty log.
func NewLog(o Options) *Log {
	l := &Log{redactor: o.Redactor, budget: o.Budget, objects: newObjects(), history: newHistory(),
		versions: versionIndex{}, subs: map[chan struct{}]struct{}{}}
	if l.redactor == nil {
		l.redactor = redact.New()
	}
	if l.budget == 0 {
		l.budget = DefaultBudget
	}
	l.wake, _ = l.subscribe()
	return l
}

// AddStream registers a stream, at any time, and returns its number; info.ID
// is ignored. A log has room for 65,535 streams and panics beyond.
func (l *Log) AddStream(info StreamInfo) StreamID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.streams) >= int(noStream) {
		panic("model: too many streams")
	}
	info.ID = StreamID(len(l.streams))
	l.streams = append(l.streams, &stream{StreamStatus: StreamStatus{StreamInfo: info}})
	for _, t := range l.taps {
		t.Stream(info)
	}
	return info.ID
}

// Redactor is the one that the log applies to Secrets.
func (l *Log) Redactor() *redact.Redactor { return l.redactor }

// Wake returns the channel of a subscription that the log comes with, for the
// one reader that most programs have; any further reader needs its own: see
// Subscribe.
func (l *Log) Wake() <-chan struct{} { return l.wake }

// Subscribe returns a channel on which one value is pending after any number
// of appends: one conflated wake-up. The writer never waits for its reader.
// cancel ends the subscription; the channel is not closed.
func (l *Log) Subscribe() (wake <-chan struct{}, cancel func()) { return l.subscribe() }

func (l *Log) subscribe() (chan struct{}, func()) {
	c := make(chan struct{}, 1)
	l.subMu.Lock()
	defer l.subMu.Unlock()
	l.subs[c] = struct{}{}
	return c, func() {
		l.subMu.Lock()
		defer l.subMu.Unlock()
		delete(l.subs, c)
	}
}

func (l *Log) notify() {
	l.subMu.Lock()
	defer l.subMu.Unlock()
	for c := range l.subs {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Streams returns the state of every stream; the rates are as of now.
func (l *Log) Streams(now time.Time) []StreamStatus {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]StreamStatus, len(l.streams))
	for i, s := range l.streams {
		out[i] = s.StreamStatus
		out[i].Rate = s.rate.asOf(now)
	}
	return out
}

// Stream returns what a stream watches; ok is false if there is no such stream.
func (l *Log) Stream(id StreamID) (info StreamInfo, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if id < 0 || int(id) >= len(l.streams) {
		return StreamInfo{}, false
	}
	return l.streams[id].StreamInfo, true
}

// Stats is what the log says about itself.
type Stats struct {
	Bytes  int64 // memory held, as counted against the budget
	Budget int64
	Rows   uint64 // held
	// Evicted is the number of rows that left, EvictedVersions that of the
	// versions of objects that left with them.
	Evicted, EvictedVersions uint64
	Versions                 uint64 // held
	Objects                  int    // identities held
}

// Stats returns the log's own figures. Bytes can be above Budget only when the
// newest rows and the newest version of every object alone take more.
func (l *Log) Stats() Stats {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Stats{Bytes: l.memory(), Budget: l.budget, Rows: uint64(l.rows.end - l.rows.first), Evicted: uint64(l.rows.first),
		EvictedVersions: l.gone, Versions: l.held, Objects: l.objects.held}
}
