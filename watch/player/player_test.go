package player

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rewatch/model"
	"rewatch/model/deck"
	"rewatch/model/query"
)

// deckRig is a Player that runs in a bubble of synctest.
type deckRig struct {
	*Player
	t    *testing.T
	stop func()
}

func play(t *testing.T, sources []Source, o Options) *deckRig {
	o.Log.Redactor = testRedactor
	p := New(sources, o)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { p.Run(ctx) })
	synctest.Wait()
	return &deckRig{p, t, func() { cancel(); done.Wait() }}
}

// settle waits until nothing is under way, and compares what there is.
func (d *deckRig) settle() deck.Playback {
	d.t.Helper()
	synctest.Wait()
	b := d.Playback()
	if b.Seeking {
		d.t.Fatal("it still seeks")
	}
	check(d.t, d.Player)
	d.Playback() // takes the lock: what was looked at is changed after this
	return b
}

func TestPlaysAtThePaceOfTheTape(t *testing.T) {
	s := newScript(1, testStart, 300)
	synctest.Test(t, func(t *testing.T) {
		d := play(t, []Source{source(t, "a", s.write(t, s.records))}, Options{})
		defer d.stop()
		b := d.settle()
		if !b.Now.Equal(s.records[0].Time) || !b.Playing || b.Speed != 1 || b.AtEnd {
			t.Errorf("%+v", b)
		}
		for _, at := range []time.Duration{time.Millisecond, time.Second, 20 * time.Second} {
			time.Sleep(at)
			b := d.settle()
			var due int64
			for _, r := range s.records {
				if !r.Time.After(b.Now) {
					due++
				}
			}
			if b.Event != due || b.Events != int64(len(s.records)) {
				t.Errorf("at %v %d of %d events are shown, not %d", b.Now, b.Event, b.Events, due)
			}
		}
		before := d.Playback().Now
		d.SetSpeed(16)
		time.Sleep(time.Second)
		if got := d.settle().Now.Sub(before); got != 16*time.Second {
			t.Errorf("a second took %v of the tape", got)
		}
		d.Play(false)
		before = d.settle().Now
		time.Sleep(time.Hour)
		if got := d.settle(); got.Now != before || got.Playing {
			t.Errorf("it did not pause: %+v", got)
		}
		d.SetSpeed(math.Inf(1))
		d.Play(true)
		b = d.settle()
		last := s.records[len(s.records)-1].Time
		if !b.AtEnd || b.Playing || !b.Now.Equal(last) || b.Event != b.Events {
			t.Errorf("as fast as possible it did not reach the end: %+v", b)
		}
		d.SetSpeed(1)
		d.Play(true)
		if b := d.settle(); b.AtEnd || !b.Playing || !b.Now.Equal(b.From) {
			t.Errorf("at the end it did not begin again: %+v", b)
		}
	})
}

// TestAnyWayLeadsToTheSame: whatever was asked for, the log is that of a
// straight play to the same event.
func TestAnyWayLeadsToTheSame(t *testing.T) {
	for seed := range uint64(6) {
		s := newScript(seed, testStart, 500)
		o := Options{}
		if seed%2 == 1 { // logs that begin later
			o.small, o.window, o.near, o.large = 50, 40, 60, 5
		}
		sources := []Source{}
		switch seed / 2 % 3 {
		case 0:
			sources = append(sources, source(t, "a", s.write(t, s.records)))
		case 1: // parts
			sources = append(sources, s.parts(t, 3)...)
		case 2: // two recordings at the same time
			other := newScript(seed+100, testStart.Add(30*time.Second), 400)
			for i := range other.streams {
				other.streams[i].Context = "other"
			}
			sources = append(sources, source(t, "b", other.write(t, other.records)), source(t, "a", s.write(t, s.records)))
		}
		synctest.Test(t, func(t *testing.T) {
			d := play(t, sources, o)
			defer d.stop()
			d.settle()
			wander(d, rand.New(rand.NewPCG(seed, 3)))
		})
	}
}

func wander(d *deckRig, rnd *rand.Rand) {
	length := d.reel.to.Sub(d.reel.from)
	anywhere := func() time.Time {
		return d.reel.from.Add(time.Duration(rnd.Int64N(int64(length+20*time.Second))) - 10*time.Second)
	}
	for range 60 {
		before := d.Playback()
		held := d.take.start
		kind := rnd.IntN(9)
		to, n := anywhere(), rnd.IntN(80)-40
		switch kind {
		case 0, 1:
			d.Seek(to)
		case 2, 3:
			d.Step(n)
		case 4:
			d.Play(rnd.IntN(2) == 0)
			time.Sleep(time.Duration(rnd.IntN(3000)) * time.Millisecond)
		case 5:
			d.SetSpeed([]float64{0.25, 1, 8, 64, math.Inf(1)}[rnd.IntN(5)])
			time.Sleep(time.Duration(rnd.IntN(1000)) * time.Millisecond)
		case 6:
			d.Find(deck.Landmark{Kind: deck.LandmarkKind(rnd.IntN(4)), Back: rnd.IntN(2) == 0})
		case 7:
			d.Earlier()
		case 8: // several at once: the newest wins
			d.Seek(anywhere())
			d.Step(rnd.IntN(10) - 5)
			d.Find(deck.Landmark{Kind: deck.AnyGap})
			d.Seek(to)
		}
		d.t.Logf("%d: %v %d at %v, %v", kind, to.Sub(d.reel.from), n, before.Now.Sub(d.reel.from), held)
		b := d.settle()
		switch {
		case (kind < 2 || kind == 8) && !b.Playing && !b.Now.Equal(d.reel.within(to)):
			d.t.Fatalf("sought %v, and it is %v", to, b.Now)
		case kind == 2 || kind == 3:
			if b.Playing {
				d.t.Fatal("a step did not pause")
			}
		case kind == 7 && held != beginning && d.take.start >= held:
			d.t.Fatal("nothing earlier was fetched")
		case kind == 7 && b.Event != before.Event && !before.Playing:
			d.t.Fatalf("what is earlier moved from event %d to %d", before.Event, b.Event)
		}
	}
}

// parts writes the records to several tapes in a row, as a recorder does.
func (s *script) parts(t *testing.T, n int) (out []Source) {
	outs := newBuffers(n)
	w := s.writer(outs[0], testStart)
	for i, r := range s.records {
		if k := i * n / len(s.records); i > 0 && k != (i-1)*n/len(s.records) {
			if err := w.Next(outs[k], r.Time); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range outs {
		out = append(out, source(t, "part", b.Bytes()))
	}
	return out
}

// TestPartsOfARecordingAreOne: they have the rows of the whole.
func TestPartsOfARecordingAreOne(t *testing.T) {
	s := newScript(5, testStart, 500)
	whole := newReel([]Source{source(t, "whole", s.write(t, s.records))})
	parts := newReel(s.parts(t, 4))
	if len(parts.streams) != 2 {
		t.Fatalf("%d streams", len(parts.streams))
	}
	a, b := straight(t, parts, parts.events), straight(t, whole, whole.events)
	if d := differ(rows(a.log), rows(b.log)); d != "" {
		t.Error(d)
	}
	if d := differ(lines(a.log.Streams(time.Time{})), lines(b.log.Streams(time.Time{}))); d != "" {
		t.Error(d)
	}
	if got := parts.density().Unwatched; len(got) > 0 {
		t.Errorf("unwatched: %+v", got)
	}
}

func TestStepsAreEvents(t *testing.T) {
	s := newScript(2, testStart, 100)
	synctest.Test(t, func(t *testing.T) {
		d := play(t, []Source{source(t, "a", s.write(t, s.records))}, Options{Paused: true})
		defer d.stop()
		first := d.settle().Event
		for i := range 20 {
			d.Step(1)
			b := d.settle()
			if b.Event != first+int64(i)+1 || !b.Now.Equal(s.records[b.Event-1].Time) {
				t.Fatalf("step %d: %+v", i, b)
			}
		}
		for range 5 { // none is lost, however fast they come
			d.Step(-1)
		}
		d.Step(2)
		if b := d.settle(); b.Event != first+17 {
			t.Errorf("event %d, not %d", b.Event, first+17)
		}
		d.Step(-1000)
		if b := d.settle(); b.Event != 0 || b.Now.After(b.From) {
			t.Errorf("before the first event it is %+v", b)
		}
		d.Step(1000)
		if b := d.settle(); b.Event != 100 || !b.AtEnd {
			t.Errorf("behind the last event it is %+v", b)
		}
	})
}

func TestFindsEveryLandmarkInBothDirections(t *testing.T) {
	s := newScript(3, testStart, 600)
	q, err := query.Parse("name:node-2 type:modified")
	if err != nil {
		t.Fatal(err)
	}
	match := func(l *model.Log) model.Filter {
		f := q.Filter(l)
		return func(e model.Event) bool { return e.Type.IsObject() && f(e) }
	}
	node2 := func(r *model.Record) bool {
		return r.Type == model.Modified && bytes.Contains(r.Raw, []byte(`"node-2"`))
	}
	for kind, want := range map[deck.LandmarkKind]func(*model.Record) bool{
		deck.AnyGap:      func(r *model.Record) bool { return r.Type == model.GapFound },
		deck.AnyError:    func(r *model.Record) bool { return is(r, deck.AnyError) },
		deck.AnyDeletion: func(r *model.Record) bool { return r.Type == model.Deleted },
		deck.AnyMatch:    node2,
	} {
		var events []int64
		for i := range s.records {
			if want(&s.records[i]) {
				events = append(events, int64(i)+1)
			}
		}
		if len(events) < 2 {
			t.Fatalf("%v: only %d in the script", words[kind], len(events))
		}
		synctest.Test(t, func(t *testing.T) {
			d := play(t, []Source{source(t, "a", s.write(t, s.records))}, Options{small: 50, window: 40, near: 60})
			defer d.stop()
			for _, e := range events {
				d.Find(deck.Landmark{Kind: kind, Match: match})
				if b := d.settle(); b.Event != e || b.Playing {
					t.Fatalf("%v: event %d, not %d: %q", words[kind], b.Event, e, b.Text)
				}
			}
			d.Find(deck.Landmark{Kind: kind, Match: match})
			if b := d.settle(); b.Text == "" || b.Event != events[len(events)-1] {
				t.Errorf("behind the last %s: %+v", words[kind], b)
			}
			d.Seek(d.reel.to)
			d.settle()
			for i := len(events) - 1; i >= 0; i-- {
				if i == len(events)-1 && events[i] == 600 {
					continue
				}
				d.Find(deck.Landmark{Kind: kind, Back: true, Match: match})
				if b := d.settle(); b.Event != events[i] {
					t.Fatalf("%v backwards: event %d, not %d: %q", words[kind], b.Event, events[i], b.Text)
				}
			}
		})
	}
}
