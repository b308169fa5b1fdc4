package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/diff"
	"rewatch/model/noise"
	"rewatch/model/query"
	"rewatch/watch/export"
)

// tailer reads a log as it is filled, at the pace of whoever reads what it
// prints: nothing is lost until the log has to let go of rows, and then that is
// said. It looks for the row that ends the wait.
type tailer struct {
	log   *model.Log
	plan  plan
	lines *printer // text; and on stderr what happens to the watches
	out   format   // nil before begin
	next  model.Seq

	filter  *query.Matcher // nil is every row
	chosen  *selection     // of the rows of a tape; nil is every row
	noise   *noise.Rules   // with --changed-only
	until   *condition     // nil is nothing to wait for
	seen    int64          // rows of objects that the filter let through
	folded  int64          // rows left out as noise
	watches map[model.StreamID]model.State

	expired  <-chan time.Time // live: --timeout
	ended    <-chan struct{}  // of a tape: closed when the log is complete
	deadline time.Time        // of a tape: --timeout, by its clock
	progress *atomic.Uint64   // of a tape: how far the reading is
	damaged  func() bool      // of a tape: whether anything that was read is; nil of a cluster
}

func newTailer(log *model.Log, p plan, s streams, contexts bool) *tailer {
	t := &tailer{log: log, plan: p, lines: newPrinter(log, s, contexts), watches: map[model.StreamID]model.State{}}
	if p.until != nil {
		t.until = newCondition(log, p.until)
	}
	return t
}

// begin makes ready what the log must exist for.
func (t *tailer) begin(h export.LinesHead) {
	now := h.From
	if !h.To.IsZero() { // of a tape: since: counts back from its end, as in an export
		now = h.To
	}
	if t.plan.filter != nil {
		h.Filter = t.plan.filter.String()
		t.filter = t.plan.filter.Compile(t.log, query.Options{Now: now.Local()})
	}
	h.Tool = "rewatch " + version()
	t.out = t.plan.format(t.lines, h, t.plan.changedOnly)
	if t.plan.changedOnly {
		t.noise = t.plan.noise
	}
}

// run reads until something ends it, and returns how it ended.
func (t *tailer) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- t.loop(ctx) }()
	var err error
	select {
	case err = <-result:
	case <-readerGone(ctx, t.lines.pipe):
		err = t.patiently(result, errPipe)
	case <-ctx.Done():
		err = t.patiently(result, errInterrupted)
	case <-t.overdue(ctx):
		err = t.late("stdout takes nothing")
	}
	switch f := (&failure{}); {
	case err == nil || errors.Is(err, errMet) || errors.Is(err, errOver):
		return nil
	case errors.As(err, &f):
		return f
	case errors.Is(err, errInterrupted):
		return t.unanswered("interrupted")
	case errors.Is(err, errPipe) || closedPipe(err):
		return t.unanswered("nobody reads stdout any more")
	}
	return failed("check where stdout goes", "cannot write: %s", oneLine(err))
}

// How a reading may end, beside failures.
var (
	errMet         = errors.New("the condition came true")
	errOver        = errors.New("the time is over") // and nothing was waited for
	errPipe        = errors.New("the reader is gone")
	errInterrupted = errors.New("interrupted")
)

// patiently waits a little for the loop to come to its end: a reader that has
// stopped reading must not hold up the exit.
func (t *tailer) patiently(result <-chan error, otherwise error) error {
	select {
	case err := <-result:
		return err
	case <-time.After(drainTimeout):
		return otherwise
	}
}

// overdue has a value when the loop, which sees to --timeout itself, has not
// ended a while after it.
func (t *tailer) overdue(ctx context.Context) <-chan time.Time {
	if t.expired == nil {
		return nil
	}
	late := make(chan time.Time)
	go func() {
		select {
		case <-time.After(t.plan.timeout + stuckAfter):
			close(late)
		case <-ctx.Done():
		}
	}()
	return late
}

// stuckAfter is how long after --timeout the last rows may take to be printed.
const stuckAfter = 500 * time.Millisecond

// loop reads the rows as they come. The error says how it ended.
func (t *tailer) loop(ctx context.Context) error {
	for {
		if err := t.read(t.log.Snapshot()); err != nil {
			return t.end(err)
		}
		if t.lines.stopped && t.ended == nil && t.lines.nothingRuns() {
			return t.end(failed("correct what the lines above name", "every watch was refused for good"))
		}
		select {
		case <-t.log.Wake():
		case <-t.ended:
			return t.end(cmp.Or(t.read(t.log.Snapshot()), t.over("the tape is over")))
		case <-t.expired:
			return t.end(cmp.Or(t.read(t.log.Snapshot()), t.over(fmt.Sprintf("%v are over", t.plan.timeout))))
		case <-ctx.Done():
			return t.end(errInterrupted)
		}
	}
}

// end tells how it ended, where the format has a place for that.
func (t *tailer) end(err error) error {
	e := export.LinesEnd{Result: "ended"}
	switch f := (&failure{}); {
	case errors.Is(err, errMet):
		e.Result = "met"
	case errors.Is(err, errInterrupted):
		e.Result = "interrupted"
	case errors.As(err, &f):
		e.Result, e.Text = "failed", f.Error()
		switch f.code {
		case exitUnknown:
			e.Result = "unknown"
		case exitTimeout:
			e.Result = "timeout"
		}
	case err != nil && !errors.Is(err, errOver):
		return err // of writing
	}
	if failure := t.out.end(e); failure != nil && !errors.Is(err, errMet) {
		return failure
	}
	if t.filter != nil {
		tellUnjudged(streams{err: t.lines.err}, t.filter)
	}
	if t.ended != nil && t.seen == 0 && t.until == nil && (t.chosen != nil || t.filter != nil) {
		_, _ = fmt.Fprintln(t.lines.err, "rewatch: no object on the tape is what was asked for")
	}
	if t.folded > 0 {
		_, _ = fmt.Fprintf(t.lines.err, "rewatch: %s left out as noise; without --changed-only they are printed\n", count(t.folded, "change"))
	}
	_ = t.lines.err.Flush()
	return err
}

// read takes the rows since the last call.
func (t *tailer) read(s model.Snapshot) error {
	if n := s.First() - min(t.next, s.First()); n > 0 {
		t.next = s.First()
		t.out.lost(uint64(n))
		if t.doubt(fmt.Sprintf("%s left the log before they could be read; a larger --memory holds more", count(int64(n), "row"))) {
			return t.unknown()
		}
	}
	for ; t.next < s.End(); t.next++ {
		e := s.At(t.next)
		if !t.deadline.IsZero() && e.When().After(t.deadline) {
			return cmp.Or(t.flush(), t.over(fmt.Sprintf("%v of the tape are over", t.plan.timeout)))
		}
		if err := t.row(e); err != nil {
			if failure := t.flush(); failure != nil && !errors.Is(err, errMet) {
				return failure
			}
			return err
		}
		if t.progress != nil {
			t.progress.Store(uint64(t.next))
		}
	}
	t.waiting()
	return t.flush()
}

func (t *tailer) flush() error {
	if err := t.lines.err.Flush(); err != nil && !closedPipe(err) {
		return err
	}
	return t.out.flush()
}

// row takes one row. An error is the end.
func (t *tailer) row(e model.Event) error {
	if t.chosen != nil && !t.chosen.has(e) {
		return nil
	}
	if !e.Type.IsObject() {
		t.watch(e)
	}
	if t.filter != nil && !t.filter.Match(e) {
		return nil
	}
	if e.Type.IsObject() {
		t.seen++
	}
	if t.prints(e) {
		t.out.row(e)
	}
	return t.judge(e)
}

// watch takes down how a watch stands.
func (t *tailer) watch(e model.Event) {
	if d, ok := e.Detail.(model.Transition); ok && d.Cause != model.CauseShutdown {
		t.watches[e.Stream] = d.To
	}
	t.lines.watch(e)
}

// prints reports whether a row is to be printed.
func (t *tailer) prints(e model.Event) bool {
	switch {
	case !t.plan.changedOnly || e.Type == model.GapFound:
		return true
	case !e.Type.IsObject() || e.Has(model.Initial) || e.Has(model.Replayed):
		return false
	}
	var old []byte
	now, _ := t.log.Bytes(e.Object, e.Version)
	var change *diff.Result
	if e.Version > 1 && e.Type == model.Modified {
		if was, ok := t.log.Bytes(e.Object, e.Version-1); ok {
			old = was
			r := diff.Objects(old, now)
			change = &r
		}
	}
	if t.noise.Classify(e, t.log.Identity(e.Object), old, now, change) != nil {
		t.folded++
		return false
	}
	return true
}

// waiting tells, once, that there is nothing yet that could meet the condition:
// a name may be misspelt, or what is waited for may be over.
func (t *tailer) waiting() {
	if t.until == nil || t.until.told || t.ended != nil {
		return
	}
	if t.seen > 0 {
		t.until.told = true
		return
	}
	for _, s := range t.log.Streams(time.Time{}) {
		if !t.watches[s.ID].Fresh() {
			return
		}
	}
	t.until.told = true
	_, _ = fmt.Fprintf(t.lines.err, "%s %-8s %s\n", stamp(time.Now()), "NOTE",
		clean.Line("nothing is there yet that is asked for; waiting for it to come"))
}
