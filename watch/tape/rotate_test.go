package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

// told describes an entry, by what does not depend on the tape that it is in.
func told(e *Entry) string {
	return fmt.Sprint(e.Time.UnixNano(), e.Stream, e.Type, e.Flags, e.Identity, e.RV, e.Bytes, e.Detail, e.Reverted, string(e.AppendFrame(nil)))
}

// TestTapesInARow: nothing is lost between two tapes of a recording, nothing is
// in both, and each has the whole state.
func TestTapesInARow(t *testing.T) {
	rs, streams := records(t, firstPart(shopLines(t), 2))
	whole := bytes.Buffer{}
	write(t, &whole, rs, streams, Options{Redactor: testRedactor()})
	want := mustOpen(t, whole.Bytes()).Reader()

	parts := []*bytes.Buffer{{}}
	w := NewWriter(parts[0], testHeader(), Options{Redactor: testRedactor(), Memory: 64 << 10})
	for _, s := range streams {
		w.AddStream(s)
	}
	for i, r := range rs {
		if i%(len(rs)/5) == 3 {
			parts = append(parts, &bytes.Buffer{})
			if err := w.Next(parts[len(parts)-1], r.Time); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for i, b := range parts {
		tape := mustOpen(t, b.Bytes())
		if report, err := tape.Verify(); err != nil || report.Verdict() != Whole || !report.Closed {
			t.Fatalf("tape %d: %v, %+v", i, err, report)
		}
		r := tape.Reader()
		for {
			got, err := r.Next()
			if err == io.EOF {
				break
			}
			exp, errWant := want.Next()
			if err != nil || errWant != nil || told(got) != told(exp) {
				t.Fatalf("tape %d: %v %v\n%.300s\n%.300s", i, err, errWant, told(got), told(exp))
			}
		}
		if state(t, r) != state(t, want) {
			t.Fatalf("the state at the end of tape %d differs", i)
		}
	}
	if _, err := want.Next(); err != io.EOF {
		t.Errorf("records are missing: %v", err)
	}
}

// TestBeginInTheMiddle: a tape begins with what there is.
func TestBeginInTheMiddle(t *testing.T) {
	rs, streams := records(t, firstPart(shopLines(t), 2))
	first := bytes.Buffer{}
	write(t, &first, rs[:len(rs)/2], streams, Options{Redactor: testRedactor()})
	r := mustOpen(t, first.Bytes()).Reader()
	for {
		if _, err := r.Next(); err != nil {
			break
		}
	}
	n := 0
	for range r.Objects() {
		n++
	}
	objects := func(yield func(Object) bool) {
		for o, err := range r.Objects() {
			if err != nil {
				t.Error(err)
			}
			if !yield(o) {
				return
			}
		}
	}
	for _, live := range []int{n, n - 1} {
		out := bytes.Buffer{}
		w := NewWriter(&out, testHeader(), Options{Redactor: testRedactor()})
		for _, s := range streams {
			w.AddStream(s)
		}
		err := w.Begin(r.Time(), r.Streams(), live, objects)
		if live != n {
			if !errors.Is(err, ErrRecord) {
				t.Errorf("%d of %d objects were announced: %v", live, n, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Begin(r.Time(), nil, 0, objects); !errors.Is(err, ErrRecord) {
			t.Errorf("twice: %v", err)
		}
		next := rs[len(rs)/2]
		if err := w.Append(next); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		again := mustOpen(t, out.Bytes())
		if info := again.Info(); info.Records != 1 {
			t.Errorf("%d records", info.Records)
		}
		before, err := again.Seek(next.Time.Add(-1))
		if err != nil || !before.Whole() || state(t, before) != state(t, r) {
			t.Errorf("the state at the beginning differs: %v", err)
		}
	}
}
