package player

import (
	"context"
	"slices"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/deck"
)

func overview(t *testing.T, sources ...Source) deck.Overview {
	t.Helper()
	p := New(sources, Options{})
	p.survey(context.Background())
	return p.Overview()
}

// TestTheOverviewHasEveryEventGapAndMark of the tape, where it was.
func TestTheOverviewHasEveryEventGapAndMark(t *testing.T) {
	s := newScript(4, testStart, 800)
	o := overview(t, source(t, "a", s.write(t, s.records)))
	var gaps, marks []time.Time
	density := make([]uint32, densityParts)
	length := o.To.Sub(o.From)
	for _, r := range s.records {
		density[min(int(float64(r.Time.Sub(o.From))/float64(length)*densityParts), densityParts-1)]++
		switch r.Type {
		case model.GapFound:
			gaps = append(gaps, r.Time)
		case model.Noted:
			marks = append(marks, r.Time)
		}
	}
	if !slices.Equal(o.Density, density) {
		t.Errorf("the density is\n%v\nnot\n%v", o.Density, density)
	}
	for _, x := range []struct {
		name string
		got  []deck.Span
		want []time.Time
	}{{"gaps", o.Gaps, gaps}, {"marks", o.Marks, marks}} {
		if len(x.want) == 0 || !slices.EqualFunc(x.got, x.want, func(a deck.Span, b time.Time) bool { return a.To.Equal(b) }) {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}

// TestUnwatchedIsWhereNoStreamWasOpen, and what lies between two recordings.
func TestUnwatchedIsWhereNoStreamWasOpen(t *testing.T) {
	s := newScript(4, testStart, 20)
	at := func(d time.Duration) time.Time { return testStart.Add(d) }
	step := func(d time.Duration, stream model.StreamID, from, to model.State) model.Record {
		return model.Record{Time: at(d), Stream: stream, Type: model.StreamChange, Detail: model.Transition{From: from, To: to, Cause: model.CauseCut}}
	}
	first := []model.Record{
		step(0, 0, model.Idle, model.Connecting), step(0, 1, model.Idle, model.Connecting),
		step(time.Millisecond, 0, model.Connecting, model.Live), step(time.Millisecond, 1, model.Connecting, model.Live),
		step(10*time.Second, 0, model.Live, model.Backoff), // the other one is open
		step(20*time.Second, 1, model.Live, model.Backoff),
		step(50*time.Second, 0, model.Backoff, model.Live),
		step(60*time.Second, 1, model.Backoff, model.Live),
	}
	later := newScript(9, at(5*time.Minute), 20)
	a, b := source(t, "a", s.write(t, first)), source(t, "b", later.writeAs(t, later.records, at(5*time.Minute)))
	o := overview(t, b, a)
	want := []deck.Span{{From: at(20 * time.Second), To: at(50 * time.Second)}, {From: at(60 * time.Second), To: later.records[0].Time}}
	if !slices.EqualFunc(o.Unwatched, want, func(a, b deck.Span) bool { return a.From.Equal(b.From) && a.To.Equal(b.To) && a.Text != "" }) {
		t.Errorf("%+v", o.Unwatched)
	}
	// The streams go on, and the log says that something may be missing.
	r := newReel([]Source{a, b})
	if len(r.streams) != 2 {
		t.Fatalf("%d streams", len(r.streams))
	}
	all := straight(t, r, r.events)
	for _, x := range all.log.Streams(time.Time{}) {
		if x.Gaps == 0 {
			t.Errorf("stream %d has no gap", x.ID)
		}
	}
}
