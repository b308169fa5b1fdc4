// Package deck holds the words that a replay and its screen share: how the
// replay of a tape stands, what can be looked for on it, and what the whole of
// it looks like. It is plain data.
package deck

import (
	"time"

	"rewatch/model"
)

// Playback is how a replay stands.
type Playback struct {
	Now      time.Time // of the tape's clock; goes on by itself while Playing
	From, To time.Time // of the tapes
	Held     time.Time // rows before this moment are on the tape but not in the log
	Earlier  int64     // how many rows those are, as far as known
	Playing  bool
	Speed    float64 // +Inf is as fast as possible
	AtEnd    bool    // there is nothing after Now
	// Seeking is set while a jump or a search is under way; Target is where to,
	// the zero time for a search.
	Seeking bool
	Target  time.Time
	// Events before Now, and in all tapes, as far as known.
	Event, Events int64
	// Text is what the user should know: "nothing found", damage; "" is nothing.
	Text string
	// Damaged is set when something on the tapes could not be read.
	Damaged bool
}

// LandmarkKind is what to look for on a tape.
type LandmarkKind uint8

// Kinds of landmarks.
const (
	AnyGap      LandmarkKind = iota // a gap, or frames that the recorder lost
	AnyError                        // a stream that failed
	AnyDeletion                     // a DELETED
	AnyMatch                        // a row that Landmark.Match accepts
)

// Landmark is something to find on the tapes after, or before, the moment shown.
type Landmark struct {
	Kind LandmarkKind
	Back bool
	// Match makes the filter for AnyMatch. It is called with each log that is
	// searched; a nil Filter matches every change of an object.
	Match func(*model.Log) model.Filter
}

// Span is a part of the tape.
type Span struct {
	From, To time.Time
	Text     string // one line, not yet sanitised
}

// Overview is the whole of the tapes at a glance.
type Overview struct {
	From, To time.Time
	// Density holds the number of events in equal parts of [From, To].
	Density []uint32
	Gaps    []Span // in order: changes may have been missed
	// Unwatched holds the spans in which nothing was watched: before, between
	// and after tapes, and while every stream was down.
	Unwatched []Span
	Marks     []Span // marks on the tapes, each with From = To
}
