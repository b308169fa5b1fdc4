package player

import (
	"context"
	"testing"

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
	all := straight(t, r, 0)
	for at := all.cursor.peek(); at != over; at = all.cursor.peek() {
		w, err := newTake(context.Background(), r, at-1, nil, model.Options{Redactor: testRedactor})
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(state(w.log), state(all.log)); d != "" || w.cursor.events() != all.cursor.events() {
			t.Fatalf("event %d, not %d: %s", w.cursor.events(), all.cursor.events(), d)
		}
		for all.cursor.peek() <= at && all.step() {
		}
	}
}
