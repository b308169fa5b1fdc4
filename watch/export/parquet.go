package export

import (
	"io"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"rewatch/model"
)

// parquetVersion is that of the columns, in the file's metadata.
const parquetVersion = "1"

// parquetRow is a row of the table. Times are in microseconds, which every
// engine reads as a timestamp with a time zone; time_ns has the rest.
type parquetRow struct {
	Row             int64           `parquet:"row,delta"`
	Time            int64           `parquet:"time,delta,timestamp(microsecond:utc)"`
	TimeNS          int64           `parquet:"time_ns,delta"`
	Type            string          `parquet:"type,dict"`
	Flags           []string        `parquet:"flags,list" parquet-element:",dict"`
	Context         *string         `parquet:"context,optional,dict"`
	Stream          *string         `parquet:"stream,optional,dict"`
	Scope           *string         `parquet:"scope,optional,dict"`
	APIVersion      *string         `parquet:"api_version,optional,dict"`
	Kind            *string         `parquet:"kind,optional,dict"`
	Namespace       *string         `parquet:"namespace,optional,dict"`
	Name            *string         `parquet:"name,optional,dict"`
	UID             *string         `parquet:"uid,optional,dict"`
	ResourceVersion *string         `parquet:"resource_version,optional"`
	Version         *int32          `parquet:"version,optional"`
	Summary         *string         `parquet:"summary,optional"`
	Managers        []string        `parquet:"managers,list" parquet-element:",dict"`
	Paths           []string        `parquet:"paths,list" parquet-element:",dict"`
	Changes         []parquetChange `parquet:"changes,list"`
	Object          *string         `parquet:"object,optional"` // a string, which every engine can take apart; parquet-go 0.32.0 cannot write optional JSON
	FromState       *string         `parquet:"from_state,optional,dict"`
	ToState         *string         `parquet:"to_state,optional,dict"`
	Cause           *string         `parquet:"cause,optional,dict"`
	Text            *string         `parquet:"text,optional"`
	Attempt         *int32          `parquet:"attempt,optional"`
	Status          *int32          `parquet:"status,optional"`
	GapSince        *int64          `parquet:"gap_since,optional,timestamp(microsecond:utc)"`
	GapFromRV       *string         `parquet:"gap_from_rv,optional"`
	GapToRV         *string         `parquet:"gap_to_rv,optional"`
	Lost            *int64          `parquet:"lost,optional"`
}

// parquetChange is a changed path; old and new are JSON.
type parquetChange struct {
	Path string  `parquet:"path,dict"`
	Op   string  `parquet:"op,dict"`
	Old  *string `parquet:"old,optional"`
	New  *string `parquet:"new,optional"`
}

// A row group is held until it is complete: it ends with as many rows, or as
// many bytes of text, whatever comes first.
const (
	groupRows  = 20_000
	groupBytes = 32 << 20
	batchRows  = 64
)

// writeParquet writes a table with a row per row.
func writeParquet(j *job) error {
	codec := &zstd.Codec{Level: zstd.SpeedDefault}
	w := parquet.NewGenericWriter[parquetRow](j.out, parquet.Compression(codec), parquet.CreatedBy("rewatch", j.o.Tool, ""),
		parquet.PageBufferSize(1<<20), parquet.DictionaryMaxBytes(1<<20), parquet.SkipPageBounds("object"), parquet.SkipPageBounds("summary"),
		parquet.KeyValueMetadata("rewatch.schema_version", parquetVersion), parquet.KeyValueMetadata("rewatch.tape", valid(j.o.Name)),
		parquet.KeyValueMetadata("rewatch.filter", valid(j.o.FilterText)), parquet.KeyValueMetadata("rewatch.redaction", valid(j.info.Redaction)))
	return j.table(&parquetWriter{w: w, maxRows: groupRows, maxBytes: groupBytes})
}

// table writes the rows and ends the file.
func (j *job) table(p *parquetWriter) error {
	err := j.rows(false, func(r *row) error {
		j.result.Rows++
		return p.add(r)
	})
	if err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	return p.w.Close()
}

type parquetWriter struct {
	w     *parquet.GenericWriter[parquetRow]
	batch []parquetRow
	rows  int   // of the group
	bytes int64 // of the group

	maxRows  int // of a group
	maxBytes int64
}

func (p *parquetWriter) add(r *row) error {
	p.batch = append(p.batch, parquetOf(r))
	p.rows++
	p.bytes += int64(len(r.new)) + 256
	if len(p.batch) < batchRows && p.bytes < p.maxBytes {
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	if p.rows < p.maxRows && p.bytes < p.maxBytes {
		return nil
	}
	p.rows, p.bytes = 0, 0
	return p.w.Flush()
}

func (p *parquetWriter) flush() error {
	n, err := p.w.Write(p.batch)
	if err == nil && n < len(p.batch) {
		err = io.ErrShortWrite
	}
	clear(p.batch)
	p.batch = p.batch[:0]
	return err
}

func parquetOf(r *row) parquetRow {
	words, result := r.explain()
	x := parquetRow{Row: r.n, Time: r.time.UnixMicro(), TimeNS: r.time.UnixNano(), Type: r.typ, Flags: flagNames(r.event.Flags),
		APIVersion: text(r.id.APIVersion), Kind: text(r.id.Kind), Namespace: text(r.id.Namespace), Name: text(r.id.Name), UID: text(r.id.UID),
		ResourceVersion: text(r.rv), Summary: text(words)}
	for _, m := range result.Managers {
		x.Managers = append(x.Managers, valid(m))
	}
	if s := r.stream; s != nil {
		x.Context, x.Stream, x.Scope = text(s.Context), text(s.Name()), text(scopeOf(s))
	}
	if r.event.Type.IsObject() {
		v := int32(min(r.event.Version, 1<<31-1))
		x.Version = &v
		object := strings.ToValidUTF8(string(r.new), "\ufffd")
		x.Object = &object
	}
	if r.old != nil {
		for _, c := range result.Changes {
			path := valid(c.Path)
			x.Paths = append(x.Paths, path)
			x.Changes = append(x.Changes, parquetChange{path, opNames[c.Op], text(c.Old), text(c.New)})
		}
	}
	x.about(r)
	return x
}

// about fills in what a row that is no change of an object says.
func (x *parquetRow) about(r *row) {
	switch d := r.event.Detail.(type) {
	case model.Transition:
		x.FromState, x.ToState, x.Cause, x.Text = text(d.From.String()), text(d.To.String()), text(string(d.Cause)), text(d.Text)
		x.Attempt, x.Status = number(d.Attempt), number(d.Status)
	case model.Gap:
		x.Cause, x.Text, x.GapSince, x.GapFromRV, x.GapToRV = text(string(d.Cause)), text(d.Text), micros(d.Since), text(d.FromRV), text(d.ToRV)
		if r.typ == typeLost {
			lost := r.lost
			x.Lost = &lost
		}
	case model.Note:
		x.Cause, x.Text = text(string(d.Cause)), text(d.Text)
	}
	if r.damage != nil {
		x.Text = text(r.damage.Error())
	}
}

// valid is a string as Parquet wants it. It is a copy: what rows consist of is
// used again before a batch is written.
func valid(s string) string { return strings.Clone(strings.ToValidUTF8(s, "\ufffd")) }

// text is a string that can be absent.
func text(s string) *string {
	if s == "" {
		return nil
	}
	s = valid(s)
	return &s
}

func number(n int) *int32 {
	if n == 0 {
		return nil
	}
	v := int32(n)
	return &v
}

func micros(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	n := t.UnixMicro()
	return &n
}
