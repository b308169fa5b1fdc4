package player

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"rewatch/model/cputest"
	"rewatch/watch/tape"
)

// TestSeekTimes measures jumps to random moments of a large tape, which
// REWATCH_TAPE names; a million events and more make sense.
func TestSeekTimes(t *testing.T) {
	path := os.Getenv("REWATCH_TAPE")
	if path == "" {
		t.Skip("REWATCH_TAPE is not set")
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
	kinds := []string{"tape.Seek", "first paint", "full state"} // the last goes on from the one before it
	took := map[string][]time.Duration{}
	wall := map[string][]time.Duration{}
	var states []int64
	for range 6 {
		to := p.reel.from.UnixNano() + rnd.Int64N(int64(p.reel.to.Sub(p.reel.from)))
		start := p.start(to)
		var whole readers
		for _, kind := range kinds {
			runtime.GC()
			begin, used := time.Now(), cputest.Process()
			var err error
			var x *take
			switch kind {
			case "tape.Seek":
				_, err = tp.Seek(time.Unix(0, start))
			case "first paint":
				x, err = p.fill(context.Background(), start, &preview{to, largeState}, nil, until(to))
				whole = x.whole
			case "full state":
				x, err = p.fill(context.Background(), start, nil, whole, until(to))
				states = append(states, x.state)
			}
			if err != nil {
				t.Fatal(err)
			}
			took[kind] = append(took[kind], cputest.Process()-used)
			wall[kind] = append(wall[kind], time.Since(begin))
		}
	}
	slices.Sort(states)
	t.Logf("%d events, states of %d to %d objects", p.reel.events, states[0], states[len(states)-1])
	for _, kind := range kinds {
		c, w := took[kind], wall[kind]
		slices.Sort(c)
		slices.Sort(w)
		t.Logf("%-12s processor time p50 %v, max %v; clock p50 %v, max %v", kind, c[len(c)/2], c[len(c)-1], w[len(w)/2], w[len(w)-1])
	}
}
