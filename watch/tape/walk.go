package tape

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// Without an index the data frames are found from the beginning: by the sizes
// that they and their blocks tell, each confirmed by the note behind it. Where
// that fails, the next note that is whole says where to go on.

// maxNote bounds a note, so that what only looks like one costs little.
const maxNote = 4 << 20

type walker struct {
	t      *Tape
	window []byte // a stretch of the file that was read ahead
	at     int64  // where it begins
	work   int64  // bytes of seeming notes that were checked
	verify bool   // the index is known to be whole
}

// walk finds the parts of the tape.
func (t *Tape) walk(indexed bool) error {
	w := walker{t: t, verify: indexed}
	for at := int64(0); at < t.size; {
		next, err := w.step(at)
		if err != nil {
			return err
		}
		at = next
	}
	if len(t.parts) == 0 {
		return ErrNotTape
	}
	return nil
}

// peek returns up to n bytes at an offset, less only where the file ends. They
// are valid until the next call.
func (w *walker) peek(at int64, n int) ([]byte, error) {
	at = min(at, w.t.size)
	n = int(min(int64(n), w.t.size-at))
	if at < w.at || at+int64(n) > w.at+int64(len(w.window)) {
		const ahead = 64 << 10
		size := int(min(int64(max(n, ahead)), w.t.size-at))
		if cap(w.window) < size {
			w.window = make([]byte, size)
		}
		w.window, w.at = w.window[:size], at
		if err := w.t.read(w.window, at); err != nil {
			w.window = nil
			return nil, err
		}
	}
	from := at - w.at
	return w.window[from : from+int64(n)], nil
}

// step reads what begins at an offset and returns where to go on.
func (w *walker) step(at int64) (int64, error) {
	magic, end, err := w.extent(at)
	if err != nil {
		return 0, err
	}
	switch {
	case end < 0:
		return w.resync(at)
	case magic == noteMagic:
		// Behind its data frame it is not met here.
		return w.resync(at)
	case magic != dataMagic:
		w.behind(magic, at, end)
		return end, nil
	}
	note, size, err := w.note(end)
	if err != nil {
		return 0, err
	}
	if note != nil && note.Size == end-at {
		note.offset = at
		return end + size, w.add(part{frameNote: *note})
	}
	p, err := w.scan(at, end)
	if errors.Is(err, errDamaged) || errors.Is(err, ErrLimit) {
		return w.resync(at)
	}
	if err != nil {
		return 0, err
	}
	return end, w.add(p)
}

// behind notes what stands behind the data: an index that was of no use, since
// the frames had to be found without it, or what is not of this format.
func (w *walker) behind(magic uint32, at, end int64) {
	switch {
	case magic == trailerMagic && end == w.t.size:
		w.t.info.Closed = true
	case magic == indexMagic && !w.verify:
		w.t.damaged(at, end, 0, "the index is damaged, or cut off")
	case magic != indexMagic:
		w.t.damaged(at, end, 0, "a skippable frame that is not of this format")
	}
}

func (w *walker) add(p part) error {
	for _, s := range p.Streams {
		if err := w.t.addStream(s); err != nil {
			p.damage = &Damage{Offset: p.offset, Size: p.Size, Records: int(p.Records), Text: "declares a stream that cannot be"}
		}
	}
	w.t.addCounts(&p.frameNote)
	p.Streams = nil
	w.t.parts = append(w.t.parts, p)
	return nil
}

// extent returns the magic number of what begins at an offset and where it
// ends, -1 if it is nothing known or has no end within the file.
func (w *walker) extent(at int64) (magic uint32, end int64, err error) {
	b, err := w.peek(at, zstd.HeaderMaxSize)
	if err != nil {
		return 0, 0, err
	}
	var h zstd.Header
	if h.Decode(b) != nil {
		return 0, -1, nil
	}
	magic = binary.LittleEndian.Uint32(b)
	if h.Skippable {
		if end = at + int64(h.HeaderSize) + int64(h.SkippableSize); end > w.t.size {
			end = -1
		}
		return magic, end, nil
	}
	if !h.HasCheckSum {
		return magic, -1, nil
	}
	for end, last := at+int64(h.HeaderSize), false; ; {
		if last {
			if end += 4; end > w.t.size {
				end = -1
			}
			return magic, end, nil
		}
		b, err := w.peek(end, 3)
		if err != nil || len(b) < 3 {
			return magic, -1, err
		}
		x := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		size := int64(x >> 3)
		switch x >> 1 & 3 {
		case 1: // one byte, repeated
			size = 1
		case 3:
			return magic, -1, nil
		}
		end, last = end+3+size, x&1 != 0
	}
}

// note returns the note at an offset and its size, nil if there is none or it
// is damaged.
func (w *walker) note(at int64) (*frameNote, int64, error) {
	b, err := w.peek(at, 12)
	if err != nil || len(b) < 12 || binary.LittleEndian.Uint32(b) != noteMagic {
		return nil, 0, err
	}
	size := int64(binary.LittleEndian.Uint32(b[4:])) + 8
	if size < 12 || size > maxNote || size > w.t.size-at {
		return nil, 0, nil
	}
	w.work += size
	if b, err = w.peek(at, int(size)); err != nil {
		return nil, 0, err
	}
	var n frameNote
	p := unskip(b, noteMagic)
	if p == nil || json.Unmarshal(p, &n) != nil || n.Size <= 0 || n.Size > at || n.Plain < 0 || n.Records < 0 {
		return nil, 0, nil
	}
	return &n, size, nil
}

// scan makes the note of a data frame that has none from its text.
func (w *walker) scan(at, end int64) (part, error) {
	if end-at > int64(w.t.limits.Frame)+int64(w.t.limits.Frame)/64 {
		return part{}, ErrLimit
	}
	raw := make([]byte, end-at)
	if err := w.t.read(raw, at); err != nil {
		return part{}, err
	}
	text, err := w.t.decode(nil, raw)
	if err != nil {
		return part{}, err
	}
	p, err := describe(text, w.t.limits.Line)
	p.offset, p.Size = at, end-at
	return p, err
}

// describe makes the note of a data frame from its text.
func describe(text []byte, limit int) (part, error) {
	p := part{frameNote: frameNote{Plain: int64(len(text))}}
	var l line
	lines := newScan(text, &l, limit)
	for first := true; ; first = false {
		more, err := lines.next()
		switch {
		case err != nil:
			return p, fmt.Errorf("%w: %w", errDamaged, err)
		case !more:
			return p, nil
		case first != (l.frame != nil):
			return p, fmt.Errorf("%w: does not begin as a frame does", errDamaged)
		case l.frame != nil:
			p.Frame, p.Segment = l.frame.Frame, l.frame.Format != ""
		case l.stream != nil:
			p.Streams = append(p.Streams, *l.stream)
		case l.isRecord():
			p.count(lines.now, l.what, lines.stream)
		}
	}
}

// resync goes on behind bytes that cannot be read, at the next note that is
// whole and the data frame that it describes. If there is none, this is the
// torn end of the tape.
func (w *walker) resync(bad int64) (int64, error) {
	t := w.t
	magic := binary.LittleEndian.AppendUint32(nil, noteMagic)
	for at := bad; at < t.size; {
		b, err := w.peek(at, 64<<10)
		if err != nil {
			return 0, err
		}
		i := bytes.Index(b, magic)
		if i < 0 || w.work > 4*t.size+64<<20 {
			at += int64(max(len(b)-3, 1))
			continue
		}
		at += int64(i)
		n, size, err := w.note(at)
		if err != nil {
			return 0, err
		}
		if n == nil || at-n.Size < bad {
			at++
			continue
		}
		if start := at - n.Size; start > bad {
			t.damaged(bad, start, -1, "cannot be read")
			return start, nil
		}
		n.offset = bad // what is in it is for who reads it to find out
		return at + size, w.add(part{frameNote: *n})
	}
	return t.size, w.tail(bad)
}

func (t *Tape) damaged(from, to int64, records int, text string) {
	t.parts = append(t.parts, part{damage: &Damage{Offset: from, Size: to - from, Records: records, Text: text}})
}

// tail takes from a torn end of the tape what was sealed by a sync line.
func (w *walker) tail(at int64) error {
	t := w.t
	b, err := w.peek(at, 4)
	if err != nil {
		return err
	}
	if len(b) == 4 && binary.LittleEndian.Uint32(b)&^0xF == noteMagic&^0xF {
		t.damaged(at, t.size, 0, "torn between two frames: nothing is lost of what came before")
		return nil
	}
	raw := make([]byte, min(t.size-at, int64(t.limits.Frame)))
	if err := t.read(raw, at); err != nil {
		return err
	}
	if text, err := t.salvage(nil, raw); err != nil {
		return err
	} else if len(text) > 0 {
		p, err := describe(text, t.limits.Line)
		if err == nil {
			p.offset, p.Size, p.text = at, t.size-at, text
			if err := w.add(p); err != nil {
				return err
			}
			t.damaged(t.size, t.size, -1, "torn: what came after the last flush is lost")
			return nil
		}
	}
	t.damaged(at, t.size, -1, "torn: nothing of the last frame was flushed")
	return nil
}
