package tape

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// The capture line format: one JSON object per line and frame, in order of
// receipt,
//
//	{"t": receipt in Unix seconds, "stream": "pods", "frame": {"type": …, "object": …}}

// maxLine bounds a line of a capture.
const maxLine = maxObject + maxEnvelope + 4096

var errCaptureLine = errors.New("not a line of a capture")

// ImportLines appends the frames of a capture, and returns how many there
// were. Each name of a stream becomes a stream of its own in context; the
// first frame says its group, version and kind, and whether it is namespaced.
// It adds nothing to that: package capture also works out what was initial
// state, and takes other formats.
//
// Times are kept to the nanosecond. Errors name the line.
func ImportLines(in io.Reader, w *Writer, context string) (frames int, err error) {
	br := bufio.NewReaderSize(in, 256<<10)
	streams := map[string]model.StreamID{}
	var buf []byte
	for n := 1; ; n++ {
		var one []byte
		one, buf, err = readLine(br, buf)
		if err == io.EOF {
			return frames, nil
		}
		if err == nil && len(one) > 0 {
			err = importLine(one, w, context, streams)
			frames++
		}
		if err != nil {
			return frames, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// readLine returns the next line without its end. It is valid until the next
// call with the same buffer.
func readLine(br *bufio.Reader, buf []byte) (one, grown []byte, err error) {
	buf = buf[:0]
	for {
		part, err := br.ReadSlice('\n')
		if len(buf)+len(part) > maxLine {
			return nil, buf, fmt.Errorf("%w: longer than %d bytes", errCaptureLine, maxLine)
		}
		buf = append(buf, part...)
		switch {
		case err == nil, err == io.EOF && len(buf) > 0:
			return bytes.TrimSpace(buf), buf, nil
		case err != bufio.ErrBufferFull:
			return nil, buf, err
		}
	}
}

// ParseLine reads a line of a capture: the time of receipt, the name of the
// stream, and the frame, of which name and frame may be views of the line. The
// whole line is checked to be JSON, and the error quotes nothing of it.
func ParseLine(one []byte) (when time.Time, stream string, frame []byte, err error) {
	if !jsonscan.Valid(one) { // files come from anywhere
		return time.Time{}, "", nil, errCaptureLine
	}
	members, err := jsonscan.AppendMembers(make([]jsonscan.Member, 0, 3), one)
	if err != nil {
		return time.Time{}, "", nil, errCaptureLine
	}
	var t, name []byte
	for _, m := range members {
		switch m.Key {
		case "t":
			t = m.Of(one)
		case "stream":
			name = m.Of(one)
		case "frame":
			frame = m.Of(one)
		}
	}
	if when, err = parseSeconds(string(t)); err != nil {
		return time.Time{}, "", nil, err
	}
	if stream, err = jsonscan.Unquote(name); err != nil || frame == nil {
		return time.Time{}, "", nil, fmt.Errorf("%w: needs t, stream and frame", errCaptureLine)
	}
	return when, stream, frame, nil
}

func importLine(one []byte, w *Writer, context string, streams map[string]model.StreamID) error {
	t, stream, frame, err := ParseLine(one)
	if err != nil {
		return err
	}
	typ, object, err := jsonscan.SplitFrame(frame)
	if err != nil {
		return fmt.Errorf("%w: frame: %w", errCaptureLine, err)
	}
	id, ok := streams[stream]
	if !ok {
		stream = strings.Clone(stream)
		id = w.AddStream(streamInfo(context, stream, object))
		streams[stream] = id
	}
	r := model.Record{Time: t, Stream: id, Raw: object, Bytes: len(frame)}
	switch typ {
	case "ADDED":
		r.Type = model.Added
	case "MODIFIED":
		r.Type = model.Modified
	case "DELETED":
		r.Type = model.Deleted
	case "BOOKMARK":
		r.Type = model.Bookmark
	default:
		r.Raw = nil
	}
	return w.AppendFrame(r, frame)
}

func streamInfo(context, resource string, object []byte) model.StreamInfo {
	m, _ := jsonscan.Identity(object)
	group, version, ok := strings.Cut(m.APIVersion, "/")
	if !ok {
		group, version = "", m.APIVersion
	}
	return model.StreamInfo{Context: context, Group: strings.Clone(group), Version: strings.Clone(version), Resource: resource,
		Kind: strings.Clone(m.Kind), Namespaced: m.Namespace != ""}
}

// parseSeconds reads decimal seconds exactly, to the nanosecond; what is finer
// is cut off. Another spelling of a number is read as floating point.
func parseSeconds(s string) (time.Time, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if seconds, err := strconv.ParseInt(whole, 10, 64); err == nil && seconds >= 0 && seconds < math.MaxInt64/int64(time.Second) {
		digits := (fraction + "000000000")[:9]
		if n, err := strconv.ParseUint(digits, 10, 32); err == nil && strings.Trim(fraction, "0123456789") == "" {
			return time.Unix(seconds, int64(n)), nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(f) > float64(math.MaxInt64/int64(time.Second)) {
		return time.Time{}, fmt.Errorf("%w: t", errCaptureLine)
	}
	seconds := math.Floor(f)
	return time.Unix(int64(seconds), int64((f-seconds)*1e9)), nil
}

// appendSeconds is the inverse of parseSeconds: to the microsecond, or to the
// nanosecond where that is not exact.
func appendSeconds(dst []byte, t time.Time) []byte {
	n := t.UnixNano()
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	fraction := strconv.FormatInt(1e9+n%1e9, 10)[1:]
	return append(append(strconv.AppendInt(dst, n/1e9, 10), '.'), strings.TrimSuffix(fraction, "000")...)
}

// ExportLines writes the frames of a tape as a capture, and returns how many
// there were. Streams are named by the plural of their resource. What no frame
// carried (steps, gaps, what a list found) is not in it. Damage on the tape is
// passed to damaged, and does not end the export.
func ExportLines(t *Tape, out io.Writer, damaged func(*Damage)) (frames int, err error) {
	bw := bufio.NewWriterSize(out, 256<<10)
	r := t.Reader()
	var buf []byte
	for {
		e, err := r.Next()
		var d *Damage
		switch {
		case err == io.EOF:
			return frames, bw.Flush()
		case errors.As(err, &d):
			damaged(d)
			continue
		case err != nil:
			return frames, err
		}
		buf = appendSeconds(append(buf[:0], `{"t":`...), e.Time)
		buf = jsonscan.AppendQuote(append(buf, `,"stream":`...), r.streams[e.Stream].Resource)
		buf = append(buf, `,"frame":`...)
		before := len(buf)
		if buf = e.AppendFrame(buf); len(buf) == before {
			continue
		}
		for i, c := range buf[before:] { // space between tokens: a server may write over several lines
			if c == '\n' {
				buf[before+i] = ' '
			}
		}
		buf = append(buf, '}', '\n')
		frames++
		if _, err := bw.Write(buf); err != nil {
			return frames, err
		}
	}
}
