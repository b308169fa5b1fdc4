package recorder

import (
	"fmt"
	"time"

	"rewatch/model"
	"rewatch/model/query"
)

// filter says which changes reach the tape. It judges where records leave the
// queue, by the log that they came from: that holds an object's versions as long
// as its budget allows. What it cannot judge any more is kept.
type filter struct {
	matcher *query.Matcher
	tape    map[lostKey]uint32 // the version that the tape has of each object
	total   filtered
	before  filtered // the total when the running tape began
}

// filtered counts what a filter did.
type filtered struct {
	left  int64 // changes left out
	blind int64 // changes kept that could not be judged, or without the state before
}

func newFilter(log *model.Log, q *query.Query, now time.Time) *filter {
	return &filter{matcher: q.Compile(log, query.Options{Now: now}), tape: map[lostKey]uint32{}}
}

// wrote notes what the tape has of an object now.
func (f *filter) wrote(k lostKey, version uint32, t model.Type) {
	if t == model.Deleted {
		delete(f.tape, k)
		return
	}
	f.tape[k] = version
}

// admit reports whether a change belongs on the tape. That an object is gone
// does, whatever the filter says, if the tape has the object. Before a change
// comes the state that it changed, unless the tape ends with that: otherwise it
// would seem to have made the changes before it, too.
func (r *Recorder) admit(x row, rec *model.Record) (keep bool, err error) {
	f := r.filter
	key := lostKey{x.object, rec.Stream}
	version, known := f.tape[key]
	e := model.Event{Seq: x.seq, Time: rec.Time.UnixNano(), Stream: rec.Stream, Type: rec.Type, Flags: rec.Flags, Object: x.object, Version: x.version}
	matches := f.matcher.Holds(e)
	blind := !matches && f.matcher.Blind()
	if !matches && !blind && !(known && rec.Type == model.Deleted) {
		f.total.left++
		r.tellFilter()
		return false, nil
	}
	switch {
	case len(rec.Raw) == 0: // it is about the newest version
		if raw, ok := r.log.AppendBytes(r.buf[:0], x.object, x.version); ok && version != x.version {
			r.buf, rec.Raw = raw, raw
		}
	case rec.Type != model.Added && rec.Flags&model.Replayed == 0 && x.version > 1 && version != x.version-1:
		var ok bool
		ok, err = r.stateBefore(x, rec, known)
		blind = blind || !ok
	}
	if blind {
		f.total.blind++
	}
	f.wrote(key, x.version, rec.Type)
	r.tellFilter()
	return true, err
}

// stateBefore writes the state that a change changed, as one that was there and
// not as a change. ok is false if it has left the log.
func (r *Recorder) stateBefore(x row, rec *model.Record, known bool) (ok bool, err error) {
	raw, ok := r.log.AppendBytes(r.buf[:0], x.object, x.version-1)
	if !ok {
		return false, nil
	}
	r.buf = raw
	before := model.Record{Time: rec.Time, Stream: rec.Stream, Type: model.Added, Flags: model.Initial | model.Synthetic, Raw: raw}
	if known {
		before.Type = model.Modified
	}
	return true, r.append(before, nil)
}

// tellFilter publishes what the filter did.
func (r *Recorder) tellFilter() {
	problem, _ := r.filter.matcher.Problem()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.LeftOut, r.status.Blind, r.status.Problem = r.filter.total.left, r.filter.total.blind, problem
}

// leftOut says on the tape how much the filter left out of it.
func (r *Recorder) leftOut() error {
	f := r.filter
	if f == nil {
		return nil
	}
	text := fmt.Sprintf("the filter left out %d changes until here", f.total.left-f.before.left)
	if n := f.total.blind - f.before.blind; n > 0 {
		text += fmt.Sprintf("; %d are here unjudged, or without the state before, which had left memory", n)
	}
	f.before = f.total
	when := r.newest
	if when.IsZero() {
		when = r.opened
	}
	return r.span(when, text)
}
