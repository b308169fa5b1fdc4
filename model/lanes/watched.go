package lanes

import (
	"math"
	"sort"
	"time"

	"rewatch/model"
)

// stream is when one stream was watched: steps from fresh to not fresh and
// back, in order, and gaps, in which changes may have been missed.
type stream struct {
	steps []step
	gaps  []span
}

type step struct {
	time  int64
	seq   model.Seq
	fresh bool // from then on
}

type span struct {
	from, to int64 // [from, to)
	seq      model.Seq
}

func (x *Set) stream(id model.StreamID) *stream {
	st := x.streams[id]
	if st == nil {
		st = &stream{}
		x.streams[id] = st
	}
	return st
}

// addStep takes in what a stream says of itself.
func (x *Set) addStep(e model.Event) {
	switch d := e.Detail.(type) {
	case model.Transition:
		st := x.stream(e.Stream)
		if len(st.steps) == 0 {
			st.steps = append(st.steps, step{math.MinInt64, 0, d.From.Fresh()})
		}
		if last := st.steps[len(st.steps)-1]; last.fresh != d.To.Fresh() {
			st.steps = append(st.steps, step{max(e.Time, last.time), e.Seq, d.To.Fresh()})
		}
	case model.Gap:
		st := x.stream(e.Stream)
		from := e.Time - int64(d.Took)
		if !d.Since.IsZero() {
			from = min(from, d.Since.UnixNano())
		}
		st.gaps = append(st.gaps, span{from, e.Time + 1, e.Seq})
	}
}

// ensure asks the log about streams that have taken no step in the rows read:
// they are what they are since before. A stream that has never said anything of
// itself, as those of captures, is taken as watched.
func (x *Set) ensure() {
	for _, s := range x.log.Streams(time.Time{}) {
		if st := x.stream(s.ID); len(st.steps) == 0 && !s.Since.IsZero() && s.Since.UnixNano() <= x.from {
			st.steps = append(st.steps, step{math.MinInt64, 0, s.State.Fresh()})
		}
	}
}

// prune forgets what has left the log, but for the last step.
func (st *stream) prune(s model.Snapshot) {
	n := sort.Search(len(st.steps), func(i int) bool { return st.steps[i].seq >= s.First() })
	if n > 1 {
		st.steps = append([]step(nil), st.steps[n-1:]...)
		st.steps[0].time = math.MinInt64
	}
	n = sort.Search(len(st.gaps), func(i int) bool { return st.gaps[i].seq >= s.First() })
	st.gaps = append([]span(nil), st.gaps[n:]...)
}

// dark is for how long nobody watched in a span of time.
func (st *stream) dark(from, to int64) (sum int64) {
	i := max(sort.Search(len(st.steps), func(i int) bool { return st.steps[i].time > from })-1, 0)
	for ; i < len(st.steps) && st.steps[i].time < to; i++ {
		end := to
		if i+1 < len(st.steps) {
			end = min(end, st.steps[i+1].time)
		}
		if begin := max(st.steps[i].time, from); !st.steps[i].fresh && end > begin {
			sum += end - begin
		}
	}
	return sum
}

// darkBefore is since when nobody had watched at a moment; the moment itself if
// somebody had.
func (st *stream) darkBefore(at int64) int64 {
	i := sort.Search(len(st.steps), func(i int) bool { return st.steps[i].time >= at }) - 1
	if i < 0 || st.steps[i].fresh {
		return at
	}
	return st.steps[i].time
}

// missed reports whether changes may have been missed in a span of time.
func (st *stream) missed(from, to int64) bool {
	for i := len(st.gaps) - 1; i >= 0; i-- {
		if st.gaps[i].from < to && st.gaps[i].to > from {
			return true
		}
	}
	return false
}
