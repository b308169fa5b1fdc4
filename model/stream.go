package model

import (
	"time"

	"rewatch/model/redact"
)

// StreamInfo says what one stream watches.
type StreamInfo struct {
	ID         StreamID
	Context    string // kubeconfig context
	Server     string // host:port, for "one line for the host"
	Group      string
	Version    string
	Resource   string // plural, lower case: "pods"
	Kind       string
	Namespaced bool
	Namespace  string // "" is all namespaces, or cluster scope
	Label      string // label selector
	Field      string // field selector
	// Uncached marks resources that the server does not keep in a watch
	// cache (Events): they get no periodic bookmarks, and silence is no sign.
	Uncached bool
}

// Name is the short name of a stream: resource[.group].
func (s StreamInfo) Name() string {
	if s.Group == "" {
		return s.Resource
	}
	return s.Resource + "." + s.Group
}

// Secrecy is how much of an object, or of a frame, of the stream is redacted
// before anything keeps it. It goes by the stream as well as by what names the
// object: either is enough.
func (s *StreamInfo) Secrecy(ids ...Identity) redact.Reach {
	if s.Group == "" && s.Resource == "secrets" {
		return redact.Whole
	}
	reach := redact.Nothing
	for _, id := range ids {
		reach = max(reach, redact.ReachOf(id.APIVersion, id.Kind))
	}
	return reach
}

// State is the state of a stream, as the design names them.
type State uint8

const (
	Idle       State = iota // not started
	Connecting              // a request was sent, no headers yet
	Syncing                 // the initial state is arriving
	Live                    // the watch is open and has shown signs of life
	Quiet                   // open, on a resource without heartbeats
	Overdue                 // open, but the heartbeat is late: a suspicion
	Rotating                // the server ended the watch in order; resuming
	Backoff                 // waiting before the next attempt
	Expired                 // the resume position is no longer held by the server
	Relisting               // a fresh list is being compared with what is known
	Denied                  // the server refused this user; slow retry, data stale
	Gone                    // the resource type is not served any more
	Paused                  // by the user
	Slept                   // the machine slept; reconnecting
	Stopped                 // ended for good: the request itself is wrong, removed by the user, or shutdown
	Polling                 // the resource cannot be watched: repeated lists instead
)

var stateNames = [...]string{"IDLE", "CONNECT", "SYNC", "LIVE", "QUIET", "OVERDUE", "ROTATE", "RETRY",
	"EXPIRED", "RELIST", "DENIED", "GONE", "PAUSED", "SLEPT", "STOPPED", "POLL"}

// String is the short upper-case word shown on screen.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "?"
}

// Fresh reports whether what the screen shows of a stream in this state is
// current as far as anyone can know. Nothing else may be called live.
func (s State) Fresh() bool { return s == Live || s == Quiet || s == Rotating }

// Degraded reports whether the status bar must name a stream in this state.
func (s State) Degraded() bool {
	switch s {
	case Overdue, Backoff, Expired, Relisting, Denied, Gone, Slept, Stopped:
		return true
	}
	return false
}

// Cause says why a stream changed its state. The words for people are in
// Transition.Text; a Cause is for code and for tests.
type Cause string

const (
	CauseNone             Cause = ""
	CauseStart            Cause = "start"
	CauseTimeout          Cause = "server-timeout"     // row 1: normal rotation
	CauseExpired          Cause = "expired"            // rows 2, 3: 410
	CauseEmpty            Cause = "closed-empty"       // row 6
	CauseFlapping         Cause = "flapping"           // row 7
	CauseRefused          Cause = "refused"            // row 8
	CauseCut              Cause = "cut"                // row 9: reset or cut in a frame
	CauseStreamReset      Cause = "http2-stream-reset" // row 10
	CauseGoAway           Cause = "http2-goaway"       // row 11
	CausePing             Cause = "ping-timeout"       // row 12
	CauseDeadline         Cause = "deadline"           // rows 13, 14: our own deadline
	CauseGarbage          Cause = "not-json"           // row 19
	CauseThrottled        Cause = "throttled"          // row 20
	CauseInitialising     Cause = "initialising"       // row 21
	CauseTooLarge         Cause = "rv-too-large"       // row 22
	CauseForbidden        Cause = "forbidden"          // rows 28, 32, 33
	CauseUnauthorized     Cause = "unauthorized"       // row 29
	CauseNotWatchable     Cause = "not-watchable"      // rows 33, 34
	CauseNotFound         Cause = "not-found"          // row 35
	CauseServerError      Cause = "server-error"       // rows 38, 39: 5xx
	CauseNoEndMark        Cause = "no-end-bookmark"    // row 40
	CauseNotResumable     Cause = "not-resumable"      // row 41
	CauseNoInitialEvents  Cause = "no-initial-events"  // row 42
	CausePageExpired      Cause = "page-expired"       // row 43
	CauseSlowReader       Cause = "slow-reader"        // row 44
	CauseWatchListFailing Cause = "watch-list-failing" // row 45
	CauseFrameTooLarge    Cause = "frame-too-large"    // row 47
	CauseUnknownType      Cause = "unknown-type"       // row 49
	CauseSlept            Cause = "slept"              // row 55
	CauseQueued           Cause = "queued-locally"     // row 57
	CauseInvalid          Cause = "invalid-request"    // row 59
	CauseDNS              Cause = "dns"
	CauseTLS              Cause = "tls"
	CauseNetwork          Cause = "network"   // any other transport error
	CauseHostDown         Cause = "host-down" // row 27: another stream probes this host
	CauseUser             Cause = "user"
	CauseShutdown         Cause = "shutdown"
	CauseMark             Cause = "mark" // of a Note: a mark that the user set
)

// Transition is one step of a stream's state machine.
type Transition struct {
	From, To State
	Cause    Cause
	Text     string // for people, one line, not yet sanitised: it may quote the server
	// Attempt counts the failed attempts in a row, 0 while healthy.
	Attempt int
	Until   time.Time     // Backoff, Denied, …: when the next attempt starts; zero otherwise
	AsOf    time.Time     // into what is not Live: see StreamStatus.Onset; a log fills it in
	Status  int           // HTTP status of the request that this is about, 0 without one
	Proto   string        // "HTTP/2.0"
	RV      string        // resume position after the step
	Bytes   int64         // of the request that ended
	Frames  int64         // of the request that ended
	Took    time.Duration // how long the request that ended had lived
	// Total is the number of objects that the initial list will have, as far
	// as the server says (remainingItemCount); 0 is unknown.
	Total int64
	// Request is the one that the step is about, if any: that ended or that is
	// open. A step may be there for nothing else: see Bare.
	Request *Request
}

// Removes reports whether the step ends a stream because its user no longer
// wants it. Nothing follows it: the objects of the stream are no longer known
// to exist, and their history stays.
func (t Transition) Removes() bool { return t.To == Stopped && t.Cause == CauseUser }

// Gap is a span of resourceVersions in which changes may have been missed.
type Gap struct {
	FromRV, ToRV string // last seen before; of the list after
	Since        time.Time
	Took         time.Duration // from the loss to the end of the comparison
	Cause        Cause
	Text         string
	// What comparing with a fresh list found, in objects.
	Added, Modified, Deleted int
}

// Note is something that a user should know and that changes no state.
type Note struct {
	Cause Cause
	Text  string // one line, not yet sanitised
}

// StreamStatus is the state of a stream, computed from the records that were
// appended for it, so that a replay shows what the live screen showed.
type StreamStatus struct {
	StreamInfo
	State     State
	Since     time.Time  // of the state
	Last      Transition // the newest one
	Failure   Transition // the newest failure of its own, from then until the stream is well again
	LastFrame time.Time  // receipt of the newest frame of any type; zero before the first
	Heard     time.Time  // the newest answer or frame of the server; before the first, and after a pause, when it was first asked
	Request   int64      // number of the newest request that a step told of
	Read      int64      // bytes of its body so far, as far as records tell
	Heartbeat time.Time  // receipt of the newest bookmark; zero before the first
	RV        string     // newest resourceVersion that may be resumed from
	// Counts of frames by type, and of objects that exist now.
	Added, Modified, Deleted, Bookmarks, Replayed int64
	Initial                                       int64 // of Added: what there was already, told by a list or sent again
	Objects                                       int64
	Synced                                        int64 // objects received by the running initial list
	Total                                         int64 // of the running initial list, 0 is unknown
	Bytes                                         int64 // on the wire
	Reconnects                                    int64 // connections after the first
	Gaps                                          int64
	// Rate holds events per second of the last RateSeconds seconds; the last
	// element is the running second as of the time asked for.
	Rate [RateSeconds]uint32
}

// Removed reports whether the user has removed the stream.
func (s *StreamStatus) Removed() bool { return s.State == Stopped && s.Last.Removes() }

// Onset is since when what is shown of the stream is current, or since when it
// is not known to be: of an outage that is the first loss, however often was
// tried since then, of a silence it is the last that was heard before it, and of
// a stream that never was current it is when it was first asked.
func (s *StreamStatus) Onset() time.Time { return s.Last.Onset(s.Since) }

// Onset is that of the stream whose newest step this is, taken at a moment.
func (t Transition) Onset(taken time.Time) time.Time {
	if t.To.Fresh() || t.AsOf.IsZero() {
		return taken
	}
	return t.AsOf
}

// RateSeconds is the length of StreamStatus.Rate.
const RateSeconds = 30
