package watch

import (
	"bytes"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// taken is what a recorder would get of a log, in copies.
type taken struct {
	streams []model.StreamInfo
	events  []model.Event
	records []model.Record
	passed  []string // frames that made no row
}

func tapped(l *model.Log) *taken {
	x := &taken{}
	l.Tap(model.Tap{
		Stream: func(s model.StreamInfo) { x.streams = append(x.streams, s) },
		Record: func(e model.Event, r model.Record) {
			if r.Type == 0 {
				x.passed = append(x.passed, string(r.Frame))
				return
			}
			r.Raw, r.Frame = bytes.Clone(r.Raw), bytes.Clone(r.Frame)
			x.events, x.records = append(x.events, e), append(x.records, r)
		},
	})
	return x
}

// check makes the log again, as a replay does, and compares: whatever the
// faults, what the screen showed comes back.
func (x *taken) check(t *testing.T, first *model.Log) {
	t.Helper()
	log := model.NewLog(model.Options{Redactor: first.Redactor()})
	for _, s := range x.streams {
		log.AddStream(s)
	}
	for i, r := range x.records {
		if e := log.Append(r); e != x.events[i] {
			t.Fatalf("row %d again: %+v, first time %+v", i, e, x.events[i])
		}
		if r.Frame != nil {
			if _, object, err := jsonscan.SplitFrame(r.Frame); err != nil || !bytes.Equal(object, r.Raw) {
				t.Errorf("row %d: the frame %.200s has another object: %.200s", i, r.Frame, r.Raw)
			}
		}
	}
	a, b := first.Streams(time.Now()), log.Streams(time.Now())
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("stream %d again: %+v\nfirst time %+v", i, b[i], a[i])
		}
	}
	if a, b := first.Snapshot().End(), log.Snapshot().End(); a != b {
		t.Errorf("%d rows again, first time %d", b, a)
	}
}
