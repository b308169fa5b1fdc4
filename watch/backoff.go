package watch

import "time"

// backoff counts the failures in a row of one stream and says how long to
// wait: full jitter under a doubling ceiling, so that streams which failed
// together do not come back together.
type backoff struct {
	t     *Timings
	rand  func() float64 // in [0, 1)
	n     int            // failures in a row
	since time.Time      // of the first of them
}

// fail counts a failure and returns how long to wait. floor is what the server
// asked for (Retry-After): the wait is at least that, with the jitter on top,
// since everybody was told the same.
func (b *backoff) fail(now time.Time, floor time.Duration) time.Duration {
	if b.n == 0 {
		b.since = now
	}
	d := b.ceiling(now)
	b.n++
	return floor + time.Duration(b.rand()*float64(d))
}

// ceiling is the upper end of the next wait.
func (b *backoff) ceiling(now time.Time) time.Duration {
	limit := b.t.BackoffCap
	if b.n > 0 && now.Sub(b.since) >= b.t.BackoffLong {
		limit = b.t.BackoffMax
	}
	d := b.t.BackoffBase
	for i := 0; i < b.n && d < limit; i++ {
		d *= 2
	}
	return min(d, limit)
}

// lived ends the row of failures if a stream was healthy for long enough, and
// reports that.
func (b *backoff) lived(d time.Duration) bool {
	if d < b.t.Healthy {
		return false
	}
	b.n = 0
	return true
}

func (b *backoff) reset() { b.n = 0 }
