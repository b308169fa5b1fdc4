package player

import (
	"context"
)

// findBetween looks for the times between tapes, which are gaps as well: where
// the recording ends, and where the next one has told what was missed, which
// only a log can tell. It returns nil if there is none, or found is nearer.
func (p *Player) findBetween(ctx context.Context, back bool, found *place) (*arrival, error) {
	spans := p.reel.betweenTapes()
	i := -1 // of the newest that begins before the moment shown, or at it
	for k := range spans {
		if begin := spans[k].From.UnixNano() + 1; begin < p.asked || !back && begin == p.asked {
			i = k
		}
	}
	nearest := func(at int64) bool {
		return (at > p.asked) != back && at != p.asked && (found == nil || (at < found.when) != back)
	}
	if i >= 0 {
		t, err := p.missed(ctx, spans[i].From.UnixNano(), spans[i].To.UnixNano())
		if err != nil {
			return nil, err
		}
		if t != nil && nearest(t.unwatched) {
			return &arrival{take: t, at: t.unwatched, fulfilled: true}, nil
		}
	}
	if !back {
		i++
	}
	if i < 0 || i >= len(spans) || !nearest(spans[i].From.UnixNano()+1) {
		return nil, nil
	}
	at := spans[i].From.UnixNano() + 1
	a, err := p.reach(ctx, at, until(at))
	return &a, err
}

// missed makes a log up to where the tape that begins after an unwatched time
// has told what was missed in it; nil if it does not.
func (p *Player) missed(ctx context.Context, from, to int64) (*take, error) {
	n := int64(0) // events: a first list is not waited for without end
	t, err := p.build(ctx, min(p.start(to), from), func(t *take) bool {
		if t.cursor.peek() > to && t.now >= to {
			n++
		}
		return t.unwatched >= to || n > 0 && len(t.resyncing) == 0 || n > p.o.near
	})
	if err != nil || t.unwatched < to {
		return nil, err
	}
	return t, nil
}
