package tape

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"rewatch/model"
)

// How the Writer makes lines into data frames, and these into a file.

// headerJSON is the first line of every data frame; only the first of a
// segment has more than the first two members.
type headerJSON struct {
	Frame     int64  `json:"frame"`
	T         int64  `json:"t"`
	O         uint64 `json:"o,omitempty"` // number of the newest object
	Format    string `json:"format,omitempty"`
	Version   int    `json:"version,omitempty"`
	Segment   int64  `json:"segment,omitempty"`
	Live      int    `json:"live,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Created   string `json:"created,omitempty"`
	Redaction string `json:"redaction,omitempty"`
	Filter    string `json:"filter,omitempty"`
}

// frameNote describes a data frame, in the skippable frame behind it and in
// the index.
type frameNote struct {
	Frame   int64 `json:"frame"`
	Size    int64 `json:"size"`
	Plain   int64 `json:"plain"`
	Records int64 `json:"records"`
	From    int64 `json:"from"` // of the records, 0 without any
	To      int64 `json:"to"`
	Segment bool  `json:"segment,omitempty"` // a segment begins with it
	// Streams declared in the frame, those with records in it in ascending
	// order, and the records by what they are.
	Streams []streamJSON     `json:"streams,omitempty"`
	Active  []model.StreamID `json:"active,omitempty"`
	Counts  Counts           `json:"counts"`
	// Live is set where nothing is in the frame but objects of a checkpoint that
	// are no roots: how many, and the lowest and the highest of their numbers.
	Live   []uint64 `json:"live,omitempty"`
	offset int64
	rooted bool // has roots; only the Writer knows
}

// apart reports whether nothing is in the frame for who wants some objects only.
// A note with more objects than there are numbers for them is not believed.
func (n *frameNote) apart(only map[uint64]bool) bool {
	if only == nil || len(n.Live) != 3 || n.Live[1] > n.Live[2] || n.Live[0]-1 > n.Live[2]-n.Live[1] || n.Live[0] > math.MaxInt32 {
		return false
	}
	for o := range only {
		if o >= n.Live[1] && o <= n.Live[2] {
			return false
		}
	}
	return true
}

// count adds a record; stream is negative if it is not known.
func (n *frameNote) count(t int64, what string, stream model.StreamID) {
	if c := n.Counts.of(what); c != nil {
		*c++
	}
	if at, found := slices.BinarySearch(n.Active, stream); !found && stream >= 0 {
		n.Active = slices.Insert(n.Active, at, stream)
	}
	if n.Records == 0 {
		n.From, n.To = t, t
	}
	n.Records++
	n.From, n.To = min(n.From, t), max(n.To, t)
}

// indexJSON is the payload of the index.
type indexJSON struct {
	Header  headerJSON   `json:"header"`
	Streams []streamJSON `json:"streams"`
	Objects uint64       `json:"objects"`
	Frames  []indexFrame `json:"frames"`
	Live    [][]uint64   `json:"live,omitempty"` // by note that has it: its number, and that
}

// indexFrame is a note in short: offset, size, plain, records, from, to,
// segment, the nine counts in their order, and the numbers of the active
// streams.
type indexFrame []int64

const indexFixed = 7 + 9

func (n *frameNote) short() indexFrame {
	segment := int64(0)
	if n.Segment {
		segment = 1
	}
	c := &n.Counts
	f := make(indexFrame, 0, indexFixed+len(n.Active))
	f = append(f, n.offset, n.Size, n.Plain, n.Records, n.From, n.To, segment,
		c.Added, c.Modified, c.Deleted, c.Bookmarks, c.Others, c.Transitions, c.Gaps, c.Notes, c.Lost)
	for _, s := range n.Active {
		f = append(f, int64(s))
	}
	return f
}

// note is short backwards; ok is false for what cannot be.
func (f indexFrame) note(number int) (n frameNote, ok bool) {
	if len(f) < indexFixed || len(f) > indexFixed+maxStreams || f[0] < 0 || f[1] <= 0 || f[2] < 0 || f[3] < 0 {
		return n, false
	}
	n = frameNote{Frame: int64(number), offset: f[0], Size: f[1], Plain: f[2], Records: f[3], From: f[4], To: f[5], Segment: f[6] != 0,
		Counts: Counts{f[7], f[8], f[9], f[10], f[11], f[12], f[13], f[14], f[15]}}
	for _, s := range f[indexFixed:] {
		n.Active = append(n.Active, model.StreamID(s))
	}
	return n, true
}

// record begins the line of a record; it reports false after an error.
func (w *Writer) record(when time.Time) bool {
	t := when.UnixNano()
	if !w.begin(t) {
		return false
	}
	w.line = strconv.AppendInt(append(w.line[:0], `{"t":`...), t-w.now, 10)
	w.now = t
	return true
}

// endRecord writes the line of a record.
func (w *Writer) endRecord(what string, stream model.StreamID) error {
	w.records++
	w.total++
	w.frame.count(w.now, what, stream)
	return w.endLine()
}

// begin sees to it that a data frame is open.
func (w *Writer) begin(t int64) bool {
	if w.err == nil && !w.open {
		w.beginWith(headerJSON{T: t})
	}
	return w.err == nil
}

func (w *Writer) beginWith(h headerJSON) {
	h.Frame, h.O = int64(len(w.frames)), w.last
	w.frame = frameNote{Frame: h.Frame, Segment: h.Format != "", offset: w.out.n}
	w.zstd.Reset(&w.out)
	w.former.reset()
	w.near = w.last
	w.open, w.synced, w.crc, w.now = true, 0, 0, h.T
	w.line = append(appendJSON(w.line[:0], h), '\n')
	w.write() // not endLine: a data frame has more than its first line
}

// endLine writes the line, seals what has come together, and ends the data
// frame when it is full.
func (w *Writer) endLine() error {
	w.write()
	switch {
	case w.err != nil:
	case w.frame.Plain >= int64(w.o.FrameSize):
		w.endFrame()
	case w.frame.Plain-int64(w.synced) >= sealEvery:
		w.seal()
	}
	return w.err
}

// sealEvery is after how many bytes of text a data frame is sealed though nobody
// asks for it: what damage can take of a tape that is written in one go.
const sealEvery = 64 << 10

// seal ends a block of the data frame with a checksum of the text so far.
func (w *Writer) seal() {
	w.line = append(strconv.AppendUint(append(w.line[:0], `{"sync":`...), uint64(w.crc), 10), '}', '\n')
	w.write()
	w.synced = int(w.frame.Plain)
	if w.err == nil {
		w.err = w.zstd.Flush()
	}
}

func (w *Writer) write() {
	if w.err != nil {
		return
	}
	line := w.line
	if bytes.Contains(line[:min(len(line), 40)], []byte(`"e":"`)) {
		line = w.former.shorten(line, w.now)
	}
	_, w.err = w.zstd.Write(line)
	w.crc = crcUpdate(w.crc, line)
	w.frame.Plain += int64(len(line))
	w.since += len(w.line)
	if cap(w.line) > 1<<20 { // do not keep what one large object needed
		w.line = nil
	}
}

func (w *Writer) endFrame() {
	if w.err != nil || !w.open {
		return
	}
	w.open = false
	if w.err = w.zstd.Close(); w.err != nil {
		return
	}
	w.frame.Size = w.out.n - w.frame.offset
	if w.frame.Records > 0 || w.frame.Segment || w.frame.rooted || len(w.frame.Streams) > 0 {
		w.frame.Live = nil
	}
	if _, w.err = w.out.Write(skippable(nil, noteMagic, appendJSON(nil, w.frame))); w.err == nil {
		w.frame.Streams = nil // in the index they are all in one place
		w.frames = append(w.frames, w.frame)
	}
}

// alive counts an object of a checkpoint; they come in the order of their numbers.
func (n *frameNote) alive(o *object) {
	if n.Live == nil {
		n.Live = []uint64{0, o.num, 0}
	}
	n.Live[0]++
	n.Live[2] = o.num
}

// checkpoint begins a segment: all that exists, so that nothing before it is needed.
func (w *Writer) checkpoint(t int64) {
	w.endFrame()
	if w.err != nil {
		return
	}
	live := make([]*object, 0, len(w.objects))
	for _, o := range w.objects {
		live = append(live, o)
	}
	slices.SortFunc(live, func(a, b *object) int { return cmp.Compare(a.num, b.num) })
	w.beginSegment(t, len(live))
	for _, o := range live {
		raw, err := w.texts.of(o)
		if err != nil || !w.begin(t) {
			w.err = cmp.Or(w.err, err)
			return
		}
		id, _ := identify(&w.streams[o.stream].StreamInfo, raw)
		w.line = append(w.line[:0], `{"e":"L"`...)
		w.alone += w.base(o, id, raw, false)
		w.frame.alive(o)
		w.chill(o, raw)
		w.line = append(w.line, '}', '\n')
		_ = w.endLine()
	}
	w.since, w.records = 0, 0
}

// beginSegment begins a segment, up to the checkpoint's live objects.
func (w *Writer) beginSegment(t int64, live int) {
	w.begun = true
	w.roots = newRoots(w.roots.last)
	w.beginWith(w.header(t, live))
	w.segment++
	for _, s := range w.streams {
		if s.bookmarks != nil {
			w.texts.drop(s.bookmarks)
			s.bookmarks = nil
		}
		w.begin(t)
		w.streamLine(s)
		_ = w.endLine()
	}
	w.alone = 0
}

func (w *Writer) header(t int64, live int) headerJSON {
	return headerJSON{T: t, Format: Format, Version: Version, Segment: w.segment, Live: live, Tool: w.hdr.Tool,
		Created: w.hdr.Created.UTC().Format(time.RFC3339Nano), Redaction: w.hdr.Redaction, Filter: w.hdr.Filter}
}

func (w *Writer) streamLine(s *writerStream) {
	j := streamOf(s.StreamInfo)
	w.frame.Streams = append(w.frame.Streams, j)
	j.Last, j.Since = s.last, s.since
	w.line = append(appendJSON(append(w.line[:0], `{"stream":`...), j), '}', '\n')
}

// Flush hands everything appended so far to the io.Writer, within the data
// frame, and seals it with a checksum, so that it comes back even if nothing
// follows. Call it about once a second, and sync the file after it; without
// new records it does nothing.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if !w.begun {
		w.checkpoint(nanos(w.hdr.Created))
	}
	if !w.open || w.frame.Plain == int64(w.synced) {
		return w.err
	}
	w.seal()
	if w.err == nil && w.frame.Plain >= int64(w.o.FrameSize) {
		w.endFrame()
	}
	return w.err
}

// Close ends the tape with its index. It does not close the io.Writer, and
// calling it again does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.close()
}

func (w *Writer) close() error {
	if w.err == ErrClosed {
		return nil
	}
	if w.err == nil && !w.begun {
		w.checkpoint(nanos(w.hdr.Created))
	}
	w.endFrame()
	if w.err != nil {
		return w.err
	}
	x := indexJSON{Header: w.header(0, 0), Objects: w.last, Frames: make([]indexFrame, len(w.frames))}
	for _, s := range w.streams {
		x.Streams = append(x.Streams, streamOf(s.StreamInfo))
	}
	for i := range w.frames {
		x.Frames[i] = w.frames[i].short()
		if live := w.frames[i].Live; live != nil {
			x.Live = append(x.Live, append([]uint64{uint64(i)}, live...))
		}
	}
	payload, err := json.Marshal(x)
	if err != nil {
		return err
	}
	trailer := append(binary.LittleEndian.AppendUint64(nil, uint64(w.out.n)), trailerWord...)
	if _, w.err = w.out.Write(skippable(skippable(nil, indexMagic, payload), trailerMagic, trailer)); w.err != nil {
		return w.err
	}
	w.err = ErrClosed
	return nil
}

// Recorded is what a Writer has taken so far.
type Recorded struct {
	Records, Lost int64
	Objects       int   // that exist now
	Bytes         int64 // written
	Last          time.Time
}

// Recorded returns figures for a progress line.
func (w *Writer) Recorded() Recorded {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Recorded{Records: w.total, Lost: w.lost, Objects: len(w.objects), Bytes: w.out.n, Last: instant(w.now)}
}
