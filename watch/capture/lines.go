package capture

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"rewatch/watch/tape"
)

// maxLine bounds a line of a capture.
const maxLine = maxFrame + 4096

// lines imports a capture.
func (im *importer) lines(in *bufio.Reader) error {
	var buf []byte
	for n, at := 1, int64(0); ; n++ {
		one, size, ended, err := readLine(in, &buf)
		if err == io.EOF {
			return nil
		}
		if err != nil && err != errTooLarge { // nothing more will come
			return im.skip(&Error{fmt.Sprintf("line %d", n), at, err})
		}
		if one = bytes.TrimSpace(one); err == nil && len(one) > 0 {
			if err = im.line(one); err != nil && !ofInput(err) {
				return err
			}
			if err != nil && ended {
				err = errCut
			}
		}
		if err == errTooLarge {
			err = fmt.Errorf("%w: over %d bytes", errTooLarge, maxLine)
		}
		if err != nil {
			if err := im.skip(&Error{fmt.Sprintf("line %d", n), at, err}); err != nil {
				return err
			}
		}
		at += size
	}
}

func (im *importer) line(one []byte) error {
	when, name, text, err := tape.ParseLine(one)
	if err != nil {
		return inputError{err}
	}
	f, err := split(text)
	if err != nil {
		return err
	}
	f.when, f.received, f.stream, f.resource = when, true, name, name
	return im.add(f)
}

// readLine reads a line into buf and returns it with its size in the input, and
// whether the input ended without the end of the line. What is too long is
// passed over. io.EOF: there is none.
func readLine(in *bufio.Reader, buf *[]byte) (one []byte, size int64, ended bool, err error) {
	*buf = (*buf)[:0]
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		if tooLong = tooLong || len(*buf)+len(part) > maxLine; !tooLong {
			*buf = append(*buf, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && size == 0:
			return nil, 0, false, io.EOF
		case err != nil && err != io.EOF:
			return nil, size, false, err
		case tooLong:
			return nil, size, err == io.EOF, errTooLarge
		}
		return *buf, size, err == io.EOF, nil
	}
}
