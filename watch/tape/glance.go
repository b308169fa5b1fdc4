package tape

import "bytes"

// Passing over lines
//
// Of the lines of objects that nobody wants, no more is needed than what those
// behind them hang by: their times, the numbers of their objects, and what their
// values do to the lists of values seen lately.

// span is a place of a value in a line.
type span struct{ from, to int }

// glance reports whether a line that uses a form is of an object that nobody
// wants, and takes it in then. ok is false if the data frame has to be read
// otherwise.
func (d *digester) glance(one []byte, x *digest) (passed, ok bool) {
	if len(one) < 2 || one[0] != '"' {
		return false, true
	}
	body := one[1 : len(one)-1]
	f, rest, known := d.expander.used(body)
	if !known || f.plan == nil || f.plan.line.what == "B" || d.expander.odd || !d.split(f, body, len(body)-len(rest)) || strange(body) {
		return false, true // whatever is wrong shows in the usual way
	}
	t, o, ok := d.numbers(f, body)
	if !ok {
		return false, true
	}
	number := d.number
	if n := number.of(&line{has: f.plan.line.has, o: o}); d.only[n] {
		return false, true
	}
	d.number = number
	for i, kind := range f.holes {
		if !d.expander.follow(kind, body[d.spans[i].from:d.spans[i].to]) {
			return false, false
		}
	}
	l := &d.line
	l.has, l.frame, l.t = f.plan.line.has, nil, t
	if f.plan.line.what == "L" {
		x.owed++
	} else {
		d.passed += t
		x.passed++
	}
	return true, true
}

// split finds the values of a line, which begin at some place of its body.
func (d *digester) split(f *form, body []byte, at int) bool {
	d.spans = d.spans[:0]
	for range f.holes {
		if at >= len(body) || body[at] != ' ' {
			return false
		}
		at++
		end := bytes.IndexByte(body[at:], ' ')
		if end < 0 {
			end = len(body) - at
		}
		d.spans = append(d.spans, span{at, at + end})
		at += end
	}
	return at == len(body)
}

// numbers are the time and the object of a line; ok is false where they are not
// as they are in the line.
func (d *digester) numbers(f *form, body []byte) (t, o int64, ok bool) {
	t, o = f.plan.line.t, f.plan.line.o
	for i := range f.plan.numbers {
		q := &f.plan.numbers[i]
		if q.key != 't' && q.key != 'o' {
			continue
		}
		switch f.holes[q.value] {
		case holeText, holeNanos, holeMicro:
		default:
			return 0, 0, false
		}
		at := d.spans[q.value]
		n, ok := parseInt(body[at.from:at.to])
		if !ok || n > farAway*1000 || n < -farAway*1000 {
			return 0, 0, false
		}
		if q.key == 't' {
			t = n * q.times
		} else {
			o = n * q.times
		}
	}
	return t, o, true
}

// follow is fill for a value that nobody asks for.
func (x *expander) follow(kind byte, v []byte) bool {
	list := x.rolling.list(kind)
	switch {
	case kind == holeDelta:
		n, ok := parseInt(v)
		x.rolling.number += n
		return ok
	case list == nil:
		return true
	case len(v) > 0 && v[0] == '~':
		return list.recalled(v)
	case kind == holeUUID:
		if len(v) != 32 {
			return false
		}
		var room [36]byte
		list.push(appendUUID(room[:0], v))
	default:
		list.push(v)
	}
	return true
}
