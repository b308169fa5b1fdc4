package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"time"

	"rewatch/model"
	"rewatch/ui"
	"rewatch/watch/recorder"
)

// deck records a session, one recording after the other: what R of the screen
// and --record ask for. It implements ui.Recorder.
type deck struct {
	log       *model.Log
	name      string // of the cluster, for the names of files
	redaction string // for the headers

	starting sync.Mutex // while a recording is started, and when no more shall be; before mu
	over     bool       // the session ends

	mu  sync.Mutex
	rec *recorder.Recorder // the newest; nil before the first
}

var _ ui.Recorder = (*deck)(nil)

// Record implements ui.Recorder. The file is in the current directory.
func (d *deck) Record(held bool) error {
	name := tapeName(d.name, time.Now())
	for n := 2; ; n++ {
		err := d.start(context.Background(), name+".rwt", false, held)
		if n > 99 || !errors.Is(err, fs.ErrExist) {
			return err
		}
		name = fmt.Sprintf("%s-%d", tapeName(d.name, time.Now()), n)
	}
}

// start begins a recording to a file. Errors are failures with the next step.
func (d *deck) start(ctx context.Context, path string, force, held bool) error {
	d.starting.Lock()
	defer d.starting.Unlock()
	switch rec := d.newest(); {
	case d.over:
		return failed("start rewatch again", "the session is over")
	case rec != nil && !rec.Status().Done:
		return failed("stop that first", "a recording to %s is under way", rec.Status().Path)
	}
	rec, err := startRecording(ctx, d.log, recorder.Options{Path: path, Force: force, Held: held, Tool: "rewatch " + version(), Redaction: d.redaction})
	if err == nil {
		d.mu.Lock()
		d.rec = rec
		d.mu.Unlock()
	}
	return err
}

func (d *deck) newest() *recorder.Recorder {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rec
}

// end waits for a recording that is being started, and lets none start any more.
func (d *deck) end() {
	d.starting.Lock()
	defer d.starting.Unlock()
	d.over = true
}

var notForNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// tapeName is rewatch-<context>-20261201-070000, in local time. What is usual
// in names of contexts but not in those of files (ARNs) becomes "-".
func tapeName(context string, now time.Time) string {
	const most = 60
	name := strings.Trim(notForNames.ReplaceAllString(context, "-"), "-.")
	return "rewatch-" + name[max(len(name)-most, 0):] + "-" + now.Format("20060102-150405")
}

// Stop implements ui.Recorder.
func (d *deck) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec != nil {
		d.rec.Stop()
	}
}

// Recording implements ui.Recorder.
func (d *deck) Recording() ui.Recording {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec == nil {
		return ui.Recording{}
	}
	s := d.rec.Status()
	r := ui.Recording{On: !s.Done, Path: s.Path, Since: s.Since, Bytes: s.Kept, Wire: s.Wire, Lost: s.Lost,
		Unsafe: s.Unsafe, Behind: s.Behind, Safe: s.Safe}
	if s.Failed != nil {
		r.Failed = s.Failed.Reason()
	}
	return r
}

// discard ends a recording of a session that did not come about.
func (d *deck) discard() {
	d.end()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec != nil {
		d.rec.Discard(closePatience)
	}
}

// close ends a recording that is under way with the session, and returns what
// to tell the user; "" if there was none.
func (d *deck) close() (told string, err error) {
	d.end()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rec == nil {
		return "", nil
	}
	rec := d.rec
	d.rec = nil // it is told of once
	before := rec.Status()
	ended := before.Done || rec.Close(closePatience)
	s := rec.Status()
	switch {
	case s.Failed != nil && !before.Done:
		return "", recordingFailed(s.Failed)
	case s.Failed != nil:
		return "", nil // the screen has told
	case before.Done:
		return "play it with: " + ui.ReplayCommand(s.Path), nil // the rest the screen has told
	}
	return summaryOf(s, s.Path, time.Since(s.Since), ended) + "; play it with: " + ui.ReplayCommand(s.Path), nil
}
