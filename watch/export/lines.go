package export

import (
	"bufio"
	"io"
	"strconv"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// Lines writes the rows of a log as events-json, while the log is filled: the
// schema of a tape's export, line by line. It belongs to one goroutine.
type Lines struct {
	log     *model.Log
	w       *lineWriter
	streams []model.StreamStatus
	old     []byte
	new     []byte
	rows    int64
}

// LinesHead is what the first line says.
type LinesHead struct {
	From      time.Time
	To        time.Time // zero is not known yet
	Tape      string    // "" is live
	Tool      string    // what writes it
	Filter    string    // "" is none
	Redaction string    // what is redacted beside Secrets
}

// LinesEnd is what the last line says.
type LinesEnd struct {
	Result string // how it ended, in a word
	Text   string // and in a line, "" if there is no more to say
}

// lastJSON ends the lines of a log.
type lastJSON struct {
	Type   string `json:"type"`
	Rows   int64  `json:"rows"`
	Result string `json:"result"`
	Text   string `json:"text,omitempty"`
}

const linesBuffer = 64 << 10

// NewLines returns a writer of a log's rows, and writes the first line.
func NewLines(out io.Writer, log *model.Log, h LinesHead) *Lines {
	l := &Lines{log: log, w: &lineWriter{out: bufio.NewWriterSize(out, linesBuffer)}}
	l.w.write(headJSON{Type: "TAIL", Schema: eventsSchema, Version: eventsVersion, From: stamp(h.From), To: stamp(h.To), Tape: h.Tape, Exporter: h.Tool,
		Filter: h.Filter, Redaction: h.Redaction})
	return l
}

// Row writes a row. Errors are those of the io.Writer, and stay.
func (l *Lines) Row(e model.Event) error {
	l.rows++
	r := row{n: int64(e.Seq) + 1, time: e.When().UTC(), typ: e.Type.String(), event: e, stream: l.stream(e.Stream)}
	switch {
	case e.Type.IsObject():
		l.object(&r)
	case e.Type == model.Bookmark && r.stream != nil:
		r.id = model.Identity{APIVersion: apiVersion(r.stream), Kind: r.stream.Kind}
	}
	if r.rv == "" && e.RV != 0 {
		r.rv = strconv.FormatUint(e.RV, 10)
	}
	l.w.write(eventOf(&r))
	return l.w.err
}

// Lost says that n rows left the log before they could be written.
func (l *Lines) Lost(n uint64, when time.Time) error {
	l.w.write(eventJSON{Time: stamp(when), Type: typeLost, Lost: int64(n), Summary: "rows left the log before they could be written"})
	return l.w.err
}

// Flush passes on what is buffered.
func (l *Lines) Flush() error {
	if l.w.err != nil {
		return l.w.err
	}
	return l.w.out.Flush()
}

// End writes the last line.
func (l *Lines) End(e LinesEnd) error {
	l.w.write(lastJSON{"END", l.rows, e.Result, e.Text})
	return l.Flush()
}

// object adds the object, as it became and as it was.
func (l *Lines) object(r *row) {
	e := r.event
	r.id = l.log.Identity(e.Object)
	l.new, r.reached = l.log.AppendBytes(l.new[:0], e.Object, e.Version)
	r.new = l.new
	r.rv, _ = jsonscan.Unquote(jsonscan.Get(r.new, "metadata", "resourceVersion"))
	if e.Version < 2 || e.Type == model.Deleted || r.has(model.Replayed) || r.has(model.Selection) {
		return
	}
	var ok bool
	if l.old, ok = l.log.AppendBytes(l.old[:0], e.Object, e.Version-1); ok {
		r.old = l.old
	}
}

// stream returns what a stream watches; that never changes.
func (l *Lines) stream(id model.StreamID) *model.StreamInfo {
	if int(id) >= len(l.streams) {
		l.streams = l.log.Streams(time.Time{})
	}
	if int(id) >= len(l.streams) {
		return nil
	}
	return &l.streams[id].StreamInfo
}

func apiVersion(s *model.StreamInfo) string {
	if s.Group == "" {
		return s.Version
	}
	return s.Group + "/" + s.Version
}
