package tape

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// TestApartKnowsThoseOfTheRecords: of the objects that exist, those that a
// record up to the moment changes, and at most that of the record behind it.
// What they are is told by a straight read of the tape.
func TestApartKnowsThoseOfTheRecords(t *testing.T) {
	var out bytes.Buffer
	g := newGenerator(9)
	w := NewWriter(&out, testHeader(), Options{FrameSize: 64 << 10})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	for range 8000 {
		if err := w.Append(g.next()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	info := tape.Info()
	if info.Segments != 1 {
		t.Fatalf("%d segments: a checkpoint makes it all objects", info.Segments)
	}
	length := info.To.Sub(info.From)
	changes := 0
	for i := range 8 {
		at := info.From.Add(length / 10 * time.Duration(i+1))
		until := at.Add(length / 100)
		before, changed, behind := straight(t, tape, at, until)
		changes += len(changed)
		r, err := tape.Seek(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := textsByUID(t, r.Objects()); len(got) != len(before) || r.Len() != len(before) {
			t.Errorf("moment %d: %d objects, Len is %d, want %d", i, len(got), r.Len(), len(before))
		}
		apart, err := tape.SeekApart(at, until)
		if err != nil {
			t.Fatal(err)
		}
		got := textsByUID(t, apart.Objects())
		for uid, raw := range got {
			if raw != before[uid] {
				t.Errorf("moment %d: %s is not what it was", i, uid)
			}
			if !changed[uid] && uid != behind {
				t.Errorf("moment %d: %s is among them, but not changed", i, uid)
			}
		}
		for uid := range changed {
			if _, ok := got[uid]; !ok {
				t.Errorf("moment %d: %s is changed, but is not among them", i, uid)
			}
		}
	}
	if changes < 30 {
		t.Errorf("%d changes of objects that exist", changes)
	}
}

// straight reads a tape from its beginning: the objects at a moment by UID,
// which of them change until another one, and the UID of the record behind.
func straight(t *testing.T, tape *Tape, at, until time.Time) (objects map[string]string, changed map[string]bool, behind string) {
	t.Helper()
	objects, changed = map[string]string{}, map[string]bool{}
	for e, err := range tape.Records() {
		if err != nil {
			t.Fatal(err)
		}
		uid := strings.Clone(e.Identity.UID)
		_, exists := objects[uid]
		switch {
		case e.Time.After(until):
			return objects, changed, uid
		case e.Time.After(at):
			if exists {
				changed[uid] = true
			}
		case e.Type == model.Deleted:
			delete(objects, uid)
		default:
			objects[uid] = string(e.Raw)
		}
	}
	return objects, changed, ""
}

// textsByUID are the texts of objects by UID.
func textsByUID(t *testing.T, objects func(func(Object, error) bool)) map[string]string {
	t.Helper()
	all := map[string]string{}
	for o, err := range objects {
		if err != nil {
			t.Fatal(err)
		}
		all[strings.Clone(o.Identity.UID)] = string(o.Raw)
	}
	return all
}
