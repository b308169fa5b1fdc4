package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/recorder"
	"rewatch/watch/tape"
	"rewatch/watch/timeserver"
)

// witness watches as a plain HTTP client does: what the server sent, and when.
type witness struct {
	mu     sync.Mutex
	frames []string
	rvs    []string
	times  []time.Time
}

func (w *witness) watch(ctx context.Context, t *testing.T, url string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	for frames := jsonscan.NewFrameReader(res.Body, 1<<20); ; {
		frame, err := frames.Next()
		if err != nil {
			if ctx.Err() == nil {
				t.Error("the witness was cut off: ", err)
			}
			return
		}
		typ, object, _ := jsonscan.SplitFrame(frame)
		m, _ := jsonscan.Identity(object)
		if typ == "BOOKMARK" {
			continue
		}
		w.mu.Lock()
		w.frames, w.rvs, w.times = append(w.frames, string(frame)), append(w.rvs, strings.Clone(m.ResourceVersion)), append(w.times, time.Now())
		w.mu.Unlock()
	}
}

// upTo is the newest resourceVersion that it saw.
func (w *witness) upTo() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rvs) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(w.rvs[len(w.rvs)-1], 10, 64)
	return n
}

// changing keeps a cluster changing, with a witness, until the test ends.
func changing(t *testing.T) (server *testCluster, saw *witness) {
	server = newTestCluster(t, timeserver.Options{})
	server.store.SetWindow(1 << 20)
	saw = &witness{}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	running.Go(func() {
		saw.watch(ctx, t, fmt.Sprintf("%s/api/v1/pods?watch=true&timeoutSeconds=3600&resourceVersion=%d", server.url, server.store.RV()))
	})
	running.Go(func() {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := 0; ctx.Err() == nil; n++ {
			name := fmt.Sprintf("p%d", rng.IntN(50))
			if rng.IntN(10) == 0 {
				_, _ = server.store.Delete("pods", "shop", name) // it may not be there
			} else {
				server.put(t, "pods", "shop", name, fmt.Sprintf(`"status":{"n":%d,"message":%q}`, n, strings.Repeat("x", rng.IntN(500))))
			}
			time.Sleep(time.Millisecond)
		}
	})
	return server, saw
}

// TestKilledRecorder: a recorder that is killed at any moment leaves tapes on
// which at most the last second is missing, and everything else is what the
// server sent. REWATCH_KILLS sets how many are killed.
func TestKilledRecorder(t *testing.T) {
	kills := 10
	if n := os.Getenv("REWATCH_KILLS"); n != "" {
		_, _ = fmt.Sscan(n, &kills)
	}
	server, saw := changing(t)
	kubeconfig(t, "dev="+server.url)
	dir := t.TempDir()
	measuring, measured := context.WithCancel(t.Context())
	defer measured()
	late := lateness(measuring)
	const atATime = 5
	type victim struct {
		path   string
		killed time.Time
	}
	victims := make([]victim, kills)
	turn := make(chan struct{}, atATime)
	var all sync.WaitGroup
	for i := range victims {
		v := &victims[i]
		v.path = filepath.Join(dir, fmt.Sprintf("k%d.rwt", i))
		args := []string{"record", "pods", "-A", "-o", v.path}
		if i%2 == 1 {
			args = append(args, "--max-age", "300ms")
		}
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			cmd, stderr := process(t, args...)
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			// Some are killed before their tape is begun, on a busy machine too
			// many; every second one gets to its first flush.
			if i%4 < 2 {
				waitForTape(v.path)
			}
			time.Sleep(400*time.Millisecond + rand.N(2500*time.Millisecond))
			v.killed = time.Now()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if s := stderr.String(); strings.Contains(s, "stopped") || strings.Contains(s, "panic") {
				t.Errorf("%s", s)
			}
		})
	}
	all.Wait()
	measured()
	last := server.store.RV() // the witness too has to see the last of it
	waitUntil(t, func() bool { return saw.upTo() >= last })
	saw.mu.Lock()
	defer saw.mu.Unlock()
	empty, worst, records := 0, time.Duration(0), 0
	for _, v := range victims {
		k := readKilled(t, v.path)
		if k.begun = k.begun && k.records > 0; !k.begun {
			empty++
			continue
		}
		records += k.records
		lag := saw.check(t, v.path, k, v.killed)
		worst = max(worst, lag)
	}
	t.Logf("%d recorders killed: %d records came back, %d had recorded no change yet, at most the last %v were lost", kills, records, empty, worst)
	if empty > kills/2 {
		t.Errorf("%d of %d recorders had recorded nothing", empty, kills)
	}
	// What does not come in time, since others use the processor, is not lost.
	if bound := time.Second + 20*<-late; worst > bound && !testing.Short() {
		t.Errorf("%v were lost; the bound is %v on this machine now", worst, bound)
	}
}

// lateness measures, until ctx ends, how late a goroutine of this process is woken,
// and then sends what is more than that of nearly all wake-ups.
func lateness(ctx context.Context) <-chan time.Duration {
	out := make(chan time.Duration, 1)
	go func() {
		var all []time.Duration
		for ctx.Err() == nil {
			begin := time.Now()
			time.Sleep(5 * time.Millisecond)
			all = append(all, time.Since(begin)-5*time.Millisecond)
		}
		slices.Sort(all)
		out <- all[len(all)*99/100]
	}()
	return out
}

// killed is what is left of a recording.
type killed struct {
	begun   bool
	records int
	frames  []string // of changes after the initial state
	rvs     []string
	state   map[string]string // objects at the end
}

// waitForTape returns when path, or the first of the tapes numbered after it,
// has a change, or after as long as a test waits.
func waitForTape(path string) {
	change := func(e *tape.Entry) bool { return e.Type.IsObject() && !e.Has(model.Initial) }
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if onTape(path, change) || onTape(recorder.Numbered(path, 1), change) || onTape(recorder.Numbered(path, 2), change) {
			return
		}
	}
}

func readKilled(t *testing.T, path string) killed {
	t.Helper()
	files := []string{path}
	if _, err := os.Stat(path); err != nil {
		files = nil
		for n := 1; ; n++ {
			name := recorder.Numbered(path, n)
			if _, err := os.Stat(name); err != nil {
				break
			}
			files = append(files, name)
		}
	}
	k := killed{}
	for i, name := range files {
		if info, err := os.Stat(name); err == nil && info.Size() == 0 && i == len(files)-1 {
			continue // killed before anything was written
		}
		f, err := openTape(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		k.begun = true
		report, err := f.Verify()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		torn := !report.Closed && i == len(files)-1 && len(report.Damages) == 1 && strings.HasPrefix(report.Damages[0].Text, "torn")
		if len(report.Damages) > 0 && !torn || !report.Closed && i < len(files)-1 {
			t.Errorf("%s: closed %v, damages %v", name, report.Closed, report.Damages)
		}
		k.read(t, f)
		_ = f.Close()
	}
	return k
}

func (k *killed) read(t *testing.T, f *tapeFile) {
	t.Helper()
	r := f.Reader()
	for {
		e, err := r.Next()
		var d *tape.Damage
		switch {
		case err == io.EOF:
			k.state = map[string]string{}
			for o, err := range r.Objects() {
				if err != nil {
					t.Error(err)
				}
				k.state[o.Identity.Name] = string(o.Raw)
			}
			return
		case errors.As(err, &d):
			continue
		case err != nil:
			t.Error(err)
			return
		}
		k.records++
		if e.Type.IsObject() && e.Flags&model.Initial == 0 {
			k.frames, k.rvs = append(k.frames, string(e.AppendFrame(nil))), append(k.rvs, strings.Clone(e.RV))
		}
	}
}

// check holds what is left against what the server sent, and returns how much
// of the time before the kill is missing.
func (w *witness) check(t *testing.T, name string, k killed, when time.Time) time.Duration {
	t.Helper()
	if len(k.frames) == 0 {
		return 0
	}
	at := 0
	for at < len(w.rvs) && w.rvs[at] != k.rvs[0] {
		at++
	}
	for i := range k.frames {
		if at+i >= len(w.frames) || w.frames[at+i] != k.frames[i] {
			t.Errorf("%s: change %d of %d is not what the server sent:\n%.300s", name, i, len(k.frames), k.frames[i])
			return 0
		}
	}
	next := at + len(k.frames)
	state := map[string]string{}
	for i := range next { // every object that changed is as the server had it then
		typ, object, _ := jsonscan.SplitFrame([]byte(w.frames[i]))
		m, _ := jsonscan.Identity(object)
		if state[m.Name] = string(object); typ == "DELETED" {
			state[m.Name] = ""
		}
	}
	for name, object := range state {
		if k.state[name] != object {
			t.Errorf("%s is %.200s on the tape, and was %.200s", name, k.state[name], object)
		}
	}
	if next < len(w.times) && w.times[next].Before(when) {
		return when.Sub(w.times[next])
	}
	return 0
}
