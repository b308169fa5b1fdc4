package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// The captures of these tests, onto tapes and back as plainly as can be: what
// captures mean beyond their frames is package capture's.

// importLines appends the frames of a capture, each name of a stream as a stream
// of its own.
func importLines(lines []byte, w *Writer, context string) error {
	streams := map[string]model.StreamID{}
	for one := range bytes.Lines(lines) {
		if err := importLine(bytes.TrimSpace(one), w, context, streams); err != nil {
			return err
		}
	}
	return nil
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

// exportLines writes the frames of a tape as a capture. Streams are named by the plural of their resource. What no frame
// carried (steps, gaps, what a list found) is not in it. Damage on the tape is
// passed to damaged, and does not end the export.
func exportLines(t *Tape, out io.Writer, damaged func(*Damage)) error {
	r := t.Reader()
	var buf []byte
	for {
		e, err := r.Next()
		var d *Damage
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &d):
			damaged(d)
			continue
		case err != nil:
			return err
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
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
}
