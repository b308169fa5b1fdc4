package tape

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
)

// Tape is a tape that is open for reading. It is never changed; any goroutine
// may use it.
type Tape struct {
	r      io.ReaderAt
	size   int64
	limits Limits
	info   Info
	parts  []part
	known  knownForms

	decoders, digests, workshops, packed sync.Pool // of *zstd.Decoder, *digest, *workshop, *[]byte
}

// part is a data frame, or a stretch that cannot be read.
type part struct {
	frameNote
	damage *Damage
	text   []byte // of a torn frame: what of it is sealed
}

// Info says what a tape is and holds.
type Info struct {
	Header
	Streams  []model.StreamInfo // by number
	Records  int64
	From, To time.Time // of the records; zero without any
	Segments int
	Frames   int   // data frames
	Size     int64 // of the file
	Plain    int64 // bytes of text in it
	// Closed is whether the recording ended in order. Otherwise it still runs,
	// or its recorder was killed or ran out of disk.
	Closed bool
	// Counts of lines by what they are: A, M, D, B for changes and bookmarks,
	// F for other frames, transition, gap, note, lost.
	Counts map[string]int64
	// Damages found on opening; a tape with an index is read no further than
	// that until somebody does.
	Damages []*Damage
}

// Info describes the tape.
func (t *Tape) Info() Info { return t.info }

// Open opens a tape of size bytes. One that was closed in order is opened by
// its index; otherwise the frames are found by walking through them, and what
// was torn off or cannot be read is in Info.Damages.
//
// The errors are ErrNotTape, ErrVersion, ErrLimit, and those of r.
func Open(r io.ReaderAt, size int64, limits Limits) (*Tape, error) {
	t := &Tape{r: r, size: size, limits: limits.orDefault()}
	if err := t.openIndex(); err != nil {
		t.info, t.parts = Info{}, nil
		if err := t.walk(false); err != nil {
			return nil, err
		}
		if err := t.findHeader(); err != nil {
			return nil, err
		}
	}
	t.info.Size = size
	t.summarize()
	return t, nil
}

var errNoIndex = errors.New("no index")

// openIndex opens the tape by its index.
func (t *Tape) openIndex() error {
	if t.size < trailerSize {
		return errNoIndex
	}
	tail := make([]byte, trailerSize)
	if err := t.read(tail, t.size-trailerSize); err != nil {
		return err
	}
	p := unskip(tail, trailerMagic)
	if p == nil || string(p[8:]) != trailerWord {
		return errNoIndex
	}
	at := binary.LittleEndian.Uint64(p)
	if at > uint64(t.size-trailerSize) || t.size-trailerSize-int64(at) > int64(t.limits.Index) {
		return errNoIndex
	}
	b := make([]byte, t.size-trailerSize-int64(at))
	if err := t.read(b, int64(at)); err != nil {
		return err
	}
	var x indexJSON
	if p = unskip(b, indexMagic); p == nil || json.Unmarshal(p, &x) != nil {
		return errNoIndex
	}
	return t.useIndex(&x, int64(at))
}

func (t *Tape) useIndex(x *indexJSON, end int64) error {
	if err := t.header(x.Header); err != nil {
		return err
	}
	t.parts = make([]part, len(x.Frames))
	at := int64(0)
	for i, f := range x.Frames {
		n, ok := f.note(i)
		if !ok || n.offset < at || n.Size > end-n.offset {
			return errNoIndex
		}
		t.parts[i].frameNote = n
		t.addCounts(&n)
		at = n.offset + n.Size
	}
	for _, l := range x.Live {
		if len(l) != 4 || l[0] >= uint64(len(t.parts)) {
			return errNoIndex
		}
		t.parts[l[0]].Live = l[1:]
	}
	for _, s := range x.Streams {
		if err := t.addStream(s); err != nil {
			return err
		}
	}
	t.info.Closed = true
	return nil
}

func (t *Tape) header(h headerJSON) error {
	if h.Format != Format {
		return ErrNotTape
	}
	if h.Version > Version {
		return ErrVersion
	}
	created, err := time.Parse(time.RFC3339Nano, h.Created)
	if err != nil {
		return fmt.Errorf("%w: created: %w", ErrNotTape, err)
	}
	t.info.Header = Header{Tool: h.Tool, Created: created, Redaction: h.Redaction, Filter: h.Filter}
	return nil
}

// addStream enters a declaration; streams are declared in order, and anew in
// every segment.
func (t *Tape) addStream(s streamJSON) error {
	switch n := model.StreamID(len(t.info.Streams)); {
	case s.ID < 0 || s.ID > n && s.ID >= maxStreams:
		return fmt.Errorf("%w: stream number %d", ErrNotTape, s.ID)
	case s.ID < n:
		t.info.Streams[s.ID] = s.info()
	default: // those between were lost with their frames
		for ; n < s.ID; n++ {
			t.info.Streams = append(t.info.Streams, model.StreamInfo{ID: n})
		}
		t.info.Streams = append(t.info.Streams, s.info())
	}
	return nil
}

// maxStreams is the room of a model.Log.
const maxStreams = 1<<16 - 1

// summarize completes the Info from the parts.
func (t *Tape) summarize() {
	var from, to int64
	for i := range t.parts {
		p := &t.parts[i]
		if p.damage != nil {
			t.info.Damages = append(t.info.Damages, p.damage)
			continue
		}
		t.info.Frames++
		t.info.Plain += p.Plain
		if p.Segment {
			t.info.Segments++
		}
		if p.Records > 0 {
			if t.info.Records == 0 {
				from, to = p.From, p.To
			}
			from, to = min(from, p.From), max(to, p.To)
			t.info.Records += p.Records
		}
	}
	if t.info.Records > 0 {
		t.info.From, t.info.To = time.Unix(0, from), time.Unix(0, to)
	}
}

// findHeader reads the header of the first segment that can be read.
func (t *Tape) findHeader() error {
	for i := range t.parts {
		if p := &t.parts[i]; p.damage == nil && p.Segment {
			text, err := t.load(nil, p)
			if err != nil && !errors.Is(err, errDamaged) {
				continue
			}
			line, _, _ := bytes.Cut(text, []byte("\n"))
			var h headerJSON
			if json.Unmarshal(line, &h) != nil {
				continue
			}
			return t.header(h)
		}
	}
	return ErrNotTape
}

// read fills b from an offset.
func (t *Tape) read(b []byte, at int64) error {
	n, err := t.r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// errDamaged: these bytes are not the data frame that they should be.
var errDamaged = errors.New("the frame is damaged")

// load appends the text of a data frame to dst. With errDamaged that is what of
// it is sealed, perhaps nothing. The other errors are ErrLimit and those of the
// io.ReaderAt.
func (t *Tape) load(dst []byte, p *part) ([]byte, error) {
	if p.text != nil {
		return append(dst, p.text...), nil
	}
	if p.Size > int64(t.limits.Frame)+int64(t.limits.Frame)/64 || p.Plain > int64(t.limits.Frame) {
		return dst, fmt.Errorf("%w: a frame of %d bytes of text", ErrLimit, p.Plain)
	}
	room, _ := t.packed.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	if p.Size <= maxDigest {
		defer t.packed.Put(room)
	}
	*room = slices.Grow((*room)[:0], int(p.Size))[:p.Size]
	raw := *room
	if err := t.read(raw, p.offset); err != nil {
		return dst, err
	}
	text, err := t.decode(slices.Grow(dst, int(min(p.Plain, maxDigest))), raw)
	if err == nil && p.Plain != int64(len(text)-len(dst)) {
		err = fmt.Errorf("%w: %d bytes of text, %d expected", errDamaged, len(text)-len(dst), p.Plain)
	}
	if !errors.Is(err, errDamaged) {
		return text, err
	}
	text, e := t.salvage(dst, raw)
	return text, cmp.Or(e, err)
}

// decode unpacks one zstd frame, which must have a checksum.
func (t *Tape) decode(dst, raw []byte) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(raw); err != nil {
		return dst, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if h.Skippable || !h.HasCheckSum || h.DictionaryID != 0 {
		return dst, fmt.Errorf("%w: no checksum, or a dictionary", errDamaged)
	}
	d, err := t.decoder()
	if err != nil {
		return dst, err
	}
	defer t.decoders.Put(d)
	text, err := d.DecodeAll(raw, dst)
	switch {
	case err == nil && len(text)-len(dst) > t.limits.Frame:
		return dst, fmt.Errorf("%w: a frame of %d bytes of text", ErrLimit, len(text)-len(dst))
	case err != nil: // with sizes over the limits, too: one wrong bit can make them
		return dst, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return text, nil
}

func (t *Tape) decoder() (*zstd.Decoder, error) {
	if d, ok := t.decoders.Get().(*zstd.Decoder); ok {
		return d, nil
	}
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(uint64(t.limits.Window)),
		zstd.WithDecoderMaxMemory(uint64(max(t.limits.Frame, t.limits.Window))))
}

// addCounts adds those of a data frame to those of the tape.
func (t *Tape) addCounts(n *frameNote) {
	if t.info.Counts == nil {
		t.info.Counts = map[string]int64{}
	}
	for what, c := range n.Counts.all() {
		if *c != 0 {
			t.info.Counts[what] += *c
		}
	}
}
