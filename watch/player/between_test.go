package player

import (
	"testing"
	"testing/synctest"
	"time"

	"rewatch/model"
)

// recordings are two that were made one after the other, with five minutes in
// between: of the same streams, or of another cluster's.
func recordings(t *testing.T, same bool) (sources []Source, from, to time.Time) {
	s := newScript(4, testStart, 100)
	later := newScript(9, s.records[99].Time.Add(5*time.Minute), 100)
	for i := range later.streams {
		if !same {
			later.streams[i].Context = "other"
		}
	}
	from, to = s.records[99].Time, later.records[0].Time
	return []Source{source(t, "a", s.write(t, s.records)), source(t, "b", later.writeAs(t, later.records, to))}, from, to
}

// TestNothingIsLiveBetweenTapes: whatever ended a tape, nothing is known of its
// streams afterwards, whichever way that moment is reached.
func TestNothingIsLiveBetweenTapes(t *testing.T) {
	for _, same := range []bool{true, false} {
		for _, o := range []Options{{}, {small: 50, window: 40, near: 1}} {
			synctest.Test(t, func(t *testing.T) {
				sources, from, to := recordings(t, same)
				d := play(t, sources, o)
				defer d.stop()
				for w, way := range []func(at time.Time){
					func(at time.Time) { d.Seek(at) },
					func(at time.Time) { // the clock
						d.Seek(from.Add(-time.Second))
						d.settle()
						d.Play(true)
						time.Sleep(at.Sub(from) + time.Second)
						d.Play(false)
					},
				} {
					way(from)
					d.settle()
					if s := d.Log().Streams(from); !s[0].State.Fresh() {
						t.Fatalf("at the end of the tape: %v", s[0].State)
					}
					way(from.Add(time.Minute))
					d.settle()
					for _, s := range d.Log().Streams(from.Add(time.Minute))[:2] {
						if s.State != model.Stopped || s.Last.Text != "the recording ended here" || s.Since.Sub(from) > time.Microsecond {
							t.Errorf("same: %v, way %d from %v, a minute later stream %d is %v since %v: %q", same, w, d.take.start, s.ID, s.State, s.Since, s.Last.Text)
						}
					}
				}
				d.Seek(to.Add(time.Second))
				d.settle()
				want := map[bool]model.State{true: model.Live, false: model.Stopped}[same]
				if s := d.Log().Streams(to); s[0].State != want || !s[len(s)-1].State.Fresh() {
					t.Errorf("same: %v, on the next tape: %v, %v", same, s[0].State, s[len(s)-1].State)
				}
			})
		}
	}
}
