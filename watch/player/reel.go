package player

import (
	"cmp"
	"math"
	"slices"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// reel is some tapes as one recording. It is never changed.
type reel struct {
	parts    []*part // by the time at which they begin
	streams  []model.StreamInfo
	from, to time.Time
	events   int64
}

// part is one tape of a reel.
type part struct {
	Source
	from, to int64 // nanoseconds
	ends     bool  // before the reel does, and no other tape goes on with its recording
	records  int64
	frames   []frame
	streams  []model.StreamID // numbers in the reel, by those on the tape
}

// frame is a data frame, and what comes before it on its tape.
type frame struct {
	tape.Frame
	from, to int64
	before   int64 // records
}

// newReel joins tapes. The streams of one that begins after another has ended
// are that one's streams if they watch the same: so do the parts of a recording
// that was written to several files.
func newReel(sources []Source) *reel {
	r := &reel{}
	for _, s := range sources {
		info := s.Tape.Info()
		p := &part{Source: s, from: info.From.UnixNano(), to: info.To.UnixNano(), records: info.Records}
		if info.Records == 0 {
			p.from, p.to = info.Created.UnixNano(), info.Created.UnixNano()
		}
		before := int64(0)
		for _, f := range s.Tape.Frames() {
			if f.Damage != nil || f.Records == 0 {
				continue
			}
			p.frames = append(p.frames, frame{f, f.From.UnixNano(), f.To.UnixNano(), before})
			before += f.Records
		}
		r.parts = append(r.parts, p)
		r.events += info.Records
	}
	slices.SortStableFunc(r.parts, func(a, b *part) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	ends := []int64{} // by stream: when the newest tape that has it ends
	for i, p := range r.parts {
		for _, info := range p.Tape.Info().Streams {
			p.streams = append(p.streams, r.number(info, p.from, p.to, &ends))
		}
		if i == 0 || p.to > r.to.UnixNano() {
			r.to = time.Unix(0, p.to)
		}
	}
	r.from = time.Unix(0, r.parts[0].from)
	for i, p := range r.parts {
		goesOn := func(q *part) bool { return q.created().Equal(p.created()) }
		p.ends = p.to < r.to.UnixNano() && !slices.ContainsFunc(r.parts[i+1:], goesOn)
	}
	return r
}

// number finds the stream of the reel that a stream of a tape goes on with, or
// adds it.
func (r *reel) number(info model.StreamInfo, from, to int64, ends *[]int64) model.StreamID {
	for i := range r.streams {
		info.ID = model.StreamID(i)
		if r.streams[i] == info && (*ends)[i] <= from {
			(*ends)[i] = to
			return info.ID
		}
	}
	info.ID = model.StreamID(len(r.streams))
	r.streams, *ends = append(r.streams, info), append(*ends, to)
	return info.ID
}

// newest returns for each stream the last tape that has it of those that begin
// at a moment or before; nil for those of later tapes.
func (r *reel) newest(at int64) []*part {
	out := make([]*part, len(r.streams))
	for _, p := range r.parts {
		if p.from > at {
			break
		}
		for _, s := range p.streams {
			out[s] = p
		}
	}
	return out
}

// eventsUntil is about how many events there are up to a moment: exact at the
// bounds of data frames, and in proportion within.
func (r *reel) eventsUntil(at int64) (n int64) {
	for _, p := range r.parts {
		i, found := slices.BinarySearchFunc(p.frames, at, func(f frame, at int64) int { return cmp.Compare(f.from, at) })
		if !found {
			i--
		}
		if i < 0 {
			continue
		}
		f := &p.frames[i]
		if n += f.before; f.to <= at {
			n += f.Records
		} else {
			n += int64(float64(f.Records) * float64(at-f.from) / float64(f.to-f.from))
		}
	}
	return n
}

// beginning is the moment before everything.
const beginning = math.MinInt64

// before returns a moment with about n events between it and another one, which
// is at the beginning if there are not so many.
func (r *reel) before(at int64, n int64) int64 {
	want := r.eventsUntil(at) - n
	early, late := r.from.UnixNano()-1, at
	if want <= 0 || at <= early {
		return beginning
	}
	for late-early > int64(time.Millisecond) {
		if middle := early + (late-early)/2; r.eventsUntil(middle) <= want {
			early = middle
		} else {
			late = middle
		}
	}
	if early < r.from.UnixNano() {
		return beginning
	}
	return early
}
