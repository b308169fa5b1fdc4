// Package capture puts what other programs recorded of watches onto tapes: the
// line format of docs/tape.md, and what kubectl prints.
//
// Import is lossless: the frames come back from the tape as they went in,
// Secrets aside, and in the same order; what kubectl printed over several lines
// comes back in one. What cannot be read ends the import, or is counted and
// said on the tape. The input may come from anyone: what it can make Import
// hold in memory is bounded, except by the number of objects in it.
package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// Options of Import.
type Options struct {
	Context string // of all streams: the kubeconfig context that was watched
	// KeepGoing imports what can be read; without it the first error ends the
	// import.
	KeepGoing bool
	// Now stands for the time of objects that tell none.
	Now time.Time
}

// Kind is a format that Import reads.
type Kind string

// The formats.
const (
	Lines   Kind = "capture"                                     // {"t":…,"stream":…,"frame":…}, one a line
	Events  Kind = "output of kubectl get --output-watch-events" // {"type":…,"object":…}
	Objects Kind = "output of kubectl get -o json"               // objects, or Lists of them
)

// AtOneMoment is what the last step of a stream says that kubectl printed as a
// List.
const AtOneMoment = "it is the state at one moment: nobody watched what came after"

// CauseUnread is the cause of the gaps that frames leave which could not be read.
const CauseUnread model.Cause = "import-unreadable"

// CauseUntyped is the cause of the gaps of what was printed without the types of
// events.
const CauseUntyped model.Cause = "import-untyped"

// Summary says what was imported.
type Summary struct {
	Kind    Kind
	Frames  int64
	Streams int
	Gaps    int    // where changes may be missing
	Blind   bool   // nobody can tell what was deleted: see NoDeletions
	Skipped int64  // frames that could not be read, with KeepGoing
	First   *Error // the first of them
	Cut     bool   // the input ended too early, so more than Skipped is missing
}

// Error says where the input cannot be read. It quotes nothing of it, which
// may be a Secret.
type Error struct {
	Place string // "line 17", "object 3"
	// Offset is of the line, or of about where the object begins, in bytes
	// after unpacking.
	Offset int64
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("%s (byte %d): %v", e.Place, e.Offset, e.Err) }

// Unwrap returns what is wrong there.
func (e *Error) Unwrap() error { return e.Err }

// Errors of Import, beside *Error, those of the reader and those of the Writer.
var (
	ErrEmpty   = errors.New("there is nothing in it")
	ErrTape    = errors.New("it is a tape already")
	ErrUnknown = errors.New("neither a capture nor JSON that kubectl printed")
	ErrUTF16   = errors.New("it is UTF-16 text, as PowerShell writes it, and JSON is UTF-8")

	errFrame    = errors.New("not a frame of a watch")
	errTooLarge = errors.New("too large")
	errCut      = errors.New("the input ends in the middle of it")
)

// Limits of one frame, and of one as text over several lines, in bytes.
const (
	maxFrame  = 17 << 20
	maxPretty = 64 << 20
)

// Import appends what in holds to a tape, and says what it was. in may be
// packed with gzip or zstd; formats are recognised by content. It does not
// close the Writer.
func Import(in io.Reader, w *tape.Writer, o Options) (Summary, error) {
	im := &importer{w: w, o: o, streams: map[string]*stream{}}
	plain, done, err := unpack(in)
	if err == nil {
		defer done()
		err = im.run(plain)
	}
	im.sum.Streams = len(im.streams)
	return im.sum, err
}

func (im *importer) run(in *bufio.Reader) error {
	kind, err := recognise(in)
	if err != nil {
		return err
	}
	if im.sum.Kind = kind; kind == Lines {
		err = im.lines(in)
	} else if err = im.values(in); err == nil {
		err = im.complete()
	}
	if err == nil && im.sum.Frames == 0 {
		err = ErrEmpty
		if im.sum.First != nil {
			err = im.sum.First
		}
	}
	if err != nil || im.sum.First == nil {
		return err
	}
	return im.holes()
}

// holes says on the tape what could not be read: as a note, and as a gap of each
// stream, since nobody knows of which it was.
func (im *importer) holes() error {
	text := fmt.Sprintf("%d frames could not be read, the first at %s", im.sum.Skipped, im.sum.First)
	if im.sum.Skipped == 1 {
		text = fmt.Sprintf("a frame could not be read, at %s", im.sum.First)
	}
	if im.sum.Cut {
		text += "; the input ends too early, and what followed is unknown"
	}
	if err := im.w.Append(model.Record{Time: im.last, Type: model.Noted, Detail: model.Note{Text: "imported with holes: " + text}}); err != nil {
		return err
	}
	if im.holed.IsZero() { // the first frame of all
		im.holed = im.last
	}
	for id := range len(im.streams) {
		if err := im.w.Append(model.Record{Time: im.last, Stream: model.StreamID(id), Type: model.GapFound, Detail: model.Gap{
			Cause: CauseUnread, Text: "in the import, " + text, Since: im.holed, Took: im.last.Sub(im.holed)}}); err != nil {
			return err
		}
	}
	return nil
}

// recognise tells the format by the first key of the first object.
func recognise(in *bufio.Reader) (Kind, error) {
	head, err := in.Peek(4 << 10)
	if err != nil && err != io.EOF {
		return "", err
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return "", ErrUTF16
	}
	if mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(head, mark) {
		head = head[len(mark):]
		_, _ = in.Discard(len(mark)) // it is buffered
	}
	rest := bytes.TrimSpace(head)
	if len(rest) == 0 && err == io.EOF {
		return "", ErrEmpty
	}
	if len(rest) == 0 || rest[0] != '{' {
		return "", ErrUnknown
	}
	key := bytes.TrimSpace(rest[1:])
	if len(key) == 0 || key[0] != '"' {
		return "", ErrUnknown
	}
	key, _, _ = bytes.Cut(key[1:], []byte(`"`))
	switch string(key) {
	case "t", "stream", "frame":
		return Lines, nil
	case "type", "object":
		return Events, nil
	case "apiVersion", "kind", "metadata", "items", "spec", "status", "data":
		return Objects, nil
	}
	return "", ErrUnknown
}

// skip takes note of what cannot be read, and returns an error if that ends the
// import.
func (im *importer) skip(e *Error) error {
	if !im.o.KeepGoing {
		return e
	}
	im.sum.Skipped++
	im.sum.Cut = im.sum.Cut || errors.Is(e, errCut) || errors.Is(e, io.ErrUnexpectedEOF)
	if im.sum.First == nil {
		im.sum.First, im.holed = e, im.last
	}
	return nil
}
