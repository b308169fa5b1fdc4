package tape

import (
	"errors"
	"fmt"
	"io"

	"rewatch/model"
)

// Report is what Verify found.
type Report struct {
	Records  int64 // that came back
	Objects  int64 // changes of objects among them, every one rebuilt
	Missing  int64 // records known to be lost to damage; there may be more
	Gaps     int   // in the recorded watches, and of the recorder
	Lost     int64 // frames that the recorder could not write in time
	Closed   bool  // the recording ended in order
	Damages  []*Damage
	Segments int
}

// Verdict of a report.
type Verdict string

// Verdicts, from the best to the worst.
const (
	Whole   Verdict = "whole"
	Gaps    Verdict = "gaps" // the tape is whole, but the watches on it were not
	Damaged Verdict = "damaged"
)

// Verdict sums the report up.
func (r *Report) Verdict() Verdict {
	switch {
	case len(r.Damages) > 0:
		return Damaged
	case r.Gaps > 0 || r.Lost > 0:
		return Gaps
	}
	return Whole
}

// Verify reads the whole tape: it checks every checksum and what the index
// says, rebuilds every object, and compares every checkpoint with what led to
// it. The error is ErrLimit or one of the io.ReaderAt.
func (t *Tape) Verify() (*Report, error) {
	r := t.Reader()
	r.strict = true
	out := &Report{Closed: t.info.Closed, Segments: t.info.Segments}
	for {
		e, err := r.Next()
		var d *Damage
		switch {
		case err == io.EOF:
			out.Damages = append(out.Damages, r.missed...)
			return out, t.verifyNotes(out)
		case errors.As(err, &d):
			out.Damages = append(out.Damages, d)
			out.Missing += int64(max(d.Records, 0))
			continue
		case err != nil:
			return out, err
		}
		out.Records++
		if e.Type.IsObject() {
			out.Objects++
		}
		if e.Type == model.GapFound {
			out.Gaps++
		}
		out.Lost += e.Lost
	}
}

// verifyNotes compares an index with the frames and notes that it stands for.
func (t *Tape) verifyNotes(out *Report) error {
	if len(t.info.Damages) > 0 || !t.info.Closed {
		return nil // the walk was made on opening
	}
	walked := &Tape{r: t.r, size: t.size, limits: t.limits}
	if err := walked.walk(true); err != nil {
		return err
	}
	for i := range walked.parts {
		p := &walked.parts[i]
		if p.damage != nil {
			out.Damages = append(out.Damages, p.damage)
			continue
		}
		if i < len(t.parts) {
			q := &t.parts[i]
			if q.offset == p.offset && q.Size == p.Size && q.Plain == p.Plain && q.Records == p.Records && q.From == p.From &&
				q.To == p.To && q.Segment == p.Segment && q.Frame == p.Frame {
				continue
			}
		}
		out.Damages = append(out.Damages, &Damage{Offset: p.offset, Size: p.Size, Text: fmt.Sprintf("the index is wrong about frame %d", p.Frame)})
		return nil
	}
	if len(walked.parts) < len(t.parts) {
		out.Damages = append(out.Damages, &Damage{Offset: t.size, Text: "the index names more frames than there are"})
	}
	return nil
}
