package tape

import (
	"bytes"
	"errors"
	"time"

	"rewatch/model"
)

// Outline returns the records of one data frame, numbered as in [Tape.Frames],
// without rebuilding any object: of those they have the Time, the Type and the
// Flags, and the Stream where the frame tells it (-1 otherwise); of steps, gaps
// and notes all. It costs about as much as unpacking the frame.
//
// The error is a *Damage if the frame cannot be read, ErrLimit or one of the
// io.ReaderAt.
func (t *Tape) Outline(frame int) ([]model.Record, error) {
	p := &t.parts[frame]
	if p.damage != nil {
		return nil, p.damage
	}
	r := t.reader(frame)
	r.in = p
	text, err := t.load(nil, p)
	if errors.Is(err, errDamaged) {
		return nil, r.damage(int(p.Records), err.Error())
	}
	if err != nil {
		return nil, err
	}
	out := make([]model.Record, 0, min(p.Records, int64(len(text))))
	streams := map[uint64]model.StreamID{}
	var e Entry
	for one := range bytes.Lines(text) {
		l := &r.line
		if l.parse(bytes.TrimSuffix(one, []byte("\n"))) != nil {
			return out, r.damage(-1, "a line that cannot be understood")
		}
		s := l.streamOf(streams)
		if l.frame != nil {
			r.now = l.frame.T
		}
		if !l.isRecord() {
			continue
		}
		r.now += l.t
		e = Entry{Record: model.Record{Time: time.Unix(0, r.now), Type: typeOf(l.what), Flags: model.Flag(l.flags)}}
		if l.detail != nil {
			if err := r.detail(&e, &StreamState{}); err != nil {
				return out, r.damage(1, "a line that cannot be understood: "+err.Error())
			}
		}
		e.Stream = s
		out = append(out, e.Record)
	}
	return out, nil
}
