package ui

import (
	"context"
	"time"
)

// Tapes tells what the tapes of a replay hold: what rewatch info says of them.
type Tapes interface {
	// Tapes reads them from their beginnings to their ends the first time, and is
	// called outside of the event loop. It returns when ctx ends.
	Tapes(ctx context.Context) ([]Tape, error)
}

// Tape is what a tape holds. All texts are not yet sanitised.
type Tape struct {
	Name     string
	From, To time.Time
	// Facts are what is known of it as a whole, moments written by clock.
	Facts   func(clock func(time.Time) string) []Fact
	Streams []TapeStream
	Gaps    []TapeMoment
	Marks   []TapeMoment
	Damages []TapeMoment
	// MoreGaps and MoreMarks are how many there are beside those in the lists.
	MoreGaps, MoreMarks int64
}

// Fact is a name, such as "redacted", and what there is to say.
type Fact struct {
	Name, Text string
	Bad        bool // something is wrong
}

// TapeStream is a stream of a tape.
type TapeStream struct {
	Name, Context, Scope              string
	Full                              string // Name, and what tells it from others of that name
	Initial, Added, Modified, Deleted int64
	Objects, Gaps, Bytes              int64
	Watched, Fresh                    time.Duration // how long it was watched, and of that current
	State                             string        // at the end
	Failure                           string        // what was wrong with it at the end, "" is nothing
	Spans                             []TapeSpan    // what Watched is the sum of
}

// TapeSpan is a part of the time that a stream was watched.
type TapeSpan struct {
	From, To time.Time
	Fresh    bool
	Why      string // it was not
}

// TapeMoment is something that a tape says of a moment; zero is that it does
// not know of which.
type TapeMoment struct {
	From, To time.Time // the same, of a moment without length
	Stream   int       // of the tape's Streams, from 1; 0 is none
	Text     string
}
