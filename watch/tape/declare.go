package tape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Reading the declarations of forms

// formJSON is the declaration of a form: texts and numbers of values take
// turns.
type formJSON struct {
	Form  int    `json:"form"`
	Holes string `json:"holes"`
	Line  []any  `json:"line"`
}

// knownForms remembers the forms of a tape by what their declarations say behind
// the number: most data frames declare the same ones. It may be used from any
// goroutine; nobody changes a form.
type knownForms struct {
	mu   sync.RWMutex
	of   map[string]*form
	size int // bytes of the declarations
}

const maxKnown = 4 << 20

var (
	formWord = []byte(`"form"`)
	escaped  = []byte(`\u`)
)

func (k *knownForms) get(says []byte) *form {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.of[string(says)]
}

// read is readForm, once for all who come to the same declaration. They wait for
// each other: data frames that are read side by side declare the same forms.
func (k *knownForms) read(line, says []byte, number int) (*form, error) {
	if f := k.get(says); f != nil {
		return f, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.of[string(says)]; f != nil {
		return f, nil
	}
	f, err := readForm(line, number)
	if err != nil || bytes.Contains(bytes.ToLower(says), formWord) || bytes.Contains(says, escaped) {
		return f, err
	}
	if k.size += len(says); k.of == nil || k.size > maxKnown {
		k.of, k.size = map[string]*form{}, len(says)
	}
	k.of[string(says)] = f
	return f, nil
}

func (x *expander) declare(line []byte) error {
	number := strconv.AppendInt(append(make([]byte, 0, 32), formLine...), int64(len(x.forms)), 10)
	says, usual := bytes.CutPrefix(line, append(number, ','))
	if x.known == nil {
		x.known = &knownForms{}
	}
	var f *form
	var err error
	if usual {
		f, err = x.known.read(line, says, len(x.forms))
	} else {
		f, err = readForm(line, len(x.forms))
	}
	if err == nil {
		x.forms = append(x.forms, f)
	}
	return err
}

// readForm reads the declaration of the form with this number.
func readForm(line []byte, number int) (*form, error) {
	f := formAsWritten(line, number)
	if f == nil {
		var err error
		if f, err = formOf(line, number); err != nil {
			return nil, err
		}
	}
	f.plan = f.planned()
	return f, nil
}

// formOf reads a declaration of any spelling.
func formOf(line []byte, number int) (*form, error) {
	var j formJSON
	if err := json.Unmarshal(line, &j); err != nil {
		return nil, fmt.Errorf("%w: %w", errForm, err)
	}
	if j.Form != number {
		return nil, errForm
	}
	f := &form{holes: []byte(j.Holes)}
	for i, p := range j.Line {
		switch p := p.(type) {
		case string:
			if i%2 != 0 {
				return nil, errForm
			}
			f.pieces = append(f.pieces, formPiece{[]byte(p), -1})
			f.size += len(p) + 8
		case float64:
			n := int(p)
			if i%2 == 0 || float64(n) != p || n < 0 || n >= len(f.holes) {
				return nil, errForm
			}
			f.pieces[len(f.pieces)-1].value = n
		default:
			return nil, errForm
		}
	}
	return f, nil
}

// formAsWritten reads a declaration as a Writer spells it, if its texts are of
// ASCII; nil for any other.
func formAsWritten(line []byte, number int) *form {
	rest, found := bytes.CutPrefix(line, strconv.AppendInt(append(make([]byte, 0, 32), formLine...), int64(number), 10))
	if rest, found = cutIf(rest, found, `,"holes":"`); !found {
		return nil
	}
	holes, rest, found := bytes.Cut(rest, []byte(`"`))
	if rest, found = cutIf(rest, found, `,"line":[`); !found || bytes.ContainsFunc(holes, func(c rune) bool { return c < 'a' || c > 'z' }) {
		return nil
	}
	f := &form{holes: bytes.Clone(holes), pieces: make([]formPiece, 0, len(holes)+1)}
	texts := make([]byte, 0, len(rest)) // of all pieces: unquoted they are shorter
	for {
		from, ok := len(texts), false
		if texts, rest, ok = appendUnquoted(texts, rest); !ok || len(rest) == 0 {
			return nil
		}
		f.pieces = append(f.pieces, formPiece{texts[from:len(texts):len(texts)], -1})
		f.size += len(texts) - from + 8
		if string(rest) == "]}" {
			return f
		}
		if rest[0] != ',' {
			return nil
		}
		digits, after, found := bytes.Cut(rest[1:], []byte(","))
		n, ok := parseInt(digits)
		if rest = after; !found || !ok || n < 0 || n >= int64(len(holes)) || len(digits) > 1 && digits[0] == '0' {
			return nil
		}
		f.pieces[len(f.pieces)-1].value = int(n)
	}
}

func cutIf(b []byte, found bool, prefix string) ([]byte, bool) {
	if !found || !bytes.HasPrefix(b, []byte(prefix)) {
		return nil, false
	}
	return b[len(prefix):], true
}

// appendUnquoted appends what the JSON string that text begins with stands for;
// ok is false unless all of it is ASCII without \u.
func appendUnquoted(dst, text []byte) (out, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return dst, text, false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return dst, text[i+1:], true
		case c < ' ' || c >= utf8.RuneSelf:
			return dst, text, false
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			dst = append(dst, text[i])
		case c == '\\':
			return dst, text, false
		default:
			dst = append(dst, c)
		}
	}
	return dst, text, false
}
