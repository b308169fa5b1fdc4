// Package tape writes and reads recordings of watches. docs/tape.md specifies
// the format; a reader of thirty lines of Python lives beside it.
//
// A tape is lossless: every frame comes back byte for byte, with the time of
// its receipt, and so do the steps of the streams, their gaps and notes.
// Values of Secrets never reach it: the [Writer] replaces them. What the caller
// could not hand over in time is said on the tape ([Writer.Lost]).
//
// Delivery: after [Writer.Flush] has returned, what was appended before is in
// the hands of the io.Writer, and comes back even if the tape ends there or in
// the middle of what follows. What came after the last Flush may be lost.
//
// What a reader gets is what was written or an error. Everything is under a
// checksum; an object whose predecessors are damaged is not guessed at, but
// counted ([Damage]), and the next checkpoint brings it back.
//
// Concurrency: a Writer may be used from any goroutine, and keeps the order of
// its calls. A [Tape] may be used from any goroutine; a [Reader] from one at a
// time, and any number of Readers may read one Tape.
package tape
