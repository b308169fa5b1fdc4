package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// Which members a line has.
const (
	hasT = 1 << iota
	hasO
	hasS
	hasB
	hasR
	hasN
	hasRV
	hasW
	hasID
	hasText
	hasBack
)

// line is one parsed line. Its slices are parts of the line's bytes.
type line struct {
	has        uint
	what       string // e, or the name of the member that says what the line is
	t          int64
	b, r, sync uint64
	o          int64 // more than that of the line before
	s          int64
	flags      uint64
	n          int64
	delta      []byte
	base64     []byte
	rv         string
	w          []byte
	id         []byte
	detail     []byte
	frame      *headerJSON
	stream     *streamJSON
	form       *form    // of a line that was skimmed: delta is not made, but
	values     []byte   // the values that it would have
	splice     *waiting // the same, if there is one already

	members []jsonscan.Member
}

var errLine = errors.New("a line that is none of the format")

// letterOf is letters backwards; L is an object of a checkpoint, F another frame.
func letterOf(v []byte) string {
	if len(v) == 3 && v[0] == '"' && v[2] == '"' {
		return letterName(v[1])
	}
	return ""
}

// letterName is a letter as a text, "" if it is none.
func letterName(letter byte) string {
	switch letter {
	case 'A':
		return "A"
	case 'M':
		return "M"
	case 'D':
		return "D"
	case 'B':
		return "B"
	case 'L':
		return "L"
	case 'F':
		return "F"
	}
	return ""
}

func typeOf(letter string) model.Type {
	for t, l := range letters {
		if l == letter {
			return model.Type(t)
		}
	}
	return 0
}

// parse reads one line. Members that are not known are passed over.
func (l *line) parse(b []byte) (err error) {
	*l = line{members: l.members[:0]}
	if l.members, err = jsonscan.AppendMembers(l.members, b); err != nil {
		return err
	}
	for _, m := range l.members {
		v := m.Of(b)
		if err = l.member(m.Key, v); err != nil {
			return err
		}
	}
	switch l.what {
	case "":
		return errLine
	case "frame":
		if l.has&hasT == 0 {
			return errLine
		}
		return json.Unmarshal(b, l.frame)
	case "L":
		if l.has&(hasS|hasB|hasText|hasT) != hasS|hasB|hasText {
			return errLine
		}
	case "stream", "sync":
	default:
		if l.has&hasT == 0 {
			return errLine
		}
	}
	return nil
}

// isRecord reports whether a parsed line is of a record: the others are the
// first of a data frame, declarations, seals and objects of a checkpoint.
func (l *line) isRecord() bool { return l.has&hasT != 0 && l.frame == nil && l.what != "L" }

func (l *line) member(name string, v []byte) (err error) {
	switch name {
	case "t":
		l.has |= hasT
		l.t, err = strconv.ParseInt(string(v), 10, 64)
	case "e":
		if l.what = letterOf(v); l.what == "" {
			err = errLine
		}
	case "o":
		l.has |= hasO
		l.o, err = strconv.ParseInt(string(v), 10, 64)
	case "b":
		err = l.number(&l.b, hasB, v)
	case "r":
		err = l.number(&l.r, hasR, v)
	case "s":
		l.has |= hasS
		l.s, err = strconv.ParseInt(string(v), 10, 32)
	case "d":
		l.has, l.delta = l.has|hasText, v
	case "x":
		l.has, l.base64 = l.has|hasText, v
	case "f":
		l.flags, err = strconv.ParseUint(string(v), 10, 16)
	case "n":
		l.has |= hasN
		l.n, err = strconv.ParseInt(string(v), 10, 48)
	case "back":
		if string(v) == "true" {
			l.has |= hasBack
		}
	case "rv":
		l.has |= hasRV
		l.rv, err = jsonscan.Unquote(v)
	case "w":
		l.has, l.w = l.has|hasW, v
	case "id":
		l.has, l.id = l.has|hasID, v
	default:
		return l.special(name, v)
	}
	return err
}

func (l *line) number(dst *uint64, bit uint, v []byte) (err error) {
	l.has |= bit
	*dst, err = strconv.ParseUint(string(v), 10, 63)
	return err
}

// special reads the members that make a line something else than a frame.
func (l *line) special(name string, v []byte) (err error) {
	switch name {
	case "transition", "gap", "note", "lost":
		l.what, l.detail = nameOf(name), v
	case "stream":
		l.what, l.stream = "stream", &streamJSON{}
		err = json.Unmarshal(v, l.stream)
	case "sync":
		l.what = "sync"
		l.sync, err = strconv.ParseUint(string(v), 10, 32)
	case "frame":
		l.what = "frame"
		if l.frame == nil {
			l.frame = &headerJSON{}
		}
		l.frame.Frame, err = strconv.ParseInt(string(v), 10, 63)
	default:
		return nil
	}
	return err
}

// nameOf returns a name that is no view of a buffer.
func nameOf(name string) string {
	switch name {
	case "transition":
		return "transition"
	case "gap":
		return "gap"
	case "note":
		return "note"
	}
	return "lost"
}

// scan reads the lines of a data frame for what they say without any object.
type scan struct {
	text   []byte // what is left of it
	line   *line
	limit  int    // bytes of a line
	now    int64  // time of the newest record
	object uint64 // number of the line's object, 0 for none
	stream model.StreamID

	number   objectNumber
	expander expander
	streams  map[uint64]model.StreamID // of objects
}

func newScan(text []byte, l *line, limit int) *scan {
	return &scan{text: text, line: l, limit: limit, streams: map[uint64]model.StreamID{}}
}

// next reads the next line that is no form; false at the end. stream is then
// that of the line, as far as it or one before it tells, -1 otherwise.
func (s *scan) next() (bool, error) {
	for len(s.text) > 0 {
		one, rest, _ := bytes.Cut(s.text, []byte("\n"))
		s.text = rest
		one, err := s.expander.expand(one, s.now, s.limit)
		if err != nil {
			return false, err
		}
		if one == nil {
			continue
		}
		if err := s.line.parse(one); err != nil {
			return false, err
		}
		s.place()
		return true, nil
	}
	return false, nil
}

// place finds out what the line's time, object and stream are.
func (s *scan) place() {
	l := s.line
	s.object, s.stream = 0, -1
	switch {
	case l.frame != nil:
		s.now, s.number = l.frame.T, objectNumber{l.frame.O, l.frame.O}
		s.expander.reset()
		return
	case l.isRecord():
		s.now += l.t
	case l.what != "L":
		return
	}
	if l.has&(hasO|hasB) != 0 {
		s.object = s.number.of(l)
	}
	if l.has&hasS != 0 {
		s.stream = model.StreamID(l.s)
		if s.object != 0 {
			s.streams[s.object] = s.stream
		}
	} else if known, ok := s.streams[s.object]; ok && s.object != 0 {
		s.stream = known
	}
}

// objectNumber finds the numbers of objects, which lines tell relative to the
// one before in the data frame.
type objectNumber struct{ near, newest uint64 }

// of returns the number of a line's object.
func (n *objectNumber) of(l *line) uint64 {
	if n.near += uint64(l.o); l.has&hasO == 0 {
		n.near = n.newest + 1
	}
	n.newest = max(n.newest, n.near)
	return n.near
}
