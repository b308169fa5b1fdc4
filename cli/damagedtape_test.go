package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/watch/tape"
)

// flippedTape is the demo's tape with a data frame that only reading it shows
// to be damaged, and the moment of that.
func flippedTape(t *testing.T) (path string, when time.Time) {
	t.Helper()
	demo, err := tape.Open(bytes.NewReader(demoTape), int64(len(demoTape)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer // in small data frames
	w := tape.NewWriter(&out, tape.Header{Tool: "test", Created: demo.Info().Created}, tape.Options{FrameSize: 64 << 10})
	for _, s := range demo.Info().Streams {
		w.AddStream(s)
	}
	for e, err := range demo.Records() {
		if err == nil && e.Type != 0 {
			err = w.Append(e.Record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "small.rwt")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	small, err := openTape(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = small.Close() }()
	frames := small.Frames()
	frame := frames[len(frames)*2/3]
	path = damagedTape(t, path, int(frame.Offset+frame.Size/2))
	bad, err := openTape(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bad.Close() }()
	if n := len(bad.Info().Damages); n > 0 || frame.Records == 0 || len(frames) < 6 {
		t.Fatalf("opening it shows %d damages of %+v", n, frame)
	}
	return path, frame.To
}

// TestDamageThatReadingShows makes the exit code of what relied on the tape.
func TestDamageThatReadingShows(t *testing.T) {
	isolate(t)
	path, when := flippedTape(t)
	at := when.UTC().Format(time.RFC3339Nano)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"replay", path}, 1, "rewatch verify"},
		{[]string{"tail", "deploy/checkout", "--from", path, "--until", "object.spec.replicas == 1000"}, exitUnknown, "damage"},
		{[]string{"tail", "deploy/checkout", "--from", path, "--until", "object.spec.replicas == 1000", "--allow-gaps"}, exitTimeout, "the tape is over"},
		{[]string{"diff", path, "--to", at}, 1, "is damaged: what is compared is not all that existed"},
		{[]string{"diff", path, "--from", "+0s", "--to", "+1ms"}, 0, " streams had not begun"},
	} {
		got := rewatch(t, c.args...)
		if got.code != c.code || !strings.Contains(got.stderr, c.want) || got.out == "" {
			t.Errorf("%q: exit code %d, want %d and %q; %d bytes of stdout\n%s", c.args, got.code, c.code, c.want, len(got.out), got.stderr[max(0, len(got.stderr)-500):])
		}
		if n := strings.Count(got.stderr, "had not begun"); n > 2 {
			t.Errorf("%q: %d lines of streams that had not begun", c.args, n)
		}
	}
}
