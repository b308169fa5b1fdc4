package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"time"
	"unicode"
	"unicode/utf8"

	"rewatch/model"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// The schema of events-json, which docs/export.md specifies.
const (
	eventsSchema  = "rewatch-events"
	eventsVersion = 1
)

// Bounds of one row; what is over them is counted in it.
const (
	maxChanges = 200     // paths
	maxValue   = 4 << 10 // bytes of a value's JSON
)

// eventJSON is a row. Field names are the schema.
type eventJSON struct {
	Row             int64           `json:"row,omitempty"` // from 1
	Time            string          `json:"time"`
	Type            string          `json:"type"`
	Flags           []string        `json:"flags,omitempty"`
	Context         string          `json:"context,omitempty"`
	Stream          string          `json:"stream,omitempty"`
	Scope           string          `json:"scope,omitempty"`
	APIVersion      string          `json:"apiVersion,omitempty"`
	Kind            string          `json:"kind,omitempty"`
	Namespace       string          `json:"namespace,omitempty"`
	Name            string          `json:"name,omitempty"`
	UID             string          `json:"uid,omitempty"`
	ResourceVersion string          `json:"resourceVersion,omitempty"`
	Version         uint32          `json:"version,omitempty"`
	Summary         string          `json:"summary,omitempty"`
	Managers        []string        `json:"managers,omitempty"`
	Changes         []changeJSON    `json:"changes,omitempty"`
	More            int             `json:"moreChanges,omitempty"`
	Cut             bool            `json:"changesCut,omitempty"`
	Transition      *transitionJSON `json:"transition,omitempty"`
	Gap             *gapJSON        `json:"gap,omitempty"`
	Note            *noteJSON       `json:"note,omitempty"`
	Lost            int64           `json:"lost,omitempty"`
	Frame           json.RawMessage `json:"frame,omitempty"`
	Damage          *damageJSON     `json:"damage,omitempty"`
}

type changeJSON struct {
	Path     string          `json:"path"`
	Op       string          `json:"op"`
	Old      json.RawMessage `json:"old,omitempty"`
	New      json.RawMessage `json:"new,omitempty"`
	OldBytes int             `json:"oldBytes,omitempty"`
	NewBytes int             `json:"newBytes,omitempty"`
}

type transitionJSON struct {
	From    string  `json:"from"`
	To      string  `json:"to"`
	Cause   string  `json:"cause,omitempty"`
	Text    string  `json:"text,omitempty"`
	Attempt int     `json:"attempt,omitempty"`
	Until   string  `json:"until,omitempty"`
	AsOf    string  `json:"asOf,omitempty"`
	Status  int     `json:"status,omitempty"`
	Proto   string  `json:"protocol,omitempty"`
	RV      string  `json:"resourceVersion,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`
	Frames  int64   `json:"frames,omitempty"`
	Took    float64 `json:"seconds,omitempty"`
	Total   int64   `json:"total,omitempty"`
}

type gapJSON struct {
	From     string  `json:"fromResourceVersion,omitempty"`
	To       string  `json:"toResourceVersion,omitempty"`
	Since    string  `json:"since,omitempty"`
	Took     float64 `json:"seconds,omitempty"`
	Cause    string  `json:"cause,omitempty"`
	Text     string  `json:"text,omitempty"`
	Added    int     `json:"added"`
	Modified int     `json:"modified"`
	Deleted  int     `json:"deleted"`
}

type noteJSON struct {
	Cause string `json:"cause,omitempty"`
	Text  string `json:"text"`
}

type damageJSON struct {
	Offset  int64  `json:"offset"`
	Size    int64  `json:"size,omitempty"`
	Records int    `json:"records"`
	Text    string `json:"text"`
}

// headJSON is the first line, and tailJSON the last: without it the file is
// not complete.
type headJSON struct {
	Type      string `json:"type"`
	Schema    string `json:"schema"`
	Version   int    `json:"schemaVersion"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
	Tape      string `json:"tape,omitempty"`
	Recorder  string `json:"recordedBy,omitempty"`
	Exporter  string `json:"exportedBy,omitempty"`
	Filter    string `json:"filter,omitempty"`
	Redaction string `json:"redaction,omitempty"`
}

type tailJSON struct {
	Type    string `json:"type"`
	Rows    int64  `json:"rows"`
	Damages int    `json:"damages"`
	Closed  bool   `json:"closed"`
}

// writeEventsJSON writes one line per row.
func writeEventsJSON(j *job) error {
	w := &lineWriter{out: bufio.NewWriterSize(j.out, 256<<10)}
	from, to := j.span()
	w.write(headJSON{"TAPE", eventsSchema, eventsVersion, stamp(from), stamp(to), j.o.Name, j.info.Tool, j.o.Tool, j.o.FilterText, j.info.Redaction})
	err := j.rows(false, func(r *row) error {
		j.result.Rows++
		w.write(eventOf(r))
		return w.err
	})
	if err != nil {
		return err
	}
	w.write(tailJSON{"END", j.result.Rows, j.result.Damages, j.info.Closed})
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}

// lineWriter writes values as lines of JSON that hold nothing but what can be
// printed: the rest is escaped, which changes no value.
type lineWriter struct {
	out  *bufio.Writer
	buf  bytes.Buffer
	line []byte
	err  error
}

func (w *lineWriter) write(v any) {
	if w.err != nil {
		return
	}
	w.buf.Reset()
	e := json.NewEncoder(&w.buf)
	e.SetEscapeHTML(false)
	if w.err = e.Encode(v); w.err != nil {
		return
	}
	w.line = appendPrintable(w.line[:0], w.buf.Bytes())
	_, w.err = w.out.Write(w.line)
}

// appendPrintable appends a line of JSON with what cannot be seen, or changes
// how the rest is seen, as \u escapes: such runes stand in strings only.
func appendPrintable(dst, line []byte) []byte {
	for len(line) > 0 {
		n := 0
		for n < len(line) && (line[n] >= ' ' && line[n] <= '~' || line[n] == '\n') {
			n++
		}
		dst, line = append(dst, line[:n]...), line[n:]
		if len(line) == 0 {
			break
		}
		r, size := utf8.DecodeRune(line)
		switch {
		case unicode.IsGraphic(r) && r != utf8.RuneError:
			dst = append(dst, line[:size]...)
		case r > 0xffff:
			r -= 0x10000
			dst = appendEscape(appendEscape(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			dst = appendEscape(dst, r)
		}
		line = line[size:]
	}
	return dst
}

func appendEscape(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

func eventOf(r *row) eventJSON {
	words, result := r.explain()
	e := eventJSON{Row: r.n, Time: stamp(r.time), Type: r.typ, Flags: flagNames(r.event.Flags), APIVersion: r.id.APIVersion, Kind: r.id.Kind,
		Namespace: r.id.Namespace, Name: r.id.Name, UID: r.id.UID, ResourceVersion: r.rv, Summary: words, Managers: result.Managers}
	if r.stream != nil {
		e.Context, e.Stream, e.Scope = r.stream.Context, r.stream.Name(), scopeOf(r.stream)
	}
	if r.event.Type.IsObject() {
		e.Version = r.event.Version
	}
	// Of what came or went everything changed: its state is the change, and
	// watch-json and parquet have it.
	if r.old != nil {
		e.Changes, e.More = changesOf(result.Changes)
		e.Cut = result.Cut
	}
	switch {
	case r.damage != nil:
		e.Damage = &damageJSON{r.damage.Offset, r.damage.Size, r.damage.Records, r.damage.Text}
	case r.typ == typeFrame:
		e.Frame, _ = boundedValue(r.frame)
	case r.typ == typeLost:
		e.Lost = r.lost
	}
	switch d := r.event.Detail.(type) {
	case model.Transition:
		e.Transition = &transitionJSON{From: d.From.String(), To: d.To.String(), Cause: string(d.Cause), Text: d.Text, Attempt: d.Attempt,
			Until: stamp(d.Until), AsOf: stamp(d.AsOf), Status: d.Status, Proto: d.Proto, RV: d.RV, Bytes: d.Bytes, Frames: d.Frames, Took: d.Took.Seconds(), Total: d.Total}
	case model.Gap:
		e.Gap = &gapJSON{d.FromRV, d.ToRV, stamp(d.Since), d.Took.Seconds(), string(d.Cause), d.Text, d.Added, d.Modified, d.Deleted}
	case model.Note:
		if r.typ != typeFrame {
			e.Note = &noteJSON{string(d.Cause), d.Text}
		}
	}
	return e
}

// stamp is RFC 3339 in UTC to the nanosecond, always as long; "" for no time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000000Z")
}

var flagWords = [...]string{"initial", "synthetic", "replayed", "recreated", "selection"}

func flagNames(f model.Flag) (names []string) {
	for i, word := range flagWords {
		if f&(1<<i) != 0 {
			names = append(names, word)
		}
	}
	return names
}

// scopeOf says which part of a resource a stream watches: "", a namespace,
// selectors.
func scopeOf(s *model.StreamInfo) string {
	scope := s.Namespace
	for _, x := range []struct{ flag, selector string }{{"-l ", s.Label}, {"--field-selector ", s.Field}} {
		if x.selector == "" {
			continue
		}
		if scope != "" {
			scope += " "
		}
		scope += x.flag + x.selector
	}
	return scope
}

var opNames = map[diff.Op]string{diff.Add: "add", diff.Remove: "remove", diff.Replace: "replace"}

func changesOf(changes []diff.Change) (out []changeJSON, more int) {
	if len(changes) > maxChanges {
		changes, more = changes[:maxChanges], len(changes)-maxChanges
	}
	for _, c := range changes {
		x := changeJSON{Path: c.Path, Op: opNames[c.Op]}
		x.Old, x.OldBytes = boundedValue([]byte(c.Old))
		x.New, x.NewBytes = boundedValue([]byte(c.New))
		out = append(out, x)
	}
	return out, more
}

// boundedValue returns a JSON value as it is, numbers with all their digits.
// What is too long, or no JSON, becomes a string of its beginning, and size is
// then its length in bytes.
func boundedValue(raw []byte) (value json.RawMessage, size int) {
	switch {
	case len(raw) == 0:
		return nil, 0
	case len(raw) <= maxValue && jsonscan.Valid(raw):
		return json.RawMessage(bytes.ToValidUTF8(raw, []byte("\ufffd"))), 0
	}
	start := raw[:min(len(raw), maxValue)]
	for len(start) > 0 && len(start) < len(raw) && !utf8.RuneStart(raw[len(start)]) {
		start = start[:len(start)-1]
	}
	return json.RawMessage(jsonscan.AppendQuote(nil, string(start))), len(raw)
}
