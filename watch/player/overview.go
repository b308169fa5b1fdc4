package player

import (
	"context"
	"slices"
	"time"

	"rewatch/model"
	"rewatch/model/deck"
)

// densityParts is into how many parts the density divides the tapes: more than
// any terminal has columns.
const densityParts = 512

// density is the overview as far as it is known without reading anything.
func (r *reel) density() deck.Overview {
	o := deck.Overview{From: r.from, To: r.to, Density: make([]uint32, densityParts)}
	for _, p := range r.parts {
		for i := range p.frames {
			r.spread(o.Density, &p.frames[i])
		}
	}
	o.Unwatched = r.betweenTapes()
	return o
}

// column is the part of the density that a moment is in.
func (r *reel) column(at int64) int {
	length := float64(max(r.to.Sub(r.from), 1))
	return max(min(int(float64(at-r.from.UnixNano())/length*densityParts), densityParts-1), 0)
}

// spread counts the events of a data frame as if they were spread evenly.
func (r *reel) spread(density []uint32, f *frame) {
	a, b := r.column(f.from), r.column(f.to)
	for i := a; i <= b; i++ {
		density[i] += uint32(f.Records*int64(i-a+1)/int64(b-a+1) - f.Records*int64(i-a)/int64(b-a+1))
	}
}

// betweenTapes are the spans of which no tape has anything. From one tape of a
// recording to the next nothing is missed.
func (r *reel) betweenTapes() (out []deck.Span) {
	end := r.parts[0]
	for _, p := range r.parts[1:] {
		if p.from > end.to && !p.created().Equal(end.created()) {
			out = append(out, deck.Span{From: time.Unix(0, end.to), To: time.Unix(0, p.from), Text: "nothing was recorded"})
		}
		if p.to > end.to {
			end = p
		}
	}
	return out
}

// survey completes the overview with what needs reading: where exactly gaps,
// marks and steps of the streams are.
func (p *Player) survey(ctx context.Context) {
	s := surveyor{reel: p.reel, density: make([]uint32, densityParts),
		states: make([]model.State, len(p.reel.streams)), known: make([]bool, len(p.reel.streams))}
	frames := 0
	for _, part := range p.reel.parts {
		frames += len(part.frames)
	}
	s.exact = frames <= fewFrames
	for _, part := range p.reel.parts {
		s.part(ctx, part)
	}
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	o := p.overview
	o.Density, o.Gaps, o.Marks = s.density, s.gaps, s.marks
	o.Unwatched = append(slices.Clone(o.Unwatched), s.down...)
	slices.SortStableFunc(o.Unwatched, func(a, b deck.Span) int { return a.From.Compare(b.From) })
	p.overview = o
	p.mu.Unlock()
	p.notify()
}

// fewFrames is how many data frames are read for the density alone: those of a
// small tape are few, and last for long.
const fewFrames = 100

// surveyor collects what the overview shows.
type surveyor struct {
	reel        *reel
	density     []uint32
	exact       bool // read every data frame
	gaps, marks []deck.Span
	down        []deck.Span
	states      []model.State
	known       []bool // whether the state of a stream is known
	since       time.Time
}

func (s *surveyor) part(ctx context.Context, p *part) {
	if r, err := p.Tape.Seek(time.Unix(0, p.from-1)); err == nil {
		for _, x := range r.Streams() {
			if int(x.ID) < len(p.streams) && !x.Since.IsZero() {
				s.states[p.streams[x.ID]], s.known[p.streams[x.ID]] = x.Last.To, true
			}
		}
	}
	next := 0
	for i, f := range p.Tape.Frames() {
		if ctx.Err() != nil {
			return
		}
		if f.Damage != nil || f.Records == 0 {
			continue
		}
		known := &p.frames[next]
		next++
		if c := f.Counts; c.Gaps+c.Lost+c.Notes+c.Transitions == 0 && !s.exact {
			s.reel.spread(s.density, known)
			continue
		}
		records, err := p.Tape.Outline(i) // as far as it can be read
		if err != nil {
			s.reel.spread(s.density, known)
		}
		for _, r := range records {
			if err == nil {
				s.density[s.reel.column(r.Time.UnixNano())]++
			}
			if r.Stream >= 0 && int(r.Stream) < len(p.streams) {
				s.record(p, p.streams[r.Stream], r)
			}
		}
	}
	if !s.since.IsZero() {
		s.watched(time.Unix(0, p.to))
	}
}

func (s *surveyor) record(p *part, stream model.StreamID, r model.Record) {
	switch d := r.Detail.(type) {
	case model.Gap:
		name := s.reel.streams[stream].Name()
		from := d.Since
		if from.IsZero() || from.After(r.Time) {
			from = r.Time
		}
		s.gaps = append(s.gaps, deck.Span{From: from, To: r.Time, Text: name + ": " + d.Text})
	case model.Note:
		if d.Cause == model.CauseMark {
			s.marks = append(s.marks, deck.Span{From: r.Time, To: r.Time, Text: d.Text})
		}
	case model.Transition:
		s.states[stream], s.known[stream] = d.To, true
		if !s.blind(p) {
			s.watched(r.Time)
		} else if s.since.IsZero() {
			s.since = r.Time
		}
	}
}

// blind reports whether nothing is watched by any stream of a tape. Streams of
// which the tape tells no steps, as of a capture, were watched.
func (s *surveyor) blind(p *part) bool {
	for _, id := range p.streams {
		switch st := s.states[id]; {
		case !s.known[id], st.Fresh(), st == model.Overdue, st == model.Polling, st == model.Syncing, st == model.Relisting:
			return false
		}
	}
	return true
}

// shortest is the least time that is worth to be called unwatched: every new
// connection takes a moment.
const shortest = time.Second

func (s *surveyor) watched(from time.Time) {
	if !s.since.IsZero() && from.Sub(s.since) >= shortest {
		s.down = append(s.down, deck.Span{From: s.since, To: from, Text: "no stream was open"})
	}
	s.since = time.Time{}
}
