package player

import (
	"cmp"
	"context"

	"rewatch/model"
	"rewatch/model/deck"
	"rewatch/watch/tape"
)

// place is a record on a tape.
type place struct {
	part   *part
	number int64
	when   int64
}

// reached reports whether a log has the record.
func (x place) reached(t *take) bool {
	for i := range t.cursor.heads {
		if h := &t.cursor.heads[i]; h.part == x.part {
			return h.number > x.number
		}
	}
	return true
}

// find makes a log that ends with the next landmark.
func (p *Player) find(ctx context.Context, l deck.Landmark) (arrival, error) {
	var found *place
	var err error
	if l.Kind == deck.AnyMatch {
		found, err = p.findMatch(ctx, l)
	} else {
		found, err = p.findKind(ctx, l)
	}
	if err != nil {
		return arrival{}, err
	}
	if l.Kind == deck.AnyGap {
		if a, err := p.findBetween(ctx, l.Back, found); a != nil || err != nil {
			return *cmp.Or(a, &arrival{}), err
		}
	}
	if found == nil {
		way := "after"
		if l.Back {
			way = "before"
		}
		return arrival{take: p.take, at: p.asked, text: "no " + words[l.Kind] + " " + way + " this moment"}, nil
	}
	if l.Back {
		t, err := p.show(ctx, found.when, found.reached)
		return arrival{take: t, at: found.when, fulfilled: true}, err
	}
	return p.reach(ctx, found.when, found.reached)
}

var words = [...]string{deck.AnyGap: "gap", deck.AnyError: "error", deck.AnyDeletion: "deletion", deck.AnyMatch: "match"}

// findKind looks for a gap, an error or a deletion: the counts of the data
// frames say where one can be.
func (p *Player) findKind(ctx context.Context, l deck.Landmark) (best *place, err error) {
	for i := range p.take.cursor.heads {
		if best, err = p.findOn(ctx, &p.take.cursor.heads[i], l, best); err != nil {
			return nil, err
		}
	}
	return best, nil
}

// findOn looks on one tape for a landmark that is nearer than best.
func (p *Player) findOn(ctx context.Context, h *head, l deck.Landmark, best *place) (*place, error) {
	frames := h.Tape.Frames()
	before := make([]int64, len(frames)) // records
	var n int64
	for i := range frames {
		if before[i] = n; frames[i].Damage == nil {
			n += frames[i].Records
		}
	}
	for k := range frames {
		i := k
		if l.Back {
			i = len(frames) - 1 - k
		}
		f := &frames[i]
		behind := before[i]+f.Records <= h.number
		switch {
		case f.Damage != nil, !l.Back && behind, l.Back && before[i] >= h.number, !mayHave(&f.Counts, l.Kind):
			continue
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		records, _ := h.Tape.Outline(i) // as far as it can be read
		var found *place
		for k := range records {
			x := place{h.part, before[i] + int64(k), records[k].Time.UnixNano()}
			if is(&records[k], l.Kind) && p.lies(&x, h, l.Back) {
				if found = &x; !l.Back {
					break
				}
			}
		}
		if found != nil {
			return nearer(found, best, l.Back), nil
		}
	}
	return best, nil
}

// lies reports whether a record is on the side of the moment shown that is
// searched. What the moment shows as its newest is on neither.
func (p *Player) lies(x *place, h *head, back bool) bool {
	if !back {
		return x.number >= h.number
	}
	return x.number < h.number-1 || x.number == h.number-1 && x.when < p.asked
}

func nearer(a, b *place, back bool) *place {
	if b == nil || back == (a.when > b.when) && a.when != b.when {
		return a
	}
	return b
}

func mayHave(c *tape.Counts, k deck.LandmarkKind) bool {
	switch k {
	case deck.AnyGap:
		return c.Gaps+c.Lost > 0
	case deck.AnyError:
		return c.Transitions > 0
	}
	return c.Deleted > 0
}

func is(r *model.Record, k deck.LandmarkKind) bool {
	switch k {
	case deck.AnyGap:
		return r.Type == model.GapFound
	case deck.AnyError:
		d, ok := r.Detail.(model.Transition)
		return ok && failure(d)
	}
	return r.Type == model.Deleted
}

// failure reports whether a step of a stream means that it failed by itself.
func failure(t model.Transition) bool {
	switch t.Cause {
	case model.CauseHostDown, model.CauseShutdown, model.CauseUser, model.CauseNone:
		return false
	}
	lost := t.To == model.Connecting && (t.From.Fresh() || t.From == model.Overdue)
	return lost || t.To.Degraded() && t.To != model.Overdue && t.To != model.Relisting
}

const (
	// searchMemory bounds the logs that are searched.
	searchMemory = 64 << 20
	// searchBlock is how many events are searched at a time on the way back.
	searchBlock = 10_000
)

// findMatch looks for a row that a filter accepts. That takes logs: what a
// filter looks at is known to nobody else.
func (p *Player) findMatch(ctx context.Context, l deck.Landmark) (*place, error) {
	from := p.take.now - 1 // what is at the same time may lie on either side
	if !l.Back {
		return p.search(ctx, l, p.startOfSearch(from), over)
	}
	for end := int64(over); ; {
		start := p.reel.before(from, searchBlock)
		found, err := p.search(ctx, l, start, end)
		if found != nil || err != nil || start == beginning {
			return found, err
		}
		from, end = start, start
	}
}

// startOfSearch is the beginning where that is not far: it needs no state.
func (p *Player) startOfSearch(at int64) int64 {
	if p.reel.eventsUntil(at) <= p.o.small {
		return beginning
	}
	return at
}

// search fills a log from start to end and returns the first match, on the way
// back the last one.
func (p *Player) search(ctx context.Context, l deck.Landmark, start, end int64) (found *place, err error) {
	o := p.o.Log
	o.Budget = searchMemory
	t, err := newTake(ctx, p.reel, start, nil, o)
	if err != nil {
		return nil, err
	}
	var match model.Filter
	if l.Match != nil {
		match = l.Match(t.log)
	}
	for n := 1; t.cursor.peek() <= end; n++ {
		if (n%batch == 0 || t.partial) && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		h := t.cursor.first()
		if h == nil {
			break
		}
		x := place{h.part, h.number, h.when}
		side := h.entry != nil && h.entry.Type != 0 && p.lies(&x, p.head(h.part), l.Back)
		switch {
		case !side && l.Back && t.now > p.take.now:
			return found, nil // all that comes lies behind
		case !t.step(ctx):
			return found, nil
		case side && matches(t.log, match):
			if found = &x; !l.Back {
				return found, nil
			}
		}
	}
	return found, ctx.Err()
}

// head is the place of the log shown on one tape.
func (p *Player) head(of *part) *head {
	for i := range p.take.cursor.heads {
		if h := &p.take.cursor.heads[i]; h.part == of {
			return h
		}
	}
	return nil
}

// matches reports whether the newest row is one to be found. Objects that were
// there from the beginning and those sent again are no changes.
func matches(l *model.Log, match model.Filter) bool {
	s := l.Snapshot()
	if s.Len() == 0 {
		return false
	}
	e := s.At(s.End() - 1)
	if e.Flags&(model.Initial|model.Replayed) != 0 {
		return false
	}
	if match == nil {
		return e.Type.IsObject()
	}
	return match(e)
}
