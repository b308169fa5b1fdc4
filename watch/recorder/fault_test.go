package recorder

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/tape"
)

// disk is an output that can be made to hang.
type disk struct {
	output
	mu sync.Mutex
}

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.output.Write(p)
}

// TestSlowDisk: while the disk hangs nobody waits; what is lost is counted, by
// stream and on the tape, and the objects are right again when it goes on.
func TestSlowDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rwt")
	d := &disk{}
	x := newSource(0)
	x.listen()
	r := start(t, x, Options{Path: path, Queue: 1 << 20, Flush: 5 * time.Millisecond, slow: func(o output) output { d.output = o; return d }})
	x.add(1000)
	for r.Status().Events < 900 {
		time.Sleep(time.Millisecond)
	}
	d.mu.Lock()
	soon(t, "the log waits for the disk", func() { x.add(10_000) })
	hanging := r.Status()
	d.mu.Unlock()
	if !hanging.Losing || hanging.Lost == 0 || hanging.Behind == 0 || hanging.Queued > 1<<20+chunkSize {
		t.Errorf("while the disk hangs: %+v", hanging)
	}
	for r.Status().Losing {
		time.Sleep(time.Millisecond)
	}
	x.add(1000)
	s := end(t, r)
	p := play(t, path)
	if p.lost != s.Lost || s.Lost < hanging.Lost || p.report.Verdict() != tape.Gaps {
		t.Errorf("%d lost on tape, %d while the disk hung; %+v", p.lost, hanging.Lost, s)
	}
	if !maps.Equal(p.last, x.held) {
		t.Error("the state at the end differs")
	}
	// Nothing else is missing than what is said, and nothing comes twice.
	want := map[string]bool{}
	for _, row := range x.rows {
		want[row] = true
	}
	frames, steps := int64(0), 0
	for _, row := range p.rows {
		if !want[row] {
			if !strings.Contains(row, "recorder lost") && !strings.Contains(row, " 2 false <nil>") { // the loss, and what became of the objects
				t.Fatalf("on tape, but never said: %.300s", row)
			}
			continue
		}
		delete(want, row)
		if isFrame(row) {
			frames++
		} else {
			steps++
		}
	}
	all, allSteps := int64(0), 0
	for _, row := range x.rows {
		if isFrame(row) {
			all++
		} else {
			allSteps++
		}
	}
	if steps != allSteps || frames+s.Lost != all {
		t.Errorf("%d steps of %d, %d frames and %d lost of %d", steps, allSteps, frames, s.Lost, all)
	}
}

// soon fails if something waits for what does not come; a busy machine may take
// its time.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal(what)
	}
}

func isFrame(row string) bool {
	return strings.HasSuffix(row, "}") && strings.Contains(row, "object\"")
}

// TestLostForEver: the disk hangs until the end. Close gives up waiting, and
// what was flushed is there.
func TestLostForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rwt")
	d := &disk{}
	x := newSource(0)
	r := start(t, x, Options{Path: path, Queue: 1 << 20, Flush: 5 * time.Millisecond, slow: func(o output) output { d.output = o; return d }})
	x.add(1000)
	for r.Status().Safe.IsZero() {
		time.Sleep(time.Millisecond)
	}
	d.mu.Lock()
	x.add(3000)
	safe := r.Status().Safe
	if r.Close(50 * time.Millisecond) {
		t.Error("it ended in order")
	}
	d.mu.Unlock() // the writes that hung may come through before play reads
	if p := play(t, path); p.info.To.Before(safe) {
		t.Errorf("%v, safe was %v", p.info.To, safe)
	}
	end(t, r)
	if p := play(t, path); !p.info.Closed {
		t.Error("not closed")
	}
}

// awaitFailure adds until the recording fails.
func awaitFailure(t *testing.T, x *source, r *Recorder) *Failure {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); r.Status().Failed == nil; {
		if r.Status().Queued < 1<<20 { // nothing is lost where the disk is only waited for
			x.add(500)
		}
		time.Sleep(5 * time.Millisecond)
		if time.Now().After(end) {
			t.Fatal("it did not fail")
		}
	}
	<-r.Done()
	if s := r.Status(); !s.Done {
		t.Errorf("%+v", s)
	}
	n := len(x.rows)
	x.add(100) // the log goes on
	if len(x.rows) <= n {
		t.Error("the log stands")
	}
	return r.Status().Failed
}

// TestFullDisk: the tape is whole, up to the moment that the message names.
func TestFullDisk(t *testing.T) {
	for _, o := range []Options{{}, {MaxSize: 60 << 10}} {
		dir := full(t)
		o.Path, o.Flush = filepath.Join(dir, "a.rwt"), 5*time.Millisecond
		x := newSource(0)
		x.listen()
		r := start(t, x, o)
		f := awaitFailure(t, x, r)
		if !errors.Is(f, syscall.ENOSPC) || !strings.Contains(f.Error(), "the disk is full; the tape is whole up to") {
			t.Errorf("%v", f)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.rwt"))
		if err != nil || len(files) == 0 {
			t.Fatal(err, files)
		}
		slices.Sort(files)
		var rows []string
		for _, file := range files {
			p := play(t, file)
			rows = append(rows, p.rows...)
			if file == files[len(files)-1] && p.info.Records > 0 && !p.info.To.Equal(f.Safe) {
				t.Errorf("the tape ends %v, the message says %v", p.info.To, f.Safe)
			}
		}
		compare(t, rows, x.rows[:len(rows)])
		if s := r.Status(); s.OnDisk != int64(len(rows)) || s.Unsafe < 0 || s.OnDisk+s.Unsafe > int64(len(x.rows)) {
			t.Errorf("%d on the disk, %d not, of %d; there are %d", s.OnDisk, s.Unsafe, len(x.rows), len(rows))
		}
		if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) > 0 {
			t.Errorf("left: %v", hidden)
		}
		if len(rows) < 2000 {
			t.Errorf("%d rows on 200 KiB", len(rows))
		}
	}
}

func TestDevFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	x := newSource(0)
	x.listen()
	r := start(t, x, Options{Path: "/dev/full", Flush: 5 * time.Millisecond})
	f := awaitFailure(t, x, r)
	if !errors.Is(f, syscall.ENOSPC) || !strings.Contains(f.Error(), "nothing was recorded") {
		t.Errorf("%v", f)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Fatal("the device was removed")
	}
	// What comes from then on is lost, until nobody asks for it any more.
	before, rows := r.Status().Lost, len(x.rows)
	x.add(200)
	frames := int64(0)
	for _, row := range x.rows[rows:] {
		if isFrame(row) {
			frames++
		}
	}
	if lost := r.Status().Lost - before; lost != frames || lost == 0 {
		t.Errorf("%d lost after the failure, not %d", lost, frames)
	}
	r.Stop()
	before = r.Status().Lost
	x.add(200)
	if lost := r.Status().Lost - before; lost != 0 {
		t.Errorf("%d lost after the end", lost)
	}
}

// TestLossIsBounded: however many objects change while the disk hangs, what is
// kept of them has a limit, and the tape says what that left out.
func TestLossIsBounded(t *testing.T) {
	l := newLoss()
	for i := range maxObjects + 10 {
		l.frame(model.Event{Object: model.ObjectID(i + 1), Version: 1}, &model.Record{Type: model.Added, Stream: 2}, 0)
	}
	l.frame(model.Event{Object: 1, Version: 2}, &model.Record{Type: model.Deleted, Stream: 2}, 0)
	if k := (lostKey{1, 2}); len(l.objects) != maxObjects || l.beyond[2] != 10 || !l.objects[k].gone || l.streams[2].n != maxObjects+11 {
		t.Errorf("%d objects, %d beyond, %+v", len(l.objects), l.beyond[2], l.objects[k])
	}
}

// TestFileVanishes: what is written to a file without a name is lost.
func TestFileVanishes(t *testing.T) {
	for _, how := range []func(path string) error{
		os.Remove,
		func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		func(path string) error { return os.Rename(path, path+".moved") },
	} {
		dir := filepath.Join(t.TempDir(), "d")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		x := newSource(0)
		x.listen()
		r := start(t, x, Options{Path: filepath.Join(dir, "a.rwt"), Flush: 5 * time.Millisecond})
		x.add(100)
		if err := how(filepath.Join(dir, "a.rwt")); err != nil {
			t.Fatal(err)
		}
		if f := awaitFailure(t, x, r); !strings.Contains(f.Error(), "the file was removed or replaced") {
			t.Errorf("%v", f)
		}
	}
}

// TestNoRoomForTheNextTape: the running one is closed in order.
func TestNoRoomForTheNextTape(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.rwt")
	x := newSource(0)
	x.listen()
	r := start(t, x, Options{Path: path, MaxSize: 40 << 10, Flush: 5 * time.Millisecond})
	if err := os.Mkdir(Numbered(path, 2), 0o700); err != nil { // in the way
		t.Fatal(err)
	}
	f := awaitFailure(t, x, r)
	if p := play(t, Numbered(path, 1)); !p.info.Closed || !p.info.To.Equal(f.Safe) {
		t.Errorf("%v %v %v", p.info.Closed, p.info.To, f.Safe)
	}
}

// TestTooLargeForATape: an object over the limit of the format is said to be
// lost, and the rest goes on.
func TestTooLargeForATape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rwt")
	x := newSource(0)
	r := start(t, x, Options{Path: path, Queue: 64 << 20})
	x.add(100)
	raw := []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"big","uid":"big","resourceVersion":"7"},"pad":"` + strings.Repeat("x", 17<<20) + `"}`)
	if !jsonscan.Valid(raw) {
		t.Fatal("not JSON")
	}
	x.log.Append(model.Record{Time: time.Unix(1_796_000_001, 0), Type: model.Modified, Raw: raw})
	x.add(100)
	s := end(t, r)
	if p := play(t, path); s.Lost != 1 || p.lost != 1 || p.report.Records < 190 {
		t.Errorf("%+v, %d lost on tape", s, p.lost)
	}
}

// TestPace: it waits for a disk that is slow, and gives up on one that hangs.
func TestPace(t *testing.T) {
	d := &disk{}
	x := newSource(0)
	r := start(t, x, Options{Path: filepath.Join(t.TempDir(), "a.rwt"), Queue: 1 << 20, Flush: 5 * time.Millisecond, patience: time.Hour,
		slow: func(o output) output { d.output = o; return d }})
	soon(t, "it waits for a disk that goes on", func() {
		for range 3000 { // several times the queue, as fast as it goes
			r.Pace()
			x.one(x.rng.IntN(40))
		}
	})
	if s := r.Status(); s.Lost > 0 {
		t.Errorf("%d lost", s.Lost)
	}
	const patience = 100 * time.Millisecond
	d.mu.Lock()
	r.o.patience = patience
	waited := time.Duration(0)
	soon(t, "it waits for a disk that hangs", func() {
		for !r.hangs.Load() {
			x.add(100)
			began := time.Now()
			r.Pace()
			waited = time.Since(began)
		}
	})
	if waited < patience {
		t.Errorf("it gave up after %v", waited)
	}
	r.o.patience = time.Hour
	soon(t, "it waits again for a disk that hangs", r.Pace)
	d.mu.Unlock()
	soon(t, "the disk does not go on", func() {
		for !r.q.roomy() {
			time.Sleep(time.Millisecond)
		}
	})
	r.Pace()
	if r.hangs.Load() {
		t.Error("a disk that goes on is still taken for one that hangs")
	}
}
