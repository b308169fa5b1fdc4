package lanes

import (
	"math"
	"slices"
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

// follow notes that a stream brought the object.
func (l *lane) follow(s model.StreamID) {
	if !slices.Contains(l.streams, s) {
		l.streams = append(l.streams, s)
	}
}

// watch is when an object was watched: whenever one of the streams that brought
// it was. What one of them may have missed another has seen if it was watched
// all the while.
func (x *Set) watch(l *lane) *stream {
	all := x.stream(l.streams[0])
	for _, id := range l.streams[1:] {
		all = merge(all, x.stream(id))
	}
	return all
}

func merge(a, b *stream) *stream {
	if len(a.steps) == 0 || len(b.steps) == 0 {
		return &stream{} // watched from the beginning to the end
	}
	out := &stream{}
	i, j := 0, 0
	var fresh [2]bool
	for i < len(a.steps) || j < len(b.steps) {
		var s step
		if j == len(b.steps) || i < len(a.steps) && a.steps[i].time <= b.steps[j].time {
			s = a.steps[i]
			fresh[0], i = s.fresh, i+1
		} else {
			s = b.steps[j]
			fresh[1], j = s.fresh, j+1
		}
		s.fresh = fresh[0] || fresh[1]
		if n := len(out.steps); n > 0 && out.steps[n-1].fresh == s.fresh {
			continue
		}
		out.steps = append(out.steps, s)
	}
	for _, g := range a.gaps {
		if b.dark(g.from, g.to) > 0 {
			out.gaps = append(out.gaps, g)
		}
	}
	for _, g := range b.gaps {
		if a.dark(g.from, g.to) > 0 {
			out.gaps = append(out.gaps, g)
		}
	}
	return out
}
