package ui

import "time"

// Recorder records what the log receives to a tape. All methods but Record
// return at once, also while that is under way.
type Recorder interface {
	// Record starts a recording to a new file, which may take as long as the
	// disk does: it is called outside of the event loop. held includes what the log
	// already holds; otherwise the tape begins with the objects that exist now.
	Record(held bool) error
	// Stop ends the recording in order.
	Stop()
	// Recording is how it stands.
	Recording() Recording
}

// Recording is how a recording stands.
type Recording struct {
	On    bool
	Path  string
	Since time.Time
	Bytes int64 // on disk
	Wire  int64 // bytes that its frames had
	Lost  int64 // frames that did not reach the tape: the disk could not follow
	// Unsafe are records that are not on the disk yet, and Behind is how long the
	// oldest of them has waited; up to Safe all is there, zero is nothing yet.
	Unsafe int64
	Behind time.Duration
	Safe   time.Time
	// Failed says why the recording ended by itself, such as a full disk; "" if
	// it did not.
	Failed string
}
