package tape

import (
	"iter"
	"slices"
	"time"

	"rewatch/model"
)

// Counts are numbers of records by what they are.
type Counts struct {
	Added       int64 `json:"A,omitempty"`
	Modified    int64 `json:"M,omitempty"`
	Deleted     int64 `json:"D,omitempty"`
	Bookmarks   int64 `json:"B,omitempty"`
	Others      int64 `json:"F,omitempty"` // frames of other types
	Transitions int64 `json:"transition,omitempty"`
	Gaps        int64 `json:"gap,omitempty"`
	Notes       int64 `json:"note,omitempty"`
	Lost        int64 `json:"lost,omitempty"` // records of loss, not what was lost
}

// Changes is the number of changes of objects.
func (c *Counts) Changes() int64 { return c.Added + c.Modified + c.Deleted }

// all yields the counts with their names in the format.
func (c *Counts) all() iter.Seq2[string, *int64] {
	return func(yield func(string, *int64) bool) {
		_ = yield("A", &c.Added) && yield("M", &c.Modified) && yield("D", &c.Deleted) && yield("B", &c.Bookmarks) && yield("F", &c.Others) &&
			yield("transition", &c.Transitions) && yield("gap", &c.Gaps) && yield("note", &c.Notes) && yield("lost", &c.Lost)
	}
}

// of returns the count of a name, nil if there is none.
func (c *Counts) of(what string) *int64 {
	for name, n := range c.all() {
		if name == what {
			return n
		}
	}
	return nil
}

// Frame is one data frame of a tape, some hundred to some thousand records.
type Frame struct {
	Offset, Size int64 // in the file
	Plain        int64 // bytes of text
	Records      int64
	// From and To are the earliest and the latest time of its records, zero
	// without any.
	From, To time.Time
	Segment  bool // a checkpoint, or the tape, begins with it
	Counts   Counts
	// Streams are the numbers of the streams with records in it, ascending. For
	// a frame that was torn off they may be incomplete.
	Streams []model.StreamID
	// Damage is set for a stretch of the file that cannot be read; of the rest
	// only Offset and Size then mean something.
	Damage *Damage
}

// Frames tells what each data frame holds, in the order of the tape, without
// reading any: what a scrubber needs. Where they are torn or damaged, it is
// what opening found.
func (t *Tape) Frames() []Frame {
	out := make([]Frame, len(t.parts))
	for i := range t.parts {
		p := &t.parts[i]
		if p.damage != nil {
			out[i] = Frame{Offset: p.damage.Offset, Size: p.damage.Size, Damage: p.damage}
			continue
		}
		out[i] = Frame{Offset: p.offset, Size: p.Size, Plain: p.Plain, Records: p.Records, Segment: p.Segment, Counts: p.Counts,
			Streams: slices.Clone(p.Active)}
		if p.Records > 0 {
			out[i].From, out[i].To = time.Unix(0, p.From), time.Unix(0, p.To)
		}
	}
	return out
}
