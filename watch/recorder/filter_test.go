package recorder

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/logtest"
	"rewatch/model/query"
	"rewatch/watch/tape"
)

// replayed is a tape in a log, as a replay has it, with its notes about itself.
func replayed(t *testing.T, path string) (*model.Log, tape.Info, []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tp, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := tp.Verify(); err != nil || r.Verdict() != tape.Whole {
		t.Fatal(r, err)
	}
	l := model.NewLog(model.Options{})
	for _, s := range tp.Info().Streams {
		l.AddStream(s)
	}
	var notes []string
	for r := tp.Reader(); ; {
		e, err := r.Next()
		if err == io.EOF {
			return l, tp.Info(), notes
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := e.Detail.(model.Note); ok && n.Cause == causeSpan {
			notes = append(notes, n.Text)
		} else if e.Type != 0 {
			l.Append(e.Record)
		}
	}
}

// matches tells the rows of a log that a query holds of, with what changed.
func matches(t *testing.T, l *model.Log, q *query.Query) (list []string, all map[model.Type]int) {
	t.Helper()
	m := q.Compile(l, query.Options{})
	all = map[model.Type]int{}
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		if !e.Has(model.Initial | model.Synthetic) {
			all[e.Type]++
		}
		if !e.Type.IsObject() || e.Has(model.Initial|model.Synthetic) || !m.Holds(e) {
			continue
		}
		now, _ := l.Bytes(e.Object, e.Version)
		before, _ := l.Bytes(e.Object, e.Version-1)
		if e.Type == model.Added {
			before = nil
		}
		list = append(list, fmt.Sprintf("%d %v %s\n%s\n%s", e.Time, e.Type, l.Identity(e.Object).Name, before, now))
	}
	return list, all
}

// record records a log's rows anew through a filter, and calls appended when the
// log has them all.
func record(t *testing.T, from *model.Log, o Options, budget int64, paced bool, appended ...func()) Status {
	t.Helper()
	log := model.NewLog(model.Options{Budget: budget, Redactor: from.Redactor()})
	r, err := Start(log, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range from.Streams(time.Time{}) {
		log.AddStream(s.StreamInfo)
	}
	s := from.Snapshot()
	for seq := s.First(); seq < s.End(); seq++ {
		e := s.At(seq)
		rec := model.Record{Time: e.When(), Stream: e.Stream, Type: e.Type, Flags: e.Flags &^ model.Replayed, Detail: e.Detail}
		if e.Type.IsObject() {
			rec.Raw, _ = from.Bytes(e.Object, e.Version)
		}
		log.Append(rec)
		if paced && seq%50 == 0 {
			for ; r.q.records.Load() > 0; time.Sleep(time.Millisecond / 4) { // as a disk that keeps up
			}
		}
	}
	for _, f := range appended {
		f()
	}
	return end(t, r)
}

// TestFilter: a tape of a filter has the rows that match, each with the state
// before it, and shows the same changes as the log did.
func TestFilter(t *testing.T) {
	shop := logtest.Shop(t)
	for _, text := range []string{"path:spec.replicas", "kind:deploy,pod -path:status", "name:checkout type:deleted",
		"cel: kind == 'Node' && type == 'MODIFIED'", "evicted"} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.rwt")
		status := record(t, shop, Options{Path: path, Filter: q, Flush: time.Millisecond}, 0, true)
		l, info, notes := replayed(t, path)
		want, all := matches(t, shop, q)
		got, on := matches(t, l, q)
		compare(t, got, want)
		if len(want) == 0 || info.Filter != text || status.Blind != 0 || status.Problem != "" && !strings.HasPrefix(text, "cel") {
			t.Errorf("%s: %d rows, %+v", text, len(want), status)
		}
		for _, kept := range []model.Type{model.Bookmark, model.StreamChange, model.GapFound} {
			if on[kept] != all[kept] {
				t.Errorf("%s: %d of %d %v are on the tape", text, on[kept], all[kept], kept)
			}
		}
		changes := func(n map[model.Type]int) int { return n[model.Added] + n[model.Modified] + n[model.Deleted] }
		if left := changes(all) - changes(on); int64(left) != status.LeftOut || left == 0 {
			t.Errorf("%s: %d are not on the tape, it says %d", text, left, status.LeftOut)
		}
		if last := fmt.Sprintf("left out %d changes until here", status.LeftOut); len(notes) < 2 || !strings.HasSuffix(notes[0], text) || !strings.HasSuffix(notes[1], last) {
			t.Errorf("%s: the tape says %q", text, notes)
		}
		// What the tape has is gone from it when it was gone.
		s := shop.Snapshot()
		gone := map[string]bool{}
		for seq := s.First(); seq < s.End(); seq++ {
			if e := s.At(seq); e.Type.IsObject() {
				gone[shop.Identity(e.Object).UID] = e.Type == model.Deleted
			}
		}
		for id := range model.StreamID(len(info.Streams)) {
			for _, x := range l.Current(id) {
				if gone[x.UID] {
					t.Errorf("%s: %s is still there", text, x.Name)
				}
			}
		}
	}
}

// TestFilterOfTooLittleMemory: what cannot be judged any more is kept, and told.
func TestFilterOfTooLittleMemory(t *testing.T) {
	shop := logtest.Shop(t)
	q, err := query.Parse("path:no.such.path")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.rwt")
	hung := make(chan struct{})
	o := Options{Path: path, Filter: q, Queue: 64 << 20, Flush: time.Millisecond, slow: func(o output) output { return hangs{o, hung} }}
	status := record(t, shop, o, 1<<20, false, func() { close(hung) })
	l, _, notes := replayed(t, path)
	_, on := matches(t, l, q)
	changes := int64(on[model.Added] + on[model.Modified] + on[model.Deleted])
	_, all := matches(t, shop, q)
	if total := int64(all[model.Added] + all[model.Modified] + all[model.Deleted]); status.Blind == 0 || status.LeftOut == 0 || changes < status.Blind || changes+status.LeftOut != total {
		t.Errorf("%d changes of %d are on the tape, %+v", changes, total, status)
	}
	if len(notes) < 2 || !strings.Contains(notes[1], fmt.Sprintf("%d are here unjudged", status.Blind)) {
		t.Errorf("%q", notes)
	}
}

// hangs is a disk that takes nothing for a while.
type hangs struct {
	output
	until chan struct{}
}

func (h hangs) Write(p []byte) (int, error) {
	<-h.until
	return h.output.Write(p)
}
