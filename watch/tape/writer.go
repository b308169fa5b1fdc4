package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/model/redact"
	"rewatch/model/splice"
)

// Options of a Writer; zeroes mean the defaults.
type Options struct {
	// Redactor replaces the values of Secrets; nil means a new one with a
	// random key. One that is shared with a model.Log gives the fingerprints
	// that the screen showed.
	Redactor *redact.Redactor
	// AlreadyRedacted is for copies of tapes: the Secrets that come in have
	// been through a Redactor, and going through another would change them.
	AlreadyRedacted bool
	// Memory is about how many bytes of objects are held as they are; of the
	// others only what sets them apart is. 24 MiB.
	Memory int64
	// FrameSize is how much plain text goes into a data frame: 2 MiB.
	FrameSize int
	// Checkpoint is how many times its own size the text after a checkpoint
	// may reach before the next one: 4. Smaller means quicker seeks.
	Checkpoint int
	// SegmentRecords is how many records may follow a checkpoint before the
	// next one, if they have at least half its size: 50,000.
	SegmentRecords int
	// SegmentFloor is the least text between checkpoints, in bytes: 1 MiB.
	SegmentFloor int
}

// window is how far back the compressor looks, in bytes.
const window = 2 << 20

// What the Writer takes, so that every reader with the default Limits can read
// it: an object, and what stands around it in its frame.
const (
	maxObject   = 16 << 20
	maxEnvelope = 1 << 20
)

// Errors of the Writer.
var (
	ErrClosed = errors.New("tape: the writer is closed")
	ErrRecord = errors.New("tape: not a record that a tape can hold")
)

// Writer writes a tape. It may be used from any goroutine. It never seeks, and
// what it has written stays as it is.
type Writer struct {
	mu  sync.Mutex
	out counter
	o   Options
	hdr Header
	err error // the first of the io.Writer's: nothing is written after it

	zstd   *zstd.Encoder
	splice splice.Encoder
	line   []byte
	delta  []byte

	streams []*writerStream
	objects map[key]*object
	near    uint64 // number of the object of the line before
	last    uint64 // number of the newest object
	texts   texts
	roots   roots
	former  former
	alone   int // bytes that a checkpoint would take, about
	since   int // plain bytes since the last checkpoint
	records int // since the last checkpoint
	segment int64
	begun   bool

	frame  frameNote // the open one, if open
	open   bool
	synced int    // plain bytes of the frame at the last sync line
	crc    uint32 // of the frame's plain text
	now    int64  // time of the newest record
	frames []frameNote
	total  int64 // records
	lost   int64
}

type writerStream struct {
	model.StreamInfo
	last      *transitionJSON
	since     int64
	bookmarks *object
}

// key finds an object of a stream: by UID, and where there is none by name.
type key struct {
	stream               model.StreamID
	uid, namespace, name string
}

func keyOf(s model.StreamID, id model.Identity) key {
	if id.UID != "" {
		return key{stream: s, uid: id.UID}
	}
	return key{s, "", id.Namespace, id.Name}
}

// counter counts what goes to the io.Writer.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// NewWriter begins a tape. Nothing is written to w before the first Append,
// Flush or Close.
func NewWriter(w io.Writer, h Header, o Options) *Writer {
	if o.Redactor == nil {
		o.Redactor = redact.New()
	}
	if o.Memory <= 0 {
		o.Memory = 24 << 20
	}
	if o.FrameSize <= 0 {
		o.FrameSize = 2 << 20
	}
	o.FrameSize = min(o.FrameSize, 8<<20)
	if o.Checkpoint <= 0 {
		o.Checkpoint = 4
	}
	if o.SegmentRecords <= 0 {
		o.SegmentRecords = 50_000
	}
	if o.SegmentFloor <= 0 {
		o.SegmentFloor = 1 << 20
	}
	if h.Redaction == "" {
		h.Redaction = Redacted
	}
	t := &Writer{out: counter{w: w}, o: o, hdr: h, objects: map[key]*object{}, texts: newTexts(o.Memory), splice: splice.Encoder{Words: true}}
	t.zstd, t.err = zstd.NewWriter(&t.out, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window), zstd.WithEncoderCRC(true))
	return t
}

// AddStream declares a stream, at any time, and returns its number; info.ID is
// ignored.
func (w *Writer) AddStream(info model.StreamInfo) model.StreamID {
	w.mu.Lock()
	defer w.mu.Unlock()
	info.ID = model.StreamID(len(w.streams))
	w.streams = append(w.streams, &writerStream{StreamInfo: info})
	if w.begun && w.begin(w.now) {
		w.streamLine(w.streams[info.ID])
		w.endLine()
	}
	return info.ID
}

// Size is the number of bytes written to the io.Writer so far.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.n
}

// Append writes a record whose frame, if it had one, was in the canonical
// envelope {"type":"…","object":…}. The record is not changed and nothing of it
// is kept. Its Time must lie between the years 1678 and 2262.
//
// Errors: ErrRecord, with nothing written; ErrClosed; and those of the
// io.Writer, after which every call returns the same one.
func (w *Writer) Append(r model.Record) error { return w.AppendFrame(r, nil) }

// AppendFrame is Append with the whole frame as it came from the wire, of
// which r.Raw is the object. A frame of another type than a change or a
// bookmark is written as it is, with a record of Type 0.
func (w *Writer) AppendFrame(r model.Record, frame []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(r.Raw) > maxObject || len(frame) > maxObject+maxEnvelope || r.Type == 0 && len(frame) > maxObject {
		return fmt.Errorf("%w: %d bytes", ErrRecord, max(len(r.Raw), len(frame)))
	}
	if err := w.ready(r.Stream, r.Time); err != nil {
		return err
	}
	s := w.streams[r.Stream]
	switch r.Type {
	case model.Added, model.Modified, model.Deleted, model.Bookmark:
		return w.appendObject(s, &r, frame)
	case 0:
		return w.appendOther(s, &r, frame)
	}
	name, v := "", any(nil)
	switch d := r.Detail.(type) {
	case model.Transition:
		j := transitionOf(d)
		if name, v = "transition", j; !d.Bare() {
			s.last, s.since = j, r.Time.UnixNano()
		}
		if d.Removes() {
			w.leave(s.ID)
		}
	case model.Gap:
		name, v = "gap", gapOf(d)
	case model.Note:
		name, v = "note", noteJSON(d)
	}
	if want := map[model.Type]string{model.StreamChange: "transition", model.GapFound: "gap", model.Noted: "note"}[r.Type]; name == "" || name != want {
		return fmt.Errorf("%w: %v with a %T", ErrRecord, r.Type, r.Detail)
	}
	return w.detail(r.Stream, r.Time, name, v)
}

// Lost notes that n frames of a stream, between two resourceVersions, did not
// reach the tape.
func (w *Writer) Lost(when time.Time, s model.StreamID, n int64, fromRV, toRV string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ready(s, when); err != nil {
		return err
	}
	if n <= 0 {
		return fmt.Errorf("%w: %d frames lost", ErrRecord, n)
	}
	w.lost += n
	return w.detail(s, when, "lost", lostJSON{n, fromRV, toRV})
}

var earliest, latest = time.Unix(0, -1<<63), time.Unix(0, 1<<63-1)

// ready checks what all records have in common, and begins a segment when it is time.
func (w *Writer) ready(s model.StreamID, when time.Time) error {
	switch {
	case w.err != nil:
		return w.err
	case s < 0 || int(s) >= len(w.streams):
		return fmt.Errorf("%w: stream %d was not added", ErrRecord, s)
	case when.Before(earliest) || when.After(latest):
		return fmt.Errorf("%w: time %v", ErrRecord, when)
	}
	size := max(w.alone, w.o.SegmentFloor)
	if !w.begun || w.since > w.o.Checkpoint*size || w.records >= w.o.SegmentRecords && w.since > size/2 {
		w.checkpoint(when.UnixNano())
	}
	return w.err
}

func (w *Writer) detail(s model.StreamID, when time.Time, name string, v any) error {
	if !w.record(when) {
		return w.err
	}
	w.line = strconv.AppendInt(append(w.line, `,"s":`...), int64(s), 10)
	w.line = append(append(append(w.line, `,"`...), name...), `":`...)
	w.line = append(appendJSON(w.line, v), '}', '\n')
	return w.endRecord(name, s)
}

func (w *Writer) appendOther(s *writerStream, r *model.Record, frame []byte) error {
	if frame == nil {
		return fmt.Errorf("%w: neither a type nor a frame", ErrRecord)
	}
	if !w.o.AlreadyRedacted {
		frame = w.o.Redactor.Within(frame, max(s.Secrecy(r.Identity), redact.Inside))
	}
	if !w.record(r.Time) {
		return w.err
	}
	w.line = strconv.AppendInt(append(w.line, `,"s":`...), int64(r.Stream), 10)
	w.line = append(w.line, `,"e":"F"`...)
	w.flags(r, len(frame), len(frame))
	w.text(nil, frame)
	w.line = append(w.line, '}', '\n')
	return w.endRecord("F", s.ID)
}

var letters = [...]string{model.Added: "A", model.Modified: "M", model.Deleted: "D", model.Bookmark: "B"}

func (w *Writer) appendObject(s *writerStream, r *model.Record, frame []byte) error {
	raw := r.Raw
	if len(raw) == 0 {
		raw = nil
	}
	id, rv := identify(&s.StreamInfo, raw)
	if reach := s.Secrecy(id, r.Identity); reach != redact.Nothing && !w.o.AlreadyRedacted {
		if raw != nil {
			raw = w.o.Redactor.Within(raw, reach)
		}
		if frame != nil {
			frame = w.o.Redactor.Within(frame, reach)
		}
		id, rv = identify(&s.StreamInfo, raw)
	}
	before, after, enveloped, err := envelope(r.Type, r.Flags&model.Synthetic != 0, raw, frame)
	if err != nil {
		return err
	}
	if enveloped && !w.o.AlreadyRedacted {
		// A Secret beside the object, where no server puts anything, is not kept.
		around := slices.Concat(before, []byte("0"), after)
		if enveloped = bytes.Equal(around, w.o.Redactor.Within(around, redact.Inside)); !enveloped {
			before, after = nil, nil
		}
	}
	o := w.object(s, r, id)
	if !w.record(r.Time) {
		return w.err
	}
	w.line = append(append(append(w.line, `,"e":"`...), letters[r.Type]...), '"')
	switch {
	case raw != nil:
		o = w.splices(o, s, id, raw, r.Type)
	case o != nil:
		w.number(o)
		newest, err := w.texts.of(o)
		if err != nil {
			w.err = err
			return err
		}
		id, rv = identify(&s.StreamInfo, newest)
	default:
		w.line = strconv.AppendInt(append(w.line, `,"s":`...), int64(s.ID), 10)
		id, rv = model.Identity{}, ""
	}
	w.flags(r, len(r.Raw), frameSize(r, len(raw), len(before)+len(after)))
	w.identity(s, r, id, rv)
	if enveloped {
		w.line = append(w.line, `,"w":[`...)
		w.line = jsonscan.AppendQuote(w.line, string(before))
		w.line = append(jsonscan.AppendQuote(append(w.line, ','), string(after)), ']')
	}
	w.line = append(w.line, '}', '\n')
	if r.Type == model.Deleted && o != nil {
		w.forget(o)
	}
	return w.endRecord(letters[r.Type], s.ID)
}

// envelope splits a frame around its object, unless it is the canonical one of
// what always has a frame.
func envelope(typ model.Type, synthetic bool, raw, frame []byte) (before, after []byte, enveloped bool, err error) {
	if frame == nil {
		return nil, nil, false, nil
	}
	at := bytes.Index(frame, raw)
	if at < 0 || len(raw) == 0 {
		return nil, nil, false, fmt.Errorf("%w: the object is not in its frame", ErrRecord)
	}
	before, after = frame[:at], frame[at+len(raw):]
	if !synthetic && string(after) == "}" && string(before) == `{"type":"`+typ.String()+`","object":` {
		return nil, nil, false, nil
	}
	if len(before)+len(after) > maxEnvelope {
		return nil, nil, false, fmt.Errorf("%w: an envelope of %d bytes", ErrRecord, len(before)+len(after))
	}
	if !utf8.Valid(before) || !utf8.Valid(after) {
		return nil, nil, false, fmt.Errorf("%w: the frame's envelope is not UTF-8", ErrRecord)
	}
	return before, after, true, nil
}
