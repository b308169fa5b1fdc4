package tape

import (
	"errors"
	"time"

	"rewatch/model"
)

// Outline returns the records of one data frame, numbered as in [Tape.Frames],
// without rebuilding any object: of those they have the Time, the Type and the
// Flags, and the Stream where the frame tells it (-1 otherwise); of steps, gaps
// and notes all. It costs about as much as unpacking the frame.
//
// The error is a *Damage if the frame cannot be read, beside the records that
// can be; ErrLimit; or one of the io.ReaderAt.
func (t *Tape) Outline(frame int) ([]model.Record, error) {
	p := &t.parts[frame]
	if p.damage != nil {
		return nil, p.damage
	}
	r := t.reader(frame)
	r.in = p
	text, cut := t.load(nil, p)
	if cut != nil && !errors.Is(cut, errDamaged) {
		return nil, cut
	}
	out := make([]model.Record, 0, min(p.Records, int64(len(text))))
	lines := newScan(text, &r.line, t.limits.Line)
	lines.expander.known = &t.known
	for {
		more, err := lines.next()
		switch {
		case err != nil:
			return out, r.damage(-1, "a line that cannot be understood: "+err.Error())
		case !more && cut != nil:
			return out, p.lost(int64(len(out)), lines.now, cut.Error())
		case !more:
			return out, nil
		case !r.line.isRecord():
			continue
		}
		e := Entry{Record: model.Record{Time: time.Unix(0, lines.now), Type: typeOf(r.line.what), Flags: model.Flag(r.line.flags)}}
		if r.line.detail != nil {
			if err := r.detail(&e, &StreamState{}); err != nil {
				return out, r.damage(1, "a line that cannot be understood: "+err.Error())
			}
		}
		e.Stream = lines.stream
		out = append(out, e.Record)
	}
}
