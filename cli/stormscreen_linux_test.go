package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

// loadTape is the large capture on a tape.
func loadTape(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "load.watch.jsonl.zst"))
	if err != nil {
		t.Skip("needs the large capture: ", err)
	}
	defer func() { _ = f.Close() }()
	in, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	path := filepath.Join(t.TempDir(), "load.rwt")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := tape.NewWriter(out, tape.Header{Tool: "test"}, tape.Options{})
	if _, err = capture.Import(in, w, capture.Options{}); err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// stormTape is a tape of 20,000 events a second: 2,000 Pods that go from phase to
// phase.
func stormTape(t *testing.T, seconds int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "storm.rwt")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := tape.NewWriter(out, tape.Header{Tool: "test"}, tape.Options{})
	s := w.AddStream(model.StreamInfo{Context: "storm", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	begin := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	const pods, perSecond = 2000, 20_000
	add := func(at time.Time, typ model.Type, i, n int) {
		name := fmt.Sprintf("web-%d-%05x", i%40, i)
		r := model.Record{Time: at, Stream: s, Type: typ, RV: fmt.Sprint(n + 1),
			Identity: model.Identity{APIVersion: "v1", Kind: "Pod", Namespace: fmt.Sprintf("team-%d", i%20), Name: name, UID: fmt.Sprintf("00000000-0000-4000-8000-%012x", i)}}
		r.Raw = fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":%q,"name":%q,"uid":%q,"resourceVersion":%q},"spec":{"nodeName":"node-%02d","containers":[{"name":"app","image":"registry.example/web:1.%d"}]},"status":{"phase":%q,"startTime":%q,"containerStatuses":[{"name":"app","ready":%v,"restartCount":%d}]}}`,
			r.Identity.Namespace, name, r.Identity.UID, r.RV, i%60, n%7, []string{"Pending", "Running", "Failed"}[n/pods%3], at.Format(time.RFC3339), n%2 == 0, n/pods)
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pods {
		add(begin, model.Added, i, i)
	}
	for n := pods; n < perSecond*seconds; n++ {
		add(begin.Add(time.Duration(n)*time.Second/perSecond), model.Modified, n*7919%pods, n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// figures are what a screen under load costs.
type figures struct {
	p50, p99, max time.Duration // from a key to the cell that it changes
	perSecond     int           // bytes
	cpu           float64       // of one processor
	erases        int
	delay         time.Duration // p99 of how late this process is woken: the load of the machine
}

func (f figures) String() string {
	return fmt.Sprintf("key to cell p50 %v p99 %v max %v; %.1f kB/s; %.0f %% of a processor; %d erases; machine p99 %v", f.p50.Round(100*time.Microsecond),
		f.p99.Round(100*time.Microsecond), f.max.Round(100*time.Microsecond), float64(f.perSecond)/1000, 100*f.cpu, f.erases, f.delay.Round(100*time.Microsecond))
}

// measure types digits, which the footer shows at once, while the storm goes on.
func (m *tty) measure(d time.Duration) figures {
	m.t.Helper()
	measuring, measured := context.WithCancel(m.t.Context())
	defer measured()
	late := lateness(measuring) // what a busy machine adds
	m.mu.Lock()
	m.bytes, m.erases = 0, 0
	m.mu.Unlock()
	var took []time.Duration
	cpu, begin := m.cpu(), time.Now()
	for typed := ""; time.Since(begin) < d; {
		key := string(rune('1' + rand.IntN(9)))
		typed += key
		m.typeKeys(key)
		shown := typed
		if len(shown) > 3 {
			shown = shown[:len(shown)-3] + "," + shown[len(shown)-3:]
		}
		took = append(took, m.wait("the number "+typed, func() bool { return strings.HasPrefix(m.lastLine(), " "+shown+"… ") }))
		time.Sleep(time.Duration(20+rand.IntN(60)) * time.Millisecond)
		if len(typed) == 4 {
			m.typeKeys("\x07") // no key: the number goes
			typed = ""
			m.wait("no number", func() bool { return !strings.Contains(m.lastLine(), "… ") })
		}
	}
	spent := time.Since(begin)
	f := figures{cpu: float64(m.cpu()-cpu) / float64(spent)}
	m.mu.Lock()
	f.perSecond, f.erases = int(float64(m.bytes)/spent.Seconds()), m.erases
	m.mu.Unlock()
	measured()
	slices.Sort(took)
	f.p50, f.p99, f.max = took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
	f.delay = <-late
	return f
}

// A key is answered in time, whatever storm is under way, and following does not
// flicker: the screen is never erased.
func TestCalmUnderStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	isolate(t)
	all := os.Getenv("REWATCH_LONG") != ""
	for _, storm := range []struct {
		name string
		tape func(*testing.T) string
		args []string
	}{
		{"generated", func(t *testing.T) string { return stormTape(t, 12) }, []string{"--at", "+1s"}},
		{"load", loadTape, []string{"--speed", "10", "--at", "+15s"}},
	} {
		for _, size := range [][2]int{{80, 24}, {200, 50}} {
			for _, follow := range []bool{true, false} {
				if !all && (storm.name != "generated" || !follow) {
					continue
				}
				t.Run(fmt.Sprintf("%s-%dx%d-follow-%v", storm.name, size[0], size[1], follow), func(t *testing.T) {
					m := inTTY(t, size[0], size[1], append([]string{"replay", storm.tape(t)}, storm.args...)...)
					m.shows("follow")
					// What a key takes here while nothing happens. To play on follows again.
					m.typeKeys(" ")
					m.shows("paused")
					calm := m.measure(time.Second)
					m.typeKeys(" ")
					m.shows("playing")
					if !follow {
						m.typeKeys("f")
						m.until("no follow", func(lines []string) bool { return !strings.Contains(strings.Join(lines[:4], " "), "follow") })
					}
					time.Sleep(500 * time.Millisecond) // the first frame is drawn on an erased screen
					f := m.measure(4 * time.Second)
					t.Log(f)
					if f.erases > 0 {
						t.Errorf("the screen was erased %d times", f.erases)
					}
					if bound := 100*time.Millisecond + 5*f.delay + 5*calm.p50; f.p50 > bound {
						t.Errorf("half of the keys took more than %v; the bound is %v on this machine now", f.p50, bound)
					}
				})
			}
		}
	}
}

// A screen on which nothing happens costs next to nothing.
func TestIdleCostsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	isolate(t)
	m := inTTY(t, 120, 36, "replay", shopTape(t), "--at", "+1m")
	m.shows("playing")
	m.typeKeys(" ")
	m.until("a pause", func(lines []string) bool { return !strings.Contains(lines[0], "playing") })
	time.Sleep(3 * time.Second)
	least := 1.0 // of some: a busy machine makes each wake-up dear
	for range 3 {
		m.take()
		before, begin := m.cpu(), time.Now()
		time.Sleep(4 * time.Second)
		used := float64(m.cpu()-before) / float64(time.Since(begin))
		least = min(least, used)
		t.Logf("%.2f %% of a processor, %d bytes", 100*used, len(m.take()))
	}
	// 0.005 is the goal.
	if bound := cputest.Bound(20 * time.Millisecond).Seconds(); least > bound {
		t.Errorf("an idle screen uses %.1f %% of a processor; the bound is %.1f %% here", 100*least, 100*bound)
	}
}
