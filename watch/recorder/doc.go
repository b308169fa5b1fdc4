// Package recorder writes what a log receives to tapes, while the log is
// watched.
//
// Delivery: everything that is appended to the log after Start comes to the
// tape, in the order of the log and with the same flags, so that a replay gives
// the same rows. Between the log and the disk is a queue with a limit. When the
// disk cannot follow, frames are left out rather than the stream held up, and
// the tape says how many of which stream between which resourceVersions; the
// objects that changed meanwhile follow as they are then, marked synthetic, so
// that the state on the tape is right again. Steps of streams, gaps and notes
// are not left out.
//
// What has been flushed, at least once a second, survives the end of the
// process, and what has been synced, which follows at once, that of the machine.
// When writing fails for good the tape is cut to what was flushed, which is
// whole; the log and its other readers notice nothing.
package recorder
