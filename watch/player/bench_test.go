package player

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"rewatch/model/cputest"
	"rewatch/watch/tape"
)

// TestSeekTimes measures jumps to random moments of a large tape, which
// REWATCH_TAPE names; a million events and more make sense. It does 100, or as
// many as REWATCH_JUMPS says, and fails where the first paint takes more than 300
// ms of processor time: two processors that have nothing else to do share the
// most of that, so that a clock shows less than 200 ms.
func TestSeekTimes(t *testing.T) {
	path := os.Getenv("REWATCH_TAPE")
	if path == "" || testing.Short() {
		t.Skip("REWATCH_TAPE is not set, or -short is")
	}
	jumps := 100
	if s := os.Getenv("REWATCH_JUMPS"); s != "" {
		var err error
		if jumps, err = strconv.Atoi(s); err != nil || jumps < 1 {
			t.Fatalf("REWATCH_JUMPS: %q", s)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	tp, err := tape.Open(f, info.Size(), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p := New([]Source{{"large", tp}}, Options{})
	rnd := rand.New(rand.NewPCG(1, 2))
	var first, full, both jumpTimes
	var states []int64
	for range jumps {
		to := p.reel.from.UnixNano() + rnd.Int64N(int64(p.reel.to.Sub(p.reel.from)))
		start := p.start(to)
		runtime.GC()
		begin, used := time.Now(), cputest.Process()
		x, err := p.first(t.Context(), start, to, until(to))
		if err != nil {
			t.Fatal(err)
		}
		first.add(begin, used)
		if u := first.used[len(first.used)-1]; u > 200*time.Millisecond {
			t.Logf("event %d: %v, partial %v, %d bytes behind", p.reel.eventsUntil(to), u, x.partial, tp.Behind(time.Unix(0, start)))
		}
		if x.partial {
			between, usedThen := time.Now(), cputest.Process()
			if x, err = p.build(t.Context(), start, until(to)); err != nil {
				t.Fatal(err)
			}
			full.add(between, usedThen)
		}
		both.add(begin, used)
		states = append(states, x.state)
	}
	t.Logf("%d jumps in %d events, states of %d to %d objects", jumps, p.reel.events, slices.Min(states), slices.Max(states))
	t.Logf("first paint       %v", &first)
	t.Logf("full state behind %v", &full)
	t.Logf("both              %v", &both)
	if p99 := percentile(first.used, 99); p99 > 300*time.Millisecond {
		t.Errorf("the first paint takes %v of processor time", p99)
	}
}

// jumpTimes are what jumps took.
type jumpTimes struct{ used, clock []time.Duration }

func (j *jumpTimes) add(begin time.Time, used time.Duration) {
	j.used, j.clock = append(j.used, cputest.Process()-used), append(j.clock, time.Since(begin))
}

func (j *jumpTimes) String() string {
	u, c := j.used, j.clock
	return fmt.Sprintf("processor time p50 %v p99 %v max %v; clock p50 %v p99 %v max %v",
		percentile(u, 50), percentile(u, 99), percentile(u, 100), percentile(c, 50), percentile(c, 99), percentile(c, 100))
}

// percentile is that of the nearest rank.
func percentile(of []time.Duration, n int) time.Duration {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[(len(sorted)*n+99)/100-1].Round(time.Millisecond / 10)
}
