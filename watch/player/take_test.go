package player

import (
	"context"
	"errors"
	"testing"
	"time"

	"rewatch/model"
)

// TestTheStateAtAnyMomentIsThatOfAStraightPlay: of two tapes at once, at the
// bounds of their data frames, where logs begin.
func TestTheStateAtAnyMomentIsThatOfAStraightPlay(t *testing.T) {
	s, other := newScript(1, testStart, 300), newScript(101, testStart.Add(20*1e9), 200)
	for i := range other.streams {
		other.streams[i].Context = "other"
	}
	r := newReel([]Source{source(t, "b", other.write(t, other.records)), source(t, "a", s.write(t, s.records))})
	all, beats := straight(t, r, 0), 0
	for at := all.cursor.peek(); at != over; at = all.cursor.peek() {
		w, err := newTake(context.Background(), r, at-1, nil, model.Options{Redactor: testRedactor})
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(state(w.log), state(all.log)); d != "" || w.cursor.events() != all.cursor.events() {
			t.Fatalf("event %d, not %d: %s", w.cursor.events(), all.cursor.events(), d)
		}
		now := time.Unix(0, at)
		for i, x := range w.log.Streams(now) {
			want := all.log.Streams(now)[i]
			if !x.Heartbeat.IsZero() && !x.Heartbeat.Equal(want.Heartbeat) { // it is zero where it was before the checkpoint
				t.Fatalf("at %v stream %d had its heartbeat at %v, not %v", now, i, x.Heartbeat, want.Heartbeat)
			}
			if x.Rate != ([model.RateSeconds]uint32{}) {
				t.Fatalf("the state counts as events: %v", x.Rate)
			}
			if !x.Heartbeat.IsZero() {
				beats++
			}
		}
		for all.cursor.peek() <= at && all.step(t.Context()) {
		}
	}
	if beats < 100 {
		t.Errorf("only %d times a heartbeat was known", beats)
	}
}

// TestALaterTapeCanBeLeft: a wish ends the loading of the state that another tape
// begins with, and what is in the log by then is not taken for all of it.
func TestALaterTapeCanBeLeft(t *testing.T) {
	r := newReel(newScript(5, testStart, 500).parts(t, 2))
	all := straight(t, r, r.events)
	ctx, cancel := context.WithCancel(t.Context())
	p := straight(t, r, r.parts[0].records)
	cancel()
	err := advance(ctx, p, func(*take) bool { return false })
	if !p.partial || !errors.Is(err, context.Canceled) {
		t.Fatalf("partial: %v, %v", p.partial, err)
	}
	player := New([]Source{r.parts[0].Source, r.parts[1].Source}, Options{Log: model.Options{Redactor: testRedactor}})
	player.take = p
	a, err := player.granted(t.Context(), &wish{kind: step, n: 1})
	if err != nil || a.take.partial || a.take == p {
		t.Fatalf("a step goes on with what was left: %+v, %v", a, err)
	}
	if err := advance(t.Context(), a.take, func(*take) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if d := differ(rows(a.take.log), rows(all.log)); d != "" {
		t.Error(d)
	}
}
