package jsonscan

import (
	"fmt"
	"io"
)

const (
	minBuffer  = 64 << 10
	headBytes  = 4 << 10
	excerptLen = 256
	// calm is how many values in a row must fit a quarter of a large buffer
	// before it is given back. One 16 MB object must not be held for as long
	// as its stream lives, and a run of such objects must not allocate anew
	// for each.
	calm = 64
)

// TooLargeError reports a value over the limit. It was skipped: the reader
// goes on with what follows it.
type TooLargeError struct {
	Size int64 // of the whole value, in bytes; or as far as it was read, if the input ended in it
	Max  int   // the limit
	// Head is the beginning of the value, up to 4 KiB, so that the report can
	// name the object ([Identity] may find it there). It is the caller's.
	Head []byte
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a value of %d bytes is over the limit of %d", e.Size, e.Max)
}

// SyntaxError reports input that is not what the reader reads: HTML of a proxy
// for instance. Nothing after it can be read.
type SyntaxError struct {
	// Excerpt is what stands there, up to 256 bytes of what had arrived, not
	// sanitised.
	Excerpt string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("not JSON: %.80q", e.Excerpt) }

// source is a buffer over a reader: buf[start:end] is what has arrived and is
// not used up.
type source struct {
	r          io.Reader
	buf        []byte
	start, end int
	err        error // of r: nothing more will arrive
	small      int   // values in a row that needed little of buf
}

func (s *source) unread() []byte { return s.buf[s.start:s.end] }

// more waits for at least one byte more, and keeps what is unread, though
// perhaps in another place. The error is the reader's; it is io.EOF at the
// clean end.
func (s *source) more() error {
	if s.err != nil {
		return s.err
	}
	s.makeRoom()
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		s.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// makeRoom sees to it that buf has room after end.
func (s *source) makeRoom() {
	n := s.end - s.start
	to := s.buf
	switch {
	case len(s.buf) > 4*minBuffer && s.small >= calm && n < minBuffer:
		to = make([]byte, 2*minBuffer)
	case n == 0:
	case s.end < len(s.buf):
		return
	case s.start == 0:
		to = make([]byte, 2*len(s.buf))
	}
	if to == nil {
		to = make([]byte, minBuffer)
	}
	s.end = copy(to, s.unread())
	s.start, s.buf = 0, to
}

// used notes that a value of n bytes was read, for the size of the buffer.
func (s *source) used(n int) {
	if n > len(s.buf)/4 {
		s.small = 0
	} else {
		s.small++
	}
}

// space skips white space and returns the next byte without using it up.
func (s *source) space() (byte, error) {
	for {
		for s.start < s.end {
			if c := s.buf[s.start]; !isSpace(c) {
				return c, nil
			}
			s.start++
		}
		if err := s.more(); err != nil {
			return 0, err
		}
	}
}

// value reads one whole value, which begins with the next byte, and uses it
// up; the bytes are valid until the next call. A value of more than max bytes
// is skipped and a *TooLargeError returned; with max 0 any value is skipped
// without an error. When the input ends within the value, its error is
// returned (io.EOF as io.ErrUnexpectedEOF) and unread is what there was of it,
// unless it was already known to be too large.
func (s *source) value(max int) ([]byte, error) {
	var (
		b    boundary
		size int64 // bytes of the value that were let go
		head []byte
		i    = s.start
		done bool
	)
	for {
		i, done = s.scan(&b, i)
		n := i - s.start
		if over := size+int64(n) > int64(max); done && !over {
			v := s.buf[s.start:i]
			s.start = i
			s.used(n)
			return v, nil
		} else if over {
			if size == 0 && max > 0 {
				head = append(head, s.buf[s.start:min(i, s.start+headBytes)]...)
			}
			size += int64(n)
			s.start = i
		}
		if done {
			break
		}
		at := i - s.start
		if err := s.more(); err != nil {
			if size == 0 {
				return nil, unexpected(err)
			}
			size += int64(s.end - s.start)
			s.start = s.end
			break
		}
		i = s.start + at
	}
	if max == 0 {
		return nil, nil
	}
	return nil, &TooLargeError{Size: size, Max: max, Head: head}
}

// scan looks for the end of the value from buf[i] on.
func (s *source) scan(b *boundary, i int) (int, bool) {
	if *b == (boundary{}) {
		if c := s.buf[s.start]; c != '{' && c != '[' && c != '"' {
			for i < s.end && !endsScalar(s.buf[i]) {
				i++
			}
			return i, i < s.end
		}
	}
	return b.scan(s.buf[:s.end], i)
}

// excerpt is what to show of input that makes no sense.
func (s *source) excerpt() error {
	b := s.unread()
	return &SyntaxError{Excerpt: string(b[:min(len(b), excerptLen)])}
}

// unexpected is err where the input must not end.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
