package model

import "time"

// stream is the state of one stream, kept up by its records.
type stream struct {
	StreamStatus
	rate      rate
	connected bool // a transition into Connecting was seen
}

// count takes a record into account; change is whether an object came to exist
// in the stream or ceased to.
func (s *stream) count(r *Record, flags Flag, change bool) {
	frame := (r.Type.IsObject() || r.Type == Bookmark) && flags&Synthetic == 0
	if frame {
		s.LastFrame, s.Heard = r.Time, r.Time
		if r.Bytes == 0 {
			r.Bytes = len(r.Raw)
		}
	}
	s.Bytes += int64(r.Bytes)
	s.Read += int64(r.Bytes)
	switch r.Type {
	case Added, Modified, Deleted:
		s.countObject(r, flags, change)
	case Bookmark:
		s.Bookmarks++
		s.Heartbeat = r.Time
		s.resumeFrom(r.RV)
	case StreamChange:
		if t, ok := r.Detail.(Transition); ok {
			s.enter(t, r.Time)
		}
	case GapFound:
		s.Gaps++
	}
}

func (s *stream) countObject(r *Record, flags Flag, change bool) {
	if change {
		if r.Type == Deleted {
			s.Objects--
		} else {
			s.Objects++
		}
	}
	if flags&Replayed != 0 {
		s.Replayed++
	}
	if flags&Initial != 0 {
		s.Synced++
	}
	if flags&Synthetic != 0 {
		return
	}
	s.rate.add(r.Time)
	switch r.Type {
	case Added:
		s.Added++
		if flags&(Initial|Replayed) != 0 {
			s.Initial++
		}
	case Modified:
		s.Modified++
	case Deleted:
		s.Deleted++
	}
	// Initial objects come in no order of resourceVersion; the bookmark after
	// them says where to resume.
	if flags&Initial == 0 && s.State != Syncing && s.State != Relisting {
		s.resumeFrom(r.RV)
	}
}

func (s *stream) resumeFrom(rv string) {
	if rv != "" && rv != s.RV {
		s.RV = string(append([]byte(nil), rv...)) // it may be a view of a buffer
	}
}

// hear notes the request that a step tells of, and whether the server has
// answered: a watch that was cut was answered until then, one of which nothing
// was heard any more was not.
func (s *stream) hear(t Transition, when time.Time) {
	if q := t.Request; q != nil && q.Number != s.Request {
		s.Request, s.Read = q.Number, 0
	}
	answered := t.Status != 0 || t.To.Fresh() || t.Request != nil && t.Request.Status != 0
	switch t.Cause {
	case CausePing, CauseDeadline, CauseSlept, CauseNetwork, CauseHostDown:
		answered = false
	}
	if answered || (s.Heard.IsZero() || s.State == Paused) && t.To == Connecting {
		s.Heard = when
	}
}

// dated says of a step as of when what is shown was last known to be true. A tape
// has that of the step that it begins with, which the log cannot know.
func (s *stream) dated(t Transition, when time.Time) Transition {
	switch {
	case t.Bare(), t.To == Live, t.To == Quiet, !t.AsOf.IsZero():
	case t.To == Polling:
		t.AsOf = when // a list has just come
	case !s.Last.AsOf.IsZero():
		t.AsOf = s.Last.AsOf
	default:
		t.AsOf = when.Add(-s.dead(t, when))
	}
	return t
}

// pingSilence is how long a link may have been dead when HTTP/2 finds that it
// is: half a minute of silence, and a ping.
const pingSilence = 45 * time.Second

// dead is for how long a watch may have been dead that a step ends or doubts:
// since the last sign of life, where the step says that there was none any more.
func (s *stream) dead(t Transition, when time.Time) time.Duration {
	if s.Heard.IsZero() {
		return 0
	}
	silent := max(when.Sub(s.Heard), 0)
	switch t.Cause {
	case CausePing, CauseNetwork:
		if s.State == Quiet { // its silence is no sign, and pings were answered
			return min(silent, pingSilence)
		}
		return silent
	case CauseDeadline, CauseSlept:
		return silent
	}
	if t.To == Overdue {
		return silent
	}
	return 0
}

func (s *stream) enter(t Transition, when time.Time) {
	s.hear(t, when)
	if t.Bare() {
		return
	}
	if t.To == Connecting {
		if s.connected {
			s.Reconnects++
		}
		s.connected = true
	}
	if t.To == Syncing && s.State != Syncing {
		s.Synced, s.Total = 0, 0
	}
	if t.Total > 0 {
		s.Total = t.Total
	}
	switch {
	case t.Removes():
		s.Failure = Transition{}
	case t.To.Degraded() && t.To != Overdue && t.To != Relisting && t.Cause != CauseHostDown:
		s.Failure = t
	case t.To == Connecting && t.Cause != CauseNone && (s.State.Fresh() || s.State == Overdue):
		s.Failure = t // a watch that worked was lost; there was no pause before the next try
	case t.To.Fresh() || t.To == Paused || t.To == Polling || t.To == Idle:
		s.Failure = Transition{}
	}
	s.State, s.Since, s.Last = t.To, when, t
	s.resumeFrom(t.RV)
}

// rate counts events in the last RateSeconds seconds, as a ring.
type rate struct {
	newest int64 // Unix second
	counts [RateSeconds]uint32
}

func (r *rate) slot(second int64) *uint32 {
	return &r.counts[(second%RateSeconds+RateSeconds)%RateSeconds]
}

func (r *rate) add(when time.Time) {
	second := when.Unix()
	if second > r.newest+RateSeconds {
		r.newest, r.counts = second, [RateSeconds]uint32{}
	}
	for r.newest < second {
		r.newest++
		*r.slot(r.newest) = 0
	}
	if second > r.newest-RateSeconds {
		*r.slot(second)++
	}
}

func (r *rate) asOf(now time.Time) (out [RateSeconds]uint32) {
	for i := range out {
		if second := now.Unix() - RateSeconds + 1 + int64(i); second <= r.newest && second > r.newest-RateSeconds {
			out[i] = *r.slot(second)
		}
	}
	return out
}
