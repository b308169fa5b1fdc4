package model

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// copied is a Text.
type copied []byte

func (c copied) AppendText(dst []byte) ([]byte, error) { return append(dst, c...), nil }
func (c copied) Size() int                             { return len(c) }

func copyOf(raw []byte) Text { return copied(bytes.Clone(raw)) }

// TestLoadIsAppend: a log that was loaded holds what one that was appended to
// does, at every stage of packing, and takes no more memory at the end.
func TestLoadIsAppend(t *testing.T) {
	t.Run("copied", func(t *testing.T) { testLoadIsAppend(t, nil) })
	t.Run("elsewhere", func(t *testing.T) { testLoadIsAppend(t, copyOf) })
}

func testLoadIsAppend(t *testing.T, where func([]byte) Text) {
	const n = 3000
	raw := func(i, version int) []byte {
		return fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-%d","namespace":"ns","uid":"00000000-0000-4000-a000-%012x","resourceVersion":"%d"},"spec":{"text":%q}}`,
			i, i, i*10+version, bytes.Repeat([]byte{'a' + byte(i%7)}, 1000))
	}
	loaded, appended := NewLog(Options{}), NewLog(Options{})
	records := func(yield func(Record, Text) bool) {
		for i := range n {
			r := Record{Time: time.Unix(1, 0), Type: Added, Flags: Initial, Raw: raw(i, 0)}
			text := Text(nil)
			if where != nil {
				text = where(r.Raw)
			}
			if !yield(r, text) {
				return
			}
			clear(r.Raw) // is only valid until now
		}
	}
	for _, l := range []*Log{loaded, appended} {
		l.AddStream(StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
	}
	loaded.Load(n, records)
	for r := range records {
		appended.Append(r)
	}
	same := func(stage string) {
		t.Helper()
		for i := range n {
			id := ObjectID(i + 1)
			_, newest := appended.Versions(id)
			for v := uint32(1); v <= newest; v++ {
				got, ok := loaded.Bytes(id, v)
				if want, _ := appended.Bytes(id, v); !ok || !bytes.Equal(got, want) {
					t.Fatalf("%s: object %d version %d is %.100q, want %.100q", stage, i, v, got, want)
				}
			}
		}
	}
	same("loaded")
	if !loaded.Pack(10) {
		t.Fatal("nothing was put off")
	}
	same("packed in part")
	for i := 0; i < n; i += 3 {
		for _, l := range []*Log{loaded, appended} {
			l.Append(Record{Time: time.Unix(2, 0), Type: Modified, Raw: raw(i, 1)})
		}
	}
	same("changed meanwhile")
	for loaded.Pack(100) {
	}
	same("packed")
	if a, b := loaded.Stats().Bytes, appended.Stats().Bytes; a > b+b/4 {
		t.Errorf("it takes %d bytes, not about %d", a, b)
	}
}

// TestLoadStaysWithinTheBudget: as Append does, for what can leave.
func TestLoadStaysWithinTheBudget(t *testing.T) {
	t.Run("copied", func(t *testing.T) { testLoadStaysWithinTheBudget(t, func([]byte) Text { return nil }) })
	t.Run("elsewhere", func(t *testing.T) { testLoadStaysWithinTheBudget(t, copyOf) })
}

func testLoadStaysWithinTheBudget(t *testing.T, where func([]byte) Text) {
	l := NewLog(Options{Budget: 8 << 20})
	l.AddStream(StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
	l.Load(4000, func(yield func(Record, Text) bool) {
		for i := range 4000 {
			raw := fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-%d","uid":"%d","resourceVersion":"%d"},"spec":{"text":%q}}`,
				i, i, i+1, bytes.Repeat([]byte{'b'}, 4000))
			if !yield(Record{Time: time.Unix(1, 0), Type: Added, Flags: Initial, Raw: raw}, where(raw)) {
				return
			}
		}
	})
	if s := l.Stats(); s.Bytes > s.Budget {
		t.Errorf("%d bytes of %d", s.Bytes, s.Budget)
	}
}
