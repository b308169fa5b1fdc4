package tape

import (
	"bytes"
	"errors"
	"strconv"
	"time"

	"rewatch/model"
)

// Survey is what a tape holds, told from its lines: no object is rebuilt.
type Survey struct {
	Streams []StreamSurvey // by number
	Gaps    []Moment       // in the recorded watches, and of the recorder
	Marks   []Moment
	Lost    int64     // frames that the recorder could not write in time
	Damages []*Damage // met on the way; what they hide is not counted
}

// StreamSurvey says what of a stream is on the tape.
type StreamSurvey struct {
	StreamState           // at the end
	Counts                // of its records
	First, End  time.Time // its first and newest record; zero without any
	// Watched is from its first step to the end of the tape, or to its own end
	// if it stopped before; Fresh is how much of that it was known to be
	// current. Both are 0 if the tape has no steps of it.
	Watched, Fresh time.Duration
	Bytes          int64 // on the wire, of its frames
	Objects        int   // that exist at the end
}

// Moment is a record that is no frame.
type Moment struct {
	Time   time.Time
	Stream model.StreamID
	Detail any   // model.Gap or model.Note
	Lost   int64 // see Entry
}

// maxMoments bounds the lists of a Survey, against a tape of nothing but gaps.
const maxMoments = 10_000

// Survey reads the lines of the whole tape. It costs about as much as unpacking
// it. The error is ErrLimit, ErrVersion or one of the io.ReaderAt.
func (t *Tape) Survey() (*Survey, error) {
	s := &surveyor{r: t.reader(0), out: &Survey{}, of: map[uint64]model.StreamID{}, live: map[uint64]bool{}}
	for _, i := range t.info.Streams {
		s.stream(i.ID).StreamInfo = i
	}
	for i := range t.parts {
		p := &t.parts[i]
		if p.damage != nil {
			s.out.Damages = append(s.out.Damages, p.damage)
			continue
		}
		s.r.in = p
		var err error
		if s.r.buf, err = t.load(s.r.buf[:0], p); errors.Is(err, errDamaged) {
			s.out.Damages = append(s.out.Damages, s.r.damage(int(p.Records), err.Error()))
			continue
		} else if err != nil {
			return nil, err
		}
		if err := s.frame(s.r.buf); err != nil {
			return nil, err
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
	for one := range bytes.Lines(text) {
		if l.parse(bytes.TrimSuffix(one, []byte("\n"))) != nil {
			s.out.Damages = append(s.out.Damages, s.r.damage(-1, "a line that cannot be understood"))
			return nil
		}
		switch {
		case l.frame != nil:
			if l.frame.Version > Version {
				return ErrVersion
			}
			if s.r.now = l.frame.T; l.frame.Format != "" { // a segment names what exists
				clear(s.live)
			}
			continue
		case l.stream != nil:
			s.declare(l.stream)
			continue
		case l.what == "sync":
			continue
		}
		x := s.stream(l.streamOf(s.of))
		if x == nil {
			continue // hangs by what is damaged
		}
		if l.has&hasO != 0 && l.what != "B" {
			s.live[l.o] = true
			if l.what == "D" {
				delete(s.live, l.o)
				delete(s.of, l.o)
			}
		}
		if l.isRecord() {
			s.r.now += l.t
			s.record(x)
		}
	}
	return nil
}

// declare takes the state of a stream from a segment, if it is not known.
func (s *surveyor) declare(j *streamJSON) {
	x := s.stream(j.ID)
	if x == nil || j.Last == nil || !x.Since.IsZero() {
		return
	}
	if last, err := j.Last.transition(); err == nil {
		x.Last, x.Since = last, instant(j.Since)
		if s.r.t.info.From.After(x.Since) { // what was before the tape does not count
			x.Since = s.r.t.info.From
		}
	}
}

func (s *surveyor) record(x *StreamSurvey) {
	l, when := &s.r.line, time.Unix(0, s.r.now)
	if x.First.IsZero() {
		x.First = when
	}
	x.End = when
	if n := x.Counts.of(l.what); n != nil {
		*n++
	}
	if l.detail == nil {
		x.Bytes += l.wireSize()
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
		x.pass(when)
		x.Last, x.Since = d, when
	case model.Gap:
		if len(s.out.Gaps) < maxMoments {
			s.out.Gaps = append(s.out.Gaps, m)
		}
	case model.Note:
		if d.Cause == model.CauseMark && len(s.out.Marks) < maxMoments {
			s.out.Marks = append(s.out.Marks, m)
		}
	}
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

// wireSize is the size on the wire of the frame that a line stands for.
func (l *line) wireSize() int64 {
	size := textSize(l.delta)
	if l.base64 != nil {
		size = int64(len(l.base64)-2) / 4 * 3
	}
	switch {
	case l.has&hasN != 0:
		return l.n
	case l.has&hasText == 0 || l.what == "F" || model.Flag(l.flags)&model.Synthetic != 0:
		return size
	case l.has&hasW != 0:
		return size + textSize(l.w)
	}
	return size + int64(len(`{"type":"","object":}`)+len(typeOf(l.what).String()))
}

// textSize is the size of the text that a splice makes: of its copies, and of
// its inserts without what JSON needs around and in them.
func textSize(splice []byte) (size int64) {
	copies, n := true, int64(0)
	for i := 0; i < len(splice); i++ {
		switch c := splice[i]; {
		case c == '"':
			for i++; i < len(splice) && splice[i] != '"'; i++ {
				if splice[i] == '\\' && i+1 < len(splice) {
					if i++; splice[i] == 'u' && i+4 < len(splice) {
						size += escaped(splice[i+1:i+5]) - 1
						i += 4
					}
				}
				size++
			}
			copies = false // a jump follows
		case c >= '0' && c <= '9':
			for ; i < len(splice) && splice[i] >= '0' && splice[i] <= '9'; i++ {
				n = n*10 + int64(splice[i]-'0')
			}
			if i--; copies {
				size += n
			}
			n, copies = 0, true
		}
	}
	return size
}

// escaped is the size in UTF-8 of a character given by four hexadecimal digits;
// half of a pair has half of that.
func escaped(hex []byte) int64 {
	n, err := strconv.ParseUint(string(hex), 16, 16)
	switch {
	case err == nil && n < 0x80:
		return 1
	case err == nil && n < 0x800, n >= 0xd800 && n < 0xe000:
		return 2
	}
	return 3
}
