package tape

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// Reading forms: lines come back as they were before they were shortened.

// form is a line with holes.
type form struct {
	holes  []byte
	pieces []formPiece
	size   int   // bytes and number of its pieces
	plan   *plan // nil if its lines have to be made to be understood
}

// formPiece is a text and the number of the value behind it, -1 for none.
type formPiece struct {
	text  []byte
	value int
}

// expander knows the forms of the data frame that is being read.
type expander struct {
	forms   []*form
	known   *knownForms // of other data frames; nil: there will be own ones
	rolling rolling
	out     []byte
	filled  []byte // all values of a line
	ends    []int  // where each ends in filled
	spent   int    // steps that this data frame took: bytes and pieces of lines
	odd     bool   // values of this data frame may mean something in JSON
}

// maxSpent bounds what the forms of one data frame may be made into: a form of
// megabytes that is used by lines of four bytes is a bomb.
const maxSpent = 512 << 20

func (x *expander) reset() {
	x.forms, x.spent, x.odd = x.forms[:0], 0, false
	x.rolling.reset()
}

var (
	formLine = []byte(`{"form":`)
	errForm  = fmt.Errorf("%w: a form that is none, or not known", errLine)
)

// expand returns what a line stands for: nil for the declaration of a form,
// and the line itself where no form is used. before is the time of the record
// before it. most is the most bytes that the result may have. It is valid
// until the next call.
func (x *expander) expand(line []byte, before int64, most int) ([]byte, error) {
	f, err := x.take(line, before)
	switch {
	case err != nil || f == declared:
		return nil, err
	case f == nil:
		return line, nil
	}
	return x.assemble(f, most)
}

// declared stands for the form of a line that declares one.
var declared = &form{}

// take fills in the values of a line that uses a form, which it returns: nil if
// it uses none.
func (x *expander) take(line []byte, before int64) (*form, error) {
	switch {
	case len(line) < 2 || line[0] != '"':
		if bytes.HasPrefix(line, formLine) {
			return declared, x.declare(line)
		}
		return nil, nil
	}
	rest := line[1 : len(line)-1]
	if line[len(line)-1] != '"' {
		return nil, errForm
	}
	f, rest, ok := x.used(rest)
	if !ok {
		return nil, errForm
	}
	x.filled, x.ends = x.filled[:0], x.ends[:0]
	at := before
	for _, kind := range f.holes {
		if len(rest) == 0 || rest[0] != ' ' {
			return nil, errForm
		}
		v := rest[1:]
		if end := bytes.IndexByte(v, ' '); end >= 0 {
			v = v[:end]
		}
		rest = rest[1+len(v):]
		if at, ok = x.fill(kind, v, before, at); !ok {
			return nil, errForm
		}
		x.ends = append(x.ends, len(x.filled))
	}
	if len(rest) > 0 {
		return nil, errForm
	}
	x.odd = x.odd || strange(line[1:len(line)-1])
	if x.spent += f.size + len(x.filled); x.spent > maxSpent {
		return nil, fmt.Errorf("%w: its lines are made into more than %d bytes", errForm, maxSpent)
	}
	return f, nil
}

// assemble makes the line of a form whose values are filled in.
func (x *expander) assemble(f *form, most int) ([]byte, error) {
	x.out = x.out[:0]
	for i := range f.pieces {
		p := &f.pieces[i]
		x.out = append(x.out, p.text...)
		if p.value >= 0 {
			v := x.value(p.value)
			x.out = append(x.out, v...)
			x.spent += len(v)
		}
		if len(x.out) > most {
			return nil, fmt.Errorf("%w: a line of more than %d bytes", errLine, most)
		}
	}
	return x.out, nil
}

// used returns the form that the body of a line begins with, and what is
// behind its number.
func (x *expander) used(body []byte) (f *form, rest []byte, ok bool) {
	number, i := 0, 0
	for ; i < len(body) && body[i] >= '0' && body[i] <= '9' && i < 9; i++ {
		number = number*10 + int(body[i]-'0')
	}
	if i == 0 || number >= len(x.forms) {
		return nil, nil, false
	}
	return x.forms[number], body[i:], true
}

// fill appends to filled what a value stands for. at is the time of the line's
// record, as far as known; returned with it, once it is.
func (x *expander) fill(kind byte, v []byte, before, at int64) (int64, bool) {
	from := len(x.filled)
	list := x.rolling.list(kind)
	switch {
	case list != nil && len(v) > 0 && v[0] == '~':
		if !list.recalled(v) {
			return at, false
		}
		x.filled = append(x.filled, list.at(0)...)
		return at, true
	case kind == holeUUID:
		if len(v) != 32 {
			return at, false
		}
		x.filled = appendUUID(x.filled, v)
	case kind == holeTime, kind == holeDelta, kind == holeNanos, kind == holeMicro:
		n, ok := parseInt(v)
		if !ok {
			return at, false
		}
		switch kind {
		case holeTime:
			if n < -farAway || n > farAway {
				return at, false
			}
			x.filled = appendSecond(x.filled, floorSecond(at)+n)
		case holeDelta:
			x.rolling.number += n
			x.filled = strconv.AppendInt(x.filled, x.rolling.number, 10)
		case holeMicro:
			if n > math.MaxInt64/1000 || n < -math.MaxInt64/1000 {
				return at, false
			}
			at = before + n*1000
			x.filled = append(x.filled, v...)
		case holeNanos:
			at = before + n
			x.filled = append(x.filled, v...)
		}
	case kind == holeStamp:
		n, err := strconv.ParseInt(string(v), 16, 64)
		if err != nil {
			return at, false
		}
		x.filled = strconv.AppendInt(x.filled, at+n, 16)
	default:
		x.filled = append(x.filled, v...)
	}
	if list != nil {
		list.push(x.filled[from:])
	}
	return at, true
}

// recalled moves the value to the front whose place a line tells as ~ and a
// number.
func (m *memory) recalled(v []byte) bool {
	i, ok := int64(0), true
	if len(v) > 1 {
		i, ok = parseInt(v[1:])
	}
	if ok = ok && i >= 0 && i < int64(m.n); ok {
		m.front(int(i))
	}
	return ok
}

// appendUUID appends 32 digits with the hyphens.
func appendUUID(dst, v []byte) []byte {
	dst = append(append(append(dst, v[:8]...), '-'), v[8:12]...)
	dst = append(append(append(dst, '-'), v[12:16]...), '-')
	return append(append(append(dst, v[16:20]...), '-'), v[20:]...)
}

// parseInt reads a decimal number of at most 19 digits, without a plus.
func parseInt(v []byte) (n int64, ok bool) {
	digits := v
	if len(v) > 0 && v[0] == '-' {
		digits = v[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		n, err := strconv.ParseInt(string(v), 10, 64)
		return n, err == nil && len(digits) == 19 && digits[0] != '+'
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(v) {
		n = -n
	}
	return n, true
}

// delta returns how much later a line is than the record before it, without
// expanding it; ok is false if it does not begin with its time.
func (x *expander) delta(line []byte) (t int64, ok bool) {
	if len(line) < 2 || line[0] != '"' {
		return 0, false
	}
	f, rest, ok := x.used(line[1 : len(line)-1])
	if !ok || len(f.holes) == 0 || len(rest) < 2 {
		return 0, false
	}
	v, _, _ := bytes.Cut(rest[1:], []byte(" "))
	n, ok := parseInt(v)
	switch f.holes[0] {
	case holeNanos:
		return n, ok
	case holeMicro:
		return n * 1000, ok
	}
	return 0, false
}
