// Package export writes what is on a tape in formats for other tools and for
// people: docs/export.md.
//
// An export is complete or says what it lacks: damage on the tape is a row of
// every format that has rows, and is reported to the caller for all of them.
// What a format leaves out to stay readable is counted in it.
//
// Everything on a tape is hostile. Formats for people pass it through
// model/clean and escape it; formats for programs escape it without loss.
package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// Options say what of a tape is exported.
type Options struct {
	// From and To bound the records, both included; zero is the start and the
	// end of the tape. Where records of several streams stand on the tape in
	// an order that differs a little from their times, the order of the tape
	// counts, as it does for [tape.Tape.Seek].
	From, To time.Time
	// Filter makes the filter of rows for a log; nil is every row. FilterText
	// is how the user wrote it, for headings. Gaps, losses and damage are in
	// the export whatever the filter says.
	Filter     func(*model.Log) model.Filter
	FilterText string
	// Limit is the most rows that a format for people shows, 0 its default,
	// negative as many as it can. The others have no limit.
	Limit int
	// Name is what the tape is called, for headings; Tool is what exports.
	Name, Tool string
	// Damaged is told of each damage that is met; may be nil.
	Damaged func(*tape.Damage)
	// Progress is told from time to time how many records were read, and how
	// many there are, as far as known; may be nil.
	Progress func(done, total int64)
}

// Result says what was written.
type Result struct {
	Rows    int64 // written
	Cut     int64 // left out because of the limit
	Damages int
}

// Errors of Write, beside those of the tape, of the io.Writer and of the context.
var (
	ErrFormat = errors.New("export: no such format")
	// ErrLimit is for a limit that a format cannot keep.
	ErrLimit = errors.New("export: over the limit of the format")
)

// Format is one that Write knows.
type Format struct {
	Name       string // as users give it: "events-json"
	Extensions []string
	Text       string // what it is, in a few words
	// limit is the default of Options.Limit and most the highest value of it,
	// both 0 for a format without one.
	limit, most int
	write       func(*job) error
}

// Formats returns the formats, in the order in which to list them.
func Formats() []Format {
	return []Format{
		{"watch-json", []string{".jsonl", ".ndjson"}, "the frames as they came from the wire, one JSON line each", 0, 0, writeWatchJSON},
		{"events-json", []string{".json"}, "one JSON line per row: what changed, old and new, by whom; gaps and stream states", 0, 0, writeEventsJSON},
		{"markdown", []string{".md", ".markdown"}, "a timeline in words, for a ticket or a review", 500, 100_000, writeMarkdown},
		{"html", []string{".html", ".htm"}, "one self-contained page: timeline, diffs, gaps, search", 50_000, 500_000, writeHTML},
		{"parquet", []string{".parquet"}, "a table with typed columns, for DuckDB, Spark or ClickHouse", 0, 0, writeParquet},
	}
}

// Guess returns the name of the format that an output path asks for by its
// extension; ok is false if it asks for none.
func Guess(path string) (name string, ok bool) {
	ext := strings.ToLower(filepath.Ext(path))
	for _, f := range Formats() {
		if ext != "" && slices.Contains(f.Extensions, ext) {
			return f.Name, true
		}
	}
	return "", false
}

// job is one export under way.
type job struct {
	ctx     context.Context
	tape    *tape.Tape
	info    tape.Info
	out     io.Writer
	o       Options
	limit   int  // of rows, negative is none
	all     bool // changes of streams are wanted that the filter hides, too
	wire    bool // rows are wanted with their frames, and with nothing else
	result  Result
	streams []model.StreamInfo // by number, of the pass under way
}

// Write exports a tape to out, in the format of that name. The errors are
// those above, those of ctx, of the tape ([tape.ErrLimit] and its io.ReaderAt),
// and of out. What was written when there is an error is not complete.
func Write(ctx context.Context, t *tape.Tape, out io.Writer, format string, o Options) (Result, error) {
	i := slices.IndexFunc(Formats(), func(f Format) bool { return f.Name == format })
	if i < 0 {
		return Result{}, fmt.Errorf("%w: %q", ErrFormat, format)
	}
	f := Formats()[i]
	j := &job{ctx: ctx, tape: t, info: t.Info(), out: out, o: o, limit: cmp.Or(o.Limit, f.limit)}
	switch {
	case f.most == 0:
		j.limit = -1
	case j.limit > f.most:
		return Result{}, fmt.Errorf("%w: %s holds %d rows at the most", ErrLimit, format, f.most)
	case j.limit < 0:
		j.limit = f.most
	}
	err := f.write(j)
	return j.result, err
}

// span is what the export covers: the tape's, within the bounds asked for.
func (j *job) span() (from, to time.Time) {
	from, to = j.info.From, j.info.To
	if !j.o.From.IsZero() {
		from = j.o.From
	}
	if !j.o.To.IsZero() {
		to = j.o.To
	}
	return from.UTC(), to.UTC()
}
