package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// tapeReport is what the page tells of tapes. It is made where they are read: a
// stream may have thousands of spans, and a tape as many gaps. Of its lists a
// frame, and what folds a section, look at no more than they show.
type tapeReport struct {
	tapes    []Tape
	from, to time.Time
	streams  [][]coverageStream // by tape
	lapses   []lapse            // but for the times in which nobody watched
	gaps     []tapeMoment
	marks    []tapeMoment
	damages  []tapeMoment

	moreGaps, moreMarks int64
}

// tapeMoment is a moment with the name of the stream that it is of.
type tapeMoment struct {
	TapeMoment
	name string
}

func newTapeReport(tapes []Tape) *tapeReport {
	r := &tapeReport{tapes: tapes}
	contexts := map[string]bool{}
	for i := range tapes {
		t := &tapes[i]
		if r.from.IsZero() || !t.From.IsZero() && t.From.Before(r.from) {
			r.from = t.From
		}
		if t.To.After(r.to) {
			r.to = t.To
		}
		for j := range t.Streams {
			contexts[t.Streams[j].Context] = true
		}
	}
	for i := range tapes {
		t := &tapes[i]
		var streams []coverageStream
		for j := range t.Streams {
			streams = append(streams, t.Streams[j].tell(t, len(tapes) > 1, len(contexts) > 1))
		}
		for _, g := range t.Gaps {
			if g.Stream > 0 {
				s := streams[g.Stream-1].seen
				s.gaps = append(s.gaps, watchedGap{g.From.UnixNano(), g.To.UnixNano(), noRow})
			}
		}
		r.streams = append(r.streams, streams)
		r.gaps = append(r.gaps, t.named(t.Gaps)...)
		r.marks = append(r.marks, t.named(t.Marks)...)
		r.damages = append(r.damages, t.named(t.Damages)...)
		r.moreGaps, r.moreMarks = r.moreGaps+t.MoreGaps, r.moreMarks+t.MoreMarks
	}
	for _, list := range [][]tapeMoment{r.gaps, r.marks, r.damages} {
		slices.SortStableFunc(list, func(a, b tapeMoment) int { return a.From.Compare(b.From) })
	}
	r.lapses = lapsesOf(tapes)
	return r
}

func (t *Tape) named(list []TapeMoment) (out []tapeMoment) {
	for _, m := range list {
		x := tapeMoment{TapeMoment: m}
		if m.Stream > 0 {
			x.name = t.Streams[m.Stream-1].Full
		}
		out = append(out, x)
	}
	return out
}

// tell makes the line of a stream.
func (x *TapeStream) tell(t *Tape, several, contexts bool) coverageStream {
	s := coverageStream{name: x.Name, where: x.Scope, seen: &watchedStream{}, fresh: int64(x.Fresh), known: int64(x.Watched)}
	if x.Scope == "all namespaces" || x.Scope == "cluster" {
		s.where = ""
	}
	if contexts {
		s.where = strings.TrimSuffix(x.Context+"/"+s.where, "/")
	}
	for _, span := range x.Spans {
		s.seen.steps = append(s.seen.steps, watchedStep{span.From.UnixNano(), span.Fresh})
	}
	if n := len(x.Spans); n > 0 && (several || x.Spans[n-1].To.Before(t.To)) {
		s.seen.steps = append(s.seen.steps, watchedStep{x.Spans[n-1].To.UnixNano(), false})
		s.gone = x.Spans[n-1].To.Before(t.To)
	}
	s.counts = [...]string{count(x.Initial), count(x.Added), count(x.Modified), count(x.Deleted), count(x.Objects), count(x.Gaps), size(x.Bytes)}
	full := []string{x.Name, x.Context, x.Scope}
	if x.State != "" {
		full = append(full, x.State+" at the end")
	}
	if x.Failure != "" && x.Fresh == 0 {
		full = append(full, "never current: "+x.Failure)
	} else if x.Failure != "" {
		full = append(full, "not current at the end: "+x.Failure)
	}
	s.full = strings.Join(append(full, plural(x.Initial, "initial object"), count(x.Added)+" added", count(x.Modified)+" modified", count(x.Deleted)+" deleted",
		plural(x.Objects, "object")+" at the end", plural(x.Gaps, "gap"), size(x.Bytes)+" read"), " · ")
	return s
}

// lapse is a time in which streams were watched and not current; without names
// it is one in which nobody watched.
type lapse struct {
	TapeSpan
	names []string
}

// lapseLeeway is how much later than others a stream may be lost, and be back,
// and be told of with them.
const lapseLeeway = 2 * time.Second

// lapsesOf are the times in which streams were not current, or not watched any
// more, in order; what fared alike is one.
func lapsesOf(tapes []Tape) (all []lapse) {
	var each []lapse
	for i := range tapes {
		t := &tapes[i]
		for j := range t.Streams {
			x := &t.Streams[j]
			for _, s := range x.Spans {
				if !s.Fresh {
					each = append(each, lapse{s, []string{x.Full}})
				}
			}
			if n := len(x.Spans); n > 0 && x.Spans[n-1].To.Before(t.To) {
				each = append(each, lapse{TapeSpan{From: x.Spans[n-1].To, To: t.To, Why: "not watched any more"}, []string{x.Full}})
			}
		}
	}
	slices.SortStableFunc(each, byStart)
	near := func(a, b time.Time) bool { return a.Sub(b).Abs() <= lapseLeeway }
	for _, x := range each {
		alike := false
		for i := len(all) - 1; i >= max(len(all)-20, 0) && !alike; i-- {
			y := &all[i]
			if alike = y.Why == x.Why && near(y.From, x.From) && near(y.To, x.To); alike {
				y.names = append(y.names, x.names...)
				y.To = slices.MaxFunc([]time.Time{y.To, x.To}, time.Time.Compare)
			}
		}
		if !alike {
			all = append(all, x)
		}
	}
	return all
}

func byStart(a, b lapse) int { return a.From.Compare(b.From) }

// firstLapses are as many of them as a section shows, with the times in which
// nobody watched.
func (r *tapeReport) firstLapses(unwatched []Span) []lapse {
	all := slices.Clone(r.lapses[:min(len(r.lapses), lineLimit)])
	for _, s := range unwatched[:min(len(unwatched), lineLimit)] {
		all = append(all, lapse{TapeSpan: TapeSpan{From: s.From, To: s.To, Why: s.Text}})
	}
	slices.SortStableFunc(all, func(a, b lapse) int { return cmp.Or(byStart(a, b), len(a.names)-len(b.names)) })
	return all
}
