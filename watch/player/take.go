package player

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// take is a log that is filled from a place on the tapes on.
type take struct {
	reel   *reel
	log    *model.Log
	cursor *cursor
	start  int64 // the state is that of this moment; beginning: there is none
	before int64 // events before the state, or of it
	// partial is set if the state has only the objects that the rows up to some
	// moment are about, or if that of a later tape was left in the middle.
	partial bool
	state   int64 // rows of the state
	rows    int64 // rows after it
	now     int64 // of the newest item
	// owners are the tapes whose state the streams have, by stream; nil before
	// the first.
	owners []*part
	// resyncing are the streams that go on after a time in which nothing was
	// recorded, without a state of their own: their first list tells what is
	// gone.
	resyncing map[model.StreamID]gapTime
	// rekeyed are the streams that another recording goes on with: what is
	// redacted has the fingerprints of another key from there on.
	rekeyed   map[model.StreamID]bool
	unwatched int64 // time of the newest gap between tapes; 0 if there is none
	damages   []string
	lost      []string // objects of the state that cannot be rebuilt
}

type gapTime struct{ from, to int64 }

const (
	causeDamage    model.Cause = "tape-damaged"
	causeUnwatched model.Cause = "not-recorded"
)

// stateFlags are those of the rows of a state. No frame carried them at that
// moment: they must not count as events of it.
const stateFlags = model.Initial | model.Synthetic

// preview says that the state may be partial where it takes long to read.
type preview struct {
	until int64 // the moment that the log will show
	large int64 // so many bytes of a tape take long
}

// newTake begins a log at a moment. The objects that exist then are its first
// rows.
func newTake(ctx context.Context, r *reel, start int64, p *preview, o model.Options) (t *take, err error) {
	t = &take{reel: r, log: model.NewLog(o), start: start, now: max(start, r.from.UnixNano()), owners: make([]*part, len(r.streams)),
		resyncing: map[model.StreamID]gapTime{}, rekeyed: map[model.StreamID]bool{}}
	for _, s := range r.streams {
		t.log.AddStream(s)
	}
	t.cursor, err = newCursor(r, start, func(h *head) error { return t.seek(h, p) }, func(h *head, newest []*part) error {
		err := t.enter(ctx, h, func(s model.StreamID) bool { return newest[s] == h.part })
		if h.ends && h.ended {
			t.end(h)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t.state, t.rows, t.before = t.rows, 0, t.cursor.events()
	return t, nil
}

// seek brings a tape to where the log begins, with a partial state if that is
// good enough for a preview.
func (t *take) seek(h *head, p *preview) error {
	at := time.Unix(0, t.start)
	if p != nil && h.Tape.Behind(at) >= p.large {
		some, err := h.Tape.SeekApart(at, time.Unix(0, p.until))
		if err == nil && some.Whole() && len(some.Missed()) == 0 {
			h.reader, t.partial = some, true
			return nil
		}
	}
	return h.seek(t.start)
}

// enter appends the state that a tape begins with, as far as it is of streams
// that are its own: all of it where nothing was known before, and otherwise
// what is different from what the tape before ended with.
func (t *take) enter(ctx context.Context, h *head, own func(model.StreamID) bool) error {
	at := max(t.start, h.from)
	before := append([]*part(nil), t.owners...)
	states := t.log.Streams(time.Time{})
	stateless := map[model.StreamID]bool{}
	for _, s := range h.reader.Streams() {
		id := h.stream(s.ID)
		if id < 0 || !own(id) {
			continue
		}
		t.owners[id] = h.part
		if prev := before[id]; prev != nil && !prev.created().Equal(h.created()) {
			t.rekeyed[id] = true
		}
		switch {
		case s.Since.IsZero():
			stateless[id] = true
			if states[id].Last.Cause == causeUnwatched {
				t.append(model.Record{Time: time.Unix(0, at), Stream: id, Type: model.StreamChange, Detail: model.Transition{
					From: states[id].State, To: model.Idle, Cause: causeUnwatched, Text: "another recording begins here"}})
			}
		case !s.Last.Equal(states[id].Last):
			t.append(model.Record{Time: s.Since, Stream: id, Type: model.StreamChange, Detail: s.Last})
		}
	}
	found, lost, err := t.objects(ctx, h, own, before, at)
	if err != nil {
		return err
	}
	complete := lost == 0 && h.reader.Whole()
	t.heartbeats(h, own, before)
	for _, id := range h.streams {
		switch c, prev := found[id], before[id]; {
		case !own(id) || prev == nil:
		case c == nil && stateless[id]:
			t.resyncing[id] = gapTime{prev.to, h.from}
		default:
			if c == nil {
				c = &comparison{}
			}
			t.gone(id, c, at, complete)
			t.gap(id, c, gapTime{prev.to, h.from}, prev.created().Equal(h.created()))
		}
	}
	if !h.reader.Whole() {
		t.note(h, at, "what existed at "+time.Unix(0, at).UTC().Format(time.RFC3339)+" is not complete: the tape is damaged before")
	}
	return nil
}

// end says of the streams of a tape that nothing is known of them any more:
// what ended the recording, a tape need not tell.
func (t *take) end(h *head) {
	states := t.log.Streams(time.Time{})
	for _, id := range h.streams {
		if s := states[id]; t.owners[id] == h.part && s.State != model.Stopped && s.State != model.Idle {
			t.append(model.Record{Time: time.Unix(0, h.to+1), Stream: id, Type: model.StreamChange, Detail: model.Transition{
				From: s.State, To: model.Stopped, Cause: causeUnwatched, Text: "the recording ended here"}})
		}
	}
}

// heartbeats appends the newest heartbeat of each stream that nothing was known
// of, so that its age is that of the moment.
func (t *take) heartbeats(h *head, own func(model.StreamID) bool, before []*part) {
	for tapeID, id := range h.streams {
		if _, beat := h.reader.Heard(model.StreamID(tapeID)); !beat.IsZero() && own(id) && before[id] == nil {
			t.append(model.Record{Time: beat, Stream: id, Type: model.Bookmark})
		}
	}
}

// objects appends the objects that a tape begins with; where the stream was
// known before, it compares them. lost is how many cannot be rebuilt.
func (t *take) objects(ctx context.Context, h *head, own func(model.StreamID) bool, before []*part, at int64) (found map[model.StreamID]*comparison, lost int, err error) {
	found = map[model.StreamID]*comparison{}
	all := h.reader.Identities()
	var failed error
	t.log.Load(h.reader.Len(), func(yield func(model.Record, model.Text) bool) {
		for o, err := range all {
			if err != nil {
				if damage := (*tape.Damage)(nil); errors.As(err, &damage) {
					t.lost = append(t.lost, err.Error())
					continue
				}
				failed = &tapeError{h.Name, err}
				return
			}
			if failed = ctx.Err(); failed != nil {
				return
			}
			id := h.stream(o.Stream)
			if id < 0 || !own(id) {
				continue
			}
			r := model.Record{Time: time.Unix(0, at), Stream: id, Type: model.Added, Flags: stateFlags, Raw: o.Raw, Identity: o.Identity, RV: o.RV}
			switch {
			case before[id] == nil:
				t.rows++
				if !yield(r, o.Text) {
					return
				}
				continue
			case found[id] == nil:
				found[id] = &comparison{seen: map[model.ObjectID]bool{}}
			}
			if r.Raw == nil {
				if r.Raw, failed = o.Text.AppendText(nil); failed != nil {
					return
				}
			}
			found[id].object(t, r)
		}
	})
	for _, text := range t.lost {
		t.note(h, at, text)
	}
	lost, t.lost = len(t.lost), nil
	return found, lost, failed
}

func (p *part) created() time.Time { return p.Tape.Info().Created }

// comparison of a stream with what was known of it.
type comparison struct {
	seen    map[model.ObjectID]bool
	gap     model.Gap
	unknown bool // what was deleted
}

// object compares one object that exists.
func (c *comparison) object(t *take, r model.Record) {
	k, _, known := t.log.Lookup(r.Identity)
	known = known && t.log.ExistsIn(k.Object, r.Stream)
	if known {
		c.seen[k.Object] = true
		if !t.log.Differs(r.Stream, k.Object, k.Version, t.comparable(r)) {
			return
		}
		r.Type = model.Modified
		c.gap.Modified++
	} else {
		c.gap.Added++
	}
	r.Flags = model.Synthetic
	c.seen[t.append(r).Object] = true
}

// comparable are the bytes of an object as the log would have them: those that
// it holds if only the key of the fingerprints is another, since the same
// resourceVersion of one object is the same content.
func (t *take) comparable(r model.Record) []byte {
	if !t.rekeyed[r.Stream] || !r.Type.IsObject() || !bytes.Contains(r.Raw, []byte("fp:")) {
		return r.Raw
	}
	k, _, known := t.log.Lookup(r.Identity)
	if rv, err := strconv.ParseUint(r.RV, 10, 64); !known || err != nil || rv == 0 || rv != k.RV {
		return r.Raw
	}
	if held, ok := t.log.Bytes(k.Object, k.Version); ok {
		return held
	}
	return r.Raw
}

// gone finds the objects that do not exist any more. Where what exists is
// not complete, nobody can tell which those are.
func (t *take) gone(s model.StreamID, c *comparison, at int64, complete bool) {
	if !complete {
		c.unknown = true
		return
	}
	for k, id := range t.log.Current(s) {
		if !c.seen[k.Object] {
			c.gap.Deleted++
			t.append(model.Record{Time: time.Unix(0, at), Stream: s, Type: model.Deleted, Flags: model.Synthetic, Identity: id})
		}
	}
}

// gap says that nothing was recorded for a time, unless one recording went on
// in another file.
func (t *take) gap(s model.StreamID, c *comparison, span gapTime, same bool) {
	g := c.gap
	if same && g.Added+g.Modified+g.Deleted == 0 {
		return
	}
	g.FromRV = t.log.Streams(time.Time{})[s].RV
	g.Since, g.Took, g.Cause, g.Text = time.Unix(0, span.from), time.Duration(span.to-span.from), causeUnwatched, "nothing was recorded between two tapes"
	if c.unknown {
		g.Text += "; what was deleted is not known: the tape is damaged"
	}
	t.unwatched = max(t.now, span.to)
	t.append(model.Record{Time: time.Unix(0, t.unwatched), Stream: s, Type: model.GapFound, Detail: g})
}

// resynced compares what a stream knew before a time without a recording with
// its first whole list after it.
func (t *take) resynced(s model.StreamID, h *head, at int64) {
	span := t.resyncing[s]
	delete(t.resyncing, s)
	c := &comparison{seen: map[model.ObjectID]bool{}}
	complete := h.reader.Whole()
	for o, err := range h.reader.Objects() {
		complete = complete && err == nil
		if err == nil && h.stream(o.Stream) == s {
			if k, _, ok := t.log.Lookup(o.Identity); ok {
				c.seen[k.Object] = true
			}
		}
	}
	t.gone(s, c, at, complete)
	t.gap(s, c, span, false)
}

// step appends what comes next, and reports whether there was anything. If ctx
// ends while that is the whole state of another tape, the log is partial.
func (t *take) step(ctx context.Context) bool {
	return t.cursor.next(func(x item) { t.item(ctx, x) })
}

func (t *take) item(ctx context.Context, x item) {
	if x.when > t.now {
		t.now = x.when
	}
	switch {
	case x.end:
		t.end(x.head)
	case x.damage != nil:
		t.note(x.head, x.when, x.damage.Error())
	case x.begin:
		streams := map[model.StreamID]bool{}
		for _, s := range x.head.streams {
			streams[s] = true
		}
		err := t.enter(ctx, x.head, func(s model.StreamID) bool { return streams[s] })
		if err != nil && ctx.Err() != nil {
			t.partial = true
		} else if err != nil {
			t.note(x.head, x.when, err.Error())
		}
	default:
		t.record(x.head, x.entry)
	}
}

// record appends a record of a tape as the engine did, so that the same row
// comes of it. Frames that made none, such as an ERROR, make none.
func (t *take) record(h *head, e *tape.Entry) {
	if e.Type == 0 {
		return
	}
	r := e.Record
	if r.Stream = h.stream(r.Stream); r.Stream < 0 {
		t.note(h, h.when, fmt.Sprintf("a record of stream %d, which the tape does not have", e.Stream))
		return
	}
	if d, ok := r.Detail.(model.Transition); ok && len(t.resyncing) > 0 && d.From == model.Syncing && d.To.Fresh() {
		if _, due := t.resyncing[r.Stream]; due {
			t.resynced(r.Stream, h, h.when)
		}
	}
	r.Raw = t.comparable(r)
	t.append(r)
}

func (t *take) append(r model.Record) model.Event {
	t.rows++
	return t.log.Append(r)
}

// note says in the log what is wrong with a tape.
func (t *take) note(h *head, at int64, text string) {
	t.damages = append(t.damages, text)
	s := model.StreamID(0)
	if len(h.streams) > 0 {
		s = h.streams[0]
	}
	if len(t.reel.streams) > 0 {
		t.append(model.Record{Time: time.Unix(0, at), Stream: s, Type: model.Noted, Detail: model.Note{Cause: causeDamage, Text: text}})
	}
}
