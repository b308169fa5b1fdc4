package jsonscan

import "io"

// FrameReader reads the body of a watch: JSON objects one after the other,
// with or without white space between them. Newlines mean nothing.
//
// It never drops anything in silence: what it does not return is reported by
// an error, and [FrameReader.Buffered] tells what is left when the body ends
// in the middle of a frame.
type FrameReader struct {
	src   source
	max   int
	fatal error
}

// NewFrameReader returns a reader of frames of up to maxFrame bytes, 1 at
// least. It reads ahead of what it returns, but never waits for more than the
// frame it is asked for.
func NewFrameReader(r io.Reader, maxFrame int) *FrameReader {
	return &FrameReader{src: source{r: r}, max: max(maxFrame, 1)}
}

// Next returns the bytes of the next frame, without the white space around it;
// they are valid until the next call. A frame has balanced braces; it is not
// checked further.
//
// io.EOF: the body ended between two frames, in order. io.ErrUnexpectedEOF: it
// ended within a frame. *TooLargeError: a frame over the limit was skipped,
// call again. *SyntaxError: this is no JSON object; the error stays. Other
// errors are the reader's own, and may also come between two frames.
func (f *FrameReader) Next() ([]byte, error) {
	if f.fatal != nil {
		return nil, f.fatal
	}
	c, err := f.src.space()
	if err != nil {
		return nil, err
	}
	if c != '{' {
		f.fatal = f.src.excerpt()
		return nil, f.fatal
	}
	return f.src.value(f.max)
}

// Buffered is the number of bytes that were received and not returned yet:
// after the end of the body, those of the frame that was cut.
func (f *FrameReader) Buffered() int { return f.src.end - f.src.start }
