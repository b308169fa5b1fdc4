package jsonscan

import (
	"io"
	"strconv"
)

// ListMeta is what a list says of itself.
type ListMeta struct {
	APIVersion, Kind          string // of the list: "v1", "PodList"
	ResourceVersion, Continue string
	// Remaining is the number of items that further pages will have, 0 if the
	// server does not say.
	Remaining int64
}

// ListReader reads the body of a list answer and holds one item at a time.
type ListReader struct {
	src     source
	max     int
	meta    ListMeta
	started bool
	inItems bool
	after   bool // a member or item was read: a comma or the end follows
	fatal   error
}

// maxMember bounds what is read of a list besides its items; real ones have a
// few hundred bytes.
const maxMember = 1 << 20

// NewListReader returns a reader of a list whose items have up to maxItem
// bytes each, 1 at least.
func NewListReader(r io.Reader, maxItem int) *ListReader {
	return &ListReader{src: source{r: r}, max: max(maxItem, 1)}
}

// Meta returns what has been read of the list's own members. It is complete
// when Next has returned io.EOF: a server may write it before the items or
// after them. The strings may be kept.
func (l *ListReader) Meta() ListMeta { return l.meta }

// Next returns the bytes of the next item, as the server wrote it: items of
// built-in types lack kind and apiVersion ([InjectTypeMeta]). They are valid
// until the next call.
//
// io.EOF: the list is complete. io.ErrUnexpectedEOF: the body was cut.
// *TooLargeError: an item was skipped, call again. *SyntaxError: this is no
// JSON object, or no list; the error stays. Other errors are the reader's.
func (l *ListReader) Next() ([]byte, error) {
	for l.fatal == nil {
		item, err := l.step()
		if item != nil {
			return item, nil
		}
		if _, ok := err.(*TooLargeError); ok && l.inItems {
			return nil, err
		}
		l.fatal = err
	}
	return nil, l.fatal
}

// step reads one item or one member of the list; for the latter it returns
// nil, nil.
func (l *ListReader) step() ([]byte, error) {
	if !l.started {
		l.started = true
		if err := l.want('{'); err != nil {
			return nil, err
		}
	}
	end := byte('}')
	if l.inItems {
		end = ']'
	}
	c, err := l.src.space()
	switch {
	case err != nil:
		return nil, unexpected(err)
	case c == end:
		l.src.start++
		if !l.inItems {
			return nil, l.rest()
		}
		l.inItems, l.after = false, true
		return nil, nil
	case l.after:
		if err := l.want(','); err != nil {
			return nil, err
		}
	}
	l.after = true
	if !l.inItems {
		return nil, l.member()
	}
	return l.value(l.max)
}

// rest reads to the end of the body, so that its connection can be used again.
// The list is complete: how the body ends does not matter any more.
func (l *ListReader) rest() error {
	if _, err := l.src.space(); err == nil {
		return l.src.excerpt()
	}
	return io.EOF
}

// member reads one member of the list itself.
func (l *ListReader) member() error {
	if c, err := l.src.space(); err != nil || c != '"' {
		return l.broken(err)
	}
	key, err := l.value(maxMember)
	if err != nil {
		return err
	}
	name, err := Unquote(key)
	if err != nil {
		return l.broken(nil)
	}
	switch name {
	case "items":
		return l.items()
	case "kind":
		return l.read(func(v []byte) { l.meta.Kind = text(v) })
	case "apiVersion":
		return l.read(func(v []byte) { l.meta.APIVersion = text(v) })
	case "metadata":
		return l.read(l.metadata)
	}
	if err := l.want(':'); err != nil {
		return err
	}
	_, err = l.value(0)
	return err
}

// items steps into the array of items.
func (l *ListReader) items() error {
	if err := l.want(':'); err != nil {
		return err
	}
	if c, err := l.src.space(); err != nil {
		return unexpected(err)
	} else if c != '[' { // null: an empty list
		_, err := l.value(0)
		return err
	}
	l.src.start++
	l.inItems, l.after = true, false
	return nil
}

// read hands the value of a member to use.
func (l *ListReader) read(use func([]byte)) error {
	if err := l.want(':'); err != nil {
		return err
	}
	v, err := l.value(maxMember)
	if err == nil {
		use(v)
	}
	return err
}

func (l *ListReader) metadata(raw []byte) {
	members, _ := AppendMembers(nil, raw) // null and nonsense have none
	for _, m := range members {
		v := m.Of(raw)
		switch m.Key {
		case "resourceVersion":
			l.meta.ResourceVersion = text(v)
		case "continue":
			l.meta.Continue = text(v)
		case "remainingItemCount":
			l.meta.Remaining, _ = strconv.ParseInt(string(v), 10, 64)
		}
	}
}

// text is a copy of the text of a JSON string, "" of anything else.
func text(v []byte) string {
	s, _ := Unquote(v)
	return string([]byte(s))
}

// want uses up the byte c.
func (l *ListReader) want(c byte) error {
	if got, err := l.src.space(); err != nil || got != c {
		return l.broken(err)
	}
	l.src.start++
	return nil
}

// value reads the value at hand.
func (l *ListReader) value(max int) ([]byte, error) {
	c, err := l.src.space()
	if err != nil || endsScalar(c) || c == ':' {
		return nil, l.broken(err)
	}
	return l.src.value(max)
}

// broken is err of the input, or says that what stands here makes no sense.
func (l *ListReader) broken(err error) error {
	if err != nil {
		return unexpected(err)
	}
	return l.src.excerpt()
}
