package tape

import (
	"bytes"
	"strconv"

	"rewatch/model/jsonscan"
)

// Forms
//
// Most lines look like one before them but for a few values: a time, a name,
// a UID. A form is a line with holes; where it is used, only what fills the
// holes is written. Forms stand for text, before anything is read into it, so
// that a line comes back as it was, whatever it says. They are known from
// where they are declared to the end of the data frame.

// What fills a hole, as it is written between spaces. The last three kinds
// each have a list of the values that were seen lately.
const (
	holeText  = 's' // the text itself, which has no spaces, quotes or escapes
	holeNanos = 't' // the time since the record before
	holeMicro = 'm' // the same without its last three digits, which are 000 and part of the form
	holeTime  = 'z' // seconds from the record's time to the one in the text, such as 2026-12-01T00:00:00
	holeStamp = 'x' // nanoseconds from the record's time to the one in the text; both have hexadecimal digits
	holeDelta = 'n' // what the number is more than that of the hole of this kind before it in the data frame
	holeUUID  = 'u' // a UUID without its hyphens
	holeWord  = 'w' // as s
	holeEnd   = 'e' // as s: the end of a generated name
)

const (
	maxForms   = 4000     // in a data frame
	maxFormed  = 16 << 10 // bytes of a line that may have a form
	maxShapes  = 8 << 20  // bytes of all forms of a data frame, and of the lines that may become some
	maxHoles   = 200
	leastTwin  = 5   // bytes of a value that are no chance if they come twice in a line
	longestVal = 100 // bytes of a value
	recents    = 16  // values of one kind that are remembered
)

// memory is a list of values, the newest first. They stay where they are: it is
// their places that move.
type memory struct {
	values [recents][]byte
	order  [recents]uint8
	n      int
}

// at is the value at a place of the list.
func (m *memory) at(i int) []byte { return m.values[m.order[i]] }

// recall returns the place of a value, -1 if it was not there, and makes it the
// newest.
func (m *memory) recall(v []byte) int {
	for i := range m.n {
		if bytes.Equal(m.at(i), v) {
			m.front(i)
			return i
		}
	}
	m.push(v)
	return -1
}

// push puts a value in front, in place of the oldest.
func (m *memory) push(v []byte) {
	if m.n < recents {
		m.order[m.n] = uint8(m.n)
		m.n++
	}
	m.front(m.n - 1)
	x := &m.values[m.order[0]]
	*x = append((*x)[:0], v...)
}

func (m *memory) front(i int) {
	x := m.order[i]
	copy(m.order[1:i+1], m.order[:i])
	m.order[0] = x
}

// rolling is what the values of a data frame are relative to.
type rolling struct {
	number int64 // that the newest holeDelta stood for
	lists  [3]memory
}

func (r *rolling) reset() {
	r.number = 0
	for i := range r.lists {
		r.lists[i].n = 0
	}
}

// list returns the list of a kind, nil if it has none.
func (r *rolling) list(kind byte) *memory {
	switch kind {
	case holeUUID:
		return &r.lists[0]
	case holeWord:
		return &r.lists[1]
	case holeEnd:
		return &r.lists[2]
	}
	return nil
}

// former makes the forms of a data frame, in the Writer.
type former struct {
	numbers map[string]int // of forms by shape; -1: a line of this shape was written as it is
	count   int
	size    int // bytes of the shapes
	rolling rolling

	shape  []byte // the line; 0xFF, kind and place of the value stand for a hole
	kinds  []byte
	values [][]byte // views of the line
	out    []byte
}

func (f *former) reset() {
	if f.numbers == nil {
		f.numbers = map[string]int{}
	}
	clear(f.numbers)
	f.count, f.size = 0, 0
	f.rolling.reset()
}

// shorten returns what to write in place of a line, which may be a form and
// its use, its use, or the line. at is the time of its record. The result is
// valid until the next call.
func (f *former) shorten(line []byte, at int64) []byte {
	if len(line) > maxFormed || !f.scan(line, at) {
		return line
	}
	number, seen := f.numbers[string(f.shape)]
	f.out = f.out[:0]
	if !seen || number < 0 {
		if f.count >= maxForms || f.size > maxShapes {
			return line
		}
		f.size += len(f.shape) + 64
		if !seen {
			f.numbers[string(f.shape)] = -1
			return line
		}
		number = f.declare()
	}
	f.out = strconv.AppendInt(append(f.out, '"'), int64(number), 10)
	for i, v := range f.values {
		f.fill(f.kinds[i], v, at)
	}
	f.out = append(f.out, '"', '\n')
	return f.out
}

// fill writes a value.
func (f *former) fill(kind byte, v []byte, at int64) {
	f.out = append(f.out, ' ')
	if list := f.rolling.list(kind); list != nil {
		if i := list.recall(v); i >= 0 {
			if f.out = append(f.out, '~'); i > 0 {
				f.out = strconv.AppendInt(f.out, int64(i), 10)
			}
			return
		}
	}
	switch kind {
	case holeUUID:
		f.out = append(append(append(append(append(f.out, v[:8]...), v[9:13]...), v[14:18]...), v[19:23]...), v[24:]...)
	case holeTime:
		t, _ := parseSecond(v)
		f.out = strconv.AppendInt(f.out, t-floorSecond(at), 10)
	case holeStamp:
		f.out = strconv.AppendInt(f.out, parseHex(v)-at, 16)
	case holeDelta:
		n := parseDigits(v)
		f.out = strconv.AppendInt(f.out, n-f.rolling.number, 10)
		f.rolling.number = n
	default:
		f.out = append(f.out, v...)
	}
}

// scan splits a line into its shape and the values; false if it shall not have
// a form.
func (f *former) scan(line []byte, at int64) bool {
	f.shape, f.kinds, f.values = f.shape[:0], f.kinds[:0], f.values[:0]
	i, from := f.head(line)
	for quoted := false; i < len(line); {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
			i++
		case !quoted:
			i++
		case c == '\\':
			if i++; i < len(line) && line[i] == 'u' {
				i += 4
			}
			i++
		case c == 0xFF || len(f.values) > maxHoles-2:
			return false
		case !inValue[c]:
			i++
		default:
			end, kind, tail := valueAt(line, i, at)
			if kind != 0 {
				f.shape = append(f.shape, line[from:i]...)
				f.hole(kind, line[i:end-tail])
				if from = end; tail > 0 {
					f.shape = append(f.shape, '-')
					f.hole(holeEnd, line[end-tail+1:end])
				}
			}
			i = end
		}
	}
	f.shape = append(f.shape, line[min(from, len(line)):]...)
	return true
}

// head makes holes of the numbers that a line begins with, its time and the
// number of its object, and returns where to go on, and from where on the line
// is not yet in the shape.
func (f *former) head(line []byte) (i, from int) {
	number := func() []byte {
		from = i
		for i < len(line) && (line[i] >= '0' && line[i] <= '9' || line[i] == '-') {
			i++
		}
		return line[from:i]
	}
	const time, object = `{"t":`, `,"o":`
	if bytes.HasPrefix(line, []byte(time)) {
		i = len(time)
		v := number()
		if _, ok := parseInt(v); !ok {
			return 0, 0
		}
		f.shape = append(f.shape, time...)
		if n := len(v) - 3; n > 0 && string(v[n:]) == "000" {
			f.hole(holeMicro, v[:n])
			i -= 3
		} else {
			f.hole(holeNanos, v)
		}
		from = i
	}
	if o := bytes.Index(line[i:min(len(line), i+40)], []byte(object)); o >= 0 {
		i += o + len(object)
		f.shape = append(f.shape, line[from:i]...)
		f.hole(holeText, number())
		from = i
	}
	return i, from
}

// hole puts a value in the place of a text of the line, the same one as for an
// equal text before.
func (f *former) hole(kind byte, v []byte) {
	at := len(f.values)
	if len(v) >= leastTwin && kind != holeDelta {
		for i, o := range f.values {
			if f.kinds[i] == kind && bytes.Equal(o, v) {
				at = i
				break
			}
		}
	}
	if at == len(f.values) {
		f.values, f.kinds = append(f.values, v), append(f.kinds, kind)
	}
	f.shape = append(f.shape, 0xFF, kind, byte(at))
}

// declare gives the shape a number, and writes the form.
func (f *former) declare() int {
	number := f.count
	f.count++
	f.numbers[string(f.shape)] = number
	f.out = append(strconv.AppendInt(append(f.out, `{"form":`...), int64(number), 10), `,"holes":"`...)
	f.out = append(append(f.out, f.kinds...), `","line":[`...)
	rest := bytes.TrimSuffix(f.shape, []byte("\n"))
	for {
		text, hole, more := bytes.Cut(rest, []byte{0xFF})
		f.out = jsonscan.AppendQuote(f.out, string(text))
		if !more {
			break
		}
		f.out = append(strconv.AppendInt(append(f.out, ','), int64(hole[1]), 10), ',')
		rest = hole[2:]
	}
	f.out = append(f.out, "]}\n"...)
	return number
}
