package export

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// tally counts changes by what they are.
type tally struct{ Added, Modified, Deleted, Other int64 }

func (t *tally) count(typ model.Type) {
	switch typ {
	case model.Added:
		t.Added++
	case model.Modified:
		t.Modified++
	case model.Deleted:
		t.Deleted++
	default:
		t.Other++
	}
}

// changes is the number of changes of objects.
func (t *tally) changes() int64 { return t.Added + t.Modified + t.Deleted }

// health is how far a stream can be trusted in a stretch of time.
type health uint8

const (
	unknown  health = iota // no state was recorded: an imported capture
	down                   // not watching: what happens meanwhile is seen later, if at all
	starting               // connecting, or the initial list is under way
	suspect                // overdue
	up
)

func healthOf(s model.State) health {
	switch {
	case s.Fresh() || s == model.Polling:
		return up
	case s == model.Overdue:
		return suspect
	case s == model.Connecting || s == model.Syncing || s == model.Relisting:
		return starting
	}
	return down
}

// stretch is a time in which a stream had one health.
type stretch struct {
	from, to time.Time
	health   health
}

// watched is what the survey found of a stream.
type watched struct {
	info        model.StreamInfo
	tally       tally
	state       int64 // objects of initial lists
	first, last time.Time
	stretches   []stretch // without holes from the first on
	final       model.Transition
	failures    int64 // steps into a state that is degraded
	gaps        int64
}

// span is a time that is drawn as one: a gap.
type span struct{ from, to time.Time }

// buckets is how many parts the density is counted in.
const buckets = 240

// survey is what a first pass finds out for the head of an export.
type survey struct {
	from, to   time.Time
	rows       int64 // of the timeline
	heartbeats int64
	total      tally // of the rows that the filter lets through
	kinds      map[string]*tally
	streams    []*watched
	gaps       []span
	gapRows    int64
	lost       int64 // frames
	damages    []*tape.Damage
	density    [buckets]tally
}

// survey reads the span once. It reports damage, so that the pass that writes
// need not.
func (j *job) survey() (*survey, error) {
	s := &survey{kinds: map[string]*tally{}}
	s.from, s.to = j.span()
	j.all = true
	defer func() { j.all = false }()
	var err error
	s.heartbeats, err = j.timeline(false, func(r *row) error {
		s.row(r)
		return nil
	})
	for i, info := range j.streams {
		info.ID = model.StreamID(i)
		s.stream(&info).close(s.to)
	}
	return s, err
}

func (s *survey) row(r *row) {
	w := s.stream(r.stream)
	if r.typ == model.StreamChange.String() {
		w.step(r)
	}
	if r.hidden {
		return
	}
	s.rows++
	b := &s.density[s.bucket(r.time)]
	if w != nil {
		if w.first.IsZero() {
			w.first = r.time
		}
		w.last = r.time
	}
	switch {
	case r.typ == typeFold:
		if r.has(model.Initial) {
			w.state += r.folded
		}
	case r.event.Type.IsObject():
		b.count(r.event.Type)
		w.tally.count(r.event.Type)
		s.total.count(r.event.Type)
		k := s.kinds[r.id.Kind]
		if k == nil {
			k = &tally{}
			s.kinds[strings.Clone(r.id.Kind)] = k // a row's strings are the tape's
		}
		k.count(r.event.Type)
	case r.damage != nil:
		s.damages = append(s.damages, r.damage)
	case r.typ == typeLost:
		s.lost += r.lost
		s.gaps = append(s.gaps, span{r.time, r.time})
	case r.event.Type == model.GapFound:
		s.gapRows++
		w.gaps++
		if g, ok := r.event.Detail.(model.Gap); ok {
			since := g.Since.UTC()
			if since.IsZero() || since.After(r.time) {
				since = r.time
			}
			s.gaps = append(s.gaps, span{since, r.time})
		}
	}
}

// stream returns what is known of a stream; nil for none.
func (s *survey) stream(info *model.StreamInfo) *watched {
	if info == nil {
		return nil
	}
	for int(info.ID) >= len(s.streams) {
		s.streams = append(s.streams, &watched{})
	}
	w := s.streams[info.ID]
	w.info = *info
	return w
}

// step takes in a step of a stream's state.
func (w *watched) step(r *row) {
	d, ok := r.event.Detail.(model.Transition)
	if !ok || d.Bare() {
		return
	}
	if d.To.Degraded() && !w.final.To.Degraded() && d.Cause != model.CauseShutdown {
		w.failures++
	}
	w.final = d
	w.close(r.time)
	w.stretches = append(w.stretches, stretch{r.time, r.time, healthOf(d.To)})
}

// close extends the last stretch.
func (w *watched) close(at time.Time) {
	if n := len(w.stretches); n > 0 && at.After(w.stretches[n-1].from) {
		w.stretches[n-1].to = at
	}
}

// coverage is the part of a span in which the stream was up; ok is false where
// no state was recorded.
func (w *watched) coverage(from, to time.Time) (share float64, ok bool) {
	if len(w.stretches) == 0 || !to.After(from) {
		return 0, false
	}
	var sum time.Duration
	for _, s := range w.stretches {
		if s.health == up {
			sum += s.to.Sub(s.from)
		}
	}
	return float64(sum) / float64(to.Sub(from)), true
}

// bucket returns the part of the span in which a moment lies.
func (s *survey) bucket(t time.Time) int {
	if !s.to.After(s.from) {
		return 0
	}
	return min(max(int(float64(t.Sub(s.from))/float64(s.to.Sub(s.from))*buckets), 0), buckets-1)
}

// kindNames are the kinds, those with the most changes first.
func (s *survey) kindNames() []string {
	var names []string
	for k := range s.kinds {
		names = append(names, k)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.kinds[b].changes(), s.kinds[a].changes()), cmp.Compare(a, b))
	})
	return names
}
