package model

// Run is a run of neighbouring rows of a snapshot, for who goes through very
// many of them and looks at a field or two of each: [Snapshot.At] copies all of
// a row. Its rows are numbered from 0.
type Run struct {
	First Seq // the row that has the number 0
	rows  []row
}

// Before returns the rows before a row, as many as lie beside each other; none
// if no such row is held.
func (s Snapshot) Before(end Seq) Run {
	if end = min(end, s.r.end); end <= s.r.first {
		return Run{First: end}
	}
	first := (end - 1) / rowsPerChunk * rowsPerChunk
	return Run{first, s.r.chunk(first).rows[:end-first]}
}

// From returns the rows from a row on, as many as lie beside each other; none if
// no such row is held.
func (s Snapshot) From(seq Seq) Run {
	seq = max(seq, s.r.first)
	if seq >= s.r.end {
		return Run{First: seq}
	}
	first := seq / rowsPerChunk * rowsPerChunk
	end := min(first+rowsPerChunk, s.r.end)
	return Run{seq, s.r.chunk(seq).rows[seq-first : end-first]}
}

// Len is the number of rows.
func (r *Run) Len() int { return len(r.rows) }

// Time is when a row was received, in nanoseconds since the Unix epoch.
func (r *Run) Time(i int) int64 { return r.rows[i].time }

// Object is the object that a row is about, 0 for none.
func (r *Run) Object(i int) ObjectID { return r.rows[i].object }

// Traits are those of a row.
func (r *Run) Traits(i int) Traits {
	x := &r.rows[i]
	return traits(x.stream, x.typ, x.flags)
}

// Traits is what very many rows have in common: their stream, type and flags.
type Traits uint64

func traits(s uint16, t Type, f Flag) Traits { return Traits(s)<<24 | Traits(f)<<8 | Traits(t) }

// Traits are those of the row.
func (e *Event) Traits() Traits { return traits(uint16(e.Stream), e.Type, e.Flags) }

// Stream is the stream that brought the row, or that it is about.
func (t Traits) Stream() StreamID { return StreamID(t >> 24) }

// Type is what the row is.
func (t Traits) Type() Type { return Type(t) }

// Flags say how the row came about.
func (t Traits) Flags() Flag { return Flag(t >> 8) }
