package model

import (
	"testing"
	"time"
)

// TestOnset follows a stream through outages: since when it is not current is the
// moment of the first loss, whatever was tried since, and the log says it with
// each step, so that a tape that begins in the middle has it too.
func TestOnset(t *testing.T) {
	step := func(from, to State, cause Cause) Transition {
		return Transition{From: from, To: to, Cause: cause}
	}
	frame := Record{Type: Bookmark, Raw: []byte(`{"metadata":{"resourceVersion":"7"}}`)}
	begin := []any{step(Idle, Connecting, CauseStart), step(Connecting, Syncing, ""), step(Syncing, Live, ""), frame} // seconds 1 to 4
	quiet := []any{step(Idle, Connecting, CauseStart), step(Connecting, Syncing, ""), step(Syncing, Quiet, ""), frame}
	long := 30 * time.Minute
	for _, c := range []struct {
		name  string
		steps []any
		want  int // seconds since the start
	}{
		{"live", begin, 3},
		{"never reached", []any{step(Idle, Connecting, CauseStart), step(Connecting, Backoff, CauseRefused), step(Backoff, Connecting, ""), step(Connecting, Backoff, CauseRefused)}, 1},
		{"refused from the start", []any{step(Idle, Connecting, CauseStart), step(Connecting, Denied, CauseForbidden), step(Denied, Connecting, ""), step(Connecting, Denied, CauseForbidden)}, 1},
		{"cut, and tried again and again", append(begin[:4:4], step(Live, Backoff, CauseCut), step(Backoff, Connecting, ""), long, step(Connecting, Backoff, CauseRefused), step(Backoff, Connecting, "")), 5},
		{"waiting for the host's probe", append(begin[:4:4], step(Live, Backoff, CauseCut), step(Backoff, Connecting, ""), step(Connecting, Backoff, CauseHostDown), long, step(Backoff, Connecting, "")), 5},
		{"lost without a pause before the try", append(begin[:4:4], step(Live, Connecting, CauseGoAway), step(Connecting, Backoff, CauseRefused)), 5},
		{"overdue", append(begin[:4:4], 90*time.Second, step(Live, Overdue, "")), 4},
		{"overdue, then cut", append(begin[:4:4], 90*time.Second, step(Live, Overdue, ""), step(Overdue, Backoff, CauseCut), step(Backoff, Connecting, "")), 4},
		{"overdue since it was reached again", []any{step(Idle, Connecting, CauseStart), step(Connecting, Live, ""), 90 * time.Second, step(Live, Overdue, "")}, 2},
		{"a ping was not answered", append(begin[:4:4], 40*time.Second, step(Live, Backoff, CausePing)), 4},
		{"the same of a type that is silent for hours", append(quiet[:4:4], 2*time.Hour, step(Quiet, Backoff, CausePing)), 4 + 7200 + 1 - 45},
		{"the machine slept", append(quiet[:4:4], 2*time.Hour, step(Quiet, Slept, CauseSlept), step(Slept, Connecting, "")), 4},
		{"the next watch was refused after a rotation", append(begin[:4:4], step(Live, Rotating, CauseTimeout), step(Rotating, Rotating, CauseEmpty), step(Rotating, Connecting, ""), step(Connecting, Backoff, CauseRefused)), 5},
		{"refused later", append(begin[:4:4], step(Live, Denied, CauseForbidden), long, step(Denied, Connecting, ""), step(Connecting, Denied, CauseForbidden)), 5},
		{"not served any more", append(begin[:4:4], step(Live, Gone, CauseNotFound), step(Gone, Connecting, ""), step(Connecting, Gone, CauseNotFound)), 5},
		{"expired and listed anew", append(begin[:4:4], step(Live, Expired, CauseExpired), step(Expired, Relisting, ""), step(Relisting, Backoff, CauseServerError)), 5},
		{"paused", append(begin[:4:4], step(Live, Paused, CauseUser), step(Paused, Connecting, ""), step(Connecting, Backoff, CauseRefused)), 5},
		{"listed now and then", append(begin[:4:4], step(Live, Connecting, CauseTimeout), step(Connecting, Polling, CauseNotWatchable), step(Polling, Polling, CauseNotWatchable), step(Polling, Connecting, ""), step(Connecting, Backoff, CauseRefused)), 7},
		{"removed while it was lost", append(begin[:4:4], step(Live, Backoff, CauseCut), long, step(Backoff, Stopped, CauseUser)), 5},
		{"current again", append(begin[:4:4], step(Live, Backoff, CauseCut), step(Backoff, Connecting, ""), step(Connecting, Live, "")), 7},
		{"lost again", append(begin[:4:4], step(Live, Backoff, CauseCut), step(Backoff, Connecting, ""), step(Connecting, Live, ""), step(Live, Backoff, CauseCut), step(Backoff, Connecting, "")), 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
			start, newest := s.now, Event{}
			for _, x := range c.steps {
				switch x := x.(type) {
				case time.Duration:
					s.now = s.now.Add(x)
				case Record:
					s.add(x)
				case Transition:
					newest = s.add(Record{Type: StreamChange, Detail: x})
				}
			}
			st := s.status()
			if got := st.Onset().Sub(start); got != time.Duration(c.want)*time.Second {
				t.Errorf("%v since second %v, want %d", st.State, got.Seconds(), c.want)
			}
			// A tape that begins here has the newest step only.
			log := NewLog(Options{})
			log.AddStream(st.StreamInfo)
			log.Append(Record{Time: newest.When(), Type: StreamChange, Detail: newest.Detail})
			if got := log.Streams(s.now)[0].Onset(); !got.Equal(st.Onset()) {
				t.Errorf("from its newest step alone: since %v, want %v", got, st.Onset())
			}
		})
	}
}
