// Package player plays tapes: it fills a [model.Log] with what was recorded, at
// the pace at which it was, so that a screen shows what the live screen showed.
//
// A log only grows. So a jump backwards, or far ahead, makes another log: the
// objects and streams as of some moment before the one sought, then the records
// up to it. The one shown before stays until the new one is ready. What comes
// before a log's first moment (Playback.Held) is on the tape; Player.Earlier
// fetches more of it.
//
// Several tapes play as one, merged by the times of their records. Damage on a
// tape becomes a note in the log; the tape goes on behind it.
//
// A log holds each record exactly once or, where memory is bounded, lets the
// oldest go, as it does live.
package player
