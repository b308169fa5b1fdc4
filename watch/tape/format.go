package tape

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"rewatch/model"
)

// Format and Version name what this package writes; it reads no later version.
const (
	Format  = "rewatch-tape"
	Version = 1
)

// Numbers of the format; docs/tape.md.
const (
	noteMagic    = 0x184D2A57 // skippable: describes the data frame before it
	indexMagic   = 0x184D2A58 // skippable: the index
	trailerMagic = 0x184D2A59 // skippable, of fixed size, at the very end: where the index is
	trailerSize  = 8 + 16
	trailerWord  = "RWT1"
	dataMagic    = 0xFD2FB528 // of every zstd frame with data
)

// Header is the first line of every segment of a tape.
type Header struct {
	Tool    string    // program and version that recorded
	Created time.Time // of the recording
	// Redaction says in words what was replaced before it reached the tape. If
	// it is empty the Writer puts a sentence about Secrets there.
	Redaction string
	// Filter is the query that the recorded changes match, "" where all were
	// recorded.
	Filter string
}

// Redacted is the statement that the Writer makes of what it does itself.
const Redacted = "values of Secrets (data, stringData, copies in annotations) are keyed fingerprints"

// Errors of opening and reading.
var (
	// ErrNotTape: these bytes do not begin with a tape, or nothing of it is left.
	ErrNotTape = errors.New("tape: not a tape, or nothing of it survives")
	// ErrVersion: a later version of the format.
	ErrVersion = errors.New("tape: written by a later version of rewatch")
	// ErrLimit: the tape asks for more memory than the Limits allow.
	ErrLimit = errors.New("tape: over a limit")
)

// Limits bound what a tape from a stranger can make a reader do; a zero means
// the default.
type Limits struct {
	Window  int   // bytes of a zstd window: 8 MiB
	Frame   int   // bytes of plain text in a data frame: 64 MiB
	Line    int   // bytes of a line: 48 MiB
	Object  int   // bytes of an object or frame: 16 MiB
	Roots   int   // bytes of roots in a segment: 256 MiB
	State   int64 // bytes of all objects that exist at one time, as held: 4 GiB
	Rebuilt int64 // bytes of all objects rebuilt from one data frame: 8 GiB
	Index   int   // bytes of the index: 256 MiB
}

func (l Limits) orDefault() Limits {
	pick := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	pick(&l.Window, 8<<20)
	pick(&l.Frame, 64<<20)
	pick(&l.Line, 48<<20)
	pick(&l.Object, 16<<20)
	pick(&l.Roots, 256<<20)
	pick(&l.Index, 256<<20)
	if l.State == 0 {
		l.State = 4 << 30
	}
	if l.Rebuilt == 0 {
		l.Rebuilt = 8 << 30
	}
	return l
}

// Damage is a part of a tape that cannot be read, or cannot be relied on. It
// is an error of [Reader.Next] after which reading goes on.
type Damage struct {
	Offset int64 // in the file
	Size   int64 // bytes, 0 where a place is meant
	// Records that are lost, -1 if their number is not known.
	Records int
	// From and To are the times between which they were, zero if that is not
	// known.
	From, To time.Time
	Text     string
}

func (d *Damage) Error() string {
	n := "an unknown number of"
	if d.Records >= 0 {
		n = fmt.Sprint(d.Records)
	}
	return fmt.Sprintf("tape: damage at byte %d (%d bytes, %s records): %s", d.Offset, d.Size, n, d.Text)
}

// Entry is one record of a tape.
//
// Raw and the strings of the record are valid until the next call of Next.
type Entry struct {
	// Record has Type 0 for a frame that is neither a change nor a bookmark,
	// such as an ERROR: see Frame. Its Identity and RV are filled in.
	model.Record
	// Lost is not 0 where the recorder lost frames; the record is then a
	// GapFound with the Cause "recorder-lost".
	Lost int64
	// before and after stand around Raw in a frame with an envelope other than
	// the canonical one.
	before, after []byte
	enveloped     bool
}

// CauseLost is the cause of the gap that a recorder made itself.
const CauseLost model.Cause = "recorder-lost"

// AppendFrame appends the frame as it came from the wire, if one did; what a
// list found out has none.
func (e *Entry) AppendFrame(dst []byte) []byte {
	switch {
	case e.enveloped:
		return append(append(append(dst, e.before...), e.Raw...), e.after...)
	case e.Raw == nil || !(e.Type.IsObject() || e.Type == model.Bookmark):
		return dst
	case e.Has(model.Synthetic) && !e.carried():
		return dst
	}
	dst = append(append(append(dst, `{"type":"`...), e.Type.String()...), `","object":`...)
	return append(append(dst, e.Raw...), '}')
}

// carried reports whether an object that a state had anew came in a frame with
// the canonical envelope: then its size is that of the frame, which no item of a
// list can have. Writers of now write the envelope of such a frame.
func (e *Entry) carried() bool {
	return e.Type == model.Added && e.Bytes == len(e.Raw)+len(`{"type":"ADDED","object":}`)
}

// Has reports whether every flag of f is set.
func (e *Entry) Has(f model.Flag) bool { return e.Flags&f == f }

var crcTable = crc32.MakeTable(crc32.Castagnoli)

func crcUpdate(sum uint32, b []byte) uint32 { return crc32.Update(sum, crcTable, b) }

func crc(b []byte) uint32 { return crc32.Checksum(b, crcTable) }

// skippable appends a skippable frame whose payload begins with a checksum of
// the rest.
func skippable(dst []byte, magic uint32, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)+4))
	dst = binary.LittleEndian.AppendUint32(dst, crc(payload))
	return append(dst, payload...)
}

// unskip returns the payload of a skippable frame, nil unless its checksum is
// right.
func unskip(frame []byte, magic uint32) []byte {
	if len(frame) < 12 || binary.LittleEndian.Uint32(frame) != magic ||
		int64(binary.LittleEndian.Uint32(frame[4:])) != int64(len(frame)-8) ||
		binary.LittleEndian.Uint32(frame[8:]) != crc(frame[12:]) {
		return nil
	}
	return frame[12:]
}
