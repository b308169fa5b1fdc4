package live

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rewatch/e2e/cluster"
	"rewatch/model"
	"rewatch/watch/player"
	"rewatch/watch/tape"
)

// sample is what live showed at a moment.
type sample struct {
	at      time.Time
	rows    model.Seq // that the log had
	streams []string
	screen  []string
	drawn   []time.Time   // moments of the clock that the screen may be of, the newest first
	late    time.Duration // by how much the machine has overslept of late
}

// dials is a clock that remembers when the screen looked at it.
type dials struct {
	mu    sync.Mutex
	times []time.Time
}

func (d *dials) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.times = append(d.times, time.Now())
	return d.times[len(d.times)-1]
}

// since are the looks from a moment on, the newest first, without those right
// before another one.
func (d *dials) since(from time.Time) (out []time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := len(d.times) - 1; i >= 0 && d.times[i].After(from); i-- {
		if n := len(out); n == 0 || out[n-1].Sub(d.times[i]) > 2*time.Millisecond {
			out = append(out, d.times[i])
		}
	}
	return out
}

// sampler takes samples of a desk until stop is called.
func sampler(d *desk, clock *dials) (stop func() []sample) {
	var all []sample
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		var lateness []time.Duration
		for {
			late := cluster.Oversleep()
			select {
			case <-quit:
				late()
				return
			case <-time.After(150 * time.Millisecond):
			}
			lateness = append(lateness, late())
			s := sample{at: time.Now(), late: slices.Max(lateness[max(len(lateness)-15, 0):])}
			log := d.log.Snapshot()
			s.rows, s.streams = log.End(), printed(d.log.Streams(s.at))
			if s.rows != d.log.Snapshot().End() {
				continue // between the two, something came
			}
			// What came before settled is on the screen, which counts four times a
			// second while a stream waits, and else once: on a busy machine some time
			// later, and the terminal may have a part of a frame for a while.
			newest := log.At(log.End() - 1).When()
			if s.at.Sub(newest) > settled {
				screen := d.lines()
				s.drawn = clock.since(s.at.Add(-10 * time.Second))
				time.Sleep(30 * time.Millisecond)
				if s.rows == d.log.Snapshot().End() && slices.Equal(screen, d.lines()) {
					s.screen = screen
				}
			}
			all = append(all, s)
		}
	}()
	return func() []sample { close(quit); <-done; return all }
}

// settled is how long after a row the screen is sure to show it.
const settled = 600 * time.Millisecond

// monotonic is what a time prints of a clock that no tape has.
var monotonic = regexp.MustCompile(` m=[+-][0-9.]+`)

func printed[T any](list []T) (out []string) {
	for _, x := range list {
		out = append(out, monotonic.ReplaceAllString(fmt.Sprintf("%+v", x), ""))
	}
	return out
}

// allRows describes the rows of a log, with the bytes of their objects.
func allRows(l *model.Log) []string {
	var out []string
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		raw, _ := l.Bytes(e.Object, e.Version)
		out = append(out, fmt.Sprintf("%d %d %v %d v%d rv %d %+v %+v %s", e.Time, e.Stream, e.Type, e.Flags, e.Version, e.RV,
			l.Identity(e.Object), e.Detail, raw))
	}
	for i := range out {
		out[i] = monotonic.ReplaceAllString(out[i], "")
	}
	return out
}

// differ says where two lists differ; "" if they do not.
func differ(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%d, not %d; missing is\n%.600s", len(got), len(want), want[i])
		case i >= len(want):
			return fmt.Sprintf("%d, not %d; too much is\n%.600s", len(got), len(want), got[i])
		case got[i] != want[i]:
			return fmt.Sprintf("number %d is\n%.900s\nnot\n%.900s", i, got[i], want[i])
		}
	}
	return ""
}

// told is what a screen says of the streams: their pane, and the troubles of
// the status bar.
func told(screen []string) (pane, troubles []string) {
	in := false
	for _, l := range screen {
		switch {
		case strings.HasPrefix(l, "─ Streams"):
			in = true
		case strings.HasPrefix(l, "─ "):
			in = false
		case in:
			left, _, _ := strings.Cut(l, "│")
			if left = strings.TrimRight(left, " "); left != "" {
				pane = append(pane, left)
			}
		}
	}
	status := ""
	if n := len(screen); n > 1 {
		status = screen[n-2]
	}
	for part := range strings.SplitSeq(status, " │ ") {
		part = strings.TrimSpace(part)
		word, _, _ := strings.Cut(part, " ")
		switch word {
		case "RETRY", "EXPIRED", "RELIST", "OVERDUE", "DENIED", "CONNECT":
			troubles = append(troubles, part)
		}
	}
	return pane, troubles
}

func openTape(t *testing.T, path string) player.Source {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return player.Source{Name: filepath.Base(path), Tape: x}
}

// recordBeside runs rewatch record through the same link, until stop is called.
func recordBeside(t *testing.T, program string, c *cluster.Cluster, cut *link, path string) (stop func()) {
	t.Helper()
	kubeconfig, err := os.ReadFile(c.Kubeconfig(cluster.Reader))
	if err != nil {
		t.Fatal(err)
	}
	through := filepath.Join(t.TempDir(), "kubeconfig")
	u, err := url.Parse(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(through, bytes.ReplaceAll(kubeconfig, []byte(u.Host), []byte(cut.addr)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "record", strings.Join(watched, ","), "-A", "-o", path, "--kubeconfig", through)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return func() {
		t.Helper()
		peak := peakOf(t, cmd.Process.Pid)
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if ended = true; err != nil {
			t.Errorf("rewatch record ended with %v\n%.2000s", err, stderr.String())
		}
		t.Logf("rewatch record: %d MB peak", peak>>20)
	}
}

// jump moves a player and waits until it is there.
func jump(t *testing.T, p *player.Player, to time.Time) {
	t.Helper()
	p.Seek(to)
	for deadline := time.Now().Add(patience); p.Playback().Seeking; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a jump to %v does not end", to)
		}
	}
}
