package export

import (
	"time"

	"rewatch/model"
)

// typeFold is a row that stands for many: objects that were there when a
// stream began, or that a server sent again. They are state and no change.
const typeFold = "FOLD"

// foldGap is how long a run of such rows may pause and still be one.
const foldGap = time.Second

// timeline calls each with the rows that a format for people shows: heartbeats
// are left out and counted, and state is folded into a row per run.
func (j *job) timeline(quiet bool, each func(*row) error) (heartbeats int64, err error) {
	f := folder{each: each}
	err = j.rows(quiet, func(r *row) error {
		if r.typ == model.Bookmark.String() {
			heartbeats++
			return nil
		}
		return f.row(r)
	})
	if err == nil {
		err = f.end(func(*row) bool { return true })
	}
	return heartbeats, err
}

// folder holds the runs that have not ended, in the order of their beginning.
type folder struct {
	each func(*row) error
	runs []*row
}

func (f *folder) row(r *row) error {
	state := r.event.Type.IsObject() && r.event.Flags&(model.Initial|model.Replayed) != 0
	flags := r.event.Flags & model.Initial // what is both is a beginning
	var mine *row
	err := f.end(func(run *row) bool {
		same := r.stream != nil && run.stream.ID == r.stream.ID
		if same && state && run.event.Flags == flags && r.time.Sub(run.time) < foldGap {
			mine = run
			return false
		}
		return same || r.time.Sub(run.time) >= foldGap
	})
	switch {
	case err != nil:
		return err
	case !state:
		return f.each(r)
	case mine == nil:
		mine = &row{typ: typeFold, stream: r.stream, since: r.time, event: model.Event{Flags: flags}}
		f.runs = append(f.runs, mine)
	}
	mine.time, mine.n = r.time, r.n
	mine.folded++
	return nil
}

// end ends the runs that are over.
func (f *folder) end(over func(run *row) bool) error {
	kept := f.runs[:0]
	for i, run := range f.runs {
		if !over(run) {
			kept = append(kept, run)
			continue
		}
		if err := f.each(run); err != nil {
			f.runs = append(kept, f.runs[i+1:]...)
			return err
		}
	}
	f.runs = kept
	return nil
}
