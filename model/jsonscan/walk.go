package jsonscan

import "bytes"

// Span is a piece of some bytes: b[Start:End].
type Span struct{ Start, End int }

// Of returns the piece of b.
func (s Span) Of(b []byte) []byte { return b[s.Start:s.End] }

// Member is one member of an object: its key, unescaped (a view of the object
// where nothing was escaped), and where the value lies in the object's bytes.
type Member struct {
	Key string
	Span
}

// AppendMembers appends the members of an object to dst, in order, and every
// occurrence of a key that occurs twice. Values are told apart, not checked.
func AppendMembers(dst []Member, object []byte) ([]Member, error) {
	return AppendMembersLike(dst, object, nil, nil)
}

// AppendMembersLike is AppendMembers for an object of which an older version is
// known, with its members. It is faster where they are equal, since the end of
// a value that has not changed need not be looked for.
func AppendMembersLike(dst []Member, object, old []byte, was []Member) ([]Member, error) {
	s := scanner{b: object, i: skipSpace(object, 0)}
	more, err := s.enter()
	for n := 0; more; more, err = s.next() {
		key, err := s.key()
		if err != nil {
			return dst, err
		}
		start := s.i
		if n >= len(was) || !s.skipSame(was[n].Of(old)) {
			if err := s.skip(); err != nil {
				return dst, err
			}
		}
		dst = append(dst, Member{view(key), Span{start, s.i}})
		n++
	}
	if err == nil {
		err = s.end()
	}
	return dst, err
}

// skipSame steps over the value at hand if it is this one.
func (s *scanner) skipSame(value []byte) bool {
	end := s.i + len(value)
	if !bytes.HasPrefix(s.b[s.i:], value) || len(value) == 0 {
		return false
	}
	switch value[0] {
	case '{', '[', '"': // ends where it ended before
	default:
		if end < len(s.b) && !endsScalar(s.b[end]) {
			return false
		}
	}
	s.i = end
	return true
}

// AppendElements appends the places of the elements of an array to dst.
func AppendElements(dst []Span, array []byte) ([]Span, error) {
	return AppendElementsLike(dst, array, nil, nil)
}

// AppendElementsLike is AppendElements for an array of which an older version
// is known, with its elements; see [AppendMembersLike].
func AppendElementsLike(dst []Span, array, old []byte, was []Span) ([]Span, error) {
	s := scanner{b: array, i: skipSpace(array, 0)}
	if s.i >= len(array) || array[s.i] != '[' {
		return dst, ErrNotArray
	}
	s.i = skipSpace(array, s.i+1)
	if s.i < len(array) && array[s.i] == ']' {
		s.i++
		return dst, s.end()
	}
	for n := 0; ; n++ {
		start := s.i
		if n >= len(was) || !s.skipSame(was[n].Of(old)) {
			if err := s.skip(); err != nil {
				return dst, err
			}
		}
		dst = append(dst, Span{start, s.i})
		s.i = skipSpace(array, s.i)
		if s.i >= len(array) {
			return dst, ErrTruncated
		}
		c := array[s.i]
		s.i++
		switch c {
		case ',':
			s.i = skipSpace(array, s.i)
		case ']':
			return dst, s.end()
		default:
			return dst, ErrSyntax
		}
	}
}

// end checks that nothing follows.
func (s *scanner) end() error {
	if skipSpace(s.b, s.i) != len(s.b) {
		return ErrSyntax
	}
	return nil
}

// SplitFrame splits the envelope of a watch, {"type":"ADDED","object":{…}}.
// typ and object are views of frame. A frame without a type or without an
// object is none: ErrSyntax.
func SplitFrame(frame []byte) (typ string, object []byte, err error) {
	s := scanner{b: frame, i: skipSpace(frame, 0)}
	const gotType = gotKind
	more, err := s.enter()
	for ; more; more, err = s.next() {
		key, err := s.key()
		if err != nil {
			return "", nil, err
		}
		switch start := s.i; string(key) {
		case "type":
			err = s.text(&typ, gotType)
		case "object":
			if err = s.skip(); err == nil && object == nil {
				object = frame[start:s.i]
			}
		default:
			err = s.skip()
		}
		if err != nil {
			return "", nil, err
		}
	}
	if err == nil {
		err = s.end()
	}
	if err == nil && (typ == "" || object == nil) {
		err = ErrSyntax
	}
	if err != nil {
		return "", nil, err
	}
	return typ, object, nil
}

// InjectTypeMeta appends item to dst and puts kind and apiVersion behind its
// opening brace where they are absent, as they are from the items of lists of
// built-in types. What is not an object is appended as it is.
func InjectTypeMeta(dst, item []byte, apiVersion, kind string) []byte {
	hasKind, hasVersion, empty := false, false, true
	s := scanner{b: item, i: skipSpace(item, 0)}
	more, err := s.enter()
	body := s.i
	for ; more && err == nil; more, err = s.next() {
		var key []byte
		if key, err = s.key(); err != nil {
			break
		}
		empty = false
		hasKind = hasKind || string(key) == "kind"
		hasVersion = hasVersion || string(key) == "apiVersion"
		if err = s.skip(); err != nil {
			break
		}
	}
	if err != nil || hasKind && hasVersion {
		return append(dst, item...)
	}
	if empty {
		body-- // before the closing brace, which enter has passed
	}
	dst = append(dst, item[:body]...)
	if !hasKind {
		dst = AppendQuote(append(dst, `"kind":`...), kind)
		if !hasVersion || !empty {
			dst = append(dst, ',')
		}
	}
	if !hasVersion {
		dst = AppendQuote(append(dst, `"apiVersion":`...), apiVersion)
		if !empty {
			dst = append(dst, ',')
		}
	}
	return append(dst, item[body:]...)
}

// Find returns the value of a member of an object, the first of that key; nil
// if there is none, or if object is none as far as it had to be read.
func Find(object []byte, key string) []byte {
	s := scanner{b: object, i: skipSpace(object, 0)}
	more, err := s.enter()
	for ; more && err == nil; more, err = s.next() {
		k, err := s.key()
		if err != nil {
			return nil
		}
		start := s.i
		if err := s.skip(); err != nil {
			return nil
		}
		if string(k) == key {
			return object[start:s.i]
		}
	}
	return nil
}

// Get follows a path of keys through objects, as Find does each step.
func Get(object []byte, path ...string) []byte {
	for _, key := range path {
		if object = Find(object, key); object == nil {
			return nil
		}
	}
	return object
}
