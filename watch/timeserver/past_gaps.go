package timeserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// pastGap is a time in which a watch may have missed changes, as was found
// out at its end.
type pastGap struct {
	since, found time.Time
}

// findGaps notes the gaps that were found later than the moment that is
// loaded. What is damaged tells of none.
func (p *Past) findGaps(ctx context.Context, t *tape.Tape) error {
	for i, f := range t.Frames() {
		if f.Damage != nil || f.Counts.Gaps == 0 || !f.To.After(p.now) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		records, err := t.Outline(i)
		if damage := (*tape.Damage)(nil); err != nil && !errors.As(err, &damage) {
			return err
		}
		for _, r := range records {
			g, ok := r.Detail.(model.Gap)
			if s := p.streams[r.Stream]; ok && s != nil && !g.Since.IsZero() && r.Time.After(p.now) {
				s.gaps = append(s.gaps, pastGap{g.Since, r.Time})
			}
		}
	}
	return nil
}

// gapWarning says that a stream was in a gap that nobody knew of then.
func (p *Past) gapWarning(s *pastStream) string {
	for _, g := range s.gaps {
		if !p.now.Before(g.since) && p.now.Before(g.found) {
			return fmt.Sprintf("the watch of %s%s may have missed changes between %s and %s, as was found out later: these objects may be older than they were",
				s.Resource, s.where(), g.since.UTC().Format(clockLayout), g.found.UTC().Format(clockLayout))
		}
	}
	return ""
}
