package tape

import (
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
	has           uint
	what          string // e, or the name of the member that says what the line is
	t             int64
	o, b, r, sync uint64
	s             int64
	flags         uint64
	n             int64
	delta         []byte
	base64        []byte
	rv            string
	w             []byte
	id            []byte
	detail        []byte
	frame         *headerJSON
	stream        *streamJSON

	members []jsonscan.Member
}

var errLine = errors.New("a line that is none of the format")

// letterOf is letters backwards; L is an object of a checkpoint, F another frame.
func letterOf(v []byte) string {
	if len(v) == 3 && v[0] == '"' && v[2] == '"' {
		switch v[1] {
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
		if l.has&(hasO|hasS|hasB|hasText) != hasO|hasS|hasB|hasText {
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
		err = l.number(&l.o, hasO, v)
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
