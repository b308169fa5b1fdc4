package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"rewatch/ui"
)

// infos tells the screen of the tapes that it plays what rewatch info tells, and
// from the same. It implements ui.Tapes.
type infos struct {
	tapes []*tapeFile

	mu   sync.Mutex
	docs []infoDoc // of tapes, as far as they were read
}

var _ ui.Tapes = (*infos)(nil)

// Tapes implements ui.Tapes. What was read once is kept.
func (x *infos) Tapes(ctx context.Context) ([]ui.Tape, error) {
	var read []ui.Tape
	err := unlessDone(ctx, func() error {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, t := range x.tapes[len(x.docs):] {
			if ctx.Err() != nil { // the tape before was read to its end, and is kept
				return ctx.Err()
			}
			survey, err := t.Survey()
			if err != nil {
				return errors.New(oneLine(err))
			}
			x.docs = append(x.docs, describeTape(t, survey))
		}
		tellApart(x.docs)
		for i := range x.docs {
			read = append(read, x.docs[i].forScreen())
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err() // read may still be written to
	}
	return read, err
}

// forScreen is the tape as the screen wants it.
func (d *infoDoc) forScreen() ui.Tape {
	t := ui.Tape{Name: d.File, From: d.from, To: d.to, MoreGaps: d.MoreGaps, MoreMarks: d.MoreMarks, Facts: func(clock func(time.Time) string) (out []ui.Fact) {
		for _, f := range d.facts(clock) {
			out = append(out, ui.Fact{Name: f.name, Text: f.text, Bad: f.bad})
		}
		return out
	}}
	for i := range d.Streams {
		x := &d.Streams[i]
		s := ui.TapeStream{Name: x.Resource, Full: x.name, Context: x.Context, Scope: x.scope(), Initial: x.Initial, Added: x.Added, Modified: x.Modified, Deleted: x.Deleted,
			Objects: int64(x.Objects), Gaps: x.Gaps, Bytes: x.Bytes, Watched: x.watched, Fresh: x.fresh, State: x.State, Failure: x.Failure}
		for _, span := range x.spans {
			y := ui.TapeSpan{From: span.From, To: span.To, Fresh: span.Fresh}
			switch {
			case span.Rest:
				y.Why = "now current, now not: too often to tell of each time"
			case !y.Fresh:
				y.Why = strings.TrimSpace(span.Why.To.String() + " " + span.Why.Text)
			}
			s.Spans = append(s.Spans, y)
		}
		t.Streams = append(t.Streams, s)
	}
	for i := range d.Gaps {
		g := &d.Gaps[i]
		took := time.Duration(g.Seconds * float64(time.Second))
		t.Gaps = append(t.Gaps, ui.TapeMoment{From: g.at.Add(-took), To: g.at, Stream: g.Index + 1, Text: g.tell()})
	}
	for _, m := range d.Marks {
		t.Marks = append(t.Marks, ui.TapeMoment{From: m.at, To: m.at, Text: m.Text})
	}
	if d.damaged() {
		for _, x := range joined(d.Damages) {
			t.Damages = append(t.Damages, ui.TapeMoment{From: x.from, To: x.to, Text: x.String()})
		}
	}
	return t
}

// tell says what a gap is, but for when and of which stream.
func (g *gapDoc) tell() string {
	found, took := "", ""
	if g.Added+g.Modified+g.Deleted > 0 {
		found = fmt.Sprintf("; found %d added, %d modified, %d deleted", g.Added, g.Modified, g.Deleted)
	}
	if g.Seconds > 0 {
		took = ", " + short(time.Duration(g.Seconds*float64(time.Second)))
	}
	return fmt.Sprintf("rv %s to %s%s  %s%s", orUnknown(g.FromRV), orUnknown(g.ToRV), took, g.Text, found)
}
