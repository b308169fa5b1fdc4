package ui

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// memoryRecorder is a Recorder that only says how it stands.
type memoryRecorder struct {
	mu          sync.Mutex // of held and now: the screen calls it from its commands
	path        string
	bytes, lost int64
	held        []bool // what was asked for
	err         error
	now         Recording
	begun       chan struct{} // not nil: Record says that it was called, and
	disk        chan struct{} // waits for the disk
}

func (r *memoryRecorder) Record(held bool) error {
	if r.begun != nil {
		close(r.begun)
		<-r.disk
	}
	if r.err != nil {
		return r.err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, held)
	r.now = Recording{On: true, Path: r.path, Bytes: r.bytes, Lost: r.lost}
	return nil
}

func (r *memoryRecorder) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.On = false
}

func (r *memoryRecorder) Recording() Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// recording is a live screen with a recorder.
func newRecording(t *testing.T, w int) (*driver, *memoryRecorder) {
	d := newDriver(t, w, 24, "mono")
	d.script()
	r := &memoryRecorder{path: "/home/dev/shop.tape", bytes: 4_200_000}
	d.app.recording.recorder = r
	return d, r
}

func TestRecordAndStop(t *testing.T) {
	d, r := newRecording(t, 80)
	d.press("R")
	d.has("n from now   h with the 63 events held   esc do not")
	d.press("esc")
	d.hasNot("from now")
	d.press("R", "h")
	if len(r.held) != 1 || !r.held[0] {
		t.Fatalf("recorded %v, want one with what is held", r.held)
	}
	d.has("recording to /home/dev/shop.tape")
	if !strings.Contains(d.header(), "● REC 4.2 MB") {
		t.Errorf("the header says %s", d.header())
	}
	r.now.Bytes = 5_300_000
	d.wait(time.Second)
	if !strings.Contains(d.header(), "● REC 5.3 MB") {
		t.Errorf("later the header says %s", d.header())
	}
	d.press("R")
	d.has("recorded 5.3 MB; play it with: rewatch replay /home/dev/shop.tape")
	if strings.Contains(d.header(), "REC") {
		t.Errorf("after the end the header says %s", d.header())
	}
	d.wait(11 * time.Second)
	d.hasNot("recorded")
	d.press("R", "enter")
	if len(r.held) != 2 || r.held[1] {
		t.Errorf("recorded %v, want the second without what is held", r.held)
	}
}

// A disk that takes its time to make the file does not stop the screen.
func TestASlowDiskDoesNotStopTheScreen(t *testing.T) {
	d, r := newRecording(t, 100)
	r.begun, r.disk = make(chan struct{}), make(chan struct{})
	d.press("R")
	_, cmd := d.app.Update(keyMsg("n"))
	done := make(chan tea.Msg)
	go func() {
		var msg tea.Msg
		each(cmd, func(m tea.Msg) {
			if m, ok := m.(recordMsg); ok {
				msg = m
			}
		})
		done <- msg
	}()
	<-r.begun
	d.press("up", "down") // goes on
	d.press("R")
	d.has("the recording is about to begin")
	d.hasNot("REC ")
	close(r.disk)
	d.send(<-done)
	d.has("recording to /home/dev/shop.tape")
	if !strings.Contains(d.header(), "● REC 4.2 MB") {
		t.Errorf("the header says %s", d.header())
	}
	d.press("R") // it can be ended
	d.has("rewatch replay /home/dev/shop.tape")
}

// each runs a command and those that it consists of.
func each(cmd tea.Cmd, f func(tea.Msg)) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			each(c, f)
		}
	default:
		f(msg)
	}
}

// Frames that are lost are told as long as it records, and at its end until
// that is acknowledged.
func TestLostFramesAreTold(t *testing.T) {
	for _, w := range []int{40, 60, 80, 200} {
		d, r := newRecording(t, w)
		d.press("R", "n")
		r.now.Lost = 12
		d.wait(time.Hour)
		if !strings.Contains(d.header(), "REC 4.2 MB LOST 12") {
			t.Errorf("%d wide, the header says %q", w, d.header())
		}
		r.Stop()
		d.wait(time.Hour)
		d.wait(time.Hour)
		if w >= 80 {
			d.has("RECORDED /home/dev/shop.tape, 4.2 MB, but LOST 12 frames")
		}
		d.press("esc")
		d.hasNot("RECORDED")
	}
}

// A recording that failed is told until that is acknowledged; the interface
// goes on.
func TestAFullDiskIsTold(t *testing.T) {
	d, r := newRecording(t, 120)
	d.press("R", "n")
	r.now.On, r.now.Failed = false, "no space left on device\x1b[31m"
	d.wait(time.Second)
	d.has("RECORDING STOPPED: no space left on device")
	d.wait(time.Hour)
	d.has("RECORDING STOPPED: no space left on device")
	if strings.Contains(d.header(), "REC") {
		t.Errorf("the header says %s", d.header())
	}
	d.press("up", "z")
	d.has("RECORDING STOPPED")
	d.press("esc") // acknowledges, and nothing else
	d.hasNot("RECORDING STOPPED")
	if !d.app.zoom {
		t.Error("esc did two things")
	}
	d.wait(time.Hour)
	d.hasNot("RECORDING STOPPED")
	r.err = errors.New("permission denied")
	d.press("R", "n")
	d.has("NOT RECORDING: permission denied")
}

func TestWhoCannotRecordIsToldWhy(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	d.press("R")
	d.has("there is nothing here to record with")
	d, _ = newReplay(t, 80, 24, "mono")
	d.press("R")
	d.has("a replay is on a tape already")
}

// A mark of a live screen is a row of its log, which a tape then has.
func TestMarkLive(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.press("m") // there are streams, though nothing has come
	d.press("esc")
	d.script()
	before := d.app.log.Snapshot().End()
	d.press("m", "d", "e", "p", "l", "o", "y", "space", "q", "enter")
	d.wait(0)
	d.has("◆ mark deploy q")
	e := d.app.log.Snapshot().At(before)
	if n, ok := e.Detail.(model.Note); !ok || n.Cause != model.CauseMark || n.Text != "deploy q" || !e.When().Equal(d.now) {
		t.Errorf("the log has %+v of %v", e.Detail, e.When())
	}
	d.press("m", "enter")
	d.wait(0)
	if n := d.app.log.Snapshot().End() - before; n != 2 {
		t.Errorf("%d rows for two marks", n)
	}
}
