package query

import (
	"context"

	"rewatch/model"
)

// Before finds the newest n rows before a row that match, newest first, and the
// row to go on with: every row from there on has been looked at. It stops early
// when ctx is done, so that a search can be given up between any two rows.
func (m *Matcher) Before(ctx context.Context, s model.Snapshot, end model.Seq, n int) (rows []model.Seq, next model.Seq) {
	next = min(end, s.End())
	for next > s.First() && len(rows) < n && ctx.Err() == nil {
		run := s.Before(next)
		rows, next = m.search(ctx, rows, n, s, &run, run.Len()-1, -1)
	}
	return rows, next
}

// After finds the oldest n rows from a row on that match, oldest first, and the
// row to go on with: every row before has been looked at. It stops early when ctx
// is done.
func (m *Matcher) After(ctx context.Context, s model.Snapshot, from model.Seq, n int) (rows []model.Seq, next model.Seq) {
	next = max(from, s.First())
	for next < s.End() && len(rows) < n && ctx.Err() == nil {
		run := s.From(next)
		rows, next = m.search(ctx, rows, n, s, &run, 0, 1)
	}
	return rows, next
}

// search appends rows of a run that match, from i on in steps of by, 1 or -1,
// until there are n, and returns the row to go on with.
func (m *Matcher) search(ctx context.Context, rows []model.Seq, n int, s model.Snapshot, r *model.Run, i, by int) ([]model.Seq, model.Seq) {
	for len(rows) < n {
		var v verdict
		i, v = m.skip(r, i, by)
		if i < 0 || i >= r.Len() {
			break
		}
		seq := r.First + model.Seq(i)
		if v == yes || m.Match(s.At(seq)) {
			rows = append(rows, seq)
		}
		i += by
		if v == unknown && (m.row.loaded() || i%256 == 0) && ctx.Err() != nil {
			break
		}
	}
	if by < 0 {
		i++
	}
	return rows, r.First + model.Seq(i)
}

// skip goes from row to row of a run until one is shown, or may be.
func (m *Matcher) skip(r *model.Run, i, by int) (int, verdict) {
	for ; i >= 0 && i < r.Len(); i += by {
		t := r.Traits(i)
		b := &m.bases.slots[slot(uint64(t)+1, m.bases.bits)]
		if b.key != uint64(t)+1 {
			b = m.baseOf(t)
		}
		v := b.shown
		if v == unknown {
			mask := b.mask
			if b.objects {
				mask |= m.object(r.Object(i), t.Stream())
			}
			if m.timed != 0 {
				mask |= m.inSpans(r.Time(i))
			}
			v = m.judge(mask)
		}
		if v != no {
			return i, v
		}
	}
	return i, no
}
