// Package model holds what rewatch knows: the append-only log of events, the
// history of every object in it, and the state of every stream.
//
// Delivery: [Log.Append] never drops a record. Readers see immutable
// snapshots, and a reader that falls behind costs the writer nothing. The only
// thing that ever leaves the log is its oldest part, when the byte budget is
// reached, and what left is counted ([Snapshot.Evicted]).
//
// The package does no I/O and starts no goroutine. Times come in with the
// records: the log has no clock, so a replayed tape and a live watch fill it
// alike.
package model

import "time"

// Seq numbers the rows of a log, from 0 and without holes, in order of receipt.
type Seq uint64

// StreamID numbers the streams of a log, from 0 in order of [Log.AddStream].
type StreamID int32

// ObjectID numbers the objects of a log from 1; 0 means "no object".
type ObjectID uint32

// Type is what a row of the log is.
type Type uint8

// The first three are changes of objects, with the names of the wire protocol
// (k8s.io/apimachinery/pkg/watch). The others are about the watch itself.
const (
	Added Type = iota + 1
	Modified
	Deleted
	Bookmark     // a heartbeat: no object, a resourceVersion
	StreamChange // a stream went from one state to another: Detail is a Transition
	GapFound     // changes may have been missed: Detail is a Gap
	Noted        // something the user should know about a stream: Detail is a Note
)

// IsObject reports whether a row of this type is a change of an object.
func (t Type) IsObject() bool { return t >= Added && t <= Deleted }

var typeNames = [...]string{"", "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "STREAM", "GAP", "NOTE"}

// String is the name on the wire, and a word of that style for the others.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "?"
}

// Flag says how a row came about.
type Flag uint16

const (
	// Initial marks objects that were there when the stream began: state, not
	// a change.
	Initial Flag = 1 << iota
	// Synthetic marks changes found by comparing a fresh list with what was
	// known, after a gap. No frame carried them, and the changes in between
	// are lost.
	Synthetic
	// Replayed marks an object that a server sent again, with the UID and
	// resourceVersion already known.
	Replayed
	// Recreated marks an ADDED whose name was held by an object of another UID.
	Recreated
	// Selection marks an ADDED or DELETED on a stream with a selector, where
	// it may mean that the object entered or left the selection rather than
	// that it was created or deleted.
	Selection
)

// Event is one row of the log, by value and without its bytes; those come from
// [Log.Bytes] when somebody looks at them.
type Event struct {
	Seq    Seq
	Time   int64    // receipt, nanoseconds since the Unix epoch
	Object ObjectID // 0 unless Type.IsObject
	// Version numbers the states of an object from 1. A DELETED row has one
	// too: the last state, as the server sent it.
	Version uint32
	Stream  StreamID
	Type    Type
	Flags   Flag
	RV      uint64 // resourceVersion, 0 where there is none or it is not a number
	Detail  any    // Transition, Gap, Note, or nil
}

// When is the time of receipt.
func (e Event) When() time.Time { return time.Unix(0, e.Time) }

// Has reports whether every flag of f is set.
func (e Event) Has(f Flag) bool { return e.Flags&f == f }

// Identity names one object of one cluster. Two objects of the same name that
// lived one after the other have different UIDs and are different objects.
type Identity struct {
	Context    string // the kubeconfig context it was seen in
	APIVersion string // "v1", "apps/v1"
	Kind       string
	Namespace  string // "" for cluster-scoped objects
	Name       string
	UID        string
}

// Record is what a stream hands to the log.
type Record struct {
	Time   time.Time
	Stream StreamID
	Type   Type
	Flags  Flag
	// Raw is the object as it came from the wire, for changes of objects and
	// bookmarks. Append copies what it keeps: the caller may reuse the bytes.
	Raw []byte
	// Frame is the whole frame that carried Raw, as it came from the wire, if
	// one did. The log keeps nothing of it; its taps get it.
	Frame []byte
	// Identity and RV are read from Raw when Identity.UID and Name are empty.
	Identity Identity
	RV       string
	Bytes    int // size on the wire, counted to the stream; 0 means len(Raw)
	// Reverted says that the stream has had a later version of the object: the
	// server's data went back. It makes this the newest version, though a
	// version of this resourceVersion may be known.
	Reverted bool
	Detail   any // Transition, Gap or Note
}

// Filter decides whether a row is shown. It may be called for rows in any
// order, by one goroutine at a time.
type Filter func(Event) bool
