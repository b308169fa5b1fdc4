package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"rewatch/model"
	"rewatch/model/blame"
	"rewatch/model/clean"
	"rewatch/model/diff"
	"rewatch/watch/tape"
)

// printer writes the log as lines: changes and gaps to out, what happens to
// the watches to err. It reads the log at the pace of whoever reads the lines:
// nothing is lost until the log has to let go of rows, and then the lines say
// how many.
type printer struct {
	log      *model.Log
	out, err *bufio.Writer
	pipe     io.Writer // what out writes to
	contexts bool      // name the context of each object
	next     model.Seq
	infos    []model.StreamStatus
	told     map[model.StreamID]model.Transition // last state told on err
	stopped  bool                                // a stream has ended for good since the last look
	// Of a replay: closed when the log is complete, after which the rest is
	// printed and that is all; and where to say how far the printing is.
	ended    <-chan struct{}
	progress *atomic.Uint64
	plain    *plain // in sentences; nil is in columns
}

const outBuffer = 64 << 10

func newPrinter(log *model.Log, s streams, contexts bool) *printer {
	return &printer{
		log: log, pipe: s.out, contexts: contexts, told: map[model.StreamID]model.Transition{},
		out: bufio.NewWriterSize(s.out, outBuffer), err: bufio.NewWriter(s.err),
	}
}

// drainTimeout bounds the last lines when the end comes: a reader that has
// stopped reading must not hold up the exit.
const drainTimeout = 40 * time.Millisecond

// run prints until ctx ends or the reader goes away, which is no error.
func (p *printer) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- p.loop(ctx) }()
	var err error
	select {
	case err = <-result:
	case <-readerGone(ctx, p.pipe):
	case <-ctx.Done():
		select {
		case err = <-result:
		case <-time.After(drainTimeout):
		}
	}
	if err == nil || closedPipe(err) {
		return nil
	}
	if f := (&failure{}); errors.As(err, &f) {
		return f
	}
	return failed("check where stdout goes", "cannot write: %s", oneLine(err))
}

func (p *printer) loop(ctx context.Context) error {
	for {
		if err := p.print(p.log.Snapshot()); err != nil {
			return err
		}
		if p.stopped && p.ended == nil && p.nothingRuns() {
			return failed("correct what the lines above name", "every watch was refused for good")
		}
		select {
		case <-p.log.Wake():
		case <-p.ended:
			return p.print(p.log.Snapshot())
		case <-ctx.Done():
			return nil
		}
	}
}

// nothingRuns reports whether every stream has ended for good. On a screen the
// user can retry; in a pipe nobody would ever see another line.
func (p *printer) nothingRuns() bool {
	p.stopped = false
	for _, s := range p.log.Streams(time.Now()) {
		if s.State != model.Stopped || s.Last.Cause == model.CauseShutdown { // the latter was asked for
			return false
		}
	}
	return true
}

// closedPipe reports whether a write failed because nobody reads any more.
func closedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

// print writes the rows since the last call.
func (p *printer) print(s model.Snapshot) error {
	if s.First() > p.next {
		p.lost(p.out, uint64(s.First()-p.next))
		p.next = s.First()
	}
	for ; p.next < s.End(); p.next++ {
		e := s.At(p.next)
		switch {
		case p.plain != nil:
			p.sentence(e)
		case e.Type.IsObject():
			p.object(e)
		case e.Type == model.GapFound:
			p.gap(p.out, e)
		default:
			p.watch(e)
		}
		if p.progress != nil {
			p.progress.Store(uint64(p.next))
		}
	}
	if err := p.err.Flush(); err != nil && !closedPipe(err) {
		return err
	}
	return p.out.Flush()
}

// lost says that rows left the log before they could be printed.
func (p *printer) lost(w *bufio.Writer, rows uint64) {
	_, _ = fmt.Fprintf(w, "%s LOST - %d rows left the log before they could be printed; a larger --memory holds more\n", stamp(time.Now()), rows)
}

// watch tells what happened to a watch, where that is of interest.
func (p *printer) watch(e model.Event) {
	switch d := e.Detail.(type) {
	case model.Transition:
		p.change(e)
	case model.Note:
		p.line(p.err, e, "NOTE", p.noted(e.Stream, d), d.Text)
	}
}

// noted names what a note is of: those on how a cluster was asked, of the user
// and of a tape are appended to some stream, which they do not speak of.
func (p *printer) noted(id model.StreamID, n model.Note) string {
	switch n.Cause {
	case model.CauseGarbage, model.CauseNotResumable, model.CauseFrameTooLarge, model.CauseQueued, model.CauseUnknownType, tape.CauseLost:
		return p.stream(id)
	}
	name := p.stream(id) // reads p.infos
	if !p.contexts || int(id) >= len(p.infos) || name == "?" {
		return ""
	}
	return p.infos[id].Context
}

// line writes time, word and the rest, which is cleaned: it may quote the
// server. An error stays in the writer until Flush.
func (p *printer) line(w *bufio.Writer, e model.Event, word string, rest ...string) {
	text := clean.Line(strings.TrimSpace(strings.Join(rest, " ")))
	_, _ = fmt.Fprintf(w, "%s %-8s %s\n", stamp(e.When()), word, text)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// summaryLength is about how many bytes of a line say what changed.
const summaryLength = 160

func (p *printer) object(e model.Event) {
	id := p.log.Identity(e.Object)
	name := id.Name
	if id.Namespace != "" {
		name = id.Namespace + "/" + name
	}
	parts := []string{id.Kind, name}
	if p.contexts {
		parts = append([]string{id.Context}, parts...)
	}
	summary, authors := p.explain(e, id.Kind)
	if summary != "" {
		parts = append(parts, summary)
	}
	if len(authors) > 0 {
		parts = append(parts, "["+authorNames(authors, ",")+"]")
	}
	p.line(p.out, e, typeWords[e.Type], append(parts, flagWords(e)...)...)
}

var typeWords = map[model.Type]string{model.Added: "ADDED", model.Modified: "MODIFIED", model.Deleted: "DELETED"}

// authorNames lists authors; those who are only likely are said to be.
func authorNames(authors []blame.Author, between string) string {
	names := make([]string, len(authors))
	for i, x := range authors {
		if names[i] = x.Name; x.Likely {
			names[i] = "likely " + x.Name
		}
	}
	return strings.Join(names, between)
}

// explain says what a row changed, and who did it, as the screen does.
func (p *printer) explain(e model.Event, kind string) (summary string, by []blame.Author) {
	now, ok := p.log.Bytes(e.Object, e.Version)
	if !ok {
		return "(this version has left the log)", nil
	}
	var before []byte
	if e.Version > 1 {
		before, _ = p.log.Bytes(e.Object, e.Version-1)
	}
	switch {
	case e.Type == model.Deleted:
		return diff.Summary(kind, now, nil, summaryLength), nil
	case e.Type == model.Added || before == nil:
		return diff.Summary(kind, nil, now, summaryLength), nil
	}
	changes := diff.Objects(before, now)
	if !e.Has(model.Synthetic) { // of what a relist found nobody knows who made it
		by = blame.Authors(changes, blame.Changes(changes, before, now))
	}
	return diff.Describe(kind, changes, before, now, summaryLength), by
}

// flagWords say how a row came about where that is not by itself a change.
func flagWords(e model.Event) []string {
	var out []string
	for _, f := range []struct {
		flag model.Flag
		word string
	}{
		{model.Initial, "(initial)"}, {model.Synthetic, "(relist)"}, {model.Replayed, "(replayed)"},
		{model.Recreated, "(recreated)"}, {model.Selection, "(or the selection changed)"},
	} {
		if e.Has(f.flag) {
			out = append(out, f.word)
		}
	}
	return out
}

func (p *printer) gap(w *bufio.Writer, e model.Event) {
	g, ok := e.Detail.(model.Gap)
	if !ok {
		return
	}
	p.line(w, e, "GAP", p.stream(e.Stream), fmt.Sprintf(
		"changes may be missing between rv %s and %s: %s (added %d, modified %d, deleted %d)",
		orUnknown(g.FromRV), orUnknown(g.ToRV), g.Text, g.Added, g.Modified, g.Deleted))
}

func orUnknown(rv string) string {
	if rv == "" {
		return "?"
	}
	return rv
}

// change tells a state that means trouble, once, and the end of the trouble.
func (p *printer) change(e model.Event) {
	t, ok := e.Detail.(model.Transition)
	if !ok {
		return
	}
	last := p.told[e.Stream]
	p.stopped = p.stopped || t.To == model.Stopped
	worse := t.To.Degraded() && (last.To != t.To || last.Cause != t.Cause)
	better := t.To.Fresh() && last.To.Degraded()
	if t.Cause == model.CauseShutdown || !worse && !better {
		return
	}
	p.told[e.Stream] = t
	text := t.Text
	if text == "" && better {
		text = "recovered"
	}
	if !t.Until.IsZero() {
		text += fmt.Sprintf(", next attempt in %v", t.Until.Sub(e.When()).Round(100*time.Millisecond))
	}
	p.line(p.err, e, t.To.String(), p.stream(e.Stream), text)
}

// stream names a stream; what it watches never changes.
func (p *printer) stream(id model.StreamID) string {
	if int(id) >= len(p.infos) {
		p.infos = p.log.Streams(time.Now())
	}
	if int(id) >= len(p.infos) {
		return "?"
	}
	i := p.infos[id]
	name := i.Name()
	if i.Namespace != "" {
		name += " in " + i.Namespace
	}
	if p.contexts {
		name = i.Context + " " + name
	}
	return name
}
