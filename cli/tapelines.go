package cli

import (
	"context"
	"fmt"
	"sync/atomic"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/watch/player"
)

// tapeLines prints a replay as live prints a watch, and ends with the tapes.
type tapeLines struct {
	log     atomic.Pointer[model.Log]
	printed atomic.Uint64
}

// aheadOfLines is how many rows may wait to be printed: a reader that is slower
// than the tape must not lose any.
const aheadOfLines = 20_000

// behind reports whether enough rows wait to be printed.
func (l *tapeLines) behind() bool {
	log := l.log.Load()
	return log != nil && uint64(log.Snapshot().End())-l.printed.Load() > aheadOfLines
}

func (l *tapeLines) print(ctx context.Context, p *player.Player, r replay) error {
	for p.Playback().Seeking { // to where it begins
		select {
		case <-p.Changed():
		case <-ctx.Done():
			return nil
		}
	}
	if b := p.Playback(); b.Text != "" && !b.AtEnd {
		return failed("check it with: rewatch verify FILE", "cannot play: %s", b.Text)
	}
	contexts := map[string]bool{}
	for _, s := range p.Streams() {
		contexts[s.Context] = true
	}
	out := newPrinter(p.Log(), r.streams, len(contexts) > 1)
	if r.flags.plain {
		inSentences(out, r.flags.zone)
	} else {
		r.streams.explainLines("the end of the tape")
	}
	if !r.at.IsZero() {
		out.next = out.log.Snapshot().End() // what comes before is not asked for
		for s := out.log.Snapshot(); out.next > s.First() && !s.At(out.next-1).When().Before(r.at); {
			out.next--
		}
	}
	l.printed.Store(uint64(out.next))
	l.log.Store(out.log)
	ended := make(chan struct{})
	out.ended, out.progress = ended, &l.printed
	go func() {
		defer close(ended)
		for !p.Playback().AtEnd {
			select {
			case <-p.Changed():
			case <-ctx.Done():
				return
			}
		}
	}()
	err := out.run(ctx)
	if b := p.Playback(); err == nil && b.AtEnd && b.Text != "" {
		_, _ = fmt.Fprintf(r.streams.err, "%s NOTE     %s\n", stamp(b.Now), clean.Line(b.Text))
	}
	if b := p.Playback(); err == nil && b.AtEnd && b.Damaged && !r.running {
		return failed("what survives tells: rewatch verify FILE; to make a whole tape of it: rewatch repair FILE -o NEW", "not all of the tape could be played: it is damaged")
	}
	return err
}
