package ui

import (
	"time"

	"rewatch/model"
	"rewatch/model/deck"
)

// Transport is what the screen can ask of a replay: a tape deck. All methods
// return at once and may be called from the event loop; what they ask for
// happens elsewhere, and the newest wish wins.
type Transport interface {
	// Log is the log that is played into. It is another one after a jump: its
	// rows then begin at some moment before the one sought (Playback.Held), with
	// the state at that moment as Initial rows.
	Log() *model.Log
	// Changed has a value pending after Log, Playback or Overview have changed
	// in another way than by the passing of time: one conflated wake-up.
	Changed() <-chan struct{}
	// Playback is how things stand. Its Now is the clock of the screen.
	Playback() Playback
	// Overview is the whole of the tapes for the scrubber. It may become more
	// exact while the tapes are still being read.
	Overview() Overview

	// Play goes on or pauses.
	Play(on bool)
	// SetSpeed sets how many times faster than recorded; +Inf is as fast as
	// possible.
	SetSpeed(x float64)
	// Step pauses and moves by n events, backwards if negative.
	Step(n int)
	// Seek moves to a moment; outside of the tape it is its start or end.
	Seek(to time.Time)
	// Find moves to the next landmark.
	Find(l Landmark)
	// Earlier puts more rows before Playback.Held into the log.
	Earlier()
}

// The data that a Transport deals in are in model/deck, which what implements
// it can import as well.
type (
	// Playback is how a replay stands.
	Playback = deck.Playback
	// Landmark is something to find on the tapes.
	Landmark = deck.Landmark
	// Span is a part of the tape.
	Span = deck.Span
	// Overview is the whole of the tapes at a glance.
	Overview = deck.Overview
)

// Kinds of landmarks.
const (
	AnyGap      = deck.AnyGap
	AnyError    = deck.AnyError
	AnyDeletion = deck.AnyDeletion
	AnyMatch    = deck.AnyMatch
)
