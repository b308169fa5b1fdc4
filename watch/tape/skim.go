package tape

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	"rewatch/model/jsonscan"
)

// Reading on without looking at objects
//
// Where only the state is wanted, most lines need no more than the number of
// their object: a later line replaces what they say, or nobody asks. So of a
// line that uses a form, the values are noted as they are, and its text is made
// when somebody asks for the object.

// plan is what can be known of the lines that use a form without making them.
type plan struct {
	line    line // what they have in common
	numbers []planNumber
	delta   []formPiece            // of their splice, with values counted from first
	first   int                    // the first value that is in the splice
	end     int                    // behind the last one
	bare    []int                  // values in the splice that stand outside of strings
	recipe  atomic.Pointer[recipe] // of the splice, once somebody has asked
}

// planNumber is a member that is the value of a hole, times something.
type planNumber struct {
	key   byte
	value int
	times int64
}

// planned is nil for forms whose lines have to be made to be understood.
func (f *form) planned() *plan {
	text := make([]byte, 0, f.size)
	holes := make([]formHole, 0, len(f.pieces))
	for _, p := range f.pieces {
		if text = append(text, p.text...); p.value >= 0 {
			holes = append(holes, formHole{len(text), p.value})
			text = append(text, '7') // is right in strings and as a number
		}
	}
	members, err := jsonscan.AppendMembers(nil, text)
	if err != nil {
		return nil
	}
	p := &plan{}
	seen := uint(0)
	for _, m := range members {
		if len(m.Key) != 1 || m.Key[0] < 'a' || m.Key[0] > 'z' || seen&(1<<(m.Key[0]-'a')) != 0 {
			return nil
		}
		seen |= 1 << (m.Key[0] - 'a')
		within := 0
		for within < len(holes) && holes[within].at < m.End {
			within++
		}
		if !p.member(m, text, holes[:within]) {
			return nil
		}
		holes = holes[within:]
	}
	l := &p.line
	if len(holes) > 0 || l.has&(hasO|hasB) == 0 || l.what == "F" || l.what == "" {
		return nil
	}
	if l.what == "L" && l.has&(hasS|hasB|hasText|hasT) != hasS|hasB|hasText || l.what != "L" && l.has&hasT == 0 {
		return nil
	}
	return p
}

// formHole is the place of a hole in a line, and the number of its value.
type formHole struct{ at, value int }

// member takes in one member of a line; holes are those from its key on.
func (p *plan) member(m jsonscan.Member, text []byte, holes []formHole) bool {
	key, value := m.Key[0], m.Of(text)
	if len(holes) > 0 && holes[0].at < m.Start {
		return false
	}
	switch key {
	case 'd':
		p.splice(m, text, holes)
		return true
	case 't', 'o', 'b', 's', 'f', 'n', 'e':
	default:
		return false
	}
	if len(holes) == 0 {
		return p.line.member(m.Key, value) == nil
	}
	times := int64(1)
	switch {
	case len(holes) > 1 || holes[0].at != m.Start || key == 'e':
		return false
	case string(value) == "7000":
		times = 1000
	case string(value) != "7":
		return false
	}
	p.numbers = append(p.numbers, planNumber{key, holes[0].value, times})
	return p.line.member(m.Key, []byte("0")) == nil // for what it has
}

// splice takes in the member d.
func (p *plan) splice(m jsonscan.Member, text []byte, holes []formHole) {
	p.line.has |= hasText
	at, quoted := m.Start, false
	p.delta = make([]formPiece, 0, len(holes)+1)
	if len(holes) > 0 {
		p.first = math.MaxInt
	}
	for _, h := range holes {
		p.first, p.end = min(p.first, h.value), max(p.end, h.value+1)
	}
	for _, h := range holes {
		run := text[at:h.at]
		for i := 0; i < len(run); i++ {
			switch run[i] {
			case '\\':
				i++
			case '"':
				quoted = !quoted
			}
		}
		if !quoted {
			p.bare = append(p.bare, h.value)
		}
		p.delta = append(p.delta, formPiece{run, h.value - p.first})
		at = h.at + 1
	}
	p.delta = append(p.delta, formPiece{text[at:m.End], -1})
}

// skim makes l the line of a form whose values are filled in, without making
// its text and without the values of its splice; false if that has to be made.
func (x *expander) skim(l *line, f *form, limit int) bool {
	return f.size+len(x.filled) < limit && l.skim(f, x)
}

// noteValues copies the values of the splice of a line that was skimmed to a.
func (x *expander) noteValues(l *line, f *form, a *arena) {
	if p := f.plan; p.end > 0 {
		l.values = x.appendValues(a.room(len(x.filled)+10*len(x.ends)), p) // at most
		a.keep(l.values)
	}
}

// arena is memory for many texts that stay.
type arena []byte

// room returns room for a text.
func (a *arena) room(size int) []byte {
	if cap(*a)-len(*a) < size {
		*a = make([]byte, 0, max(256<<10, size))
	}
	return (*a)[len(*a):len(*a)]
}

// keep makes what was put into the room stay.
func (a *arena) keep(text []byte) { *a = (*a)[:len(*a)+len(text)] }

// skim is expander.skim without the values.
func (l *line) skim(f *form, x *expander) bool {
	p := f.plan
	if p == nil || x.odd {
		return false
	}
	for _, i := range p.bare {
		for _, c := range x.value(i) {
			if c < '0' || c > '9' {
				return false
			}
		}
	}
	members := l.members[:0]
	*l = p.line
	l.members, l.form = members, f
	for i := range p.numbers {
		q := &p.numbers[i]
		n, ok := parseInt(x.value(q.value))
		if !ok || q.times > 1 && (n > math.MaxInt64/q.times || n < -math.MaxInt64/q.times) {
			return false
		}
		n *= q.times
		switch q.key {
		case 't':
			l.t = n
		case 'o':
			l.o = n
		case 'b':
			l.b, ok = uint64(n), n >= 0
		case 's':
			l.s, ok = n, n >= math.MinInt32 && n <= math.MaxInt32
		case 'f':
			l.flags, ok = uint64(n), n >= 0 && n <= math.MaxUint16
		case 'n':
			l.n, ok = n, n > -1<<47 && n < 1<<47
		}
		if !ok {
			return false
		}
	}
	return true
}

// value is what a hole of the newest line is filled with.
func (x *expander) value(i int) []byte {
	from := 0
	if i > 0 {
		from = x.ends[i-1]
	}
	return x.filled[from:x.ends[i]]
}

// strange reports whether the values of a line may mean something else than
// text in a JSON string.
func strange(values []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(values) >= 8; values = values[8:] { // eight at a time
		x := binary.LittleEndian.Uint64(values)
		quote, back := x^('"'*ones), x^('\\'*ones)
		if ((x-' '*ones)&^x|(quote-ones)&^quote|(back-ones)&^back)&tops != 0 {
			return true
		}
	}
	for _, c := range values {
		if c < ' ' || c == '"' || c == '\\' {
			return true
		}
	}
	return false
}

// appendValues appends the values that the splice of the newest line has.
func (x *expander) appendValues(dst []byte, p *plan) []byte {
	from := 0
	if p.first > 0 {
		from = x.ends[p.first-1]
	}
	for i, at := p.first, from; i < p.end; i++ {
		dst = binary.AppendUvarint(dst, uint64(x.ends[i]-at))
		at = x.ends[i]
	}
	return append(dst, x.filled[from:x.ends[p.end-1]]...)
}

// speller makes the texts of splices that waited.
type speller struct {
	out  []byte
	ends []int
}

// spell returns the text of a splice that waited, valid until the next call.
func (s *speller) spell(w *waiting) []byte {
	if w.form == nil {
		return w.data
	}
	p := w.form.plan
	values, _ := s.values(w)
	out := s.out[:0]
	for i := range p.delta {
		d := &p.delta[i]
		if out = append(out, d.text...); d.value >= 0 {
			from := 0
			if d.value > 0 {
				from = s.ends[d.value-1]
			}
			out = append(out, values[from:s.ends[d.value]]...)
		}
	}
	if s.out = out; cap(out) > 1<<20 {
		s.out = nil
	}
	return out
}
