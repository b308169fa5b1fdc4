package splice

import (
	"unicode/utf8"

	"rewatch/model/jsonscan"
)

// reader reads the JSON spelling of a splice.
type reader struct {
	text  []byte
	at    int
	begun bool
	ended bool
	wrong bool
}

// step reads the next step; false at the end and where the text is none.
// insert is the JSON string, with its quotes, or nil; plain is whether its body
// stands for itself.
func (r *reader) step() (copied uint64, insert []byte, plain bool, jump int64, ok bool) {
	if !r.item() {
		return 0, nil, false, 0, false
	}
	copied = r.number()
	if r.item() {
		insert, plain = r.quoted()
	}
	if r.item() {
		negative := r.text[r.at] == '-'
		if negative {
			r.at++
		}
		if jump = int64(r.number()); negative {
			jump = -jump
		}
	}
	return copied, insert, plain, jump, !r.wrong
}

// item moves to the next item; false at the end and where there should be one.
func (r *reader) item() bool {
	if r.ended || r.wrong {
		return false
	}
	r.space()
	switch c := r.peek(); {
	case !r.begun && c == '[':
		r.begun = true
		if r.at++; r.space() == ']' {
			return r.end()
		}
	case r.begun && c == ',':
		r.at++
		r.space()
	case r.begun && c == ']':
		return r.end()
	default:
		r.wrong = true
	}
	if r.at >= len(r.text) {
		r.wrong = true
	}
	return !r.wrong
}

func (r *reader) end() bool {
	r.at++
	r.ended = true
	r.wrong = r.space() != 0 || r.at != len(r.text)
	return false
}

func (r *reader) peek() byte {
	if r.at >= len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// space skips space, and returns what comes then.
func (r *reader) space() byte {
	for {
		switch c := r.peek(); c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
}

// number reads digits: at most 18, which no count of bytes needs.
func (r *reader) number() (n uint64) {
	from := r.at
	for r.at < len(r.text) && r.text[r.at]-'0' <= 9 {
		n = n*10 + uint64(r.text[r.at]-'0')
		r.at++
	}
	if digits := r.at - from; digits == 0 || digits > 18 {
		r.wrong = true
	}
	return n
}

func (r *reader) quoted() (s []byte, plain bool) {
	from := r.at
	if r.text[from] != '"' {
		r.wrong = true
		return nil, false
	}
	plain = true
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return r.text[from:r.at], plain
		case c == '\\':
			plain = false
			r.at++
		case c < 0x20 || c >= utf8.RuneSelf:
			plain = false
		}
	}
	r.wrong = true
	return nil, false
}

// ApplyJSON is Apply for the JSON spelling.
func ApplyJSON(dst, base, text []byte, limit int) ([]byte, error) {
	b := build{out: dst, base: base, room: limit}
	r := reader{text: text}
	for {
		copied, insert, plain, jump, ok := r.step()
		if !ok {
			break
		}
		if err := b.copyRun(copied); err != nil {
			return dst, err
		}
		var err error
		switch {
		case plain:
			err = b.insert(insert[1 : len(insert)-1])
		case insert != nil:
			s, wrong := jsonscan.Unquote(insert)
			if err = b.insert([]byte(s)); wrong != nil {
				err = ErrMalformed
			}
		}
		if err != nil {
			return dst, err
		}
		if b.jump(jump) != nil {
			return dst, ErrMalformed
		}
	}
	if r.wrong {
		return dst, ErrMalformed
	}
	if err := b.copyRun(uint64(len(base) - b.cursor)); err != nil {
		return dst, err
	}
	return b.out, nil
}

// SizeJSON is the size of what ApplyJSON makes of a base of some size, -1 if
// it makes nothing.
func SizeJSON(base int64, text []byte) (size int64) {
	cursor := int64(0)
	r := reader{text: text}
	for {
		copied, insert, plain, jump, ok := r.step()
		if !ok {
			break
		}
		size += int64(copied)
		switch {
		case plain:
			size += int64(len(insert) - 2)
		case insert != nil:
			s, err := jsonscan.Unquote(insert)
			if size += int64(len(s)); err != nil {
				return -1
			}
		}
		cursor += int64(copied) + jump
		if cursor < 0 || cursor > base || size < 0 {
			return -1
		}
	}
	if r.wrong {
		return -1
	}
	return size + base - cursor
}
