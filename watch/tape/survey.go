package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"rewatch/model"
	"rewatch/model/splice"
)

// Survey is what a tape holds, told from its lines: no object is rebuilt.
type Survey struct {
	Streams []StreamSurvey // by number
	Gaps    []Moment       // in the recorded watches, and of the recorder
	Marks   []Moment
	// MoreGaps and MoreMarks are how many there are beside those in the lists.
	MoreGaps, MoreMarks int64

	Lost    int64     // frames that the recorder could not write in time
	Damages []*Damage // met on the way; what they hide is not counted
}

// StreamSurvey says what of a stream is on the tape.
type StreamSurvey struct {
	StreamState // at the end
	// Final is the newest step that was not the end of the recording, and
	// Failure the newest failure that nothing good came after; zero without one.
	Final, Failure model.Transition
	Counts                   // of its records
	Initial        int64     // of Added: what there was already, told by a list or sent again
	First, End     time.Time // its first and newest record; zero without any
	// Watched is from its first step to the end of the tape, or to its own end
	// if it stopped before; Fresh is how much of that it was known to be
	// current. Both are 0 if the tape has no steps of it.
	Watched, Fresh time.Duration
	Spans          []Span // what Watched and Fresh are the sums of, in order; see Span.Rest
	Bytes          int64  // on the wire, of its frames
	Objects        int    // that exist at the end
}

// Span is a part of the time that a stream was watched, in which it was known to
// be current, or was not.
type Span struct {
	From, To time.Time
	Fresh    bool
	Why      model.Transition // if it was not: the first failure in it, or else its first step
	// Rest is that of the last span of a stream that had more than a Survey
	// keeps: what is left of its time, in which it was now current, now not.
	Rest bool
}

// Moment is a record that is no frame.
type Moment struct {
	Time   time.Time
	Stream model.StreamID
	Detail any   // model.Gap or model.Note
	Lost   int64 // see Entry
}

// maxMoments bounds the lists of a Survey, against a tape of nothing but gaps,
// and the spans of a stream.
const maxMoments = 10_000

// Survey reads the lines of the whole tape. It costs about as much as unpacking
// it. The error is ErrLimit, ErrVersion or one of the io.ReaderAt.
func (t *Tape) Survey() (*Survey, error) {
	s := &surveyor{r: t.reader(0), out: &Survey{}, of: map[uint64]model.StreamID{}, live: map[uint64]bool{}, sizes: sizes{map[uint64]int64{}, map[uint64]int64{}}}
	for _, i := range t.info.Streams {
		s.stream(i.ID).StreamInfo = i
	}
	for i := range t.parts {
		p := &t.parts[i]
		if p.damage != nil {
			s.out.Damages = append(s.out.Damages, p.damage)
			continue
		}
		s.r.in, s.r.records = p, 0
		var cut error
		if s.r.buf, cut = t.load(s.r.buf[:0], p); cut != nil && !errors.Is(cut, errDamaged) {
			return nil, cut
		}
		if err := s.frame(s.r.buf); err != nil {
			return nil, err
		}
		if cut != nil {
			s.out.Damages = append(s.out.Damages, p.lost(s.r.records, s.r.now, cut.Error()))
		}
	}
	s.end(t.info.To)
	return s.out, nil
}

type surveyor struct {
	r    *Reader
	out  *Survey
	of   map[uint64]model.StreamID // of objects
	live map[uint64]bool           // objects that exist
	sizes
}

func (s *surveyor) stream(id model.StreamID) *StreamSurvey {
	for id >= model.StreamID(len(s.out.Streams)) && id < maxStreams {
		n := model.StreamID(len(s.out.Streams))
		s.out.Streams = append(s.out.Streams, StreamSurvey{StreamState: StreamState{StreamInfo: model.StreamInfo{ID: n}}})
	}
	if id < 0 || id >= maxStreams {
		return nil
	}
	return &s.out.Streams[id]
}

// frame takes in the text of a data frame.
func (s *surveyor) frame(text []byte) error {
	l := &s.r.line
	lines := newScan(text, l, s.r.t.limits.Line)
	lines.expander.known = &s.r.t.known
	lines.streams = s.of
	for {
		more, err := lines.next()
		switch {
		case err != nil:
			s.out.Damages = append(s.out.Damages, s.r.damage(-1, "a line that cannot be understood"))
			return nil
		case !more:
			return nil
		case l.frame != nil:
			if l.frame.Version > Version {
				return ErrVersion
			}
			if l.frame.Format != "" { // a segment names what exists
				clear(s.live)
			}
			continue
		case l.stream != nil:
			s.declare(l.stream)
			continue
		}
		if l.isRecord() {
			s.r.now = lines.now
			s.r.records++
		}
		size := s.sizes.of(l, lines.object)
		x := s.stream(lines.stream)
		if x == nil {
			continue // a seal, or it hangs by what is damaged
		}
		if lines.object != 0 && l.what != "B" {
			s.live[lines.object] = true
			if l.what == "D" {
				delete(s.live, lines.object)
				delete(s.sizes.objects, lines.object)
				delete(s.of, lines.object)
			}
		}
		if l.isRecord() {
			s.record(x, size)
		}
	}
}

// declare takes the state of a stream from a segment, if it is not known.
func (s *surveyor) declare(j *streamJSON) {
	x := s.stream(j.ID)
	if x == nil || j.Last == nil || !x.Since.IsZero() {
		return
	}
	if last, err := j.Last.transition(); err == nil {
		x.Last, x.Since = last, instant(j.Since)
		x.step(last)
		if s.r.t.info.From.After(x.Since) { // what was before the tape does not count
			x.Since = s.r.t.info.From
		}
	}
}

func (s *surveyor) record(x *StreamSurvey, size int64) {
	l, when := &s.r.line, time.Unix(0, s.r.now)
	if x.First.IsZero() {
		x.First = when
	}
	x.End = when
	if n := x.Counts.of(l.what); n != nil {
		*n++
	}
	if l.detail == nil {
		if l.what == "A" && model.Flag(l.flags)&(model.Initial|model.Replayed) != 0 {
			x.Initial++
		}
		x.Bytes += l.wireSize(size)
		return
	}
	state, e := StreamState{}, Entry{Record: model.Record{Time: when}}
	if s.r.detail(&e, &state) != nil {
		s.out.Damages = append(s.out.Damages, s.r.damage(1, "a line that cannot be understood"))
		return
	}
	s.out.Lost += e.Lost
	m := Moment{when, x.ID, e.Detail, e.Lost}
	switch d := e.Detail.(type) {
	case model.Transition:
		if d.Bare() {
			break
		}
		x.pass(when)
		x.Last, x.Since = d, when
		x.step(d)
		if d.Removes() {
			s.leave(x.ID)
		}
	case model.Gap:
		s.out.Gaps = keep(s.out.Gaps, m, &s.out.MoreGaps)
	case model.Note:
		if d.Cause == model.CauseMark {
			s.out.Marks = keep(s.out.Marks, m, &s.out.MoreMarks)
		}
	}
}

// keep adds to a list that is not full; else it counts.
func keep(list []Moment, m Moment, more *int64) []Moment {
	if len(list) == maxMoments {
		*more++
		return list
	}
	return append(list, m)
}

// step keeps what a shutdown would hide.
func (x *StreamSurvey) step(d model.Transition) {
	switch {
	case d.To == model.Stopped && d.Cause == model.CauseShutdown:
		return
	case d.Removes():
		x.Failure = model.Transition{}
	case d.To.Degraded() && d.To != model.Overdue && d.To != model.Relisting && d.Cause != model.CauseHostDown:
		x.Failure = d
	case d.To.Fresh() || d.To == model.Polling:
		x.Failure = model.Transition{}
	}
	x.Final = d
}

// pass counts the time since the newest step.
func (x *StreamSurvey) pass(when time.Time) {
	d := max(when.Sub(x.Since), 0)
	if x.Since.IsZero() || x.Last.To == model.Stopped || x.Last.To == model.Idle {
		return
	}
	x.Watched += d
	if x.Last.To.Fresh() {
		x.Fresh += d
	}
	if d > 0 {
		x.span(when)
	}
}

// span keeps what the time since the newest step was.
func (x *StreamSurvey) span(to time.Time) {
	n := len(x.Spans)
	s := Span{From: x.Since, To: to, Fresh: x.Last.To.Fresh(), Why: x.Last}
	if n > 0 {
		last := &x.Spans[n-1]
		if last.Rest {
			last.To = to
			return
		}
		if last.Fresh == s.Fresh && last.To.Equal(s.From) {
			if last.To = to; !last.Why.To.Degraded() && s.Why.To.Degraded() {
				last.Why = s.Why
			}
			return
		}
	}
	if n == maxMoments {
		s.Rest, s.Fresh = true, false
	}
	x.Spans = append(x.Spans, s)
}

func (s *surveyor) end(to time.Time) {
	for i := range s.out.Streams {
		s.out.Streams[i].pass(to)
	}
	for o := range s.live {
		if x := s.stream(s.of[o]); x != nil {
			x.Objects++
		}
	}
}

// sizes keeps how long the newest texts of objects, and the roots, are.
type sizes struct{ objects, roots map[uint64]int64 }

// of is the size of a line's text, 0 if that is not known.
func (z *sizes) of(l *line, object uint64) int64 {
	base := z.objects[object]
	if l.has&hasB != 0 {
		base = z.roots[l.b]
	}
	size := base // it stands
	switch {
	case l.base64 != nil:
		size = int64((len(l.base64)-2)/4*3 - bytes.Count(l.base64, []byte("=")))
	case l.delta != nil:
		size = max(splice.SizeJSON(base, l.delta), 0)
	}
	if l.has&hasR != 0 {
		z.roots[l.r] = size
	}
	if object != 0 {
		z.objects[object] = size
	}
	return size
}

// wireSize is the size on the wire of the frame that a line stands for.
func (l *line) wireSize(size int64) int64 {
	switch {
	case l.has&hasN != 0:
		return l.n
	case l.has&hasText == 0:
		return 0
	case l.what == "F" || model.Flag(l.flags)&model.Synthetic != 0:
		return size
	case l.has&hasW != 0:
		var w [2]string
		_ = json.Unmarshal(l.w, &w) // of no length, then
		return size + int64(len(w[0])+len(w[1]))
	}
	return size + int64(len(`{"type":"","object":}`)+len(typeOf(l.what).String()))
}
