package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rewatch/model"
)

// action is what the end of a request calls for.
type action uint8

const (
	goOn        action = iota // all is well: the next request follows from what is known
	interrupted               // the flags say what is next
	rotated                   // resume at once, in order
	resume                    // resume at once, with the cause
	fallBack                  // another way at once, with the cause
	retry                     // back off first
	expired                   // list again and compare
	denied                    // retry slowly, what is shown is stale
	vanished                  // look now and then whether it is served again
	polled                    // list again later
	stopped                   // end until the user retries: the request itself is wrong
	waiting                   // another stream probes the host
)

// verdict is the judgement over a request that ended.
type verdict struct {
	failure
	do      action
	flight  *flight
	next    *flight // that is about to be sent
	attempt int
	until   time.Time
	total   int64
	up      <-chan struct{} // with waiting: the end of the wait
	yielded bool            // with retry: another stream makes the next attempt
}

// limits of patience, in rows of the same failure.
const (
	maxKills   = 3 // streamed lists cut before their end, then paged lists
	maxEmpties = 2 // empty watches, then a list
	maxShorts  = 3 // early ends in order, then flapping
	maxLagging = 4 // "too large resource version", then a list at ""
	maxStuck   = 3 // ERROR frames at one position, then a list
)

// slowReader is how long we must have kept a server waiting for its end of the
// watch to be our fault.
const slowReader = 2 * time.Second

// ended judges the end of the frames of a watch. cut is the number of bytes of
// an unfinished frame.
func (s *stream) ended(f *flight, err error, cut int) verdict {
	s.lost(f)
	if f.kind == reqWatch && f.frames.Load() == 0 && f.lived() > s.e.o.Timings.Overdue {
		// Not one heartbeat in a whole life: after a restore of its data a
		// server takes our position for the future and says nothing, for ever.
		s.lostAt = f.heard()
		if s.doubt = s.t.Uncached; !s.doubt { // those have no heartbeats
			s.forget(model.CauseDeadline)
		}
	}
	if err != io.EOF {
		v := s.judge(f, err)
		if f.settled.Load() && (v.cause == model.CauseDeadline || v.cause == model.CausePing) {
			s.lostAt = f.heard() // the link was dead since then, for all we know
		}
		if cut > 0 && v.do != interrupted && v.cause != model.CauseGarbage {
			v.text += fmt.Sprintf(" (%d bytes of an unfinished frame dropped)", cut)
		}
		return v
	}
	if f.syncing.Load() {
		return s.killed(f, failure{cause: model.CauseEmpty, text: "closed before the end of the initial list"})
	}
	return s.closed(f)
}

// lost notes the end of a watch: how healthy it was, and from when on changes
// may be missed.
func (s *stream) lost(f *flight) {
	if f.syncing.Load() {
		return
	}
	if s.back.lived(f.lived()) {
		s.expiries = 0
	}
	if f.settled.Load() {
		s.lostAt = time.Now()
	}
}

// erred judges an ERROR frame, which ends a watch. It is no sign of life: a
// server that answers every watch with one is not followed.
func (s *stream) erred(f *flight, object []byte) verdict {
	f.frames.Add(1)
	s.lost(f)
	fail := classifyStatus(statusOf(object, s.secret), s.secret)
	if f.syncing.Load() && (fail.cause == model.CauseServerError || fail.cause == model.CauseExpired) {
		return s.killed(f, fail)
	}
	return s.judgeStatus(f, fail)
}

// closed judges a watch that the server ended in order.
func (s *stream) closed(f *flight) verdict {
	lived, frames := f.lived(), f.frames.Load()
	took := lived.Round(100 * time.Millisecond)
	v := verdict{do: retry, flight: f}
	switch {
	case frames == 0 && lived < s.e.o.Timings.MinLife:
		v.cause, v.text = model.CauseEmpty, "closed at once, no reason given"
		if s.empties++; s.empties >= maxEmpties && s.resume() != "" {
			s.empties = 0
			s.forget(v.cause)
		}
		return v
	case lived < s.e.o.Timings.MinLife:
		v.cause, v.text = model.CauseFlapping, fmt.Sprintf("flapping: closed after %d frames in %v", frames, lived.Round(time.Millisecond))
		return v
	}
	if lived < s.e.o.Timings.Healthy {
		s.shorts++
	} else {
		s.shorts = 0
	}
	switch {
	case f.x.away.recent(time.Now()) >= slowReader && lived < f.asked-s.e.o.Timings.MinLife:
		v.do, v.cause = resume, model.CauseSlowReader
		v.text = fmt.Sprintf("we were slow: not a byte was read for %v, and the server closed", f.x.away.recent(time.Now()).Round(100*time.Millisecond))
	case s.shorts >= maxShorts:
		v.cause, v.text = model.CauseFlapping, fmt.Sprintf("flapping: the server closes again and again, now after %v", took)
	case lived >= f.asked-s.e.o.Timings.MinLife:
		v.do, v.cause, v.text = rotated, model.CauseTimeout, fmt.Sprintf("rotated after %v", took)
	default:
		v.do, v.cause, v.text = rotated, model.CauseTimeout, fmt.Sprintf("rotated after %v, though %v were asked for", took, f.asked)
	}
	return v
}

// killed judges a streamed list that died before its end mark.
func (s *stream) killed(f *flight, why failure) verdict {
	v := verdict{failure: why, do: retry, flight: f}
	if why.cause == model.CauseGarbage {
		return v // that is not the server speaking, and says nothing about streaming
	}
	if s.kills++; s.kills >= maxKills && s.t.mayList() {
		v.do, v.cause = fallBack, model.CauseWatchListFailing
		v.text = fmt.Sprintf("too large to stream: the streamed list died %d times (%s); using paged lists", s.kills, why.text)
		s.listOnly = true
		s.c.avoidWatchList(s.t.resourceKey(), v.cause)
	}
	return v
}

// judge decides what an error of sending or reading calls for.
func (s *stream) judge(f *flight, err error) verdict {
	v := verdict{flight: f}
	switch cause := context.Cause(f.ctx); {
	case errors.Is(err, errInterrupt), errors.Is(cause, errInterrupt):
		v.do = interrupted
		return v
	case cause != nil:
		s.gate.answered() // it took the connection; the others may have more luck
	}
	switch cause := context.Cause(f.ctx); {
	case errors.Is(cause, errDeadline):
		v.failure, v.do = failure{cause: model.CauseDeadline, text: errDeadline.Error()}, resume
		if f.syncing.Load() {
			return s.killed(f, v.failure)
		}
		return v
	case errors.Is(cause, errSilent):
		v.failure, v.do = failure{cause: model.CauseDeadline, text: errSilent.Error()}, retry
		return v
	case errors.Is(cause, errNoEndMark):
		return s.noEndMark(f)
	case cause != nil: // shutdown
		v.do = interrupted
		return v
	}
	fail := classify(err, s.secret).after(time.Since(f.start))
	if fail.retryAfter < f.x.retryAfter {
		fail.retryAfter = f.x.retryAfter
	}
	switch {
	case fail.unreached:
	case f.x.status == 0 && fail.cause != model.CauseStreamReset && fail.cause != model.CauseGoAway:
		fail.unanswered = true
	default:
		s.gate.answered()
	}
	if f.opened.Load() && f.syncing.Load() {
		return s.killed(f, fail)
	}
	return s.judgeStatus(f, fail)
}

// noEndMark falls back to paged lists where the end of the initial events is
// never marked.
func (s *stream) noEndMark(f *flight) verdict {
	v := verdict{flight: f, do: fallBack, failure: failure{cause: model.CauseNoEndMark,
		text: "end of list unmarked: this server streams the initial list but never ends it; using paged lists"}}
	if !s.t.mayList() {
		v.do, v.text = retry, "end of list unmarked, and this user may not list"
		return v
	}
	s.listOnly = true
	s.c.avoidWatchList(s.t.resourceKey(), v.cause)
	return v
}

// judgeStatus decides by the cause, which for most failures is all that counts.
func (s *stream) judgeStatus(f *flight, fail failure) verdict {
	v := verdict{failure: fail, do: retry, flight: f}
	if f.kind == reqDiscovery {
		judgeDiscovery(&v)
		return v
	}
	switch fail.cause {
	case model.CauseExpired:
		if f.kind != reqList && s.resume() != "" {
			v.do, v.text = expired, "history expired: "+fail.text
			s.forget(fail.cause)
		}
	case model.CauseUnauthorized:
		if s.refusals++; s.refusals == 1 { // credentials are refreshed by the transport: once more
			v.do = resume
			v.text = "refreshing credentials: " + fail.text
		}
	case model.CauseForbidden:
		s.judgeForbidden(&v)
	case model.CauseNotFound:
		v.do, v.text = vanished, "not served: "+fail.text
		s.vanished = true
		s.forget(fail.cause)
	case model.CauseNotWatchable:
		s.judgeUnwatchable(&v)
	case model.CauseInvalid:
		s.judgeInvalid(&v)
	case model.CauseTooLarge:
		if s.lagging++; s.lagging >= maxLagging && s.resume() != "" {
			s.lagging = 0
			s.forget(fail.cause)
		}
		v.text = "server lags: " + fail.text
	case model.CauseGoAway, model.CausePing:
		if f.lived() >= s.e.o.Timings.MinLife {
			v.do = resume
		}
	case model.CauseServerError:
		if f.opened.Load() { // an ERROR frame
			if s.stuck++; s.stuck >= maxStuck && s.resume() != "" {
				s.stuck = 0
				s.forget(fail.cause)
			}
		}
	}
	if v.do == resume && fail.cause == model.CauseGoAway {
		v.do = rotated // the server said so in order
	}
	return v
}

// judgeDiscovery decides for a resource that is not served. Whatever the
// refusal, there is no other way of asking: it is asked again, slowly.
func judgeDiscovery(v *verdict) {
	switch v.cause {
	case model.CauseNotFound:
		v.do, v.text = vanished, "not served: "+v.text
	case model.CauseForbidden, model.CauseNotWatchable, model.CauseInvalid:
		v.do, v.text = denied, "not served, and discovery refused: "+v.text
	}
}

// judgeForbidden tries to list what may not be watched, and says which verb
// was refused.
func (s *stream) judgeForbidden(v *verdict) {
	verb := v.flight.kind.verb()
	switch {
	case verb == "watch" && !s.complete && s.t.mayList():
		s.noWatch, s.polling = true, true
		v.do, v.text = fallBack, "watch refused, trying to list: "+v.text
	case verb == "list" && s.noWatch:
		s.noWatch, s.polling = false, false
		v.do, v.text = denied, "list and watch refused: "+v.text
	case verb == "watch" && v.flight.kind == reqWatch && s.lostAt.IsZero() && s.t.mayList():
		s.polling = true // the list before it was allowed
		v.do, v.text = fallBack, "watch refused, listing again and again instead: "+v.text
	default:
		v.do, v.text = denied, verb+" refused: "+v.text
	}
}

// judgeUnwatchable polls what has no watch.
func (s *stream) judgeUnwatchable(v *verdict) {
	if v.flight.kind == reqList || !s.t.mayList() {
		v.do, v.text = stopped, v.flight.kind.verb()+" is not offered: "+v.text
		return
	}
	s.polling = true
	v.do, v.text = fallBack, "no watch, listing again and again instead: "+v.text
}

// judgeInvalid drops what may be the fault one by one: the streamed list, the
// resume position. What is left is the user's selector.
func (s *stream) judgeInvalid(v *verdict) {
	switch {
	case v.flight.kind == reqWatchList && s.t.mayList():
		s.listOnly = true
		v.do, v.cause, v.text = fallBack, model.CauseNoInitialEvents, "fallback to paged lists: "+v.text
		s.noInitial = true
	case v.flight.kind == reqWatch && s.resume() != "" && !s.distrusted:
		s.distrusted = true
		s.forget(v.cause)
		v.do, v.text = expired, "resourceVersion refused: "+v.text
	default:
		v.do = stopped
	}
}

// listOnlyBecause is why a stream that found out by itself lists in pages.
func (s *stream) listOnlyBecause() model.Cause {
	if s.noInitial {
		return model.CauseNoInitialEvents
	}
	return model.CauseNone
}
