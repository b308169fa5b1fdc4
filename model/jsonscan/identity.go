package jsonscan

import "bytes"

// Meta is the identity of an object, as its bytes spell it.
//
// The strings are unescaped. Where nothing was escaped they are views of the
// bytes given to [Identity], and nothing was allocated: a caller that keeps
// one beyond the life of those bytes clones it ([strings.Clone]).
type Meta struct {
	APIVersion, Kind, Namespace, Name, UID, ResourceVersion string
	// InitialEventsEnd is set on the bookmark that ends a streamed list
	// (annotation k8s.io/initial-events-end: "true"). It is read only of
	// objects without a UID, as bookmarks are.
	InitialEventsEnd bool
}

// Which members of Meta have been read.
const (
	gotAPIVersion = 1 << iota
	gotKind
	gotMetadata
	gotNamespace
	gotName
	gotUID
	gotResourceVersion
	gotAnnotations

	gotAll      = gotAPIVersion | gotKind | gotMetadata
	gotIdentity = gotNamespace | gotName | gotUID | gotResourceVersion
)

// Identity scans raw, a JSON object, for its identity, and stops as soon as
// nothing further can change the result; what follows is neither read nor
// checked. Members that are absent or null are "". The result is that of
// encoding/json on all valid objects without duplicate keys.
//
// The errors are ErrTruncated, ErrSyntax, ErrNotObject and ErrNotString; the
// Meta then holds what had been read.
func Identity(raw []byte) (Meta, error) {
	s := scanner{b: raw, i: skipSpace(raw, 0)}
	err := s.object()
	if s.m.UID != "" {
		s.m.InitialEventsEnd = false
	}
	return s.m, err
}

type scanner struct {
	b   []byte
	i   int
	got uint
	m   Meta
}

// object reads the top level.
func (s *scanner) object() error {
	more, err := s.enter()
	for ; more; more, err = s.next() {
		key, err := s.key()
		if err != nil {
			return err
		}
		switch string(key) {
		case "kind":
			err = s.text(&s.m.Kind, gotKind)
		case "apiVersion":
			err = s.text(&s.m.APIVersion, gotAPIVersion)
		case "metadata":
			if s.got&gotMetadata == 0 {
				s.got |= gotMetadata
				err = s.metadata()
				break
			}
			err = s.skip()
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
		if s.got&gotAll == gotAll {
			return nil
		}
	}
	return err
}

func (s *scanner) metadata() error {
	if s.null() {
		return nil
	}
	more, err := s.enter()
	for ; more; more, err = s.next() {
		key, err := s.key()
		if err != nil {
			return err
		}
		switch string(key) {
		case "name":
			err = s.text(&s.m.Name, gotName)
		case "namespace":
			err = s.text(&s.m.Namespace, gotNamespace)
		case "uid":
			err = s.text(&s.m.UID, gotUID)
		case "resourceVersion":
			err = s.text(&s.m.ResourceVersion, gotResourceVersion)
		case "annotations":
			err = s.annotations()
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
		// An empty UID leaves the annotations to be read.
		if s.got&gotIdentity == gotIdentity && s.m.UID != "" {
			if s.got&gotAll == gotAll {
				return nil
			}
			if s.i = skipNested(s.b, s.i, 1); s.i < 0 {
				s.i = len(s.b)
				return ErrTruncated
			}
			return nil
		}
	}
	return err
}

// annotations looks for the mark of the end of a streamed list.
func (s *scanner) annotations() error {
	if s.got&gotAnnotations != 0 || s.m.UID != "" {
		return s.skip()
	}
	s.got |= gotAnnotations
	if s.null() {
		return nil
	}
	found := false
	more, err := s.enter()
	for ; more; more, err = s.next() {
		key, err := s.key()
		if err != nil {
			return err
		}
		start := s.i
		if err := s.skip(); err != nil {
			return err
		}
		if !found && string(key) == "k8s.io/initial-events-end" {
			found = true
			v, err := Unquote(s.b[start:s.i])
			s.m.InitialEventsEnd = err == nil && v == "true"
		}
	}
	return err
}

// enter steps into the object at hand and reports whether it has members.
func (s *scanner) enter() (more bool, err error) {
	if s.i >= len(s.b) {
		return false, ErrTruncated
	}
	if s.b[s.i] != '{' {
		return false, ErrNotObject
	}
	s.i = skipSpace(s.b, s.i+1)
	if s.i < len(s.b) && s.b[s.i] == '}' {
		s.i++
		return false, nil
	}
	return true, nil
}

// next steps past what separates members and reports whether one follows.
func (s *scanner) next() (more bool, err error) {
	s.i = skipSpace(s.b, s.i)
	if s.i >= len(s.b) {
		return false, ErrTruncated
	}
	c := s.b[s.i]
	s.i++
	switch c {
	case ',':
		s.i = skipSpace(s.b, s.i)
		return true, nil
	case '}':
		return false, nil
	}
	return false, ErrSyntax
}

// key reads a key and its colon and stands then before the value.
func (s *scanner) key() ([]byte, error) {
	key, i, err := readKey(s.b, s.i)
	s.i = i
	return key, err
}

// skip steps over the value at hand.
func (s *scanner) skip() (err error) {
	s.i, err = skipValue(s.b, s.i)
	return err
}

// null steps over a null, if that is the value at hand.
func (s *scanner) null() bool {
	if bytes.HasPrefix(s.b[s.i:], []byte("null")) {
		s.i += len("null")
		return true
	}
	return false
}

// text reads a string into dst, unless an earlier one was.
func (s *scanner) text(dst *string, bit uint) error {
	if s.got&bit != 0 {
		return s.skip()
	}
	s.got |= bit
	if s.null() {
		return nil
	}
	if s.i >= len(s.b) {
		return ErrTruncated
	}
	if s.b[s.i] != '"' {
		return ErrNotString
	}
	end := stringEnd(s.b, s.i+1)
	if end < 0 {
		return ErrTruncated
	}
	var err error
	*dst, err = unquoteBody(s.b[s.i+1 : end-1])
	s.i = end
	return err
}

// readKey reads the key at b[i] and what stands between it and the value, and
// returns the key's text and the index of the value.
func readKey(b []byte, i int) ([]byte, int, error) {
	if i >= len(b) {
		return nil, i, ErrTruncated
	}
	if b[i] != '"' {
		return nil, i, ErrSyntax
	}
	end := stringEnd(b, i+1)
	if end < 0 {
		return nil, i, ErrTruncated
	}
	key := b[i+1 : end-1]
	if !plain(key) {
		text, err := unquoteBody(key)
		if err != nil {
			return nil, i, err
		}
		key = []byte(text)
	}
	i = skipSpace(b, end)
	if i >= len(b) {
		return nil, i, ErrTruncated
	}
	if b[i] != ':' {
		return nil, i, ErrSyntax
	}
	i = skipSpace(b, i+1)
	if i >= len(b) {
		return nil, i, ErrTruncated
	}
	return key, i, nil
}
