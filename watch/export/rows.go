package export

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
	"rewatch/watch/tape"
)

// Types of rows beyond those of model.Type.
const (
	typeLost   = "LOST"   // the recorder could not keep up
	typeFrame  = "FRAME"  // a frame that is neither a change nor a bookmark, such as an ERROR
	typeDamage = "DAMAGE" // a part of the tape that cannot be read
)

// row is one row of an export. It and its bytes are valid until the next.
type row struct {
	n       int64 // in the span, from 1, those that the filter hides counted
	time    time.Time
	typ     string // of model.Type, or one of the above
	event   model.Event
	stream  *model.StreamInfo // nil for damage
	id      model.Identity
	rv      string
	reached bool   // old and new can be relied on
	old     []byte // the state before it, if the row brought another one and it is known
	new     []byte // the state that the row brought; of a DELETED the last one
	lost    int64
	frame   []byte // of a FRAME; for job.wire of every row that had one
	damage  *tape.Damage
	hidden  bool      // the filter does not let it through
	since   time.Time // of a fold: its first row
	folded  int64     // rows that it stands for

	explained bool
	result    diff.Result
	words     string
}

// has reports whether the row has all of these flags.
func (r *row) has(f model.Flag) bool { return r.event.Has(f) }

// summaryBytes bounds what a row says of its change.
const summaryBytes = 300

// explain works out what changed, in words and by path. Of what came or went
// the paths are those of the whole object.
func (r *row) explain() (words string, result diff.Result) {
	if r.explained {
		return r.words, r.result
	}
	r.explained = true
	switch {
	case !r.event.Type.IsObject():
	case !r.reached:
		r.words = "this state is not known"
	case r.has(model.Replayed):
		r.words = "sent again"
	case r.old != nil:
		r.result = diff.Objects(r.old, r.new)
		r.words = diff.Describe(r.id.Kind, r.result, r.old, r.new, summaryBytes)
	case r.event.Type == model.Deleted:
		r.result = diff.Objects(r.new, nil)
		r.words = diff.Describe(r.id.Kind, r.result, r.new, nil, summaryBytes)
		r.result.Managers = nil // nothing on an object tells who deleted it
	default:
		r.result = diff.Objects(nil, r.new)
		r.words = diff.Describe(r.id.Kind, r.result, nil, r.new, summaryBytes)
	}
	if r.has(model.Synthetic) {
		r.result.Managers = nil // several may have had a hand in it
	}
	return r.words, r.result
}

// reader turns the records of a tape into rows. A log tells what is new, and
// keeps the state that the next change is compared with.
type reader struct {
	j       *job
	log     *model.Log
	match   model.Filter
	in      *tape.Reader
	streams map[model.StreamID]model.StreamID // of the tape, to those of the log
	each    func(*row) error
	read    int64

	row             row
	old, new, frame []byte // buffers of it
}

// logBudget is the memory for what has been: only the newest state of each
// object, which never leaves the log, is needed where there is no filter.
const logBudget = 64 << 20

// rows calls each with the rows of the span that the filter lets through, in
// order. quiet leaves it to another pass to report damage.
func (j *job) rows(quiet bool, each func(*row) error) error {
	r := &reader{j: j, streams: map[model.StreamID]model.StreamID{}, each: each}
	if j.o.Filter == nil {
		r.log = model.NewLog(model.Options{Budget: logBudget})
	} else {
		r.log = model.NewLog(model.Options{}) // filters may ask for what was before
		r.match = j.o.Filter(r.log)
	}
	if err := r.start(quiet); err != nil {
		return err
	}
	for {
		e, err := r.in.Next()
		var d *tape.Damage
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &d):
			if err := r.damaged(d, quiet); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case !j.o.To.IsZero() && e.Time.After(j.o.To):
			return nil
		}
		if err := r.record(e); err != nil {
			return err
		}
		if err := r.tick(); err != nil {
			return err
		}
	}
}

// tick looks once in a while whether to go on.
func (r *reader) tick() error {
	const often = 512
	if r.read++; r.read%often != 0 {
		return nil
	}
	if r.j.o.Progress != nil {
		r.j.o.Progress(r.read, r.j.info.Records)
	}
	return r.j.ctx.Err()
}

// start opens the tape at the beginning of the span, and puts the state of that
// moment into the log.
func (r *reader) start(quiet bool) error {
	if r.j.o.From.IsZero() || !r.j.o.From.After(r.j.info.From) {
		r.in = r.j.tape.Reader()
		r.declare()
		return nil
	}
	// The first record of the span may be at that very moment.
	in, err := r.j.tape.Seek(r.j.o.From.Add(-1))
	if err != nil {
		return err
	}
	r.in = in
	r.declare()
	for o, err := range in.Objects() {
		if d := (*tape.Damage)(nil); errors.As(err, &d) {
			if err := r.damaged(d, quiet); err != nil {
				return err
			}
			continue
		} else if err != nil {
			return err
		}
		r.log.Append(model.Record{Time: r.j.o.From, Stream: r.streamOf(o.Stream), Type: model.Added, Flags: model.Initial,
			Raw: o.Raw, Identity: o.Identity, RV: o.RV})
		if err := r.tick(); err != nil {
			return err
		}
	}
	if err := r.standing(); err != nil {
		return err
	}
	for _, d := range in.Missed() {
		if err := r.damaged(d, quiet); err != nil {
			return err
		}
	}
	return nil
}

// standing takes in how the streams stand at the beginning of the span.
func (r *reader) standing() error {
	for _, s := range r.in.Streams() {
		if s.Since.IsZero() {
			continue
		}
		id := r.streamOf(s.ID)
		info, _ := r.log.Stream(id)
		at := r.j.o.From
		e := r.log.Append(model.Record{Time: at, Stream: id, Type: model.StreamChange, Detail: s.Last})
		if !r.j.all {
			continue
		}
		r.row = row{time: at.UTC(), typ: e.Type.String(), stream: &info, event: e, hidden: true}
		if err := r.each(&r.row); err != nil {
			return err
		}
	}
	return nil
}

// declare makes all streams of the tape known, also those without a row.
func (r *reader) declare() {
	for _, s := range r.j.info.Streams {
		r.streams[s.ID] = r.log.AddStream(s)
	}
	r.j.streams = r.j.info.Streams
}

// streamOf returns the log's number of a stream of the tape.
func (r *reader) streamOf(id model.StreamID) model.StreamID {
	if s, ok := r.streams[id]; ok {
		return s
	}
	info := model.StreamInfo{Resource: fmt.Sprintf("stream-%d", id)}
	for _, s := range r.in.Streams() { // of a tape whose beginning is damaged
		if s.ID == id {
			info = s.StreamInfo
		}
	}
	r.streams[id] = r.log.AddStream(info)
	r.j.streams = append(slices.Clip(r.j.streams), info)
	return r.streams[id]
}

// damaged makes a row of a damage.
func (r *reader) damaged(d *tape.Damage, quiet bool) error {
	if !quiet {
		r.j.result.Damages++
		if r.j.o.Damaged != nil {
			r.j.o.Damaged(d)
		}
	}
	when := r.in.Time()
	if from, _ := r.j.span(); when.Before(from) {
		when = from
	}
	r.row = row{n: r.row.n + 1, time: when.UTC(), typ: typeDamage, damage: d}
	return r.each(&r.row)
}

// record makes a row of a record, if the filter lets it through.
func (r *reader) record(e *tape.Entry) error {
	r.row = row{n: r.row.n + 1, time: e.Time.UTC(), typ: e.Type.String(), rv: e.RV, id: e.Identity, lost: e.Lost}
	x := &r.row
	record := e.Record
	record.Stream = r.streamOf(e.Stream)
	info, _ := r.log.Stream(record.Stream)
	x.stream = &info
	if r.j.wire || e.Type == 0 {
		r.frame = e.AppendFrame(r.frame[:0])
		x.frame = r.frame
	}
	if r.j.wire && r.match == nil {
		return r.each(x)
	}
	switch {
	case e.Type == 0: // the log has no type for it, but a filter can look for its words
		x.typ, x.rv, x.words = typeFrame, "", frameWords(x.frame)
		record = model.Record{Time: e.Time, Stream: record.Stream, Type: model.Noted, Detail: model.Note{Text: x.words}}
	case e.Lost != 0:
		x.typ = typeLost
	}
	var known model.Known
	if e.Type == model.Added || e.Type == model.Modified {
		known = r.before(e.Identity)
	}
	x.event = r.log.Append(record)
	if r.match != nil && !r.match(x.event) {
		if x.hidden = r.j.all; !x.hidden || e.Type != model.StreamChange {
			return nil
		}
	}
	if x.event.Object != 0 {
		r.new, x.reached = r.log.AppendBytes(r.new[:0], x.event.Object, x.event.Version)
		x.new = r.new
	}
	if known.Object != 0 && known.Object == x.event.Object && known.Version+1 == x.event.Version && !x.has(model.Selection) {
		x.old = r.old
	}
	return r.each(x)
}

// before takes down the state of an object before a change.
func (r *reader) before(id model.Identity) model.Known {
	known, exists, _ := r.log.Lookup(id)
	if !exists {
		return model.Known{}
	}
	var ok bool
	if r.old, ok = r.log.AppendBytes(r.old[:0], known.Object, known.Version); !ok {
		return model.Known{}
	}
	return known
}

// frameWords says what a frame is that is neither a change nor a bookmark.
func frameWords(frame []byte) string {
	typ, object, err := jsonscan.SplitFrame(frame)
	if err != nil {
		return "a frame that is no JSON"
	}
	words := []string{typ}
	for _, key := range []string{"code", "reason", "message"} {
		v := jsonscan.Find(object, key)
		if text, err := jsonscan.Unquote(v); err == nil {
			words = append(words, text)
		} else if len(v) > 0 {
			words = append(words, string(v))
		}
	}
	return strings.Join(words, " ")
}
