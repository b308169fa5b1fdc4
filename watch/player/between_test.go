package player

import (
	"testing"
	"testing/synctest"
	"time"

	"rewatch/model"
	"rewatch/model/deck"
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

// TestTheTimeBetweenTapesIsAGap to be found in both directions: where it begins,
// and where the next tape tells that something may be missing.
func TestTheTimeBetweenTapesIsAGap(t *testing.T) {
	for _, same := range []bool{true, false} {
		for _, o := range []Options{{}, {small: 50, window: 40, near: 1}} {
			synctest.Test(t, func(t *testing.T) {
				sources, from, to := recordings(t, same)
				d := play(t, sources, o)
				defer d.stop()
				visit := func(back bool, begin time.Time) (out []time.Time, gaps int) {
					d.Seek(begin)
					d.settle()
					for {
						d.Find(deck.Landmark{Kind: deck.AnyGap, Back: back})
						b := d.settle()
						if b.Text != "" {
							return out, gaps
						}
						s := d.Log().Snapshot()
						for seq := s.End() - 2; seq < s.End(); seq++ { // the step that completes the list comes with it
							if g, ok := s.At(seq).Detail.(model.Gap); ok && g.Cause == causeUnwatched {
								gaps++
							}
						}
						if out = append(out, b.Now); len(out) > 100 {
							t.Fatal("it never ends")
						}
					}
				}
				for _, back := range []bool{false, true} {
					found, gaps := visit(back, map[bool]time.Time{true: d.reel.to, false: d.reel.from}[back])
					begins := 0
					for i, at := range found {
						if i > 0 && (found[i-1].After(at) != back || at.Equal(found[i-1])) {
							t.Errorf("back: %v, %v after %v", back, at, found[i-1])
						}
						if d := at.Sub(from); d > 0 && d < time.Microsecond {
							begins++
						}
					}
					if want := map[bool]int{true: 1, false: 0}[same]; begins != 1 || gaps != want {
						t.Errorf("same: %v, back: %v: stopped %d times where the tape ends and %d times at gaps after it (%v to %v): %v", same, back, begins, gaps, from, to, found)
					}
				}
			})
		}
	}
}
