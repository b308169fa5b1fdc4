package watch

import "time"

// Timings are the clocks of the engine. The zero value of a field means its
// default; tests shorten what they have to wait for.
type Timings struct {
	// WatchMin and WatchMax bound the timeoutSeconds that a watch asks for;
	// whole seconds, chosen at random for each watch so that streams do not
	// rotate together. Defaults 240 s and 300 s.
	WatchMin, WatchMax time.Duration
	// Grace is how long after its timeoutSeconds a watch is given up. 10 s.
	Grace time.Duration
	// Overdue is how long a cached resource may be silent: one and a half
	// intervals of the server's bookmarks. 90 s.
	Overdue time.Duration
	// SyncSilence is how long after the last initial event the bookmark that
	// ends a streamed list may take; SyncFirst is the same before the first
	// event. 10 s and 30 s.
	SyncSilence, SyncFirst time.Duration
	// ListSilence is how long a list may keep us waiting for the next bytes. 60 s.
	ListSilence time.Duration
	// MinLife is how long a stream must have lived for its end to be a
	// rotation, and how long one must stay open to be called live without a
	// frame. 1 s.
	MinLife time.Duration
	// Healthy is how long a stream must have lived to end a row of failures. 10 s.
	Healthy time.Duration
	// BackoffBase doubles with each failure up to BackoffCap, and up to
	// BackoffMax after BackoffLong of failure. 100 ms, 5 s, 30 s, 60 s.
	BackoffBase, BackoffCap, BackoffMax, BackoffLong time.Duration
	// ProbeGap is the least time between two dials to a host that has been
	// dead for BackoffLong. 6 s: ten a minute.
	ProbeGap time.Duration
	// Slow is the time between retries of what a person has to repair: denied
	// access, a resource that is not served. 30 s. It begins with SlowBase,
	// 2 s, and doubles, because a server that starts denies and does not know
	// what it will serve a moment later.
	SlowBase, Slow time.Duration
	// Poll is the time between two lists of what cannot be watched. 15 s.
	Poll time.Duration
	// Queued is how long a request may wait for --qps before it is said. 1 s.
	Queued time.Duration
	// Tick is how often silence and sleep are looked for, and Sleep how far
	// the wall clock must jump ahead to mean sleep. 500 ms and 5 s.
	Tick, Sleep time.Duration
}

// withDefaults fills the fields that are zero.
func (t Timings) withDefaults() Timings {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&t.WatchMin, 240*time.Second)
	def(&t.WatchMax, 300*time.Second)
	def(&t.Grace, 10*time.Second)
	def(&t.Overdue, 90*time.Second)
	def(&t.SyncSilence, 10*time.Second)
	def(&t.SyncFirst, 30*time.Second)
	def(&t.ListSilence, time.Minute)
	def(&t.MinLife, time.Second)
	def(&t.Healthy, 10*time.Second)
	def(&t.BackoffBase, 100*time.Millisecond)
	def(&t.BackoffCap, 5*time.Second)
	def(&t.BackoffMax, 30*time.Second)
	def(&t.BackoffLong, time.Minute)
	def(&t.ProbeGap, 6*time.Second)
	def(&t.SlowBase, 2*time.Second)
	def(&t.Slow, 30*time.Second)
	def(&t.Poll, 15*time.Second)
	def(&t.Queued, time.Second)
	def(&t.Tick, 500*time.Millisecond)
	def(&t.Sleep, 5*time.Second)
	return t
}
